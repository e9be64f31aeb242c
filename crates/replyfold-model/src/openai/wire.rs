//! What servers send, read as leniently as they write: anything may be missing, `null` or of another shape.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// A piece of an answer, or a whole one.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Frame {
    pub(super) choices: Option<Vec<Choice>>,
    pub(super) usage: Option<Value>,
    pub(super) error: Option<Value>,
    pub(super) object: Option<Value>,
    pub(super) code: Option<Value>,
    pub(super) message: Option<Value>,
    pub(super) detail: Option<Value>,
    #[serde(rename = "type")]
    pub(super) kind: Option<Value>,
    pub(super) base_resp: Option<BaseResp>,
}

/// How MiniMax tells failures, beside an answer or instead of one.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct BaseResp {
    pub(super) status_code: Option<i64>,
    pub(super) status_msg: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Choice {
    pub(super) index: Option<u64>,
    pub(super) delta: Option<Piece>,
    pub(super) message: Option<Piece>,
    pub(super) finish_reason: Option<Value>,
    pub(super) usage: Option<Value>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Piece {
    pub(super) content: Option<Value>,
    pub(super) reasoning_content: Option<Value>,
    pub(super) reasoning: Option<Value>,
    pub(super) reasoning_details: Option<Value>,
    pub(super) refusal: Option<Value>,
    pub(super) tool_calls: Option<Vec<Call>>,
    pub(super) function_call: Option<Function>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Call {
    pub(super) index: Option<Value>,
    pub(super) id: Option<Value>,
    pub(super) function: Option<Function>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Function {
    pub(super) name: Option<Value>,
    /// The text of a JSON document: a string with JSON in it or, against the format, that JSON itself, which keeps its order and digits.
    #[serde(deserialize_with = "whole_text")]
    pub(super) arguments: Option<Box<RawValue>>,
}

/// Half of a character is kept as it stands by `RawValue`, and is no text: such a frame cannot be understood, and nothing of it is dropped.
fn whole_text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Box<RawValue>>, D::Error> {
    let raw = Option::<Box<RawValue>>::deserialize(from)?;
    if let Some(text) = raw.as_deref().map(RawValue::get).filter(|text| text.starts_with('"')) {
        serde_json::from_str::<String>(text).map_err(D::Error::custom)?;
    }
    Ok(raw)
}

impl Function {
    /// The arguments, or a piece of them, as JSON text.
    pub(super) fn arguments_text(&self) -> String {
        let raw = self.arguments.as_deref().map(RawValue::get).unwrap_or_default();
        match raw {
            "null" => String::new(),
            // It was decoded once when it was read.
            _ if raw.starts_with('"') => serde_json::from_str(raw).unwrap_or_default(),
            _ => raw.to_owned(),
        }
    }
}

/// A text or a number as text; nothing else is one.
pub(super) fn word(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A stretch of content.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stretch<'a> {
    Text(&'a str),
    Thinking(&'a str),
}

/// Content: a text, or a list of parts.
pub(super) fn content(value: &Value) -> Vec<Stretch<'_>> {
    match value {
        Value::String(text) => vec![Stretch::Text(text)],
        Value::Array(parts) => parts.iter().flat_map(part).collect(),
        Value::Object(_) => part(value),
        _ => Vec::new(),
    }
}

fn part(part: &Value) -> Vec<Stretch<'_>> {
    if let Value::String(text) = part {
        return vec![Stretch::Text(text)];
    }
    // The thinking of a part is a text or a list of parts again.
    if let Some(thinking) = part.get("thinking") {
        return texts(thinking).into_iter().map(Stretch::Thinking).collect();
    }
    ["text", "refusal"].iter().filter_map(|key| part.get(*key)?.as_str()).take(1).map(Stretch::Text).collect()
}

/// The texts of a text, or of a list of parts under `text` or `summary`.
pub(super) fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(parts) => parts.iter().flat_map(texts).collect(),
        Value::Object(part) => ["text", "summary"].iter().filter_map(|key| part.get(*key)?.as_str()).take(1).collect(),
        _ => Vec::new(),
    }
}
