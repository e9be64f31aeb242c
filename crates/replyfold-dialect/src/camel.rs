//! What an event of a camelCase line gets beyond its fields: the id of its reply, and what is kept beside it.

use crate::ReadNote;
use crate::java::Extra;
use crate::replies::Replies;
use replyfold_event::AgentEvent;
use replyfold_message::Residue;

/// Residues that are remembered: a model call has one for its text, one for its thinking and one for its calls.
const RECENT: usize = 4;

/// State over one log.
#[derive(Clone, Debug, Default)]
pub(crate) struct Camel {
    replies: Replies,
    /// The residues that were made last: a run of events shares one.
    recent: Vec<(Extra, Residue)>,
    oldest: usize,
}

impl Camel {
    /// Gives the event the id of its reply and, if reading it left it none, its residue.
    pub(crate) fn finish(&mut self, event: &mut AgentEvent, mut extra: Extra) -> Option<ReadNote> {
        let note = self.replies.step(event, &mut extra);
        if event.residue.is_empty() && extra != Extra::default() {
            event.residue = self.residue(extra);
        }
        note
    }

    fn residue(&mut self, extra: Extra) -> Residue {
        if let Some((_, residue)) = self.recent.iter().find(|(known, _)| *known == extra) {
            return residue.clone();
        }
        let residue = extra.residue();
        let new = (extra, residue.clone());
        if self.recent.len() < RECENT {
            self.recent.push(new);
        } else if let Some(place) = self.recent.get_mut(self.oldest) {
            *place = new;
            self.oldest = (self.oldest + 1) % RECENT;
        }
        residue
    }

    /// Whether some event had what only Java has.
    pub(crate) fn has_residues(&self) -> bool {
        !self.recent.is_empty()
    }

    /// See [`Replies::version`].
    pub(crate) fn version(&self) -> u64 {
        self.replies.version()
    }
}
