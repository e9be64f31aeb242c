//! The tool calls of a reply: their arguments, their answers, and what was sent of them.

use crate::CoarseEvent;
use crate::failed_result::{failed_result, lost_result};
use replyfold_event::message::json::{JsonObject, Style, Writer};
use replyfold_event::message::{Block, BlockId, ToolCallBlock, ToolCallId, ToolResultBlock, ToolResultState};
use replyfold_event::{ConfirmResult, MediaDelta};
use std::collections::{HashMap, HashSet};

/// Every call of the reply by its id; of an id that is used again, the newest call.
#[derive(Clone, Debug, Default)]
pub(super) struct Calls {
    calls: Vec<Call>,
    newest: HashMap<ToolCallId, usize>,
    /// The calls of the open model call, which are withdrawn if it is tried again.
    of_model_call: Vec<usize>,
    /// Ids in `tool_start` events; each stands there once.
    sent: HashSet<String>,
    /// Tools that were started and not ended, in that order.
    open: Vec<usize>,
    /// Calls that a person was asked about and did not answer yet.
    asked: Vec<usize>,
    /// Calls that are run outside.
    outside: Vec<usize>,
}

#[derive(Clone, Debug, Default)]
struct Call {
    id: ToolCallId,
    /// The call that had this id before.
    before: Option<usize>,
    /// The newest before it whose tool was started.
    started_before: Option<usize>,
    name: String,
    arguments: String,
    /// The model call that wrote it.
    model_call: u64,
    /// The model finished writing it.
    written: bool,
    stage: Stage,
    /// The id under which it was sent.
    sent_as: String,
    answer: Answer,
}

/// What the tool answered so far.
#[derive(Clone, Debug, Default)]
struct Answer {
    text: String,
    media: u64,
    /// Blocks that were counted: their pieces come one by one.
    blocks: HashSet<BlockId>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// It was not started.
    #[default]
    Waits,
    /// Its `tool_start` was sent.
    Runs,
    /// Its `tool_end` was sent.
    Ended,
    /// The same, and its answer came from outside: the pieces that may follow say it again.
    EndedOutside,
}

impl Stage {
    fn is_ended(self) -> bool {
        matches!(self, Self::Ended | Self::EndedOutside)
    }
}

impl Calls {
    /// The call that the model's pieces address: the newest.
    fn newest(&mut self, id: &ToolCallId) -> Option<(usize, &mut Call)> {
        let index = *self.newest.get(id)?;
        self.calls.get_mut(index).map(|call| (index, call))
    }

    /// The call that the tool's pieces address: the newest, but as long as an older one runs, that one.
    fn answering(&mut self, id: &ToolCallId) -> Option<(usize, &mut Call)> {
        let newest = *self.newest.get(id)?;
        let before = self.calls.get(newest).filter(|call| call.stage == Stage::Waits).and_then(|call| call.started_before);
        let runs = before.filter(|index| self.calls.get(*index).is_some_and(|call| call.stage == Stage::Runs));
        let index = runs.unwrap_or(newest);
        self.calls.get_mut(index).map(|call| (index, call))
    }

    fn add(&mut self, id: &ToolCallId, name: &str, model_call: u64) -> usize {
        let index = self.calls.len();
        let before = self.newest.insert(id.clone(), index);
        let started_before = before.and_then(|before| match self.calls.get(before) {
            Some(Call { stage: Stage::Waits, started_before, .. }) => *started_before,
            _ => Some(before),
        });
        self.calls.push(Call { id: id.clone(), before, started_before, name: name.to_owned(), model_call, ..Call::default() });
        index
    }

    /// The model begins to write a call, or goes on with it ("Reduction" section 2, addressing).
    pub(super) fn start(&mut self, id: &ToolCallId, name: &str, model_call: u64) {
        match self.newest(id) {
            // It is being written: the start came twice.
            Some((_, call)) if !call.written && !call.stage.is_ended() => {}
            // Pieces of parallel calls alternate: it goes on, and what was written of it stays.
            Some((_, call)) if call.stage == Stage::Waits && call.model_call == model_call => call.written = false,
            Some(_) | None => {
                let index = self.add(id, name, model_call);
                self.of_model_call.push(index);
            }
        }
    }

    /// A model call begins.
    pub(super) fn model_call_start(&mut self) {
        self.of_model_call.clear();
    }

    /// The model call failed and is tried again: what it wrote is withdrawn, and its ids mean again what they meant before.
    pub(super) fn withdraw(&mut self) {
        for index in std::mem::take(&mut self.of_model_call).into_iter().rev() {
            let Some(call) = self.calls.get(index).filter(|call| call.stage == Stage::Waits) else { continue };
            if self.newest.get(&call.id) == Some(&index) {
                match call.before {
                    Some(before) => _ = self.newest.insert(call.id.clone(), before),
                    None => _ = self.newest.remove(&call.id),
                }
            }
        }
    }

    pub(super) fn arguments(&mut self, id: &ToolCallId, delta: &str) {
        if let Some((_, call)) = self.newest(id)
            && !call.written
        {
            call.arguments.push_str(delta);
        }
    }

    pub(super) fn written(&mut self, id: &ToolCallId) {
        if let Some((_, call)) = self.newest(id) {
            call.written = true;
        }
    }

    /// The tool begins to run.
    pub(super) fn run(&mut self, id: &ToolCallId, name: &str, out: &mut Vec<CoarseEvent>) {
        let index = match self.answering(id) {
            Some((index, call)) if call.stage == Stage::Waits => {
                // Whatever came before the start is no part of this run.
                call.answer = Answer::default();
                index
            }
            Some((_, call)) if matches!(call.stage, Stage::Runs | Stage::EndedOutside) => return,
            // The call is run again, as Java does where it was stopped in between.
            Some((_, call)) => {
                let arguments = call.arguments.clone();
                let index = self.add(id, name, 0);
                if let Some(call) = self.calls.get_mut(index) {
                    call.arguments = arguments;
                }
                index
            }
            None => self.add(id, name, 0),
        };
        self.start_tool(index, name, out);
    }

    fn start_tool(&mut self, index: usize, name: &str, out: &mut Vec<CoarseEvent>) {
        let Some(call) = self.calls.get_mut(index) else { return };
        if !name.is_empty() {
            name.clone_into(&mut call.name);
        }
        call.stage = Stage::Runs;
        let mut unique = call.id.as_str().to_owned();
        let mut number = 1_u64;
        while !self.sent.insert(unique.clone()) {
            number += 1;
            unique = format!("{}#{number}", call.id);
        }
        call.sent_as.clone_from(&unique);
        let arguments = (!call.arguments.is_empty()).then(|| call.arguments.clone());
        out.push(CoarseEvent::tool_start(call.name.as_str(), unique, arguments));
        self.open.push(index);
    }

    pub(super) fn answer(&mut self, id: &ToolCallId, delta: &str) {
        if let Some(answer) = self.answer_of(id) {
            answer.text.push_str(delta);
        }
    }

    pub(super) fn media(&mut self, id: &ToolCallId, block: Option<&BlockId>, media: &MediaDelta) {
        let Some(answer) = self.answer_of(id) else { return };
        let is_new = match media {
            MediaDelta::Base64(_) | MediaDelta::Url(_) => block.is_none_or(|block| answer.blocks.insert(block.clone())),
            // It has no effect on the message either.
            MediaDelta::None => false,
            // The enum may grow; a form that is not known is media all the same.
            _ => true,
        };
        if is_new {
            answer.media += 1;
        }
    }

    fn answer_of(&mut self, id: &ToolCallId) -> Option<&mut Answer> {
        if !self.newest.contains_key(id) {
            self.add(id, "", 0);
        }
        self.answering(id).filter(|(_, call)| !call.stage.is_ended()).map(|(_, call)| &mut call.answer)
    }

    /// The tool ended, or is suspended.
    pub(super) fn end(&mut self, id: &ToolCallId, state: ToolResultState, out: &mut Vec<CoarseEvent>) {
        if state == ToolResultState::Running {
            // What came is a placeholder for the answer.
            if let Some(answer) = self.answer_of(id) {
                *answer = Answer::default();
            }
            return;
        }
        let index = match self.answering(id) {
            Some((_, call)) if call.stage.is_ended() => return,
            Some((index, _)) => index,
            None => self.add(id, "", 0),
        };
        self.end_tool(index, state, Stage::Ended, out);
    }

    fn end_tool(&mut self, index: usize, state: ToolResultState, stage: Stage, out: &mut Vec<CoarseEvent>) {
        if self.calls.get(index).is_some_and(|call| call.stage == Stage::Waits) {
            self.start_tool(index, "", out);
        }
        let Some(call) = self.calls.get_mut(index) else { return };
        let answer = std::mem::take(&mut call.answer);
        call.stage = stage;
        out.push(CoarseEvent::tool_end(call.name.as_str(), call.sent_as.as_str(), result(answer, state)));
        self.open.retain(|open| *open != index);
    }

    /// The answer of a tool that was run outside. Java leaves its state at `running`; it is the answer all the same.
    pub(super) fn external(&mut self, result: &ToolResultBlock, out: &mut Vec<CoarseEvent>) {
        let index = match self.answering(&result.id) {
            Some((_, call)) if call.stage.is_ended() => return,
            // Its pieces are on their way, and its end will follow.
            Some((_, call)) if !call.answer.text.is_empty() || call.answer.media > 0 => return,
            Some((index, _)) => index,
            None => self.add(&result.id, &result.name, 0),
        };
        if let Some(call) = self.calls.get_mut(index) {
            if call.name.is_empty() {
                call.name.clone_from(&result.name);
            }
            call.answer.text = result.text();
            call.answer.media = result.output.iter().filter(|block| matches!(block, Block::Data(_))).count() as u64;
        }
        self.end_tool(index, result.state, Stage::EndedOutside, out);
    }

    /// Ends every open tool: its answer is lost, or what came of it.
    pub(super) fn end_open(&mut self, out: &mut Vec<CoarseEvent>) {
        for index in std::mem::take(&mut self.open) {
            let Some(call) = self.calls.get_mut(index) else { continue };
            call.stage = Stage::Ended;
            let text = std::mem::take(&mut call.answer).text;
            let result = if text.is_empty() { lost_result() } else { failed_result(&text) };
            out.push(CoarseEvent::tool_end(call.name.as_str(), call.sent_as.as_str(), result));
        }
    }

    /// Some producers write the start and the end of a call only; whoever is asked about it is told the arguments.
    pub(super) fn take_missing_arguments(&mut self, told: &ToolCallBlock) {
        let index = match self.newest(&told.id) {
            Some((index, _)) => index,
            None => self.add(&told.id, &told.name, 0),
        };
        if let Some(call) = self.calls.get_mut(index).filter(|call| call.stage == Stage::Waits && call.arguments.trim().is_empty()) {
            if !told.content.trim().is_empty() {
                call.arguments.clone_from(&told.content);
            } else if !told.input.is_empty() {
                call.arguments = told.input.to_sorted();
            }
        }
    }

    /// A call is run outside.
    pub(super) fn run_outside(&mut self, told: &ToolCallBlock) {
        if let Some((index, _)) = self.newest(&told.id)
            && !self.outside.contains(&index)
        {
            self.outside.push(index);
        }
    }

    /// Whether a call waits for the answer of a person, or for the result from outside.
    pub(super) fn are_awaited(&self) -> bool {
        let mut waiting = self.asked.iter().chain(&self.outside).filter_map(|index| self.calls.get(*index));
        waiting.any(|call| !call.stage.is_ended())
    }

    /// The reply went on: what was not answered by now is not asked any more.
    pub(super) fn await_nothing(&mut self) {
        self.asked.clear();
        self.outside.clear();
    }

    /// A person is asked about a call.
    pub(super) fn ask(&mut self, told: &ToolCallBlock) {
        if let Some((index, _)) = self.newest(&told.id)
            && !self.asked.contains(&index)
        {
            self.asked.push(index);
        }
    }

    /// A person answered. The arguments are those that the tool runs with: after the edit, if there was one.
    pub(super) fn confirmed(&mut self, result: &ConfirmResult) {
        let edited = &result.tool_call;
        // The log may begin behind the call: then the answer is what tells of it.
        let is_new = !self.newest.contains_key(&edited.id);
        if is_new {
            let index = self.add(&edited.id, &edited.name, 0);
            if let Some(call) = self.calls.get_mut(index) {
                call.written = true;
            }
        }
        let Some((index, call)) = self.newest(&edited.id) else { return };
        if (result.confirmed || is_new) && call.stage == Stage::Waits {
            if !edited.name.is_empty() {
                call.name.clone_from(&edited.name);
            }
            // The raw text counts if it says the same as the input; a front end that edits only the input leaves the old text behind.
            let known = JsonObject::parse(&call.arguments).unwrap_or_default();
            if JsonObject::parse(&edited.content).unwrap_or_default().is_same_value(&edited.input) {
                call.arguments.clone_from(&edited.content);
            } else if !edited.input.is_same_value(&known) {
                call.arguments = edited.input.to_sorted();
            }
        }
        self.asked.retain(|asked| *asked != index);
    }

    /// The calls that wait for a person, as the text of a JSON array.
    pub(super) fn asked(&self) -> String {
        let waiting = self.asked.iter().filter_map(|index| self.calls.get(*index));
        Writer::text(Style::Compact, |out| {
            out.array(waiting, |out, call| {
                out.object(|object| {
                    object.string("toolName", &call.name);
                    object.string("toolCallId", call.id.as_str());
                    object.string("arguments", &call.arguments);
                });
            });
        })
    }
}

/// The `result` of a tool that ended in this state ("Coarse protocol" section 7).
fn result(answer: Answer, state: ToolResultState) -> String {
    match state {
        ToolResultState::Error | ToolResultState::Denied | ToolResultState::Interrupted => failed_result(&answer.text),
        ToolResultState::Success | ToolResultState::Running if answer.text.is_empty() && answer.media > 0 => {
            // No base64: the client has no place for it.
            format!("{{\"data\": {}}}", answer.media)
        }
        ToolResultState::Success | ToolResultState::Running => answer.text,
        // The enum may grow; a state that is not known is no failure.
        _ => answer.text,
    }
}
