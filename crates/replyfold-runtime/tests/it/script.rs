//! A model that plays turns, tools of every kind, and a short form of events.

use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use replyfold_event::{AgentEvent, Payload};
use replyfold_message::Usage;
use replyfold_runtime::{
    Agent, AgentBuilder, CallFragment, ChatModel, ExternalTool, FnTool, Input, ModelChunk, ModelError, ModelErrorKind, ModelRequest,
    ModelStream, SeededClock, Tool, ToolError, ToolInput, ToolOutput, ToolSpec,
};
use serde_json::json;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What a model does in one call.
#[derive(Clone, Debug)]
pub(crate) struct Turn(pub(crate) Vec<Step>);

#[derive(Clone, Debug)]
pub(crate) enum Step {
    Chunk(ModelChunk),
    /// Waits before what follows.
    Wait(u64),
    Fail(ModelErrorKind),
    /// Fails as one that was called too often, and asks for a wait.
    Limit(Duration),
}

pub(crate) fn text(text: &str) -> Step {
    Step::Chunk(ModelChunk::Text(text.to_owned()))
}

pub(crate) fn thinking(text: &str) -> Step {
    Step::Chunk(ModelChunk::Thinking(text.to_owned()))
}

pub(crate) fn call(id: &str, name: &str, arguments: &str) -> Step {
    Step::Chunk(ModelChunk::Call(CallFragment::new(arguments).with_id(id).with_name(name)))
}

pub(crate) fn piece(arguments: &str) -> Step {
    Step::Chunk(ModelChunk::Call(CallFragment::new(arguments)))
}

pub(crate) fn fail(kind: ModelErrorKind) -> Step {
    Step::Fail(kind)
}

/// A turn that ends well.
pub(crate) fn turn(steps: impl IntoIterator<Item = Step>) -> Turn {
    let end = [ModelChunk::Usage(Usage::new(10, 5)), ModelChunk::Finish("stop".to_owned())];
    Turn(steps.into_iter().chain(end.map(Step::Chunk)).collect())
}

/// A turn that ends as it is told.
pub(crate) fn cut(steps: impl IntoIterator<Item = Step>) -> Turn {
    Turn(steps.into_iter().collect())
}

/// Plays its turns, and remembers what it was asked.
#[derive(Clone, Default)]
pub(crate) struct Model {
    turns: Arc<Mutex<VecDeque<Turn>>>,
    pub(crate) asked: Arc<Mutex<Vec<ModelRequest>>>,
    name: &'static str,
}

impl Model {
    pub(crate) fn new(turns: impl IntoIterator<Item = Turn>) -> Self {
        Self { turns: Arc::new(Mutex::new(turns.into_iter().collect())), name: "m1", ..Self::default() }
    }

    pub(crate) fn named(mut self, name: &'static str) -> Self {
        self.name = name;
        self
    }

    pub(crate) fn calls(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

impl ChatModel for Model {
    fn name(&self) -> &str {
        self.name
    }

    fn call(&self, request: ModelRequest) -> BoxFuture<'_, Result<ModelStream, ModelError>> {
        self.asked.lock().unwrap().push(request);
        let turn = self.turns.lock().unwrap().pop_front().unwrap_or_else(|| turn([text("(the script is over)")]));
        async move {
            let steps: VecDeque<Step> = turn.0.into();
            let failure = |kind: ModelErrorKind| ModelError::new(kind, "it failed").with_detail("the socket said so");
            // What comes first may keep the call from being opened.
            match steps.front() {
                Some(Step::Fail(kind)) => return Err(failure(*kind)),
                Some(Step::Limit(wait)) => return Err(failure(ModelErrorKind::RateLimit).with_retry_after(*wait)),
                _ => {}
            }
            let chunks = stream::unfold(steps, move |mut steps| async move {
                loop {
                    match steps.pop_front()? {
                        Step::Chunk(chunk) => return Some((Ok(chunk), steps)),
                        Step::Wait(millis) => tokio::time::sleep(Duration::from_millis(millis)).await,
                        Step::Fail(kind) => return Some((Err(failure(kind)), VecDeque::new())),
                        Step::Limit(wait) => {
                            return Some((Err(failure(ModelErrorKind::RateLimit).with_retry_after(wait)), VecDeque::new()));
                        }
                    }
                }
            });
            Ok(chunks.boxed())
        }
        .boxed()
    }
}

fn spec(name: &str) -> ToolSpec {
    let x = json!({"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]});
    ToolSpec::new(name, "A tool for tests.", x)
}

/// A tool that answers `name(x)`.
pub(crate) fn echo(name: &'static str) -> FnTool {
    FnTool::new(spec(name), move |arguments| async move { Ok(format!("{name}({})", arguments["x"].as_str().unwrap_or_default())) })
}

/// A tool that streams pieces, waiting before each.
pub(crate) struct Pieces {
    pub(crate) name: &'static str,
    pub(crate) pieces: Vec<(u64, &'static str)>,
    pub(crate) is_safe: bool,
}

impl Tool for Pieces {
    fn spec(&self) -> ToolSpec {
        spec(self.name)
    }

    fn is_concurrency_safe(&self) -> bool {
        self.is_safe
    }

    fn run<'a>(&'a self, _input: ToolInput, mut output: ToolOutput<'a>) -> BoxFuture<'a, Result<(), ToolError>> {
        async move {
            for (wait, piece) in &self.pieces {
                if *wait > 0 {
                    tokio::time::sleep(Duration::from_millis(*wait)).await;
                }
                output.text(*piece).await;
            }
            Ok(())
        }
        .boxed()
    }
}

/// An agent with tools of every kind: `A` and `B` are safe, `Q` is not, `slow` is safe and waits, `E` runs outside, `fails` and `panics` do so.
pub(crate) fn agent(model: Model) -> AgentBuilder {
    Agent::builder(model)
        .name("main")
        .clock(SeededClock::new(1))
        .tool(echo("A").concurrency_safe())
        .tool(echo("B").concurrency_safe())
        .tool(echo("Q"))
        .tool(Pieces { name: "slow", pieces: vec![(50, "s"), (50, "low")], is_safe: true })
        .tool(Pieces { name: "slowq", pieces: vec![(50, "p1"), (50, "p2")], is_safe: false })
        .tool(ExternalTool::new(spec("E")))
        .tool(FnTool::new(spec("fails"), |_| async { Err(ToolError::new("no luck")) }))
        .tool(FnTool::new(spec("panics"), |_| async { panic!("out of cheese") }).concurrency_safe())
}

/// Everything that the stream gives.
pub(crate) async fn events(agent: &Agent, input: impl Into<Input>) -> Vec<AgentEvent> {
    agent.stream(input).unwrap().collect().await
}

/// Events in short, as the specification writes them: ids of blocks are counted.
pub(crate) fn short(events: &[AgentEvent]) -> Vec<String> {
    let mut blocks: Vec<String> = Vec::new();
    let mut block = |event: &AgentEvent| {
        let id = event.block_id()?.to_string();
        let number = blocks.iter().position(|known| *known == id).unwrap_or_else(|| {
            blocks.push(id);
            blocks.len() - 1
        });
        Some(format!("b{}", number + 1))
    };
    let one = |event: &AgentEvent| {
        let mut words = vec![event.type_name().to_owned()];
        words.extend(block(event));
        words.extend(event.tool_call_id().map(ToString::to_string));
        match &event.payload {
            Payload::TextBlockDelta(delta) => words.push(format!("{:?}", delta.delta)),
            Payload::ThinkingBlockDelta(delta) => words.push(format!("{:?}", delta.delta)),
            Payload::ToolCallStart(start) => words.push(start.tool_call_name.clone()),
            Payload::ToolCallDelta(delta) => words.push(delta.delta.clone()),
            Payload::ToolResultTextDelta(delta) => words.push(format!("{:?}", delta.delta)),
            Payload::ToolResultEnd(end) => words.push(end.state.to_string()),
            Payload::AgentEnd(end) => words.extend(end.finished_reason.map(|reason| reason.to_string())),
            Payload::RequestStop(stop) => words.push(stop.generate_reason.as_str().to_owned()),
            Payload::RequireUserConfirm(ask) => words.extend(ask.tool_calls.iter().map(|call| format!("[{}]", call.id))),
            Payload::RequireExternalExecution(ask) => words.extend(ask.tool_calls.iter().map(|call| format!("[{}]", call.id))),
            Payload::UserConfirmResult(answer) => {
                words.extend(answer.confirm_results.iter().map(|result| format!("[{} {}]", result.tool_call.id, result.confirmed)));
            }
            Payload::ModelCallEnd(end) => {
                words.extend(end.error.as_ref().and_then(|error| error.kind.clone()));
                words.extend(end.retry.map(|retry| format!("retry {}/{} after {}", retry.attempt, retry.max_retries, retry.delay_ms)));
            }
            _ => {}
        }
        words.join(" ")
    };
    events.iter().map(one).collect()
}
