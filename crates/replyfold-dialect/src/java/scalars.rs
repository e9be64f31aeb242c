//! Scalars of camelCase lines: as the taxonomy has them, and in lines that are marked as Java as Jackson reads them.

use super::read::Lenience;
use replyfold_message::json::{DecodeError, Fields, Value, ValueKind};
use std::borrow::Cow;

/// The fields of one object of a camelCase line. The last of a repeated key counts.
#[derive(Clone, Copy)]
pub(super) struct Object<'f, 'a> {
    pub(super) fields: &'f Fields<'a>,
    pub(super) lenience: Lenience,
}

impl<'f, 'a> Object<'f, 'a> {
    pub(super) fn new(fields: &'f Fields<'a>, lenience: Lenience) -> Self {
        Self { fields, lenience }
    }

    /// A field that may be missing or null.
    pub(super) fn optional<T>(&self, key: &str, read: impl FnOnce(Value<'a>) -> Result<T, DecodeError>) -> Result<Option<T>, DecodeError> {
        self.fields.optional(key, read)
    }

    /// A string that may be missing or null.
    pub(super) fn text(&self, key: &str) -> Result<Option<Cow<'a, str>>, DecodeError> {
        self.optional(key, |value| string(value, self.lenience))
    }

    pub(super) fn string(&self, key: &str) -> Result<Option<String>, DecodeError> {
        self.text(key).map(|text| text.map(Cow::into_owned))
    }

    /// A string under either of two names; in a marked line only the first, Java's, is one.
    pub(super) fn either(&self, java: &str, canonical: &str) -> Result<Option<String>, DecodeError> {
        match self.string(java)? {
            None if self.lenience == Lenience::Taxonomy => self.string(canonical),
            found => Ok(found),
        }
    }
}

/// A string; Jackson takes numbers and booleans as their text.
pub(super) fn string(value: Value<'_>, lenience: Lenience) -> Result<Cow<'_, str>, DecodeError> {
    match value.kind() {
        ValueKind::Number | ValueKind::Bool if lenience == Lenience::Jackson => Ok(Cow::Borrowed(value.text())),
        _ => value.string(),
    }
}

/// A 32-bit number in any form that Jackson takes: a fraction is cut off, an empty string is 0.
pub(super) fn int(value: Value<'_>) -> Result<i64, DecodeError> {
    let refused = || DecodeError::invalid(format!("expected a whole number of 32 bits, found {}", value.text()));
    let text = match value.kind() {
        ValueKind::Number => Cow::Borrowed(value.text()),
        ValueKind::String => value.string()?,
        kind => return Err(DecodeError::mismatch("a number", kind)),
    };
    let text = text.trim();
    let number = match text.parse::<i64>() {
        Ok(number) => number,
        Err(_) if text.is_empty() => 0,
        // The cast cuts the fraction off, and what does not fit is refused below.
        Err(_) if value.kind() == ValueKind::Number => text.parse::<f64>().map_err(|_| refused())? as i64,
        Err(_) => return Err(refused()),
    };
    if i32::try_from(number).is_ok() { Ok(number) } else { Err(refused()) }
}

/// A token count: as a number or its text, within `u64` (`wire.md` section 6).
pub(super) fn count(value: Value<'_>) -> Result<u64, DecodeError> {
    let refused = || DecodeError::invalid(format!("expected a whole number from 0 to {}, found {}", u64::MAX, value.text()));
    let text = match value.kind() {
        ValueKind::Number => Cow::Borrowed(value.text()),
        ValueKind::String => value.string()?,
        kind => return Err(DecodeError::mismatch("a number", kind)),
    };
    match text.trim() {
        "" => Ok(0),
        text => text.parse().or_else(|_| match text.parse::<f64>() {
            // The cast cuts the fraction off, as Jackson does.
            Ok(number) if (0.0..18_446_744_073_709_551_616.0).contains(&number) => Ok(number as u64),
            _ => Err(refused()),
        }),
    }
}

/// A boolean; Jackson takes numbers and words too.
pub(super) fn boolean(value: Value<'_>, lenience: Lenience) -> Result<bool, DecodeError> {
    match (value.kind(), lenience) {
        (ValueKind::Number, Lenience::Jackson) => match value.text().bytes().all(|b| b == b'-' || b.is_ascii_digit()) {
            true => Ok(value.text().bytes().any(|b| matches!(b, b'1'..=b'9'))),
            false => Err(DecodeError::invalid(format!("expected a boolean, found {}", value.text()))),
        },
        (ValueKind::String, Lenience::Jackson) => match value.string()?.trim() {
            "true" | "True" | "TRUE" => Ok(true),
            "false" | "False" | "FALSE" | "" => Ok(false),
            other => Err(DecodeError::invalid(format!("expected a boolean, found `{other}`"))),
        },
        _ => value.bool(),
    }
}

/// A number that stands for a word: as a number, or as its digits in a string.
fn ordinal(value: Value<'_>) -> Option<Cow<'_, str>> {
    match value.kind() {
        ValueKind::Number => Some(Cow::Borrowed(value.text())),
        ValueKind::String => value.string().ok().filter(|text| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())),
        _ => None,
    }
}

/// One of a set of words; Jackson takes its number in the set too.
pub(super) fn word<T: Clone>(
    value: Value<'_>,
    lenience: Lenience,
    all: &[T],
    read: impl FnOnce(Value<'_>) -> Result<T, DecodeError>,
) -> Result<T, DecodeError> {
    if lenience == Lenience::Jackson
        && let Some(number) = ordinal(value)
    {
        let found = number.parse::<usize>().ok().and_then(|number| all.get(number).cloned());
        return found.ok_or_else(|| DecodeError::invalid(format!("expected a number below {}, found {number}", all.len())));
    }
    read(value)
}
