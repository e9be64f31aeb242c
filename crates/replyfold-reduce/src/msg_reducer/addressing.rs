//! Which block an event addresses (`reduction.md` section 2): the newest of its kind with its id, or the newest open one where the log gives
//! no id.

use super::MsgReducer;
use crate::{BlockKind, NoteKind};
use replyfold_event::AgentEvent;
use replyfold_message::{BlockId, ToolCallId};

impl MsgReducer {
    /// The text, thinking or data block that the event addresses.
    pub(super) fn find_block(&mut self, event: &AgentEvent, kind: BlockKind, id: &BlockId) -> Option<usize> {
        if event.absent.block_id { self.newest_open(kind) } else { self.blocks.find(kind, id) }
    }

    /// The call or result that the event addresses.
    pub(super) fn find_call(&mut self, event: &AgentEvent, kind: BlockKind, id: &ToolCallId) -> Option<usize> {
        if event.absent.tool_call_id { self.newest_open(kind) } else { self.blocks.find_call(kind, id) }
    }

    /// The newest open block of the kind, noted as a guess.
    fn newest_open(&mut self, kind: BlockKind) -> Option<usize> {
        let index = self.blocks.newest_open(kind)?;
        self.note(NoteKind::NewestOpen(kind), None);
        Some(index)
    }

    /// Closes the block that an end addresses, if there is one; an end without a block or of a closed one is noted.
    pub(super) fn close(&mut self, kind: BlockKind, found: Option<usize>, id: &str) -> Option<usize> {
        let Some(index) = found else {
            self.note(NoteKind::EndWithoutStart(kind), Some(id));
            return None;
        };
        if !self.blocks.is_open(index) {
            self.note(NoteKind::EndAfterEnd(kind), Some(id));
        }
        self.blocks.set_open(index, false);
        Some(index)
    }
}
