//! What servers send, read as leniently as they write: anything may be missing, `null` or of another shape.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// A piece of an answer, or a whole one.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Frame {
    #[serde(deserialize_with = "list")]
    pub(super) choices: Option<Vec<Choice>>,
    pub(super) usage: Option<Value>,
    pub(super) error: Option<Value>,
    pub(super) object: Option<Value>,
    pub(super) code: Option<Value>,
    pub(super) message: Option<Value>,
    pub(super) detail: Option<Value>,
    #[serde(rename = "type")]
    pub(super) kind: Option<Value>,
    /// How MiniMax tells failures, beside an answer or instead of one.
    pub(super) base_resp: Option<Value>,
}

impl Frame {
    /// Reads the text of one; `null` is one without anything.
    pub(super) fn read(text: &str) -> serde_json::Result<Self> {
        serde_json::from_str::<Only<Self>>(text).map(|Only(frame)| frame.unwrap_or_default())
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Choice {
    pub(super) index: Option<Value>,
    #[serde(deserialize_with = "object")]
    pub(super) delta: Option<Piece>,
    #[serde(deserialize_with = "object")]
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
    #[serde(deserialize_with = "list")]
    pub(super) tool_calls: Option<Vec<Call>>,
    #[serde(deserialize_with = "object")]
    pub(super) function_call: Option<Function>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Call {
    pub(super) index: Option<Value>,
    pub(super) id: Option<Value>,
    #[serde(deserialize_with = "object")]
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

/// An object, or what stands for none: `null`, and the empty list or text that some languages write for it. Anything else may hold a part of
/// the answer that is not understood, so it is a failure and not dropped.
struct Only<T>(Option<T>);

/// What an object is, for failures: the word for one.
trait Thing {
    const NAME: &'static str;
}

impl Thing for Frame {
    const NAME: &'static str = "chat completion";
}

impl Thing for Choice {
    const NAME: &'static str = "choice";
}

impl Thing for Piece {
    const NAME: &'static str = "delta or message";
}

impl Thing for Call {
    const NAME: &'static str = "call";
}

impl Thing for Function {
    const NAME: &'static str = "function";
}

impl<'de, T: Deserialize<'de> + Thing> Deserialize<'de> for Only<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(from)?.get();
        match raw {
            _ if raw.starts_with('{') => inner(raw).map(|value| Self(Some(value))),
            _ if is_nothing(raw) => Ok(Self(None)),
            _ => Err(D::Error::custom(format!("{} stands where a {} belongs", kind_of(raw), T::NAME))),
        }
    }
}

fn object<'de, D: Deserializer<'de>, T: Deserialize<'de> + Thing>(from: D) -> Result<Option<T>, D::Error> {
    Only::deserialize(from).map(|Only(value)| value)
}

/// A list of objects without those that are none; an object for a list of one.
fn list<'de, D: Deserializer<'de>, T: Deserialize<'de> + Thing>(from: D) -> Result<Option<Vec<T>>, D::Error> {
    let raw = <&RawValue>::deserialize(from)?.get();
    match raw {
        _ if raw.starts_with('[') => {
            inner::<Vec<Only<T>>, _>(raw).map(|list| Some(list.into_iter().filter_map(|Only(item)| item).collect()))
        }
        _ if is_nothing(raw) => Ok(None),
        _ if raw.starts_with('{') => inner(raw).map(|item| Some(vec![item])),
        _ => Err(D::Error::custom(format!("{} stands where a list of {}s belongs", kind_of(raw), T::NAME))),
    }
}

fn is_nothing(raw: &str) -> bool {
    matches!(raw, "null" | "\"\"") || raw.strip_prefix(['[', '{']).is_some_and(|rest| matches!(rest.trim_start(), "]" | "}"))
}

fn kind_of(raw: &str) -> &'static str {
    match raw.as_bytes().first() {
        Some(b'"') => "a text",
        Some(b'[') => "a list",
        Some(b't' | b'f') => "a truth value",
        _ => "a number",
    }
}

/// What stands inside of a frame. Its line and column would be taken for those of the frame, so they are left out.
fn inner<'de, T: Deserialize<'de>, E: serde::de::Error>(raw: &'de str) -> Result<T, E> {
    serde_json::from_str(raw).map_err(|err| {
        let told = err.to_string();
        E::custom(told.rsplit_once(" at line ").map_or(told.as_str(), |(what, _)| what))
    })
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

/// A number from 0, also as a text or with a fraction, which is rounded; nothing else is one.
pub(super) fn count(value: &Value) -> Option<u64> {
    let whole = |number: f64| format!("{number:.0}").parse().ok();
    match value {
        Value::Number(number) => number.as_u64().or_else(|| whole(number.as_f64()?)),
        Value::String(text) => text.trim().parse().ok().or_else(|| whole(text.trim().parse().ok()?)),
        _ => None,
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
