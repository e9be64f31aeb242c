//! Making an agent.

use super::{Agent, Config, Inner};
use crate::clock::{Clock, SystemClock};
use crate::error::BuildError;
use crate::gate::{AllowAll, PermissionGate};
use crate::middleware::Middleware;
use crate::model::ChatModel;
use crate::retry::RetryPolicy;
use crate::state::{AgentState, Kept};
use crate::tool::Tool;
use crate::toolkit::Toolkit;
use replyfold_event::AgentEvent;
use std::collections::HashSet;
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Makes an agent: [`Agent::builder`] begins.
#[must_use = "an agent is made by `build`"]
pub struct AgentBuilder {
    config: Config,
    tools: Vec<Arc<dyn Tool>>,
    state: AgentState,
}

impl AgentBuilder {
    pub(super) fn new(model: Arc<dyn ChatModel>) -> Self {
        let config = Config {
            name: String::new(),
            system: String::new(),
            model,
            fallback: None,
            tools: Toolkit::default(),
            gate: Arc::new(AllowAll),
            clock: Arc::new(SystemClock::new()),
            retry: RetryPolicy::default(),
            layers: Vec::new(),
            max_rounds: 50,
            concurrency: 8,
            tool_timeout: None,
            on_event: None,
        };
        Self { config, tools: Vec::new(), state: AgentState::default() }
    }

    /// The agent's name, which its messages carry.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.config.name = name.into();
        self
    }

    /// The system prompt.
    pub fn system(mut self, prompt: impl Into<String>) -> Self {
        self.config.system = prompt.into();
        self
    }

    /// The model that is called when the first one has failed for good in a round.
    pub fn fallback(mut self, model: impl ChatModel + 'static) -> Self {
        self.config.fallback = Some(Arc::new(model));
        self
    }

    /// Adds a tool.
    pub fn tool(mut self, tool: impl Tool + 'static) -> Self {
        self.tools.push(Arc::new(tool));
        self
    }

    /// Adds a middleware, within those that were added before, and the tools that it offers.
    pub fn middleware(mut self, middleware: impl Middleware + 'static) -> Self {
        self.tools.extend(middleware.tools());
        self.config.layers.push(Arc::new(middleware));
        self
    }

    /// Decides which calls may run; all may without one.
    pub fn gate(mut self, gate: impl PermissionGate + 'static) -> Self {
        self.config.gate = Arc::new(gate);
        self
    }

    /// Where times and ids come from; the system without one.
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.config.clock = Arc::new(clock);
        self
    }

    /// When failed model calls are tried again.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.config.retry = policy;
        self
    }

    /// Rounds of one reply at most, 50 without a word; 0 is no limit. After the last one the model is asked once more, without tools, to
    /// answer from what it has.
    pub fn max_rounds(mut self, most: u64) -> Self {
        self.config.max_rounds = most;
        self
    }

    /// Calls of a round that run at once at most, 8 without a word.
    pub fn concurrency(mut self, most: usize) -> Self {
        self.config.concurrency = most.max(1);
        self
    }

    /// The longest that a call may take whose tool says nothing of it; any time without a word.
    pub fn tool_timeout(mut self, most: Duration) -> Self {
        self.config.tool_timeout = Some(most);
        self
    }

    /// Goes on with what another agent remembered, perhaps in another process.
    pub fn state(mut self, state: AgentState) -> Self {
        self.state = state;
        self
    }

    /// Is given every event that is emitted, in order: those that the stream gives, just before, and those that close a reply whose stream
    /// was dropped. It must not call the agent.
    pub fn on_event(mut self, see: impl Fn(&AgentEvent) + Send + Sync + 'static) -> Self {
        self.config.on_event = Some(Box::new(see));
        self
    }

    /// Makes the agent.
    ///
    /// # Errors
    ///
    /// Two tools have one name, the parameters of a tool are no JSON Schema, or two middlewares keep something under one key.
    pub fn build(mut self) -> Result<Agent, BuildError> {
        let mut keys = HashSet::new();
        if let Some(key) = self.config.layers.iter().flat_map(|layer| layer.keys()).find(|key| !keys.insert(*key)) {
            return Err(BuildError::SameKey(key.to_owned()));
        }
        self.config.tools = Toolkit::new(self.tools)?;
        let kept = Mutex::new(Kept::new(self.state));
        Ok(Agent(Arc::new(Inner { config: self.config, kept, is_busy: AtomicBool::new(false) })))
    }
}

impl fmt::Debug for AgentBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentBuilder").field("name", &self.config.name).field("tools", &self.tools.len()).finish_non_exhaustive()
    }
}
