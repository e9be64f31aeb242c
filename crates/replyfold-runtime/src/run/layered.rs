//! What the loop does at each position of middleware: the layers, and what they are around.

use super::{Run, parking, resume};
use crate::closing::INTERRUPTED;
use crate::gate::{Decision, Question};
use crate::input::Input;
use crate::middleware::{ActingCall, CompressCall, EventSink, ModelCall, Next, PermissionCall, ReasoningCall, ReplyCall, RoundEnd, Scope};
use crate::model::{ChatModel, ModelError, ModelRequest, ModelStream, ToolChoice};
use crate::tool::ToolError;
use futures_util::future::FutureExt as _;
use replyfold_event::{AgentEvent, Payload, RequestStop};
use replyfold_message::Failure;
use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What the model is told when it answers for the last time.
const LAST: &str = "The limit of rounds is reached, and tools are switched off. Answer now, from what you have.";
/// Why a reply fails that a layer did not let come to its end.
const WITHOUT_END: &str = "a middleware kept back the end of the reply";
/// Why a layer cannot have the work done again.
const OVER: &str = "the reply has ended: a middleware cannot go on with it";

impl Run {
    pub(super) fn scope(&self) -> Scope {
        Scope::new(&self.inner, &self.reply)
    }

    /// The same run with its events going there.
    fn with_events(&self, events: Option<EventSink>) -> Self {
        Self { inner: Arc::clone(&self.inner), handover: Arc::clone(&self.handover), reply: self.reply.clone(), events }
    }

    /// The same run with its events going to the consumer, past all layers.
    pub(super) fn straight(&self) -> Self {
        self.with_events(None)
    }

    pub(super) fn has_ended(&self) -> bool {
        self.inner.with_reply(|_| ()).is_none()
    }

    /// Works on an input, through the layers.
    pub(super) async fn reply(&self, input: Input) -> Result<(), Failure> {
        let layers = &self.inner.config.layers;
        if layers.is_empty() {
            return self.work(input).await;
        }
        let call = ReplyCall { scope: self.scope(), input, events: self.outlet() };
        let has_worked = AtomicBool::new(false);
        let work = Next::new(|call: ReplyCall| {
            let run = self.with_events(Some(call.events));
            let is_over = has_worked.swap(true, Ordering::AcqRel) && self.has_ended();
            async move {
                if is_over {
                    return Err(Failure::new(OVER));
                }
                // A layer may have changed the input.
                self.inner.with(|kept| resume::check(kept, &call.input)).map_err(|err| Failure::new(err.to_string()))?;
                run.work(call.input).await
            }
            .boxed()
        });
        work.within(layers, |layer, call, next| layer.on_reply(call, next)).run(call).await?;
        // What a layer kept back is told all the same: a reply ends, or says that it waits.
        match self.inner.with_reply(|going| (going.is_parked, parking(going))) {
            None | Some((true, _)) => {}
            Some((false, Some(reason))) => self.emit(RequestStop::new(reason).with_reply_id(self.reply.clone())).await,
            Some((false, None)) => return Err(Failure::new(WITHOUT_END)),
        }
        Ok(())
    }

    /// Where events leave the layers.
    fn outlet(&self) -> EventSink {
        let run = Arc::new(self.straight());
        let has_begun = Arc::new(AtomicBool::new(!self.has_ended()));
        EventSink::new(move |event: AgentEvent| {
            let (run, has_begun) = (Arc::clone(&run), Arc::clone(&has_begun));
            async move {
                let AgentEvent { payload, metadata, source, .. } = event;
                if run.has_ended() {
                    // Behind its end a reply says no more, and before its start nothing.
                    if has_begun.swap(true, Ordering::AcqRel) || !matches!(payload, Payload::AgentStart(_)) {
                        return;
                    }
                    run.inner.with(|kept| kept.begin(&run.reply));
                }
                has_begun.store(true, Ordering::Release);
                run.handover
                    .give(|| {
                        let mut event = run.inner.stamp(payload);
                        (event.metadata, event.source) = (metadata, source);
                        event
                    })
                    .await;
            }
            .boxed()
        })
    }

    /// One round's reasoning, through the layers.
    pub(super) async fn reason(&self, is_last: bool) -> Result<RoundEnd, Failure> {
        let layers = &self.inner.config.layers;
        let (tool_choice, hints) = match is_last {
            true => (ToolChoice::None, vec![LAST.to_owned()]),
            false => (ToolChoice::Auto, Vec::new()),
        };
        let before = self.with(|going| going.rounds);
        let events = self.events.clone().unwrap_or_else(|| self.outlet());
        let call = ReasoningCall { scope: self.scope(), tool_choice, hints, events };
        let result = if layers.is_empty() {
            self.call_model(&call).await
        } else {
            let work = Next::new(|call: ReasoningCall| {
                let run = self.with_events(Some(call.events.clone()));
                async move {
                    let round = run.call_model(&call).await;
                    run.with(|going| going.rounds += 1);
                    round
                }
                .boxed()
            });
            work.within(layers, |layer, call, next| layer.on_reasoning(call, next)).run(call).await
        };
        // A round that a layer answered counts too: else there was no limit.
        self.with(|going| going.rounds = going.rounds.max(before + 1));
        result
    }

    /// One attempt to call a model, through the layers.
    pub(super) async fn ask(&self, model: &Arc<dyn ChatModel>, request: ModelRequest) -> Result<ModelStream, ModelError> {
        let layers = &self.inner.config.layers;
        if layers.is_empty() {
            return model.call(request).await;
        }
        let call = ModelCall { scope: self.scope(), model: Arc::clone(model), request };
        let work = Next::new(|call: ModelCall| async move { call.model.call(call.request).await }.boxed());
        work.within(layers, |layer, call, next| layer.on_model_call(call, next)).run(call).await
    }

    /// Whether a call may run, through the layers.
    pub(super) async fn decide(&self, question: Question<'_>) -> Decision {
        let layers = &self.inner.config.layers;
        if layers.is_empty() {
            return self.inner.config.gate.decide(question).await;
        }
        let Question { call, arguments, rules, is_confirmed } = question;
        let (call, arguments, rules) = (call.clone(), arguments.clone(), rules.to_vec());
        let call = PermissionCall { scope: self.scope(), call, arguments, rules, is_confirmed };
        let gate = &self.inner.config.gate;
        let work = Next::new(|asked: PermissionCall| {
            async move {
                let PermissionCall { call, arguments, rules, is_confirmed, .. } = &asked;
                gate.decide(Question { call, arguments, rules, is_confirmed: *is_confirmed }).await
            }
            .boxed()
        });
        work.within(layers, |layer, call, next| layer.on_check_permission(call, next)).run(call).await
    }

    /// Runs a call, through the layers. What panics is a failure of the call.
    pub(super) async fn execute<'a>(&'a self, call: ActingCall<'a>) -> Result<(), ToolError> {
        let work = Next::new(|call| self.run_tool(call).boxed());
        let layered = work.within(&self.inner.config.layers, |layer, call, next| layer.on_acting(call, next));
        caught(async move { layered.run(call).await }).await
    }

    /// Runs the tool itself.
    async fn run_tool<'a>(&'a self, call: ActingCall<'a>) -> Result<(), ToolError> {
        let Some(entry) = self.inner.config.tools.get(&call.tool) else {
            return Err(ToolError::new(format!("The tool named '{}' doesn't exist.", call.tool)));
        };
        let work = caught(async { entry.tool.run(call.input, call.output).await });
        match entry.tool.timeout().or(self.inner.config.tool_timeout) {
            None => work.await,
            Some(limit) => match tokio::time::timeout(limit, work).await {
                Ok(result) => result,
                Err(_) => Err(ToolError::new(format!("The tool took longer than {} s.", limit.as_secs_f64()))),
            },
        }
    }

    /// What becomes of the context before a round.
    pub(super) async fn compress(&self) {
        let layers = &self.inner.config.layers;
        if layers.is_empty() {
            return;
        }
        let context = self.inner.with(|kept| kept.state.context.clone());
        let call = CompressCall { scope: self.scope(), context };
        let work = Next::new(|call: CompressCall| async move { call.context }.boxed());
        let context = work.within(layers, |layer, call, next| layer.on_compress_context(call, next)).run(call).await;
        self.inner.with(|kept| kept.state.context = context);
    }

    /// What becomes of the system prompt.
    pub(super) async fn system_prompt(&self, mut prompt: String) -> String {
        let scope = self.scope();
        for layer in &self.inner.config.layers {
            prompt = layer.on_system_prompt(&scope, prompt).await;
        }
        prompt
    }
}

/// Work whose panic is a failure; one before its future is there counts too.
async fn caught(work: impl Future<Output = Result<(), ToolError>>) -> Result<(), ToolError> {
    AssertUnwindSafe(work)
        .catch_unwind()
        .await
        .unwrap_or_else(|panic| Err(ToolError::new(format!("The tool failed unexpectedly: {}", message_of(panic.as_ref())))))
}

/// What a panic said.
fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| INTERRUPTED.to_owned())
}
