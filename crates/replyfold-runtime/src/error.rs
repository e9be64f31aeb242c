//! Why an input is not taken, an agent cannot be made, or a reply has no message.

use replyfold_message::{Failure, ReplyId, ToolCallId};
use std::{error, fmt};

/// Why an input was not taken. Nothing changed: no event, no message, no call that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InputError {
    /// A run of this agent goes on.
    Busy,
    /// The reply waits for answers to these calls; a message, or nothing, does not go on with it.
    Waiting {
        /// The reply.
        reply: ReplyId,
        /// The calls.
        calls: Vec<ToolCallId>,
    },
    /// No reply is parked, so nothing waits for this.
    NothingWaits(&'static str),
    /// The answer is for another reply than the one that waits.
    OtherReply {
        /// The reply of the answer.
        told: ReplyId,
        /// The one that waits.
        waiting: ReplyId,
    },
    /// The call does not wait for this kind of answer: it is not known, is answered already, or waits for another kind.
    NotAwaited {
        /// The call.
        call: ToolCallId,
        /// What it would have to wait for.
        what: &'static str,
    },
    /// One input answers the call twice.
    AnsweredTwice(ToolCallId),
    /// The answer answers nothing.
    Empty,
    /// A message may only be a person's or an agent's, with text, media and hints.
    Message(&'static str),
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy => f.write_str("the agent works on an input already: wait for the end of its stream, or interrupt it"),
            Self::Waiting { reply, calls } => {
                let calls: Vec<String> = calls.iter().map(|call| format!("`{call}`")).collect();
                write!(f, "reply `{reply}` waits for answers to {}: give them, or interrupt it", calls.join(", "))
            }
            Self::NothingWaits(what) => write!(f, "no reply waits for {what}"),
            Self::OtherReply { told, waiting } => write!(f, "the answer is for reply `{told}`, and `{waiting}` waits"),
            Self::NotAwaited { call, what } => write!(f, "call `{call}` does not wait for {what}"),
            Self::AnsweredTwice(call) => write!(f, "call `{call}` is answered twice"),
            Self::Empty => f.write_str("the answer names no call"),
            Self::Message(why) => write!(f, "the message cannot be an input: {why}"),
        }
    }
}

impl error::Error for InputError {}

/// Why an agent cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuildError {
    /// Two tools have this name.
    SameName(String),
    /// Two middlewares keep what they remember under this key.
    SameKey(String),
    /// The parameters of the tool are no JSON Schema.
    Schema {
        /// The tool.
        tool: String,
        /// Why.
        reason: String,
    },
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SameName(name) => write!(f, "two tools are called `{name}`: a model could not tell them apart"),
            Self::SameKey(key) => {
                write!(f, "two middlewares keep what they remember under the key `{key}`: give one of them a key of its own")
            }
            Self::Schema { tool, reason } => write!(f, "the parameters of tool `{tool}` are no JSON Schema: {reason}"),
        }
    }
}

impl error::Error for BuildError {}

/// Why [`Agent::reply`](crate::Agent::reply) has no whole message.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ReplyError {
    /// The input was not taken.
    Input(InputError),
    /// The reply is parked: these calls wait. Answer them with the next input.
    Parked {
        /// The reply.
        reply: ReplyId,
        /// The calls.
        calls: Vec<ToolCallId>,
    },
    /// The reply failed; its message stands in the context all the same.
    Failed(Failure),
}

impl fmt::Display for ReplyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(err) => err.fmt(f),
            Self::Parked { reply, calls } => InputError::Waiting { reply: reply.clone(), calls: calls.clone() }.fmt(f),
            Self::Failed(failure) => write!(f, "the reply failed: {}", failure.message),
        }
    }
}

impl error::Error for ReplyError {}

impl From<InputError> for ReplyError {
    fn from(err: InputError) -> Self {
        Self::Input(err)
    }
}
