//! JSON kept as text: exact numbers, key order, nothing rounded.

use super::{DecodeError, Fields, ObjectWriter, Style, Value, ValueKind, Writer};
use serde_json::value::RawValue;
use std::{borrow::Cow, fmt};

/// Deepest level that is rewritten when keys are sorted; what lies deeper keeps its text.
const SORT_DEPTH: usize = 128;

/// The text of one JSON value, kept as it was sent.
///
/// Two texts are equal when they differ in space between tokens only.
#[derive(Clone)]
pub struct JsonText(Box<str>);

impl JsonText {
    /// The text of a JSON value.
    ///
    /// # Errors
    ///
    /// The text is no JSON.
    pub fn parse(text: &str) -> Result<Self, DecodeError> {
        Value::parse(text).map(Self::from)
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The parsed view. Numbers become what `serde_json` makes of them, so large ones lose digits; the text does not.
    ///
    /// # Errors
    ///
    /// The value nests deeper than `serde_json` follows (128 levels).
    pub fn to_value(&self) -> Result<serde_json::Value, serde_json::Error> {
        serde_json::from_str(&self.0)
    }
}

impl From<Value<'_>> for JsonText {
    fn from(value: Value<'_>) -> Self {
        Self(value.text().into())
    }
}

impl From<serde_json::Value> for JsonText {
    fn from(value: serde_json::Value) -> Self {
        Self(value.to_string().into())
    }
}

impl PartialEq for JsonText {
    fn eq(&self, other: &Self) -> bool {
        eq_but_space(&self.0, &other.0)
    }
}

impl fmt::Debug for JsonText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The text of one JSON object, kept as it was sent; `{}` takes no memory.
///
/// Holds metadata, the value of a custom event and the parsed arguments of a call. Two objects are equal when their texts differ in
/// space between tokens only.
///
/// ```
/// use replyfold_message::json::JsonObject;
///
/// let metadata = JsonObject::parse(r#"{"cost":1.10,"id":12345678901234567890123}"#)?;
/// assert_eq!(metadata.as_str(), r#"{"cost":1.10,"id":12345678901234567890123}"#);
/// assert_eq!(metadata.get("cost").map(|v| v.text().to_owned()).as_deref(), Some("1.10"));
/// # Ok::<(), replyfold_message::json::DecodeError>(())
/// ```
#[derive(Clone, Default)]
pub struct JsonObject(Option<Box<str>>);

impl JsonObject {
    /// The text of a JSON object.
    ///
    /// # Errors
    ///
    /// The text is no JSON object, or holds half of a surrogate pair.
    pub fn parse(text: &str) -> Result<Self, DecodeError> {
        let fields = Fields::parse(text)?;
        let text = text.trim_matches([' ', '\t', '\n', '\r']);
        Ok(Self(fields.iter().next().is_some().then(|| text.into())))
    }

    /// The object whose fields `write` writes.
    ///
    /// ```
    /// use replyfold_message::json::JsonObject;
    ///
    /// assert_eq!(JsonObject::written(|object| object.string("a", "b")).as_str(), r#"{"a":"b"}"#);
    /// ```
    #[must_use]
    pub fn written(write: impl FnOnce(&mut ObjectWriter<'_>)) -> Self {
        // A writer writes JSON; its empty object has two bytes.
        let text = Writer::text(Style::Compact, |out| out.object(write));
        Self((text.len() > 2).then(|| text.into()))
    }

    /// Whether it has no field.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The text; `{}` when it is empty.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or("{}")
    }

    /// Its fields in the order of the text.
    #[must_use]
    pub fn fields(&self) -> Fields<'_> {
        // Only text that `Fields` took, or that `serde_json` wrote, is kept.
        self.0.as_deref().and_then(|text| Fields::parse(text).ok()).unwrap_or_default()
    }

    /// The value of one field; the last, when the key stands more than once.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<Value<'_>> {
        self.0.as_ref()?;
        self.fields().get(key)
    }

    /// The same object without the fields whose key `keep` refuses. Values keep their text.
    #[must_use]
    pub fn filter(&self, mut keep: impl FnMut(&str) -> bool) -> Self {
        let fields = self.fields();
        if fields.iter().all(|(key, _)| keep(key)) {
            return self.clone();
        }
        fields.iter().filter(|(key, _)| keep(key)).collect()
    }

    /// The same object in one line without space, keys sorted at every level, strings escaped in one way; numbers keep their text.
    /// Of a repeated key the last value counts.
    #[must_use]
    pub fn to_sorted(&self) -> String {
        let mut out = Vec::new();
        if let Ok(value) = Value::parse(self.as_str()) {
            write_sorted(value, 0, &mut out);
        }
        // Everything written is text of this object or text that the writer made.
        String::from_utf8(out).unwrap_or_default()
    }

    /// Whether both are the same JSON value: the order of keys, the spelling of strings and numbers (`1.10` and `1.1`) do not matter.
    #[must_use]
    pub fn is_same_value(&self, other: &Self) -> bool {
        self == other
            || match (Value::parse(self.as_str()), Value::parse(other.as_str())) {
                (Ok(a), Ok(b)) => same_value(a, b, 0),
                _ => false,
            }
    }

    /// The parsed view. Numbers become what `serde_json` makes of them, so large ones lose digits; the text does not.
    ///
    /// # Errors
    ///
    /// A value nests deeper than `serde_json` follows (128 levels).
    pub fn to_map(&self) -> Result<serde_json::Map<String, serde_json::Value>, serde_json::Error> {
        serde_json::from_str(self.as_str())
    }
}

impl TryFrom<Value<'_>> for JsonObject {
    type Error = DecodeError;

    fn try_from(value: Value<'_>) -> Result<Self, DecodeError> {
        match value.kind() {
            ValueKind::Object => {
                let text = value.text();
                let empty = text.bytes().all(|b| matches!(b, b'{' | b'}' | b' ' | b'\t' | b'\n' | b'\r'));
                Ok(Self((!empty).then(|| text.into())))
            }
            kind => Err(DecodeError::mismatch("an object", kind)),
        }
    }
}

impl From<serde_json::Map<String, serde_json::Value>> for JsonObject {
    fn from(map: serde_json::Map<String, serde_json::Value>) -> Self {
        Self((!map.is_empty()).then(|| serde_json::Value::Object(map).to_string().into()))
    }
}

impl<'a> FromIterator<(&'a str, Value<'a>)> for JsonObject {
    fn from_iter<I: IntoIterator<Item = (&'a str, Value<'a>)>>(fields: I) -> Self {
        let mut out = Vec::new();
        let mut count = 0;
        Writer::new(&mut out, Style::Compact).object(|object| {
            for (key, value) in fields {
                object.key(key).raw(value.text());
                count += 1;
            }
        });
        Self(if count == 0 { None } else { String::from_utf8(out).ok().map(Into::into) })
    }
}

impl PartialEq for JsonObject {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(a), Some(b)) => eq_but_space(a, b),
            _ => false,
        }
    }
}

impl fmt::Debug for JsonObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

fn write_sorted(value: Value<'_>, depth: usize, out: &mut Vec<u8>) {
    if depth >= SORT_DEPTH {
        out.extend_from_slice(value.text().as_bytes());
        return;
    }
    match value.kind() {
        ValueKind::Object => {
            out.push(b'{');
            for (index, (key, value)) in sorted_fields(value).into_iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                Writer::new(out, Style::Compact).string(&key);
                out.push(b':');
                write_sorted(value, depth + 1, out);
            }
            out.push(b'}');
        }
        ValueKind::Array => {
            out.push(b'[');
            for (index, item) in value.array().unwrap_or_default().into_iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_sorted(item, depth + 1, out);
            }
            out.push(b']');
        }
        ValueKind::String => match value.string() {
            Ok(text) => Writer::new(out, Style::Compact).string(&text),
            Err(_) => out.extend_from_slice(value.text().as_bytes()),
        },
        ValueKind::Null | ValueKind::Bool | ValueKind::Number => out.extend_from_slice(value.text().as_bytes()),
    }
}

/// The fields of an object by key; of a repeated key the last one.
fn sorted_fields(value: Value<'_>) -> Vec<(Cow<'_, str>, Value<'_>)> {
    let mut fields = value.object().unwrap_or_default().into_entries();
    // Stable, so that of equal keys the last one stays last; `dedup_by` keeps the first of a run, so it runs from the back.
    fields.sort_by(|(a, _), (b, _)| a.cmp(b));
    fields.reverse();
    fields.dedup_by(|(a, _), (b, _)| a == b);
    fields.reverse();
    fields
}

fn same_value(a: Value<'_>, b: Value<'_>, depth: usize) -> bool {
    if depth >= SORT_DEPTH || a.kind() != b.kind() {
        return eq_but_space(a.text(), b.text());
    }
    match a.kind() {
        ValueKind::Null | ValueKind::Bool => a.text() == b.text(),
        ValueKind::Number => a.text() == b.text() || same_number(a.text(), b.text()),
        ValueKind::String => matches!((a.string(), b.string()), (Ok(a), Ok(b)) if a == b),
        ValueKind::Array => {
            let (a, b) = (a.array().unwrap_or_default(), b.array().unwrap_or_default());
            a.len() == b.len() && a.into_iter().zip(b).all(|(a, b)| same_value(a, b, depth + 1))
        }
        ValueKind::Object => {
            let (a, b) = (sorted_fields(a), sorted_fields(b));
            a.len() == b.len() && a.into_iter().zip(b).all(|((x, a), (y, b))| x == y && same_value(a, b, depth + 1))
        }
    }
}

/// Whole numbers compare digit by digit, others as doubles, which is what the field's writers print them from.
fn same_number(a: &str, b: &str) -> bool {
    let whole = |text: &str| !text.contains(['.', 'e', 'E']);
    !(whole(a) && whole(b)) && matches!((a.parse::<f64>(), b.parse::<f64>()), (Ok(a), Ok(b)) if a == b)
}

/// Whether two JSON texts differ in space between tokens only.
fn eq_but_space(a: &str, b: &str) -> bool {
    a == b || tokens(a).eq(tokens(b))
}

/// The bytes of a JSON text without the space between its tokens.
fn tokens(text: &str) -> impl Iterator<Item = u8> + '_ {
    let (mut quoted, mut escaped) = (false, false);
    text.bytes().filter(move |byte| {
        if escaped {
            escaped = false;
        } else if *byte == b'"' {
            quoted = !quoted;
        } else {
            escaped = quoted && *byte == b'\\';
        }
        quoted || !matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
    })
}

impl From<&RawValue> for JsonText {
    fn from(raw: &RawValue) -> Self {
        Self(raw.get().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equality_ignores_space_between_tokens_but_not_in_strings() {
        let object = |text| JsonObject::parse(text).unwrap();
        assert_eq!(object(r#"{"a": [1, 2]}"#), object(r#"{"a":[1,2]}"#));
        assert_ne!(object(r#"{"a": " x"}"#), object(r#"{"a":"x"}"#));
        assert_ne!(object(r#"{"a": "\" "}"#), object(r#"{"a":"\""}"#));
        assert_ne!(object(r#"{"a":1.0}"#), object(r#"{"a":1.00}"#));
        assert_eq!(object(" { } "), JsonObject::default());
    }

    #[test]
    fn sorting_reaches_every_level_and_keeps_numbers() {
        let object = JsonObject::parse(r#"{ "b": [ {"z": 1.10, "a": "\u00e9"} ], "a": 1e400, "b2": null, "a": -0.0 }"#).unwrap();
        assert_eq!(object.to_sorted(), r#"{"a":-0.0,"b":[{"a":"é","z":1.10}],"b2":null}"#);
        assert_eq!(JsonObject::default().to_sorted(), "{}");
    }

    #[test]
    fn sorting_follows_deep_nesting_without_a_deep_stack() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(20_000), "]".repeat(20_000));
        assert_eq!(JsonObject::parse(&deep).unwrap().to_sorted(), deep);
    }

    #[test]
    fn same_value_looks_through_order_and_spelling() {
        let same = |a, b| JsonObject::parse(a).unwrap().is_same_value(&JsonObject::parse(b).unwrap());
        assert!(same(r#"{"a":1.10,"b":["\u00e9"]}"#, r#"{"b":["é"],"a":1.1}"#));
        assert!(same(r#"{"a":1e2}"#, r#"{"a":100.0}"#));
        assert!(!same(r#"{"a":12345678901234567890}"#, r#"{"a":12345678901234567891}"#));
        assert!(!same(r#"{"a":1}"#, r#"{"a":1,"b":null}"#));
        assert!(!same(r#"{"a":"1"}"#, r#"{"a":1}"#));
    }

    #[test]
    fn filter_drops_fields_and_keeps_the_text_of_the_others() {
        let object = JsonObject::parse(r#"{"taskId":"t","n": 1.10 ,"x":{"y": 1}}"#).unwrap();
        assert_eq!(object.filter(|key| key != "taskId").as_str(), r#"{"n":1.10,"x":{"y": 1}}"#);
        assert!(object.filter(|_| false).is_empty());
        assert_eq!(object.filter(|_| true).as_str(), object.as_str());
    }
}
