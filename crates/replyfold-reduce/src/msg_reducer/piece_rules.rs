//! The usual case: a piece of a block that is open, in a reply that has begun and not ended.
//!
//! Nearly all events are that. The rules say of such a piece that its text is appended and nothing else (`reduction.md` section 2), so nothing
//! of the event is read but its ids and its text. Everything else is left to the rules of each event.

use super::MsgReducer;
use crate::{Applied, BlockKind, Change, NoteKind};
use replyfold_event::{AgentEvent, Payload, Piece};
use replyfold_message::{Block, DataSource};

impl MsgReducer {
    /// Appends the piece, if it is the usual case; else changes nothing.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the usual case is one of these, and whatever is none goes to the rules")]
    pub(super) fn apply_piece(&mut self, base: &AgentEvent, piece: Piece<'_>) -> Option<Applied> {
        if !self.opened || self.ended || self.reply.is_empty() || base.absent.block_id || base.absent.tool_call_id {
            return None;
        }
        let index = match &base.payload {
            Payload::TextBlockDelta(delta) => self.blocks.find(BlockKind::Text, &delta.block_id),
            Payload::ThinkingBlockDelta(delta) => self.blocks.find(BlockKind::Thinking, &delta.block_id),
            Payload::DataBlockDelta(delta) => self.blocks.find(BlockKind::Data, &delta.block_id),
            Payload::ToolCallDelta(delta) => self.blocks.find_call(BlockKind::Call, &delta.tool_call_id),
            Payload::ToolResultTextDelta(delta) => self.blocks.find_call(BlockKind::Result, &delta.tool_call_id),
            _ => None,
        }?;
        if !self.blocks.is_open(index) {
            return None;
        }
        let id = piece.id.filter(|_| self.options.check_duplicates);
        let text = match self.msg.content.get_mut(index)? {
            Block::Text(block) => &mut block.text,
            Block::Thinking(block) => &mut block.thinking,
            Block::ToolCall(call) => &mut call.content,
            Block::ToolResult(result) => match result.output.last_mut()? {
                Block::Text(block) => &mut block.text,
                _ => return None,
            },
            Block::Data(block) => {
                // A piece that is no base64 is noted, and a type that is told late is taken over: by the rules.
                let DataSource::Base64 { data, .. } = &mut block.source else { return None };
                if data.is_empty() || id.is_some_and(|id| self.seen.contains(id)) {
                    return None;
                }
                let text = piece.text.get();
                data.append_base64(&text).ok()?;
                id.map(|id| self.seen.insert(id));
                self.count(text.len());
                return Some(Change::Block(index).into());
            }
            _ => return None,
        };
        if let Some(id) = id
            && !self.seen.insert(id)
        {
            self.note(NoteKind::DuplicateEvent, std::str::from_utf8(id).ok());
            return Some(Applied::DUPLICATE);
        }
        let before = text.len();
        piece.text.push_to(text);
        let copied = text.len() - before;
        self.count(copied);
        Some(Change::Block(index).into())
    }
}
