//! The script of a model: what it does in each call.

use crate::ScriptedArguments;
use replyfold_runtime::ModelErrorKind;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use std::{error, fmt};

/// What a model does in one call: steps, in order.
///
/// A turn that does not say how it ends ends well: as if `finish` stood behind it.
pub type ScriptedTurn = Vec<ScriptedStep>;

/// A step of a turn; in YAML, one key and its value: `text: Hello`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ScriptedStep {
    /// A piece of the text.
    Text(String),
    /// A piece of the thinking.
    Thinking(String),
    /// A tool call, or the first piece of one.
    Call(ScriptedCall),
    /// Another piece of a call's arguments.
    Piece(ScriptedPiece),
    /// Waits so many milliseconds before what follows.
    Wait(u64),
    /// Tokens that the call spent so far.
    Usage(ScriptedUsage),
    /// The call fails here; as the first step, it is not even opened.
    Fail(ScriptedFailure),
    /// The answer ends here without saying so, as if the connection broke; `true`.
    Cut(bool),
    /// The answer is complete; why, in the provider's word.
    Finish(String),
}

/// A tool call, or the first piece of one.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ScriptedCall {
    /// Name of the tool.
    pub name: String,
    /// Id of the call; the agent gives one without it.
    #[serde(default)]
    pub id: Option<String>,
    /// Its arguments: text, which is sent as it is, or an object, which is sent as compact JSON.
    #[serde(default, deserialize_with = "arguments")]
    pub arguments: String,
}

/// Another piece of a call's arguments.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ScriptedPiece {
    /// Id of the call; of the last one without it.
    #[serde(default)]
    pub id: Option<String>,
    /// The piece.
    pub arguments: String,
}

/// Tokens; none where a count is left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct ScriptedUsage {
    /// Tokens sent.
    pub input: u64,
    /// Tokens that the model wrote.
    pub output: u64,
}

/// Why a call fails.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ScriptedFailure {
    /// The class: `server`, `rate_limit`, …, as `MODEL_CALL_END` has it.
    #[serde(deserialize_with = "kind")]
    pub kind: ModelErrorKind,
    /// What happened, for people.
    #[serde(default = "it_failed")]
    pub message: String,
}

fn it_failed() -> String {
    "the script says that the call fails".to_owned()
}

/// Arguments as the text that a model would send.
fn arguments<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    ScriptedArguments::deserialize(from).map(ScriptedArguments::into_text)
}

fn kind<'de, D: Deserializer<'de>>(from: D) -> Result<ModelErrorKind, D::Error> {
    let word = String::deserialize(from)?;
    ModelErrorKind::ALL.into_iter().find(|kind| kind.as_str() == word).ok_or_else(|| {
        let known: Vec<&str> = ModelErrorKind::ALL.iter().map(|kind| kind.as_str()).collect();
        D::Error::custom(format!("`{word}` is no class of failures; there are {}", known.join(", ")))
    })
}

/// Why a script cannot be read: the place and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptError(String);

impl ScriptError {
    pub(crate) fn new(reason: String) -> Self {
        Self(reason)
    }
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the script cannot be read: {}", self.0)
    }
}

impl error::Error for ScriptError {}
