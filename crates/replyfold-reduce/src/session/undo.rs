//! Taking events back, for those who walk a log backwards.

use super::SessionReducer;
use crate::MsgReducer;
use replyfold_event::EventRef;

/// What an event is going to change of a session, as it is before; made by [`SessionReducer::before`].
#[derive(Clone, Debug)]
pub struct Undo {
    /// The reply of the event, and where it is in the session.
    reply: Option<(usize, MsgReducer)>,
    opened: usize,
    exposed: usize,
    last: Option<usize>,
    position: u64,
}

impl Undo {
    /// Number of blocks that it holds: what it costs beside a constant.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.reply.as_ref().map_or(0, |(_, reducer)| reducer.message().content.len())
    }
}

impl SessionReducer {
    /// Remembers what the event is going to change, so that it can be taken back. Costs the blocks of the event's reply, and while
    /// duplicates are checked the ids of its events; content is shared.
    ///
    /// ```
    /// use replyfold_event::{AgentEvent, TextBlockDelta, TextBlockStart};
    /// use replyfold_reduce::SessionReducer;
    ///
    /// let mut session = SessionReducer::new();
    /// session.apply(&AgentEvent::new(TextBlockStart::new("r1", "b1")));
    /// let delta = AgentEvent::new(TextBlockDelta::new("r1", "b1", "Hello"));
    /// let (before, earlier) = (session.before(&delta), session.messages().next().cloned());
    /// session.apply(&delta);
    /// assert_ne!(session.messages().next(), earlier.as_ref());
    /// session.undo(before);
    /// assert_eq!(session.messages().next(), earlier.as_ref());
    /// ```
    pub fn before<'e>(&mut self, event: impl Into<EventRef<'e>>) -> Undo {
        let (last, event) = (self.last, event.into());
        // A reply that is not there yet is made here already, and stays without anything.
        let place = event.reply_id().map(|reply| self.place(event.source(), reply));
        let reply = place.and_then(|place| self.replies.get(place).map(|(_, reducer)| (place, reducer.clone())));
        Undo { reply, opened: self.opened.len(), exposed: self.exposed.len(), last, position: self.position }
    }

    /// What takes back a record that is no event: nothing.
    #[must_use]
    pub fn nothing(&self) -> Undo {
        Undo { reply: None, opened: self.opened.len(), exposed: self.exposed.len(), last: self.last, position: self.position }
    }

    /// Takes the last event back. What was remembered must be what was before it: events are taken back in the order in which they came, the
    /// last one first.
    pub fn undo(&mut self, undo: Undo) {
        if let Some((place, reducer)) = undo.reply
            && let Some((_, current)) = self.replies.get_mut(place)
        {
            *current = reducer;
        }
        self.opened.truncate(undo.opened);
        self.exposed.truncate(undo.exposed);
        (self.last, self.position) = (undo.last, undo.position);
    }
}
