//! An agent loop whose events fold to exactly the message that it keeps.
//!
//! An [`Agent`] has a model and tools. Given an [`Input`] it works until the reply ends, or waits for somebody, and says what it does as a stream
//! of canonical events: the same that logs hold and `replyfold-reduce` folds. The message that it keeps is that fold, at every moment; whatever
//! stops a run, every block that was begun is ended, every call has one result, and the reply has one end.
//!
//! What differs from one agent to another is a trait: [`ChatModel`], [`Tool`], [`PermissionGate`], [`Clock`]. Failed model calls are tried again
//! as a [`RetryPolicy`] says. People answer questions with [`Input::Confirm`], tools that run elsewhere are answered with [`Input::Results`], at
//! once or days later in another process: [`AgentState`] is all that it needs. A run is interrupted by a token, or by dropping its stream.
//!
//! `docs/adr/0015` says why the agent is never ahead of who reads it.

mod agent;
mod clock;
mod closing;
mod error;
mod gate;
mod handover;
mod input;
pub mod middleware;
mod model;
mod retry;
mod run;
mod state;
mod stream;
mod tool;
mod toolkit;
mod turns;

pub use agent::{Agent, AgentBuilder};
pub use clock::{Clock, SeededClock, SystemClock};
pub use error::{BuildError, InputError, ReplyError};
pub use gate::{AllowAll, Decision, PermissionGate, Question, ScriptedGate};
pub use input::Input;
pub use model::{CallFragment, ChatModel, ModelChunk, ModelError, ModelErrorKind, ModelRequest, ModelStream, ToolChoice, ToolSpec};
pub use retry::{Delay, RetryPolicy};
pub use state::{AgentState, ParkedReply};
pub use stream::ReplyStream;
pub use tool::{ExternalTool, FnTool, Tool, ToolChunk, ToolError, ToolInput, ToolOutput};
pub use turns::{Answer, Turn, text_of, turns};
