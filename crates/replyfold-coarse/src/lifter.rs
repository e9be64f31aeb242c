//! The way back: coarse events to fine ones.

mod mirror;

use crate::failed_result::reason_of;
use crate::{CoarseEvent, ErrorCode, Language};
use mirror::Mirror;
use replyfold_event::message::json::{JsonObject, Style, Writer};
use replyfold_event::message::{Failure, FinishedReason, Role, ToolResultState};
use replyfold_event::{
    AgentEnd, AgentEvent, AgentStart, Custom, ExceedMaxIters, ModelCallEnd, ModelCallStart, Payload, Retry, TextBlockDelta, TextBlockEnd,
    TextBlockStart, ThinkingBlockDelta, ThinkingBlockEnd, ThinkingBlockStart, ToolCallDelta, ToolCallEnd, ToolCallStart, ToolResultEnd,
    ToolResultStart, ToolResultTextDelta,
};
use std::vec;

/// Name of the custom event that carries a coarse one which no fine event says.
pub(crate) const CARRIER: &str = "coarse_event";

/// Lifts a coarse stream to fine events, so that old logs replay with everything else.
///
/// Ids are made by counting, from the id of the reply: the same stream gives the same events. What follows a `complete` is another reply,
/// whose id ends in `#2` and so on. Collapsing what was lifted, in the same language and without think tags, gives every stream that a
/// [`Collapser`](crate::Collapser) can emit, byte for byte.
///
/// Lost, since the coarse protocol has no place for it: ids and times of events, tokens, media, where one piece of text ends and the next
/// block begins, why a reply that did not fail ended, and which of error, denial and interruption ended a tool. A `tool_end` without a `tool_start` is
/// dropped. Errors with codes of their own and types beyond the six become custom events, which the collapser turns back.
///
/// ```
/// use replyfold_coarse::{CoarseEvent, Collapser, Lifter};
///
/// let coarse = [CoarseEvent::thinking("hm"), CoarseEvent::text("Hello"), CoarseEvent::Complete];
/// let (mut lifter, mut collapser, mut back) = (Lifter::new("r1"), Collapser::new(), Vec::new());
/// for event in &coarse {
///     for fine in lifter.push(event) {
///         back.extend(collapser.push(&fine));
///     }
/// }
/// assert_eq!(back, coarse);
/// ```
#[derive(Clone, Debug)]
pub struct Lifter {
    name: String,
    language: Language,
    /// Number of the reply, from 1.
    replies: u64,
    reply: String,
    /// Events and blocks of the reply so far.
    events: u64,
    blocks: u64,
    started: bool,
    /// Kind and id of the open block.
    block: Option<(Kind, String)>,
    /// A model call is open, and it has a tool call.
    model_call: Option<bool>,
    /// Tools that run.
    open: Vec<String>,
    /// An error about the limit of rounds, until it is known that `complete` follows.
    held: Option<CoarseEvent>,
    mirror: Mirror,
    out: Vec<AgentEvent>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Thinking,
}

impl Lifter {
    /// A lifter whose first reply has this id.
    #[must_use]
    pub fn new(reply_id: impl Into<String>) -> Self {
        let name = reply_id.into();
        Self {
            reply: name.clone(),
            name,
            language: Language::default(),
            replies: 1,
            events: 0,
            blocks: 0,
            started: false,
            block: None,
            model_call: None,
            open: Vec::new(),
            held: None,
            mirror: Mirror::default(),
            out: Vec::new(),
        }
    }

    /// Messages of retries and failures are in this language; in another one they become custom events.
    #[must_use]
    pub fn with_language(mut self, language: Language) -> Self {
        self.language = language;
        self
    }

    /// Takes the next coarse event; gives the fine ones. Events that are not consumed are dropped.
    pub fn push(&mut self, event: &CoarseEvent) -> vec::Drain<'_, AgentEvent> {
        self.start();
        match event {
            CoarseEvent::Complete => self.complete(),
            CoarseEvent::Text { .. }
            | CoarseEvent::Thinking { .. }
            | CoarseEvent::ToolStart { .. }
            | CoarseEvent::ToolEnd { .. }
            | CoarseEvent::Error { .. }
            | CoarseEvent::Other(_) => {
                self.release();
                self.lift(event);
            }
        }
        self.out.drain(..)
    }

    /// Ends the stream without a `complete`: gives what was held back. The reply stays open, as its log says.
    pub fn finish(&mut self) -> vec::Drain<'_, AgentEvent> {
        self.release();
        self.out.drain(..)
    }

    fn lift(&mut self, event: &CoarseEvent) {
        match event {
            CoarseEvent::Text { content } => self.piece(Kind::Text, content.as_deref().unwrap_or_default()),
            CoarseEvent::Thinking { content } => self.piece(Kind::Thinking, content.as_deref().unwrap_or_default()),
            CoarseEvent::ToolStart { tool_name, tool_call_id, arguments } => self.tool_start(tool_name, tool_call_id, arguments.as_deref()),
            CoarseEvent::ToolEnd { tool_call_id, result, .. } => self.tool_end(tool_call_id, result.as_deref().unwrap_or_default()),
            CoarseEvent::Error { code, message, detail } => self.error(event, code.as_deref(), message.as_deref(), detail.as_deref()),
            CoarseEvent::Other(_) => self.carry(event),
            CoarseEvent::Complete => {}
        }
    }

    fn start(&mut self) {
        if !self.started {
            self.started = true;
            self.emit(AgentStart::new(self.reply.as_str(), Role::Assistant));
        }
    }

    fn emit(&mut self, payload: impl Into<Payload>) {
        self.events += 1;
        self.out.push(AgentEvent::new(payload).with_id(format!("{}-{}", self.reply, self.events)));
    }

    fn piece(&mut self, kind: Kind, content: &str) {
        if content.is_empty() {
            return;
        }
        // Once a model call has a tool call, the next piece is of the next one.
        if self.model_call != Some(false) {
            self.model_call_start();
        }
        let reply = self.reply.clone();
        let block = match &self.block {
            Some((open, block)) if *open == kind => block.clone(),
            _ => {
                self.end_block();
                self.blocks += 1;
                let block = format!("{reply}-block-{}", self.blocks);
                match kind {
                    Kind::Text => self.emit(TextBlockStart::new(reply.as_str(), block.as_str())),
                    Kind::Thinking => self.emit(ThinkingBlockStart::new(reply.as_str(), block.as_str())),
                }
                self.block = Some((kind, block.clone()));
                block
            }
        };
        match kind {
            Kind::Text => {
                self.mirror.showed_text = true;
                self.emit(TextBlockDelta::new(reply, block, content));
            }
            Kind::Thinking => self.emit(ThinkingBlockDelta::new(reply, block, content)),
        }
    }

    fn end_block(&mut self) {
        let reply = self.reply.clone();
        match self.block.take() {
            Some((Kind::Text, block)) => self.emit(TextBlockEnd::new(reply, block)),
            Some((Kind::Thinking, block)) => self.emit(ThinkingBlockEnd::new(reply, block)),
            None => {}
        }
    }

    fn model_call_start(&mut self) {
        self.model_call_end();
        self.model_call = Some(false);
        self.mirror.model_call_start();
        self.emit(ModelCallStart::new(self.reply.as_str()));
    }

    fn model_call_end(&mut self) {
        self.end_block();
        if self.model_call.take().is_some() {
            self.mirror.retries = 0;
            self.emit(ModelCallEnd::new(self.reply.as_str(), None));
        }
    }

    fn tool_start(&mut self, name: &str, id: &str, arguments: Option<&str>) {
        if self.model_call.is_none() {
            self.model_call_start();
        }
        self.end_block();
        self.model_call = Some(true);
        let reply = self.reply.clone();
        self.emit(ToolCallStart::new(reply.as_str(), id, name));
        if let Some(arguments) = arguments.filter(|arguments| !arguments.is_empty()) {
            self.emit(ToolCallDelta::new(reply.as_str(), id, arguments));
        }
        self.emit(ToolCallEnd::new(reply.as_str(), id));
        self.emit(ToolResultStart::new(reply, id, name));
        self.open.push(id.to_owned());
    }

    fn tool_end(&mut self, id: &str, result: &str) {
        let Some(index) = self.open.iter().position(|open| open == id) else { return };
        self.open.remove(index);
        // The model is done once its tools end.
        if self.model_call == Some(true) {
            self.model_call_end();
        }
        let (text, state) = match reason_of(result) {
            Some(reason) => (reason, ToolResultState::Error),
            None => (result.to_owned(), ToolResultState::Success),
        };
        if !text.is_empty() {
            self.emit(ToolResultTextDelta::new(self.reply.as_str(), id, text));
        }
        self.emit(ToolResultEnd::new(self.reply.as_str(), id, state));
    }

    fn error(&mut self, event: &CoarseEvent, code: Option<&str>, message: Option<&str>, detail: Option<&str>) {
        let message = message.unwrap_or_default();
        if code == Some(ErrorCode::MaxRoundsExceeded.as_str())
            && message == self.language.message(ErrorCode::MaxRoundsExceeded)
            && detail.is_none()
        {
            self.held = Some(event.clone());
            return;
        }
        if self.model_call == Some(true) {
            // A model call whose tools run did not fail; the error is of another one.
            self.model_call_end();
        }
        let is_model = code == Some(ErrorCode::LlmCallFailed.as_str());
        if let Some((attempt, limit)) = self.language.parse_retrying(message).filter(|_| is_model) {
            return self.retry(attempt, limit, detail);
        }
        match detail {
            Some(detail) if is_model && message == self.language.failed(self.mirror.retries) && !self.mirror.told_failure => {
                self.failed_call(detail);
            }
            _ => self.carry(event),
        }
    }

    fn retry(&mut self, attempt: u64, limit: u64, detail: Option<&str>) {
        // The fixed wait of the protocol, "Coarse protocol" section 5.
        const DELAY_MS: u64 = 10_000;
        self.fail_model_call(|end| {
            let end = end.with_retry(Retry::new(attempt, limit, DELAY_MS));
            match detail {
                Some(detail) => end.with_error(Failure::new(detail)),
                None => end,
            }
        });
        self.mirror.retries = attempt;
    }

    fn failed_call(&mut self, detail: &str) {
        self.fail_model_call(|end| end.with_error(Failure::new(detail)));
        self.mirror.told_failure = true;
        self.mirror.failed = Some(detail.to_owned());
    }

    fn fail_model_call(&mut self, end: impl FnOnce(ModelCallEnd) -> ModelCallEnd) {
        if self.model_call.is_none() {
            self.model_call_start();
        }
        self.end_block();
        self.model_call = None;
        self.emit(end(ModelCallEnd::new(self.reply.as_str(), None)));
    }

    fn complete(&mut self) {
        if self.held.take().is_some() {
            if self.mirror.showed_text {
                // The limit counts as an error only if the last model call showed nothing.
                self.model_call_start();
            }
            self.model_call_end();
            self.emit(ExceedMaxIters::new(self.reply.as_str()));
            self.emit(AgentEnd::new(self.reply.as_str()).with_finished_reason(FinishedReason::ExceedMaxIters));
        } else {
            self.model_call_end();
            let end = AgentEnd::new(self.reply.as_str());
            let end = match self.mirror.failed.take() {
                Some(detail) => end.with_finished_reason(FinishedReason::Error).with_error(Failure::new(detail)),
                None => end.with_finished_reason(FinishedReason::Completed),
            };
            self.emit(end);
        }
        self.replies += 1;
        let (name, language, replies, out) = (self.name.clone(), self.language, self.replies, std::mem::take(&mut self.out));
        *self = Self { reply: format!("{name}#{replies}"), replies, language, out, ..Self::new(name) };
    }

    /// Lets go of an error that no `complete` follows.
    fn release(&mut self) {
        if let Some(event) = self.held.take() {
            self.carry(&event);
        }
    }

    /// Says an event that has no fine form.
    fn carry(&mut self, event: &CoarseEvent) {
        self.end_block();
        let value = Writer::text(Style::Compact, |out| out.object(|object| object.key("event").raw(&event.to_json())));
        // An object was written.
        self.emit(Custom::new(CARRIER, JsonObject::parse(&value).unwrap_or_default()));
    }
}

/// The event that a custom one carries.
pub(crate) fn carried(value: &JsonObject) -> Option<CoarseEvent> {
    CoarseEvent::from_json(value.get("event")?.text()).ok()
}
