//! Which block an event addresses (`reduction.md` section 2): the newest of its kind with its id, or the newest open one where the log gives
//! no id.

use super::MsgReducer;
use crate::{BlockKind, NoteKind};
use replyfold_event::AgentEvent;
use replyfold_message::{Block, BlockId, ToolCallId};

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
        self.trim(index);
        Some(index)
    }

    /// Gives back the room that a text has grown beyond its length, up to as much again. Once: a block that is opened or added to afterwards
    /// would pay for its whole text each time.
    fn trim(&mut self, index: usize) {
        let (Some(state), Some(block)) = (self.blocks.states.get_mut(index), self.msg.content.get_mut(index)) else { return };
        if std::mem::replace(&mut state.trimmed, true) {
            return;
        }
        match block {
            Block::Text(block) => block.text.shrink_to_fit(),
            Block::Thinking(block) => block.thinking.shrink_to_fit(),
            Block::ToolCall(call) => call.content.shrink_to_fit(),
            Block::ToolResult(result) => {
                if let Some(Block::Text(block)) = result.output.last_mut() {
                    block.text.shrink_to_fit();
                }
            }
            // Media grows as its pieces say; a hint comes whole. `_` is demanded by `#[non_exhaustive]`.
            Block::Data(_) | Block::Hint(_) | _ => {}
        }
    }
}
