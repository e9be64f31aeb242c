//! What is to be done at each position. All fields may be changed before it is handed on.

use super::{EventSink, Scope};
use crate::input::Input;
use crate::model::{ChatModel, ModelRequest, ToolChoice};
use crate::tool::{ToolInput, ToolOutput};
use replyfold_message::{Msg, PermissionRule, ToolCallBlock};
use serde_json::{Map, Value};
use std::fmt;
use std::sync::Arc;

/// The work on one input.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReplyCall {
    /// The agent and the reply.
    pub scope: Scope,
    /// The input.
    pub input: Input,
    /// Where its events go.
    pub events: EventSink,
}

/// One round's reasoning.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReasoningCall {
    /// The agent and the reply.
    pub scope: Scope,
    /// Whether the model has to call a tool. With [`ToolChoice::None`] it is shown none, and calls that it makes all the same are refused.
    pub tool_choice: ToolChoice,
    /// What the model is told in this round only, as messages of a person behind the context; not kept.
    pub hints: Vec<String>,
    /// Where its events go.
    pub events: EventSink,
}

/// How a round's reasoning ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RoundEnd {
    /// The reply is done, unless a call is left to run.
    Final,
    /// There are calls to run.
    Calls,
    /// The model goes on with another round.
    Unfinished,
}

/// One attempt to call a model.
#[derive(Clone)]
#[non_exhaustive]
pub struct ModelCall {
    /// The agent and the reply.
    pub scope: Scope,
    /// The model. `MODEL_CALL_START` told the name of the agent's model already.
    pub model: Arc<dyn ChatModel>,
    /// What it is asked.
    pub request: ModelRequest,
}

/// A question to the gate.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PermissionCall {
    /// The agent and the reply.
    pub scope: Scope,
    /// The call.
    pub call: ToolCallBlock,
    /// Its arguments.
    pub arguments: Map<String, Value>,
    /// The rules that people accepted in this session.
    pub rules: Vec<PermissionRule>,
    /// Whether a person has confirmed this very call.
    pub is_confirmed: bool,
}

/// Running one call.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ActingCall<'a> {
    /// The agent and the reply.
    pub scope: Scope,
    /// The tool. Another name runs another tool of the agent; the gate is not asked about that one, and its schema is not looked at.
    pub tool: String,
    /// The call's id and arguments. The message keeps those that the model wrote.
    pub input: ToolInput,
    /// Where the output goes.
    pub output: ToolOutput<'a>,
}

/// What is made of the context before a round.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CompressCall {
    /// The agent and the reply.
    pub scope: Scope,
    /// The messages so far, oldest first, without the reply that goes on.
    pub context: Vec<Msg>,
}

impl fmt::Debug for ModelCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelCall").field("model", &self.model.name()).field("request", &self.request).finish_non_exhaustive()
    }
}
