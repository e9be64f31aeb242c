//! Pauses for people and for the outside.

use super::MsgReducer;
use crate::{BlockKind, Change, NoteKind};
use replyfold_event::{AgentEvent, ExternalExecutionResult, RequireExternalExecution, RequireUserConfirm, UserConfirmResult};
use replyfold_message::json::JsonObject;
use replyfold_message::{Block, DataBlock, Origin, TextBlock, Timestamp, ToolCallBlock, ToolCallId, ToolCallState, ToolResultState};

impl MsgReducer {
    pub(super) fn require_confirm(&mut self, require: &RequireUserConfirm) -> Change {
        let mut changed = Change::None;
        for asked in &require.tool_calls {
            let Some(index) = self.unfinished(&asked.id) else { continue };
            let open = self.blocks.is_open(index);
            let Some(call) = self.call_mut(index) else { continue };
            call.state = ToolCallState::Asking;
            call.suggested_rules.clone_from(&asked.suggested_rules);
            if !open && call.content.trim().is_empty() {
                self.take_arguments(index, asked);
            }
            changed = Change::Content;
        }
        changed
    }

    /// The arguments of a call whose own never came: some producers send start and end only.
    fn take_arguments(&mut self, index: usize, asked: &ToolCallBlock) {
        if !asked.content.trim().is_empty() {
            self.set_arguments(index, asked.content.clone(), JsonObject::parse(&asked.content).unwrap_or_default());
        } else if !asked.input.is_empty() {
            self.set_arguments(index, asked.input.to_sorted(), asked.input.clone());
        }
    }

    pub(super) fn require_external(&mut self, require: &RequireExternalExecution) -> Change {
        let mut changed = Change::None;
        for asked in &require.tool_calls {
            if let Some(call) = self.unfinished(&asked.id).and_then(|index| self.call_mut(index)) {
                call.state = ToolCallState::Submitted;
                changed = Change::Content;
            }
        }
        changed
    }

    /// The newest call with this id, unless it is finished.
    fn unfinished(&mut self, id: &ToolCallId) -> Option<usize> {
        let Some(index) = self.blocks.find_call(BlockKind::Call, id) else {
            self.note(NoteKind::UnknownCall, Some(id.as_str()));
            return None;
        };
        if self.call_mut(index)?.state == ToolCallState::Finished {
            self.note(NoteKind::CallFinished, Some(id.as_str()));
            return None;
        }
        Some(index)
    }

    pub(super) fn confirm_result(&mut self, answer: &UserConfirmResult) -> Change {
        let mut changed = Change::None;
        for result in &answer.confirm_results {
            let edited = &result.tool_call;
            let Some(index) = self.blocks.find_call(BlockKind::Call, &edited.id) else {
                self.note(NoteKind::UnknownCall, Some(edited.id.as_str()));
                continue;
            };
            let Some(call) = self.call_mut(index) else { continue };
            if call.state != ToolCallState::Asking {
                self.note(NoteKind::NotAsking, Some(edited.id.as_str()));
                continue;
            }
            changed = Change::Content;
            if !result.confirmed {
                call.state = ToolCallState::Finished;
                continue;
            }
            call.state = ToolCallState::Allowed;
            if !edited.name.is_empty() {
                call.name.clone_from(&edited.name);
            }
            // The raw text counts if it says the same as the input; a front end that edits only the input leaves the old text behind.
            // A text that does not parse says `{}`, as at the end of a call: the recorded logs demand it.
            if JsonObject::parse(&edited.content).unwrap_or_default().is_same_value(&edited.input) {
                self.set_arguments(index, edited.content.clone(), edited.input.clone());
            } else if !edited.input.is_same_value(&call.input) {
                self.set_arguments(index, edited.input.to_sorted(), edited.input.clone());
            }
        }
        changed
    }

    pub(super) fn external_result(&mut self, event: &AgentEvent, results: &ExternalExecutionResult) -> Change {
        self.open(event);
        let mut changed = Change::None;
        for told in &results.tool_results {
            let mut told = told.clone();
            told.output.iter_mut().for_each(|block| adopt(block, event));
            let finished_at: Option<Timestamp> = told.finished_at.take().or_else(|| event.created_at.clone());
            match self.blocks.find_call(BlockKind::Result, &told.id) {
                None => {
                    told.created_at = told.created_at.or_else(|| event.created_at.clone());
                    told.finished_at = finished_at;
                    let id = told.id.clone();
                    self.append(Some(BlockKind::Result), told, false);
                    self.finish_call(&id);
                }
                Some(index) if !self.blocks.is_open(index) && self.is_placeholder(index) => {
                    if let Some(state) = self.blocks.states.get_mut(index) {
                        state.media = None;
                    }
                    let id = told.id.clone();
                    if let Some(result) = self.result_mut(index) {
                        if !told.name.is_empty() {
                            result.name = told.name;
                        }
                        result.output = told.output;
                        result.state = told.state;
                        result.metadata = told.metadata;
                        result.finished_at = finished_at;
                    }
                    self.finish_call(&id);
                }
                // Its content follows as pieces: that is how upstream sends it.
                Some(index) if self.blocks.is_open(index) => continue,
                Some(_) => {
                    self.note(NoteKind::ResultPresent, Some(told.id.as_str()));
                    continue;
                }
            }
            changed = Change::Content;
        }
        changed
    }

    /// Whether the result stands for a suspended call that is still awaited.
    fn is_placeholder(&mut self, index: usize) -> bool {
        self.result_mut(index).is_some_and(|result| result.state == ToolResultState::Running)
    }
}

/// A block that came inside an event and has no id of its own is known by the event.
pub(super) fn adopt(block: &mut Block, event: &AgentEvent) {
    if let Block::Text(TextBlock { id: None, origin, .. }) | Block::Data(DataBlock { id: None, origin, .. }) = block {
        *origin = Origin::new(event.id.clone());
    }
}
