//! The agent that a script describes.

use super::script::{MiddlewarePart, Script, ToolPart, ToolStep};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use replyfold::message::{PermissionBehavior, PermissionRule};
use replyfold::model::Scripted;
use replyfold::runtime::middleware::{Budget, DynamicContext, ResultLimit};
use replyfold::runtime::{
    Agent, AgentBuilder, AgentState, Clock, Decision, Delay, RetryPolicy, ScriptedGate, Tool, ToolError, ToolInput, ToolOutput, ToolSpec,
};
use std::collections::VecDeque;
use std::mem;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The models, by their keys in the script; they know what was not played.
pub(super) type Models = Vec<(&'static str, Scripted)>;

/// The agent, and its models.
pub(super) fn build(script: &mut Script, mut state: AgentState, clock: impl Clock + 'static) -> Result<(Agent, Models), String> {
    let model = Scripted::new(mem::take(&mut script.model));
    let mut models = vec![("model", model.clone())];
    let part = &script.agent;
    if let (None, Some(session)) = (&state.session_id, &part.session) {
        state.session_id = Some(session.as_str().into());
    }
    let mut builder = Agent::builder(model).name(&part.name).system(&part.system).clock(clock).state(state).retry(retry(script));
    if let Some(turns) = script.fallback.take() {
        let fallback = Scripted::new(turns).with_name("scripted fallback");
        models.push(("fallback", fallback.clone()));
        builder = builder.fallback(fallback);
    }
    if let Some(most) = part.max_rounds {
        builder = builder.max_rounds(most);
    }
    if let Some(most) = part.concurrency {
        builder = builder.concurrency(most);
    }
    if let Some(most) = part.tool_timeout {
        builder = builder.tool_timeout(Duration::from_millis(most));
    }
    for (at, part) in script.middleware.iter().enumerate() {
        let before = script.middleware.get(..at).unwrap_or_default();
        builder = middleware(builder, part, before);
    }
    let mut gate = ScriptedGate::new();
    for tool in mem::take(&mut script.tools) {
        if let Some(why) = &tool.deny {
            gate = gate.with(&tool.name, Decision::Deny(why.clone()));
        } else if tool.ask {
            let rule = PermissionRule::new(&tool.name, PermissionBehavior::Allow, "suggested");
            gate = gate.with(&tool.name, Decision::ask(vec![rule]));
        }
        builder = builder.tool(ScriptedTool::new(tool));
    }
    let agent = builder.gate(gate).build().map_err(|err| err.to_string())?;
    Ok((agent, models))
}

fn retry(script: &Script) -> RetryPolicy {
    let part = &script.retry;
    let mut policy = RetryPolicy::new();
    policy.max_retries = part.max_retries.unwrap_or(policy.max_retries);
    policy.announce = part.announce.unwrap_or(policy.announce);
    policy.retry_midstream = part.midstream.unwrap_or(policy.retry_midstream);
    policy.only_transient = part.only_transient.unwrap_or(policy.only_transient);
    match part.delay {
        Some(millis) => policy.with_delay(Delay::Fixed(Duration::from_millis(millis))),
        None => policy,
    }
}

/// Adds a middleware, within those before it.
fn middleware(builder: AgentBuilder, part: &MiddlewarePart, before: &[MiddlewarePart]) -> AgentBuilder {
    // Each keeps what it remembers under a key of its own. The first of a kind has the usual one, so that a state goes on with one more.
    let number = before.iter().filter(|other| mem::discriminant(*other) == mem::discriminant(part)).count() + 1;
    let key = |usual: &str| if number == 1 { usual.to_owned() } else { format!("{usual}#{number}") };
    match part {
        MiddlewarePart::ResultLimit(characters) => builder.middleware(ResultLimit::new(*characters)),
        MiddlewarePart::Time(minutes) => builder.middleware(DynamicContext::new().utc_offset_minutes(*minutes).key(key("dynamicContext"))),
        MiddlewarePart::Budget(part) => {
            let mut budget = Budget::new().key(key("budget"));
            if let Some(most) = part.tokens {
                budget = budget.tokens(most);
            }
            if let Some(most) = part.model_calls {
                budget = budget.model_calls(most);
            }
            if let Some(most) = part.time {
                budget = budget.time(Duration::from_millis(most));
            }
            builder.middleware(budget)
        }
    }
}

/// A tool that does what the script says.
struct ScriptedTool {
    part: ToolPart,
    runs: Mutex<VecDeque<Vec<ToolStep>>>,
}

impl ScriptedTool {
    fn new(mut part: ToolPart) -> Self {
        let runs = Mutex::new(mem::take(&mut part.runs).into());
        Self { part, runs }
    }

    /// What the next call does.
    fn next(&self) -> Vec<ToolStep> {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        if runs.len() > 1 { runs.pop_front().unwrap_or_default() } else { runs.front().cloned().unwrap_or_default() }
    }
}

impl Tool for ScriptedTool {
    fn spec(&self) -> ToolSpec {
        ToolSpec::new(&self.part.name, &self.part.description, self.part.parameters.clone())
    }

    fn is_concurrency_safe(&self) -> bool {
        self.part.safe || self.part.external
    }

    fn is_external(&self) -> bool {
        self.part.external
    }

    fn timeout(&self) -> Option<Duration> {
        self.part.timeout.map(Duration::from_millis)
    }

    fn run<'a>(&'a self, _input: ToolInput, mut output: ToolOutput<'a>) -> BoxFuture<'a, Result<(), ToolError>> {
        let steps = self.next();
        async move {
            for step in steps {
                match step {
                    ToolStep::Text(text) => output.text(text).await,
                    ToolStep::Wait(millis) => tokio::time::sleep(Duration::from_millis(millis)).await,
                    ToolStep::Fail(why) => return Err(ToolError::new(why)),
                }
            }
            Ok(())
        }
        .boxed()
    }
}
