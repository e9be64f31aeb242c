//! One raw JSON value, read on demand.

use super::surrogate::find_lone_surrogate;
use super::{DecodeError, Fields, JsonObject, JsonText, Writer, unescape_into};
use serde_json::value::RawValue;
use std::{borrow::Cow, fmt};

/// One JSON value as its text within a larger one. Reading it costs nothing until a kind is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Value<'a> {
    text: &'a str,
    /// Whether it is known to be a string without an escape.
    plain: bool,
}

/// What kind of JSON value a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "JSON has exactly these kinds")]
pub enum ValueKind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number
    Number,
    /// A string
    String,
    /// An array
    Array,
    /// An object
    Object,
}

impl fmt::Display for ValueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Null => "null",
            Self::Bool => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        })
    }
}

impl<'a> Value<'a> {
    /// The value that a whole text is.
    ///
    /// # Errors
    ///
    /// The text is no JSON.
    pub fn parse(text: &'a str) -> Result<Self, DecodeError> {
        serde_json::from_str::<&RawValue>(text).map(Self::from).map_err(|err| DecodeError::syntax(err, text))
    }

    /// The value with this text, which is known to be JSON.
    pub(super) fn of(text: &'a str) -> Self {
        Self { text, plain: false }
    }

    /// The string without an escape with this text, quotes included.
    pub(super) fn of_plain(text: &'a str) -> Self {
        Self { text, plain: true }
    }

    /// The text of the value, exactly as it stands.
    #[must_use]
    pub fn text(self) -> &'a str {
        self.text
    }

    /// What kind of value it is.
    #[must_use]
    pub fn kind(self) -> ValueKind {
        match self.text.as_bytes().first() {
            Some(b'"') => ValueKind::String,
            Some(b'{') => ValueKind::Object,
            Some(b'[') => ValueKind::Array,
            Some(b't' | b'f') => ValueKind::Bool,
            Some(b'n') | None => ValueKind::Null,
            Some(_) => ValueKind::Number,
        }
    }

    /// Whether it is `null`.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.kind() == ValueKind::Null
    }

    /// The string without its quotes; borrowed when it has no escape.
    ///
    /// # Errors
    ///
    /// It is no string, or it holds half of a surrogate pair.
    pub fn string(self) -> Result<Cow<'a, str>, DecodeError> {
        match self.text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            Some(inner) if self.plain || !inner.contains('\\') => Ok(Cow::Borrowed(inner)),
            Some(inner) => {
                let mut said = String::with_capacity(inner.len());
                match unescape_into(inner, &mut said) {
                    Some(()) => Ok(Cow::Owned(said)),
                    // A value is JSON, in which nothing else is wrong with an escape.
                    None => Err(DecodeError::lone_surrogate(find_lone_surrogate(self.text).unwrap_or_default())),
                }
            }
            None => Err(DecodeError::mismatch("a string", self.kind())),
        }
    }

    /// The boolean.
    ///
    /// # Errors
    ///
    /// It is no boolean.
    pub fn bool(self) -> Result<bool, DecodeError> {
        match self.text {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(DecodeError::mismatch("a boolean", self.kind())),
        }
    }

    /// The number as a count.
    ///
    /// # Errors
    ///
    /// It is no number, has a fraction, is negative, or is above `u64::MAX` (`wire.md` section 6).
    pub fn u64(self) -> Result<u64, DecodeError> {
        match self.kind() {
            ValueKind::Number => self
                .text
                .parse()
                .map_err(|_| DecodeError::invalid(format!("expected a whole number from 0 to {}, found {}", u64::MAX, self.text))),
            kind => Err(DecodeError::mismatch("a number", kind)),
        }
    }

    /// The elements of the array.
    ///
    /// # Errors
    ///
    /// It is no array.
    pub fn array(self) -> Result<Vec<Value<'a>>, DecodeError> {
        if self.kind() != ValueKind::Array {
            return Err(DecodeError::mismatch("an array", self.kind()));
        }
        serde_json::from_str::<Vec<&RawValue>>(self.text)
            .map(|items| items.into_iter().map(Value::from).collect())
            .map_err(|err| DecodeError::syntax(err, self.text))
    }

    /// The fields of the object.
    ///
    /// # Errors
    ///
    /// It is no object.
    pub fn object(self) -> Result<Fields<'a>, DecodeError> {
        Fields::parse(self.text)
    }

    /// Every element of the array, read with `read`; an error names the index.
    ///
    /// # Errors
    ///
    /// It is no array, or an element is refused.
    pub fn list<T>(self, mut read: impl FnMut(Value<'a>) -> Result<T, DecodeError>) -> Result<Vec<T>, DecodeError> {
        self.array()?.into_iter().enumerate().map(|(index, item)| read(item).map_err(|err| err.within_index(index))).collect()
    }
}

impl<'a> From<&'a RawValue> for Value<'a> {
    fn from(raw: &'a RawValue) -> Self {
        Self::of(raw.get())
    }
}

/// A type that stands as one field of a wire object.
pub trait FieldValue: Sized {
    /// Reads the value; it is not null.
    ///
    /// # Errors
    ///
    /// The value is of the wrong kind or not acceptable. The error does not name the field yet.
    fn read(value: Value<'_>) -> Result<Self, DecodeError>;

    /// What a missing or null field means; `None` makes the field required.
    #[must_use]
    fn absent() -> Option<Self> {
        None
    }

    /// Whether the field is left out when written.
    fn is_absent(&self) -> bool {
        false
    }

    /// Writes the value.
    fn write(&self, out: &mut Writer<'_>);
}

impl<T: FieldValue> FieldValue for Option<T> {
    fn read(value: Value<'_>) -> Result<Self, DecodeError> {
        T::read(value).map(Some)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }

    fn write(&self, out: &mut Writer<'_>) {
        match self {
            Some(value) => value.write(out),
            None => out.null(),
        }
    }
}

impl<T: FieldValue> FieldValue for Vec<T> {
    fn read(value: Value<'_>) -> Result<Self, DecodeError> {
        value.list(T::read)
    }

    fn write(&self, out: &mut Writer<'_>) {
        out.array(self, |out, item| item.write(out));
    }
}

impl<T: FieldValue> FieldValue for Box<T> {
    fn read(value: Value<'_>) -> Result<Self, DecodeError> {
        T::read(value).map(Box::new)
    }

    fn write(&self, out: &mut Writer<'_>) {
        T::write(self, out);
    }
}

impl FieldValue for String {
    fn read(value: Value<'_>) -> Result<Self, DecodeError> {
        value.string().map(Cow::into_owned)
    }

    fn write(&self, out: &mut Writer<'_>) {
        out.string(self);
    }
}

impl FieldValue for bool {
    fn read(value: Value<'_>) -> Result<Self, DecodeError> {
        value.bool()
    }

    fn write(&self, out: &mut Writer<'_>) {
        out.bool(*self);
    }
}

impl FieldValue for u64 {
    fn read(value: Value<'_>) -> Result<Self, DecodeError> {
        value.u64()
    }

    fn write(&self, out: &mut Writer<'_>) {
        out.number(*self);
    }
}

impl FieldValue for i64 {
    fn read(value: Value<'_>) -> Result<Self, DecodeError> {
        match value.kind() {
            ValueKind::Number => {
                value.text.parse().map_err(|_| DecodeError::invalid(format!("expected a whole number of 64 bits, found {}", value.text)))
            }
            kind => Err(DecodeError::mismatch("a number", kind)),
        }
    }

    fn write(&self, out: &mut Writer<'_>) {
        out.raw(&self.to_string());
    }
}

impl FieldValue for JsonText {
    fn read(value: Value<'_>) -> Result<Self, DecodeError> {
        Ok(Self::from(value))
    }

    fn write(&self, out: &mut Writer<'_>) {
        out.raw(self.as_str());
    }
}

impl FieldValue for JsonObject {
    fn read(value: Value<'_>) -> Result<Self, DecodeError> {
        Self::try_from(value)
    }

    fn absent() -> Option<Self> {
        Some(Self::default())
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }

    fn write(&self, out: &mut Writer<'_>) {
        out.raw(self.as_str());
    }
}
