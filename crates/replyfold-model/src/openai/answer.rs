//! An answer out of its frames: what each of them adds.

use super::failure::Told;
use super::secrets::Secrets;
use super::wire::{self, Call, Choice, Frame, Function, Piece, Stretch};
use replyfold_coarse::{Piece as Split, ThinkOptions, ThinkSplitter};
use replyfold_message::Usage;
use replyfold_runtime::{CallFragment, ModelChunk, ModelError, ModelErrorKind};
use serde_json::Value;
use std::collections::VecDeque;

/// An answer as far as it is read.
pub(super) struct Answer {
    secrets: Secrets,
    tags: Option<Tags>,
    chunks: VecDeque<ModelChunk>,
    finish: Option<String>,
    usage: Option<Usage>,
    /// Whether anything was answered, and whether it came in pieces.
    has_content: bool,
    has_pieces: bool,
}

/// The text that may hold think tags.
struct Tags {
    options: ThinkOptions,
    splitter: ThinkSplitter,
    /// Whether text may be held back.
    is_open: bool,
}

impl Answer {
    pub(super) fn new(secrets: Secrets, tags: Option<ThinkOptions>) -> Self {
        let tags = tags.map(|options| Tags { splitter: ThinkSplitter::new(options.clone()), options, is_open: false });
        Self { secrets, tags, chunks: VecDeque::new(), finish: None, usage: None, has_content: false, has_pieces: false }
    }

    pub(super) fn pop(&mut self) -> Option<ModelChunk> {
        self.chunks.pop_front()
    }

    /// Whether the model said why it stopped: what may still come is usage.
    pub(super) fn is_finished(&self) -> bool {
        self.finish.is_some()
    }

    pub(super) fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// Takes the data of an event, or a whole answer; `place` says where it stands.
    pub(super) fn take(&mut self, text: &str, is_error: bool, place: &str) -> Result<(), ModelError> {
        if is_error {
            let value = serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()));
            return Err(self.secrets.of_told(&Told::of_value(&value)));
        }
        let frame = Frame::read(text).map_err(|err| self.unreadable(place, &err, text))?;
        self.fail(&frame)?;
        for choice in frame.choices.into_iter().flatten() {
            // The other choices are other answers to the same question.
            if choice.index.as_ref().and_then(wire::count).unwrap_or(0) == 0 {
                self.choice(choice);
            }
        }
        // It counts what its frame adds. The end is told last of all, so it stands before that in any case.
        self.usage(frame.usage.as_ref());
        Ok(())
    }

    fn unreadable(&self, place: &str, err: &serde_json::Error, text: &str) -> ModelError {
        let what = match err.classify() {
            serde_json::error::Category::Data => "is no chat completion",
            _ => "is no JSON",
        };
        let told = format!("{err}: `{}`", self.secrets.excerpt(text));
        ModelError::new(ModelErrorKind::Protocol, format!("what the provider sent in {place} {what}")).with_detail(told)
    }

    /// An error that stands where an answer should.
    fn fail(&self, frame: &Frame) -> Result<(), ModelError> {
        if let Some(failed) = frame.base_resp.as_ref().and_then(base_resp) {
            return Err(self.secrets.of_told(&failed));
        }
        let is_told = |value: &Value| match value {
            Value::String(text) => !text.is_empty(),
            Value::Object(fields) => !fields.is_empty(),
            _ => false,
        };
        let outer = || {
            let fields = [("code", &frame.code), ("type", &frame.kind), ("message", &frame.message), ("detail", &frame.detail)];
            let fields = fields.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value.clone()?)));
            Value::Object(fields.chain(frame.error.clone().map(|error| ("error".to_owned(), error))).collect())
        };
        let says_error = |value: &Option<Value>| value.as_ref().and_then(Value::as_str) == Some("error");
        let is_bare = frame.choices.is_none() && (frame.message.as_ref().or(frame.detail.as_ref()).is_some_and(is_told));
        let is_error = frame.error.as_ref().is_some_and(is_told)
            || says_error(&frame.object)
            || frame.choices.is_none() && says_error(&frame.kind)
            || is_bare;
        if is_error { Err(self.secrets.of_told(&Told::of_value(&outer()))) } else { Ok(()) }
    }

    fn choice(&mut self, choice: Choice) {
        if let Some(piece) = choice.delta {
            self.has_pieces |= self.piece(&piece);
        }
        // The whole answer. Behind its pieces it says everything once more.
        if let Some(message) = choice.message.filter(|_| !self.has_pieces) {
            self.piece(&message);
        }
        if let Some(reason) = wire::word(choice.finish_reason.as_ref()) {
            self.finish = Some(reason);
        }
        self.usage(choice.usage.as_ref());
    }

    /// Adds what a piece holds; tells whether that is anything.
    fn piece(&mut self, piece: &Piece) -> bool {
        let before = std::mem::take(&mut self.has_content);
        self.reasoning(piece);
        for part in piece.content.iter().chain(&piece.refusal).flat_map(wire::content) {
            match part {
                Stretch::Text(text) => self.text(text),
                Stretch::Thinking(text) => self.thinking(text),
            }
        }
        for call in piece.tool_calls.iter().flatten() {
            self.call(call);
        }
        if let Some(function) = &piece.function_call {
            self.fragment(None, None, Some(function));
        }
        let has_any = self.has_content;
        self.has_content |= before;
        has_any
    }

    /// Reasoning in a field of its own. Servers that have two fields for it say the same in both.
    fn reasoning(&mut self, piece: &Piece) {
        let mut told: Vec<String> = Vec::new();
        for field in [&piece.reasoning_content, &piece.reasoning, &piece.reasoning_details].into_iter().flatten() {
            let text = wire::texts(field).concat();
            if !text.is_empty() && !told.contains(&text) {
                self.thinking(&text);
                told.push(text);
            }
        }
    }

    fn thinking(&mut self, text: &str) {
        if !text.is_empty() {
            self.release();
            self.has_content = true;
            self.chunks.push_back(ModelChunk::Thinking(text.to_owned()));
        }
    }

    fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.has_content = true;
        match &mut self.tags {
            Some(tags) => {
                tags.is_open = true;
                self.chunks.extend(tags.splitter.push(text).map(chunk));
            }
            None => self.chunks.push_back(ModelChunk::Text(text.to_owned())),
        }
    }

    /// Tells text that was held back since it might become a tag: it stands before what comes now.
    fn release(&mut self) {
        let Some(tags) = self.tags.as_mut().filter(|tags| tags.is_open) else { return };
        tags.is_open = false;
        let is_inside = tags.splitter.is_inside();
        self.chunks.extend(tags.splitter.finish().map(chunk));
        // Thinking that nobody closed goes on behind it.
        if is_inside != tags.options.starts_inside {
            tags.splitter = ThinkSplitter::new(tags.options.clone().with_starts_inside(is_inside));
        }
    }

    fn call(&mut self, call: &Call) {
        let index = call.index.as_ref().and_then(wire::count);
        self.fragment(index, wire::word(call.id.as_ref()), call.function.as_ref());
    }

    /// A piece of a call as it came: which call it belongs to is found by who takes it.
    fn fragment(&mut self, index: Option<u64>, id: Option<String>, function: Option<&Function>) {
        let mut fragment = CallFragment::new(function.map(Function::arguments_text).unwrap_or_default());
        fragment.index = index;
        fragment.id = id;
        fragment.name = function.and_then(|function| wire::word(function.name.as_ref()));
        if fragment.id.is_none() && fragment.name.is_none() && fragment.arguments.is_empty() {
            return;
        }
        self.release();
        self.has_content = true;
        self.chunks.push_back(ModelChunk::Call(fragment));
    }

    /// Tokens so far, if they are others than those that were told last.
    fn usage(&mut self, usage: Option<&Value>) {
        let Some(usage) = usage.and_then(read_usage) else { return };
        if self.usage.replace(usage) != Some(usage) {
            self.chunks.push_back(ModelChunk::Usage(usage));
        }
    }

    /// Ends the answer: the provider said so (`is_done`), or its body is over.
    pub(super) fn end(&mut self, is_done: bool) -> Result<(), ModelError> {
        self.release();
        let finish = self.finish.take().or_else(|| (is_done && self.has_content).then(|| "stop".to_owned()));
        match finish {
            Some(reason) => {
                self.chunks.push_back(ModelChunk::Finish(reason));
                Ok(())
            }
            None if is_done => Err(ModelError::new(ModelErrorKind::Empty, "the provider ended its answer before it said anything")),
            None => Err(ModelError::new(ModelErrorKind::Incomplete, "the provider's answer ended in the middle")),
        }
    }
}

fn chunk(piece: Split) -> ModelChunk {
    match piece {
        Split::Text(text) => ModelChunk::Text(text),
        Split::Thinking(text) => ModelChunk::Thinking(text),
    }
}

/// The failure that MiniMax tells, with its codes in the words of others.
fn base_resp(told: &Value) -> Option<Told> {
    let code = wire::word(told.get("status_code"))?;
    let status = code.trim().parse::<f64>().ok();
    if status == Some(0.0) {
        return None;
    }
    let word = match wire::count(&Value::from(code.as_str())) {
        Some(1001) => "timeout",
        Some(1002 | 1041) => "rate_limit",
        Some(1004 | 2049) => "authentication",
        Some(1008) => "insufficient_balance",
        Some(1026 | 1027) => "content_filter",
        Some(1039) => "context_length_exceeded",
        Some(2013) => "invalid",
        _ => "",
    };
    Some(Told { message: wire::word(told.get("status_msg")).unwrap_or_default(), code: format!("{code} {word}").trim_end().to_owned() })
}

/// Tokens, if any are counted.
fn read_usage(usage: &Value) -> Option<Usage> {
    let count =
        |keys: &[&[&str]]| keys.iter().find_map(|path| path.iter().try_fold(usage, |value, key| value.get(*key)).and_then(wire::count));
    let input = count(&[&["prompt_tokens"], &["input_tokens"]]);
    let output = count(&[&["completion_tokens"], &["output_tokens"]]);
    if input.is_none() && output.is_none() {
        return None;
    }
    let read = count(&[&["prompt_tokens_details", "cached_tokens"], &["prompt_cache_hit_tokens"], &["cached_tokens"]]);
    let created = count(&[&["prompt_tokens_details", "cache_creation_input_tokens"], &["cache_creation_input_tokens"]]);
    Some(Usage::new(input.unwrap_or(0), output.unwrap_or(0)).with_cache(read.unwrap_or(0), created.unwrap_or(0)))
}
