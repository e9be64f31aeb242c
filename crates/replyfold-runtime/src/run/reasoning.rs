//! One round's model call, with its retries: an answer, piece by piece.

use super::Run;
use super::calls::{Calls, Step};
use crate::middleware::{ReasoningCall, RoundEnd};
use crate::model::{CallFragment, ChatModel, ModelChunk, ModelError, ModelErrorKind, ModelRequest, ToolChoice};
use crate::{closing, retry::RetryPolicy};
use futures_util::StreamExt as _;
use replyfold_event::{
    DataBlockDelta, DataBlockStart, MediaDelta, ModelCallEnd, ModelCallStart, Retry, TextBlockDelta, TextBlockEnd, TextBlockStart,
    ThinkingBlockDelta, ThinkingBlockEnd, ThinkingBlockStart, ToolCallDelta, ToolCallEnd, ToolCallStart,
};
use replyfold_message::json::JsonObject;
use replyfold_message::{BlockId, DataSource, Failure, Msg, Role, TextBlock, ToolResultState, Usage};
use std::sync::Arc;

/// What a call of a round without tools is answered.
const REFUSED: &str = "Tools are switched off in this round. The call was not run.";

/// An attempt that failed.
struct Failed {
    error: ModelError,
    /// Whether some of an answer was emitted.
    has_answered: bool,
}

/// What an attempt has come to.
#[derive(Default)]
struct Attempt {
    text: Option<BlockId>,
    thinking: Option<BlockId>,
    thinking_metadata: Option<JsonObject>,
    calls: Calls,
    /// Media by the provider's id of it.
    data: Vec<(String, BlockId)>,
    usage: Option<Usage>,
    /// What the attempts before it have cost that nobody was told of.
    spent_before: Option<Usage>,
    finish: Option<String>,
    has_text: bool,
    has_thinking: bool,
}

impl Run {
    /// Calls the model until it answers.
    pub(super) async fn call_model(&self, call: &ReasoningCall) -> Result<RoundEnd, Failure> {
        let config = &self.inner.config;
        let policy = &config.retry;
        let models: Vec<&Arc<dyn ChatModel>> = [&config.model].into_iter().chain(&config.fallback).collect();
        let each = policy.max_retries.saturating_add(1);
        let most = each.saturating_mul(models.len() as u64) - 1;
        let request = self.request(call).await;
        let (mut retries, mut has_started) = (0, false);
        for (at, model) in models.iter().enumerate() {
            let mut attempt = 1;
            loop {
                if !std::mem::replace(&mut has_started, true) {
                    self.with(|going| going.spent = None);
                    self.emit(ModelCallStart::new(self.reply.clone()).with_model_name(model.name())).await;
                }
                let failed = match self.attempt(model, request.clone()).await {
                    Ok(round) => {
                        if call.tool_choice == ToolChoice::None {
                            self.refuse_calls().await;
                        }
                        return Ok(round);
                    }
                    Err(failed) => failed,
                };
                for payload in self.with(|going| closing::open_blocks(going)) {
                    self.emit(payload).await;
                }
                let can_go_on = can_retry(policy, &failed);
                let may_pass = !failed.error.is_for_good && (failed.error.kind.is_transient() || !policy.only_transient);
                let may_repeat = can_go_on && attempt < each && may_pass;
                let wait = if may_repeat { policy.wait(attempt, config.clock.chance(), failed.error.retry_after) } else { None };
                let failure = if may_repeat && wait.is_none() { too_long(policy, &failed.error) } else { failed.error.to_failure() };
                if !can_go_on || (wait.is_none() && at + 1 >= models.len()) {
                    self.emit(ModelCallEnd::new(self.reply.clone(), self.spent()).with_error(failure.clone())).await;
                    return Err(failure);
                }
                retries += 1;
                let pause = wait.unwrap_or_default();
                if policy.announce {
                    has_started = false;
                    let millis = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX);
                    let end = ModelCallEnd::new(self.reply.clone(), self.spent()).with_error(failure);
                    self.emit(end.with_retry(Retry::new(retries, most, millis))).await;
                }
                if !pause.is_zero() {
                    tokio::time::sleep(pause).await;
                }
                if wait.is_none() {
                    break;
                }
                attempt += 1;
            }
        }
        // The last model's last attempt has returned.
        Err(Failure::new("no model answered"))
    }

    /// What the model is asked: the context, and the reply as far as it is.
    async fn request(&self, call: &ReasoningCall) -> ModelRequest {
        let config = &self.inner.config;
        let system = self.system_prompt(config.system.clone()).await;
        let mut messages = self.inner.with(|kept| {
            let going = kept.reply.as_ref().map(|going| going.message().clone()).filter(|msg| !msg.content.is_empty());
            kept.state.context.iter().cloned().chain(going).collect::<Vec<_>>()
        });
        // Only said, not kept: it is about this call alone.
        messages.extend(call.hints.iter().map(|text| {
            let mut hint = Msg::new("", Role::User);
            hint.content.push(TextBlock::new(text.as_str()));
            hint
        }));
        let tools = if call.tool_choice == ToolChoice::None { Vec::new() } else { config.tools.specs() };
        ModelRequest { system, messages, tools, tool_choice: call.tool_choice.clone() }
    }

    async fn attempt(&self, model: &Arc<dyn ChatModel>, request: ModelRequest) -> Result<RoundEnd, Failed> {
        let mut attempt = Attempt { spent_before: self.spent(), ..Attempt::default() };
        match self.stream(model, request, &mut attempt).await {
            Ok(()) => {
                self.close_blocks(&mut attempt).await;
                let mut end = ModelCallEnd::new(self.reply.clone(), self.spent());
                end.finished_reason.clone_from(&attempt.finish);
                self.emit(end).await;
                Ok(attempt.outcome())
            }
            Err(error) => {
                // What is open is closed by whoever decides how to go on.
                self.tell_held(&mut attempt).await;
                Err(Failed { error, has_answered: attempt.has_answered() })
            }
        }
    }

    /// Emits the answer's pieces as they come.
    async fn stream(&self, model: &Arc<dyn ChatModel>, request: ModelRequest, attempt: &mut Attempt) -> Result<(), ModelError> {
        let mut chunks = self.ask(model, request).await?;
        while let Some(chunk) = chunks.next().await {
            match chunk? {
                ModelChunk::Thinking(piece) => self.thinking(attempt, piece).await,
                ModelChunk::ThinkingMetadata(metadata) => {
                    // Thinking may be nothing but this.
                    self.open_thinking(attempt).await;
                    attempt.thinking_metadata = Some(metadata);
                }
                ModelChunk::Text(piece) => self.text(attempt, piece).await,
                ModelChunk::Call(fragment) => self.call(attempt, fragment).await,
                ModelChunk::Data { id, source } => self.data(attempt, id, source).await,
                ModelChunk::Usage(usage) => {
                    let usage = usage.max(attempt.usage.unwrap_or_default());
                    attempt.usage = Some(usage);
                    // Kept with the reply: whoever closes the call in the middle tells it too.
                    let spent = attempt.spent_before.map_or(usage, |before| before.saturating_add(usage));
                    self.with(|going| going.spent = Some(spent));
                }
                ModelChunk::Finish(reason) => attempt.finish = Some(reason),
            }
        }
        if attempt.finish.is_none() {
            return Err(ModelError::new(ModelErrorKind::Incomplete, "the model's answer ended in the middle"));
        }
        if attempt.calls.has_unnamed() {
            return Err(ModelError::new(ModelErrorKind::Protocol, "the model's answer has a tool call without a name"));
        }
        if !attempt.has_answered() {
            return Err(ModelError::new(ModelErrorKind::Empty, "the model's answer is empty"));
        }
        Ok(())
    }

    async fn thinking(&self, attempt: &mut Attempt, piece: String) {
        if piece.is_empty() {
            return;
        }
        let id = self.open_thinking(attempt).await;
        self.emit(ThinkingBlockDelta::new(self.reply.clone(), id, piece)).await;
    }

    /// The block of thinking that is open; one is opened behind what others are.
    async fn open_thinking(&self, attempt: &mut Attempt) -> BlockId {
        if let Some(id) = &attempt.thinking {
            return id.clone();
        }
        self.end_text(attempt).await;
        self.end_calls(attempt).await;
        attempt.has_thinking = true;
        let id = attempt.thinking.insert(self.block_id()).clone();
        self.emit(ThinkingBlockStart::new(self.reply.clone(), id.clone())).await;
        id
    }

    async fn text(&self, attempt: &mut Attempt, piece: String) {
        if piece.is_empty() {
            return;
        }
        attempt.has_text = true;
        self.end_thinking(attempt).await;
        if attempt.text.is_none() {
            let id = attempt.text.insert(self.block_id()).clone();
            self.emit(TextBlockStart::new(self.reply.clone(), id)).await;
        }
        if let Some(id) = attempt.text.clone() {
            self.emit(TextBlockDelta::new(self.reply.clone(), id, piece)).await;
        }
        // In this order in the traces (`runtime.md` 17.12).
        self.end_calls(attempt).await;
    }

    async fn call(&self, attempt: &mut Attempt, fragment: CallFragment) {
        self.end_thinking(attempt).await;
        self.end_text(attempt).await;
        let steps = self.inner.with(|kept| attempt.calls.push(fragment, &mut kept.calls));
        for step in steps {
            match step {
                Step::Start(number) => {
                    let Some(call) = attempt.calls.get_mut(number) else { continue };
                    call.is_open = true;
                    let start = ToolCallStart::new(self.reply.clone(), call.id.clone(), call.name.as_str());
                    self.emit(start).await;
                }
                Step::Piece(number, piece) => {
                    let Some(call) = attempt.calls.get(number) else { continue };
                    self.emit(ToolCallDelta::new(self.reply.clone(), call.id.clone(), piece)).await;
                }
            }
        }
    }

    async fn data(&self, attempt: &mut Attempt, id: String, source: DataSource) {
        let known = attempt.data.iter().find(|(known, _)| *known == id).map(|(_, block)| block.clone());
        let media_type = source.media_type().map(str::to_owned);
        let block = match known {
            Some(block) => block,
            None => {
                let block = self.block_id();
                attempt.data.push((id, block.clone()));
                let told = media_type.clone().unwrap_or_else(|| "application/octet-stream".to_owned());
                self.emit(DataBlockStart::new(self.reply.clone(), block.clone(), told)).await;
                block
            }
        };
        let media = match source {
            DataSource::Base64 { data, .. } => MediaDelta::Base64(data.to_base64()),
            DataSource::Url { url, .. } => MediaDelta::Url(url),
            _ => return,
        };
        let mut delta = DataBlockDelta::new(self.reply.clone(), block, media);
        delta.media_type = media_type;
        self.emit(delta).await;
    }

    async fn end_thinking(&self, attempt: &mut Attempt) {
        let Some(id) = attempt.thinking.take() else { return };
        let metadata = attempt.thinking_metadata.take().unwrap_or_default();
        self.emit_with_metadata(ThinkingBlockEnd::new(self.reply.clone(), id), metadata).await;
    }

    async fn end_text(&self, attempt: &mut Attempt) {
        if let Some(id) = attempt.text.take() {
            self.emit(TextBlockEnd::new(self.reply.clone(), id)).await;
        }
    }

    async fn end_calls(&self, attempt: &mut Attempt) {
        for (id, held) in attempt.calls.close() {
            if let Some(held) = held {
                self.emit(ToolCallDelta::new(self.reply.clone(), id.clone(), held)).await;
            }
            self.emit(ToolCallEnd::new(self.reply.clone(), id)).await;
        }
    }

    /// Tells arguments that were held back, before others close the calls.
    async fn tell_held(&self, attempt: &mut Attempt) {
        for (id, held) in attempt.calls.close() {
            if let Some(held) = held {
                self.emit(ToolCallDelta::new(self.reply.clone(), id, held)).await;
            }
        }
    }

    /// Text, thinking, calls, media, in this order.
    async fn close_blocks(&self, attempt: &mut Attempt) {
        self.end_text(attempt).await;
        self.end_thinking(attempt).await;
        self.end_calls(attempt).await;
        for (_, id) in &attempt.data {
            self.emit(replyfold_event::DataBlockEnd::new(self.reply.clone(), id.clone())).await;
        }
    }

    /// Answers the calls of a round whose tools were switched off.
    pub(super) async fn refuse_calls(&self) {
        let calls = self.with(|going| closing::unanswered(going).map(|call| (call.id.clone(), call.name.clone())).collect::<Vec<_>>());
        for (id, name) in calls {
            self.answer(&id, &name, REFUSED, ToolResultState::Error).await;
        }
    }

    /// What the open model call has cost so far.
    fn spent(&self) -> Option<Usage> {
        self.with(|going| going.spent)
    }

    fn block_id(&self) -> BlockId {
        BlockId::new(&self.inner.config.clock.id())
    }
}

/// Whether anything may follow a failed attempt: what was answered already is withdrawn by an announced retry only.
fn can_retry(policy: &RetryPolicy, failed: &Failed) -> bool {
    !failed.has_answered || (policy.retry_midstream && policy.announce)
}

/// A failure that is not waited out, since the provider asks for too much.
fn too_long(policy: &RetryPolicy, error: &ModelError) -> Failure {
    let mut failure = error.to_failure();
    let (asked, most) = (error.retry_after.unwrap_or_default().as_secs(), policy.max_wait.as_secs());
    failure.message = format!(
        "{}; the provider asks to wait {asked} s, and `max_wait` of the retry policy allows {most} s: try again later",
        failure.message
    );
    failure
}

impl Attempt {
    fn has_answered(&self) -> bool {
        self.has_text || self.has_thinking || !self.calls.is_empty() || !self.data.is_empty()
    }

    fn outcome(&self) -> RoundEnd {
        if !self.calls.is_empty() {
            RoundEnd::Calls
        } else if self.has_text || !self.data.is_empty() {
            RoundEnd::Final
        } else {
            RoundEnd::Unfinished
        }
    }
}
