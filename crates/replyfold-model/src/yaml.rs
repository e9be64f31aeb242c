//! Scripts as YAML, and arguments in them as JSON.

use crate::script::ScriptError;
use serde::de::{DeserializeOwned, DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_saphyr::{MessageFormatter as _, UserMessageFormatter};
use std::fmt;

/// Reads a document that is a script, or holds one, by the core schema of YAML 1.2: `true` and `false` are the only words that are not text,
/// and numbers with a leading zero or with underscores are text too.
///
/// ```
/// use replyfold_model::{ScriptedTurn, read_yaml};
///
/// let turns: Vec<ScriptedTurn> = read_yaml("- - text: no")?;
/// assert_eq!(turns.len(), 1);
/// let err = read_yaml::<Vec<ScriptedTurn>>("- - texd: no").unwrap_err().to_string();
/// assert!(err.starts_with("the script cannot be read: line 1, column 5: unknown variant `texd`"));
/// # Ok::<(), replyfold_model::ScriptError>(())
/// ```
///
/// # Errors
///
/// It is no YAML, or not such a document; the error tells the line.
pub fn read_yaml<T: DeserializeOwned>(text: &str) -> Result<T, ScriptError> {
    let options = serde_saphyr::options! {
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
        with_snippet: false,
    };
    serde_saphyr::from_str_with_options(text, options).map_err(|err| {
        let place = err.location().map(|place| format!("line {}, column {}: ", place.line(), place.column()));
        let why = match &err {
            // The name of a Rust type says nothing to who writes a script.
            serde_saphyr::Error::InvalidScalar { ty, .. } if ty.starts_with('u') => "this is no whole number from 0 on".into(),
            err => UserMessageFormatter.format_message(err),
        };
        ScriptError::new(format!("{}{why}", place.unwrap_or_default()))
    })
}

/// The arguments of a call as the text that a model sends: text stays as it is, and an object becomes compact JSON with its keys in their
/// order.
///
/// ```
/// use replyfold_model::{ScriptedArguments, read_yaml};
///
/// let arguments: ScriptedArguments = read_yaml("{to: Ada, copies: 2, bcc: no}")?;
/// assert_eq!(arguments.into_text(), r#"{"to":"Ada","copies":2,"bcc":"no"}"#);
/// # Ok::<(), replyfold_model::ScriptError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptedArguments(String);

impl ScriptedArguments {
    /// The text.
    #[must_use]
    pub fn into_text(self) -> String {
        self.0
    }
}

impl<'de> Deserialize<'de> for ScriptedArguments {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut text = String::new();
        from.deserialize_any(Json { text: &mut text, is_top: true })?;
        Ok(Self(text))
    }
}

/// Writes a value as JSON.
struct Json<'t> {
    text: &'t mut String,
    /// Text here is the whole, and nothing is nothing.
    is_top: bool,
}

impl Json<'_> {
    fn put(self, value: impl fmt::Display) {
        self.text.push_str(&value.to_string());
    }
}

/// `value` as a string of JSON.
fn quoted(value: &str) -> String {
    serde_json::Value::from(value).to_string()
}

impl<'de> DeserializeSeed<'de> for Json<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Json<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("arguments: text or an object")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.put(value);
        Ok(())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        self.put(value);
        Ok(())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        self.put(value);
        Ok(())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        // Whole numbers that an integer does not hold come as floats, their last digits lost already.
        let is_whole = value.fract() == 0.0 && value.abs() >= 9_223_372_036_854_775_808.0;
        let number = serde_json::Number::from_f64(value).filter(|_| !is_whole);
        let number = number.ok_or_else(|| E::custom("the digits of this number are not all kept: write the arguments as text, '{…}'"))?;
        self.put(number);
        Ok(())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<(), E> {
        if self.is_top {
            self.put(value);
        } else {
            self.put(quoted(value));
        }
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        if !self.is_top {
            self.put("null");
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<(), A::Error> {
        let mut before = '[';
        loop {
            let end = self.text.len();
            self.text.push(before);
            if from.next_element_seed(Json { text: self.text, is_top: false })?.is_none() {
                self.text.truncate(if before == '[' { end + 1 } else { end });
                break;
            }
            before = ',';
        }
        self.text.push(']');
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<(), A::Error> {
        self.text.push('{');
        let mut between = "";
        while let Some(key) = from.next_key::<String>()? {
            self.text.push_str(between);
            self.text.push_str(&quoted(&key));
            self.text.push(':');
            from.next_value_seed(Json { text: self.text, is_top: false })?;
            between = ",";
        }
        self.text.push('}');
        Ok(())
    }
}
