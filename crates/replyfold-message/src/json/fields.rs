//! The fields of one JSON object, found in one pass.

use super::{DecodeError, FieldValue, Value, ValueKind, scan, surrogate, unescape_into};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::{borrow::Cow, fmt, ops::Range};

/// Twelve fields cover every event with its envelope, so one allocation does.
const FIELDS: usize = 12;

/// The fields of one JSON object in the order of their text, each as raw text.
///
/// The whole object is checked once (structure, escapes, numbers); values are read when a field is asked for.
/// A key may stand more than once: [`get`](Self::get) takes the last, [`first`](Self::first) the first.
///
/// ```
/// use replyfold_message::json::Fields;
///
/// let fields = Fields::parse(r#"{"type":"A","n":1,"type":"B"}"#)?;
/// assert_eq!(fields.first("type").map(|v| v.text()), Some("\"A\""));
/// assert_eq!(fields.required::<u64>("n")?, 1);
/// let err = fields.required::<String>("n").unwrap_err();
/// assert_eq!(err.to_string(), "field `n`: expected a string, found a number");
/// # Ok::<(), replyfold_message::json::DecodeError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Fields<'a> {
    entries: Vec<(Cow<'a, str>, Value<'a>)>,
}

impl<'a> Fields<'a> {
    /// Finds the fields of the object that `text` is.
    ///
    /// # Errors
    ///
    /// The text is no JSON object, something follows the object, or an escape anywhere in it is half of a surrogate pair.
    pub fn parse(text: &'a str) -> Result<Self, DecodeError> {
        let mut fields = Self { entries: Vec::with_capacity(FIELDS) };
        let mut entries = Entries { text, fields: &mut fields, escaped: false };
        let (found, mut escaped) = (scan::object(text.as_bytes(), &mut entries), entries.escaped);
        if found.is_none() {
            // The pass gives no reasons, and what is refused need not be fast.
            (fields, escaped) = (Self::parse_slowly(text)?, true);
        }
        let lone = if escaped { surrogate::find_lone_surrogate(text) } else { None };
        match lone {
            Some(at) => Err(DecodeError::lone_surrogate(at)),
            None => Ok(fields),
        }
    }

    fn parse_slowly(text: &'a str) -> Result<Self, DecodeError> {
        if !text.trim_start_matches([' ', '\t', '\n', '\r']).starts_with('{') {
            // Whether it is JSON of another kind or no JSON at all makes two different messages.
            let value = Value::parse(text)?;
            return Err(DecodeError::mismatch("an object", value.kind()));
        }
        serde_json::from_str(text).map_err(|err| DecodeError::syntax(err, text))
    }

    /// The last field with this key; it may be null.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<Value<'a>> {
        self.entries.iter().rev().find(|(name, _)| name == key).map(|(_, value)| *value)
    }

    /// The first field with this key; it may be null.
    #[must_use]
    pub fn first(&self, key: &str) -> Option<Value<'a>> {
        self.entries.iter().find(|(name, _)| name == key).map(|(_, value)| *value)
    }

    /// The last field with this key, unless it is null.
    #[must_use]
    pub fn present(&self, key: &str) -> Option<Value<'a>> {
        self.get(key).filter(|value| !value.is_null())
    }

    /// All fields in the order of the text, repeated keys included.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&str, Value<'a>)> {
        self.entries.iter().map(|(key, value)| (key.as_ref(), *value))
    }

    /// All fields in the order of the text, keys included.
    pub(super) fn into_entries(self) -> Vec<(Cow<'a, str>, Value<'a>)> {
        self.entries
    }

    /// Reads a field; missing and null mean what the type says they mean.
    ///
    /// # Errors
    ///
    /// The value is refused by its type, or the type requires the field and it is missing or null.
    pub fn required<T: FieldValue>(&self, key: &str) -> Result<T, DecodeError> {
        match self.present(key) {
            Some(value) => T::read(value).map_err(|err| err.within(key)),
            None => T::absent().ok_or_else(|| DecodeError::missing(key)),
        }
    }

    /// Reads a field with `read`, or gives `None` when it is missing or null.
    ///
    /// # Errors
    ///
    /// `read` refuses the value; the error names the field.
    pub fn optional<T>(&self, key: &str, read: impl FnOnce(Value<'a>) -> Result<T, DecodeError>) -> Result<Option<T>, DecodeError> {
        self.present(key).map(|value| read(value).map_err(|err| err.within(key))).transpose()
    }

    /// The `type` of the object, its first one when it stands twice (Java writes it first and last).
    ///
    /// # Errors
    ///
    /// It is missing, null or no string.
    pub fn tag(&self) -> Result<Cow<'a, str>, DecodeError> {
        match self.first("type") {
            Some(value) if value.kind() == ValueKind::Null => Err(DecodeError::missing("type")),
            Some(value) => value.string().map_err(|err| err.within("type")),
            None => Err(DecodeError::missing("type")),
        }
    }
}

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;

        impl<'de> Visitor<'de> for Collect {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::with_capacity(FIELDS);
                while let Some(Key(key)) = map.next_key()? {
                    entries.push((key, Value::from(map.next_value::<&RawValue>()?)));
                }
                Ok(Fields { entries })
            }
        }

        deserializer.deserialize_map(Collect)
    }
}

/// Turns the ranges that the pass finds into fields.
struct Entries<'f, 'a> {
    text: &'a str,
    fields: &'f mut Fields<'a>,
    /// Whether there was an escape.
    escaped: bool,
}

impl scan::Sink for Entries<'_, '_> {
    fn field(&mut self, key: Range<usize>, escaped: bool, value: Range<usize>, plain: bool) {
        // The ranges end at quotes and brackets, so they are character boundaries.
        let key = self.text.get(key).unwrap_or_default();
        let key = match escaped {
            true => {
                let mut said = String::with_capacity(key.len());
                // A key with half of a pair makes the whole object an error, so it does not matter what it reads as.
                let _ = unescape_into(key, &mut said);
                Cow::Owned(said)
            }
            false => Cow::Borrowed(key),
        };
        let text = self.text.get(value).unwrap_or_default();
        self.escaped |= escaped || (!plain && text.contains('\\'));
        self.fields.entries.push((key, if plain { Value::of_plain(text) } else { Value::of(text) }));
    }
}

/// A key that borrows when it has no escape, which `Cow` on its own does not.
struct Key<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Borrow;

        impl<'de> Visitor<'de> for Borrow {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Borrowed(text)))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Owned(text.to_owned())))
            }
        }

        deserializer.deserialize_str(Borrow)
    }
}
