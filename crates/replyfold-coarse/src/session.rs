//! Many replies in one stream.

use crate::{CoarseEvent, CollapseOptions, Collapser, SubagentPolicy};
use replyfold_event::message::ReplyId;
use replyfold_event::{EventRef, Extension, Payload};
use std::collections::HashMap;
use std::vec;

/// A coarse event and the reply that it belongs to.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SessionEvent {
    /// The reply.
    pub reply_id: ReplyId,
    /// The event.
    pub event: CoarseEvent,
}

/// Collapses a stream of interleaved replies: one coarse stream a reply ("Coarse protocol" section 8).
///
/// An event without a reply id belongs to the reply that spoke last; one of a sub-agent to the newest reply that is not complete.
///
/// ```
/// use replyfold_coarse::SessionCollapser;
/// use replyfold_event::{AgentEnd, AgentEvent, TextBlockDelta};
///
/// let mut session = SessionCollapser::new();
/// let fine = [
///     AgentEvent::new(TextBlockDelta::new("r1", "b", "one")),
///     AgentEvent::new(TextBlockDelta::new("r2", "b", "two")),
///     AgentEvent::new(AgentEnd::new("r1")),
/// ];
/// let mut lines: Vec<String> = Vec::new();
/// for event in &fine {
///     lines.extend(session.push(event).map(|out| format!("{} {}", out.reply_id, out.event.type_name())));
/// }
/// lines.extend(session.finish().map(|out| format!("{} {}", out.reply_id, out.event.type_name())));
/// assert_eq!(lines, ["r1 text", "r2 text", "r1 complete", "r2 error", "r2 complete"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct SessionCollapser {
    options: CollapseOptions,
    /// In the order in which they began.
    replies: Vec<(ReplyId, Collapser)>,
    index: HashMap<ReplyId, usize>,
    /// The reply that spoke last.
    last: Option<usize>,
}

impl SessionCollapser {
    /// A session with the usual options.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A session.
    #[must_use]
    pub fn with_options(options: CollapseOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// The replies in the order in which they began.
    pub fn replies(&self) -> impl ExactSizeIterator<Item = &Collapser> {
        self.replies.iter().map(|(_, collapser)| collapser)
    }

    /// Takes the next event; gives what it shows. Events that are not consumed are dropped.
    pub fn push<'a, 'e, E: Into<EventRef<'e>>>(&'a mut self, event: E) -> impl Iterator<Item = SessionEvent> + use<'a, 'e, E> {
        let event = event.into();
        let reply = self.reply_of(event).and_then(|index| self.replies.get_mut(index));
        // Pushed here and not when the iterator is asked, so that an event counts also if nobody looks at what it shows.
        let shown = reply.map(|(id, collapser)| (&*id, collapser.push(event)));
        shown.into_iter().flat_map(|(id, shown)| shown.map(|event| SessionEvent { reply_id: id.clone(), event }))
    }

    /// Closes every stream that is not complete, in the order in which they began.
    pub fn finish(&mut self) -> vec::IntoIter<SessionEvent> {
        let mut shown = Vec::new();
        for (id, collapser) in &mut self.replies {
            shown.extend(collapser.finish().map(|event| SessionEvent { reply_id: id.clone(), event }));
        }
        shown.into_iter()
    }

    fn reply_of(&mut self, event: EventRef<'_>) -> Option<usize> {
        if event.source().is_some_and(|source| !source.is_empty()) {
            // Dropped ones need no reply, and the search for one may pass over many.
            return (self.options.subagents != SubagentPolicy::Drop)
                .then(|| self.replies.iter().rposition(|(_, collapser)| !collapser.ending().is_complete()))
                .flatten();
        }
        let Some(id) = event.reply_id() else { return self.last };
        let index = match self.index.get(id) {
            Some(index) => *index,
            // Java's hints carry an id of the session: they begin no reply.
            None if is_hint(event) => return None,
            None => {
                let index = self.replies.len();
                let collapser = Collapser::with_options(self.options.clone()).for_reply(id.clone());
                self.replies.push((id.clone(), collapser));
                self.index.insert(id.clone(), index);
                index
            }
        };
        self.last = Some(index);
        Some(index)
    }
}

fn is_hint(event: EventRef<'_>) -> bool {
    event.as_event().is_some_and(|event| matches!(event.payload, Payload::Extension(Extension::HintBlock(_))))
}
