//! Tool calls as the model writes them.

use super::MsgReducer;
use crate::argument_text::ArgumentText;
use crate::{BlockKind, Change, NoteKind};
use replyfold_event::{AgentEvent, ToolCallDelta, ToolCallEnd, ToolCallStart};
use replyfold_message::json::JsonObject;
use replyfold_message::{Block, ToolCallBlock, ToolCallId};

impl MsgReducer {
    pub(super) fn call_start(&mut self, event: &AgentEvent, start: &ToolCallStart) -> Change {
        self.open(event);
        let id = &start.tool_call_id;
        if !event.absent.tool_call_id
            && let Some(index) = self.blocks.find_call(BlockKind::Call, id)
        {
            if self.blocks.is_open(index) {
                self.note(NoteKind::DuplicateStart(BlockKind::Call), Some(id.as_str()));
                return Change::None;
            }
            if self.is_continued(index, id) {
                self.blocks.set_open(index, true);
                if let (Some(state), Some(Block::ToolCall(call))) = (self.blocks.states.get_mut(index), self.msg.content.get_mut(index)) {
                    state.earlier_input = std::mem::take(&mut call.input);
                    call.finished_at = None;
                }
                return Change::Block(index);
            }
        }
        Change::Appended(self.open_call(event, id, &start.tool_call_name))
    }

    /// Whether a second start goes on with the call: in the same model call, and before its result has started.
    fn is_continued(&mut self, index: usize, id: &ToolCallId) -> bool {
        let same_model_call = self.blocks.states.get(index).is_some_and(|state| state.model_call == self.model_call);
        same_model_call && self.blocks.find_call(BlockKind::Result, id).is_none_or(|result| result < index)
    }

    fn open_call(&mut self, event: &AgentEvent, id: &ToolCallId, name: &str) -> usize {
        let mut call = ToolCallBlock::new(id, name);
        call.created_at.clone_from(&event.created_at);
        self.append(Some(BlockKind::Call), call, true)
    }

    pub(super) fn call_delta(&mut self, event: &AgentEvent, delta: &ToolCallDelta) -> Change {
        let (kind, id) = (BlockKind::Call, &delta.tool_call_id);
        let found = self.find_call(event, kind, id);
        let (index, change) = match found {
            Some(index) => {
                if !self.blocks.is_open(index) {
                    self.note(NoteKind::DeltaAfterEnd(kind), Some(id.as_str()));
                }
                (index, Change::Block(index))
            }
            None if event.absent.tool_call_id || self.options.open_missing => {
                self.open(event);
                self.note(NoteKind::OpenedForDelta(kind), Some(id.as_str()));
                let index = self.open_call(event, id, "");
                (index, Change::Appended(index))
            }
            None => {
                self.note(NoteKind::DeltaWithoutStart(kind), Some(id.as_str()));
                return Change::None;
            }
        };
        self.count(delta.delta.len());
        if let Some(call) = self.call_mut(index) {
            call.content.push_str(&delta.delta);
        }
        change
    }

    pub(super) fn call_end(&mut self, event: &AgentEvent, end: &ToolCallEnd) -> Change {
        let (kind, id) = (BlockKind::Call, &end.tool_call_id);
        let found = self.find_call(event, kind, id);
        let Some(index) = self.close(kind, found, id.as_str()) else { return Change::None };
        self.parse_arguments(index);
        if let Some(call) = self.call_mut(index) {
            call.finished_at.clone_from(&event.created_at);
        }
        Change::Block(index)
    }

    /// Parses the arguments, unless this text was parsed already.
    fn parse_arguments(&mut self, index: usize) {
        let (Some(state), Some(Block::ToolCall(call))) = (self.blocks.states.get_mut(index), self.msg.content.get_mut(index)) else {
            return;
        };
        let length = call.content.len();
        let earlier = std::mem::take(&mut state.earlier_input);
        if state.parsed.replace(length) == Some(length) {
            if !earlier.is_empty() {
                call.input = earlier;
            }
            return;
        }
        let may_be_object = state.arguments.may_be_object(&call.content);
        let parsed = if may_be_object { JsonObject::parse(&call.content).ok() } else { None };
        let bad = parsed.is_none() && !state.arguments.is_blank() && !call.content.trim().is_empty();
        call.input = parsed.unwrap_or_default();
        let id = bad.then(|| call.id.clone());
        if may_be_object {
            self.count(length);
        }
        if let Some(id) = id {
            self.note(NoteKind::BadArguments, Some(id.as_str()));
        }
    }

    /// Gives the call other arguments.
    pub(super) fn set_arguments(&mut self, index: usize, content: String, input: JsonObject) {
        self.count(content.len());
        let length = content.len();
        if let Some(call) = self.call_mut(index) {
            call.content = content;
            call.input = input;
        }
        if let Some(state) = self.blocks.states.get_mut(index) {
            // The input is what was told, so an end that comes again does not parse the text.
            state.parsed = Some(length);
            state.arguments = ArgumentText::default();
            state.earlier_input = JsonObject::default();
        }
    }

    pub(super) fn call_mut(&mut self, index: usize) -> Option<&mut ToolCallBlock> {
        if let Block::ToolCall(call) = self.msg.content.get_mut(index)? { Some(call) } else { None }
    }
}
