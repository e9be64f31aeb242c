//! Scalars as pydantic reads them: strings from strings only, whole numbers and booleans from several forms.

use replyfold_message::json::{DecodeError, Fields, JsonObject, Value, ValueKind};
use std::borrow::Cow;

/// The fields of one pydantic model: the last of a repeated key counts.
pub(super) struct Model<'f, 'a>(pub(super) &'f Fields<'a>);

impl<'a> Model<'_, 'a> {
    /// A field that must be there; null is a value like any other.
    pub(super) fn required<T>(&self, key: &str, read: impl FnOnce(Value<'a>) -> Result<T, DecodeError>) -> Result<T, DecodeError> {
        let value = self.0.get(key).ok_or_else(|| DecodeError::missing(key))?;
        read(value).map_err(|err| err.within(key))
    }

    /// A field with a default: it may be missing, not null.
    pub(super) fn defaulted<T>(&self, key: &str, read: impl FnOnce(Value<'a>) -> Result<T, DecodeError>) -> Result<Option<T>, DecodeError> {
        self.0.get(key).map(|value| read(value).map_err(|err| err.within(key))).transpose()
    }

    /// A field that may be missing or null.
    pub(super) fn nullable<T>(&self, key: &str, read: impl FnOnce(Value<'a>) -> Result<T, DecodeError>) -> Result<Option<T>, DecodeError> {
        self.0.optional(key, read)
    }

    pub(super) fn string(&self, key: &str) -> Result<String, DecodeError> {
        self.required(key, |value| value.string().map(Cow::into_owned))
    }

    pub(super) fn id<T: for<'t> From<&'t str>>(&self, key: &str) -> Result<T, DecodeError> {
        self.required(key, |value| value.string().map(|text| T::from(&text)))
    }

    pub(super) fn default_id<T: for<'t> From<&'t str>>(&self, key: &str) -> Result<Option<T>, DecodeError> {
        self.defaulted(key, |value| value.string().map(|text| T::from(&text)))
    }

    pub(super) fn nullable_string(&self, key: &str) -> Result<Option<String>, DecodeError> {
        self.nullable(key, |value| value.string().map(Cow::into_owned))
    }

    pub(super) fn object(&self, key: &str) -> Result<JsonObject, DecodeError> {
        self.defaulted(key, JsonObject::try_from).map(Option::unwrap_or_default)
    }

    /// The `type` of a nested model: it may be missing, but if it is there it is this word.
    pub(super) fn tag(&self, word: &str) -> Result<(), DecodeError> {
        self.defaulted("type", |value| match value.string()? {
            found if found == word => Ok(()),
            found => Err(DecodeError::invalid(format!("expected `{word}`, found `{found}`"))),
        })
        .map(Option::unwrap_or_default)
    }
}

/// A token count: a whole number in any form that pydantic takes, within `u64` (`wire.md` section 6).
pub(super) fn count(value: Value<'_>) -> Result<u64, DecodeError> {
    let refused = || DecodeError::invalid(format!("expected a whole number from 0 to {}, found {}", u64::MAX, value.text()));
    match value.kind() {
        ValueKind::Bool => Ok(u64::from(value.text() == "true")),
        ValueKind::Number => value.text().parse().ok().or_else(|| whole(value.text())).ok_or_else(refused),
        ValueKind::String => digits(value.string()?.trim()).ok_or_else(refused),
        kind @ (ValueKind::Null | ValueKind::Array | ValueKind::Object) => Err(DecodeError::mismatch("a number", kind)),
    }
}

/// `12.0` and `1e3` are whole; a double is exact below 2^53 and pydantic takes larger ones as they are.
fn whole(text: &str) -> Option<u64> {
    let number: f64 = text.parse().ok()?;
    // The cast is exact for a whole number in range.
    (number.fract() == 0.0 && (0.0..18_446_744_073_709_551_616.0).contains(&number)).then_some(number as u64)
}

/// A whole number in a string: a sign, single underscores between digits, and a fraction of zeros are allowed.
fn digits(text: &str) -> Option<u64> {
    let unsigned = text.strip_prefix('+').unwrap_or(text);
    let (unsigned, negative) = match text.strip_prefix('-') {
        Some(rest) => (rest, true),
        None => (unsigned, false),
    };
    let whole = match unsigned.split_once('.') {
        Some((whole, zeros)) if !zeros.is_empty() && zeros.bytes().all(|b| b == b'0') => whole,
        Some(_) => return None,
        None => unsigned,
    };
    let parts_are_digits = whole.split('_').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    if !parts_are_digits {
        return None;
    }
    let number = whole.replace('_', "").parse().ok()?;
    (!negative || number == 0).then_some(number)
}

/// A boolean in any form that pydantic takes.
pub(super) fn boolean(value: Value<'_>) -> Result<bool, DecodeError> {
    let refused = || DecodeError::invalid(format!("expected a boolean, found {}", value.text()));
    match value.kind() {
        ValueKind::Bool => value.bool(),
        ValueKind::Number => match value.text().parse() {
            Ok(0.0) => Ok(false),
            Ok(1.0) => Ok(true),
            _ => Err(refused()),
        },
        ValueKind::String => match value.string()?.to_lowercase().as_str() {
            "true" | "t" | "yes" | "y" | "on" | "1" => Ok(true),
            "false" | "f" | "no" | "n" | "off" | "0" => Ok(false),
            _ => Err(refused()),
        },
        ValueKind::Null | ValueKind::Array | ValueKind::Object => Err(refused()),
    }
}

/// The text with every `NaN`, `Infinity` and `-Infinity` replaced by `null`, which is what Python writes for them; `None` without any.
pub(super) fn replace_non_finite(text: &str) -> Option<String> {
    let mut fixed = String::with_capacity(text.len());
    let (mut rest, mut found) = (text, false);
    while let Some(at) = rest.find(['"', 'N', 'I', '-']) {
        let (before, here) = rest.split_at(at);
        fixed.push_str(before);
        let word = ["NaN", "Infinity", "-Infinity"].into_iter().find(|word| here.starts_with(word));
        let taken = match word {
            Some(word) => {
                found = true;
                fixed.push_str("null");
                word.len()
            }
            None => {
                let length = if here.starts_with('"') { string_length(here) } else { 1 };
                fixed.push_str(here.get(..length).unwrap_or(here));
                length
            }
        };
        rest = here.get(taken..).unwrap_or_default();
    }
    fixed.push_str(rest);
    found.then_some(fixed)
}

/// Length of the string literal that the text starts with, both quotes included.
fn string_length(text: &str) -> usize {
    let mut escaped = true;
    for (at, byte) in text.bytes().enumerate() {
        if escaped {
            // The first byte is the opening quote.
            escaped = false;
        } else if byte == b'\\' {
            escaped = true;
        } else if byte == b'"' {
            return at + 1;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_in_every_form_that_pydantic_takes() {
        for (text, number) in [
            ("12", Some(12)),
            ("12.0", Some(12)),
            ("1e3", Some(1000)),
            ("-0", Some(0)),
            ("true", Some(1)),
            ("\"12\"", Some(12)),
            ("\" 7 \"", Some(7)),
            ("\"1_000\"", Some(1000)),
            ("\"+5\"", Some(5)),
            ("\"1.0\"", Some(1)),
            ("12.5", None),
            ("-1", None),
            ("18446744073709551616", None),
            ("\"\"", None),
            ("\"1__0\"", None),
            ("\"0x10\"", None),
            ("null", None),
            ("[]", None),
        ] {
            assert_eq!(count(Value::parse(text).unwrap()).ok(), number, "{text}");
        }
    }

    #[test]
    fn non_finite_numbers_become_null_outside_strings_only() {
        assert_eq!(
            replace_non_finite(r#"{"a":NaN,"b":[-Infinity,Infinity,-1],"NaN":"x\"NaN"}"#).as_deref(),
            Some(r#"{"a":null,"b":[null,null,-1],"NaN":"x\"NaN"}"#)
        );
        assert_eq!(replace_non_finite(r#"{"a":"NaN"}"#), None);
    }
}
