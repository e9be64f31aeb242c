//! What an event of a camelCase line gets beyond its fields: the id of its reply, and what is kept beside it.

use crate::ReadNote;
use crate::java::Extra;
use crate::replies::Replies;
use foldhash::HashMap;
use replyfold_event::AgentEvent;
use replyfold_message::{BlockId, ReplyId, Residue};

/// Residues that are remembered: enough for the model calls that run side by side, few enough to forget them all when there are more.
const MOST: usize = 4096;

/// State over one log.
#[derive(Clone, Debug, Default)]
pub(crate) struct Camel {
    replies: Replies,
    /// The residues of events that only had other ids: those of one model call share one for each kind of block.
    own_ids: HashMap<(Option<ReplyId>, Option<BlockId>), Residue>,
    /// The residue that was made last.
    last: Option<(Extra, Residue)>,
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
        if let Some((last, residue)) = &self.last
            && *last == extra
        {
            return residue.clone();
        }
        let residue = match extra.own_ids() {
            Some(ids) => {
                if self.own_ids.len() >= MOST && !self.own_ids.contains_key(&ids) {
                    self.own_ids.clear();
                }
                self.own_ids.entry(ids).or_insert_with(|| extra.residue()).clone()
            }
            None => extra.residue(),
        };
        self.last = Some((extra, residue.clone()));
        residue
    }

    /// Whether some event had what only Java has.
    pub(crate) fn has_residues(&self) -> bool {
        self.last.is_some()
    }

    /// See [`Replies::version`].
    pub(crate) fn version(&self) -> u64 {
        self.replies.version()
    }
}
