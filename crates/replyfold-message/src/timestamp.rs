//! Time stamps that keep their text.

use crate::inline_str::InlineStr;
use crate::json::{DecodeError, FieldValue, Value, Writer};
use chrono::{DateTime, FixedOffset, NaiveDateTime};
use std::fmt;
use std::str::Utf8Error;

/// A moment as the log wrote it, ISO 8601 by convention: with or without a zone, with 0 to 9 decimals (`wire.md` section 1).
///
/// The text round-trips byte for byte, also when it is no time at all (Java accepts any text there).
/// Two time stamps are equal when their texts are.
///
/// ```
/// use replyfold_message::Timestamp;
///
/// let at = Timestamp::new("2026-08-22T15:15:56.123456789Z");
/// assert_eq!(at.as_str(), "2026-08-22T15:15:56.123456789Z");
/// assert_eq!(at.to_datetime().map(|t| t.timestamp_subsec_nanos()), Some(123_456_789));
/// assert_eq!(Timestamp::new("yesterday").to_datetime(), None);
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Timestamp(InlineStr);

impl Timestamp {
    /// The time stamp with this text; the text is not checked.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(InlineStr::from(text))
    }

    /// Becomes this text, in place: what readers of many events do instead of making a new one.
    ///
    /// # Errors
    ///
    /// The bytes are no UTF-8; nothing changes then.
    pub fn assign(&mut self, text: &[u8]) -> Result<(), Utf8Error> {
        self.0.assign(text)
    }

    /// The text as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The bytes of the text.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// The moment that the text names, or `None` if it names none. A text without a zone is taken as UTC.
    #[must_use]
    pub fn to_datetime(&self) -> Option<DateTime<FixedOffset>> {
        let text = self.as_str();
        DateTime::parse_from_rfc3339(text).ok().or_else(|| {
            ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f"]
                .into_iter()
                .find_map(|format| NaiveDateTime::parse_from_str(text, format).ok())
                .map(|naive| naive.and_utc().fixed_offset())
        })
    }
}

impl From<&str> for Timestamp {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl<Tz: chrono::TimeZone> From<DateTime<Tz>> for Timestamp
where
    Tz::Offset: fmt::Display,
{
    /// RFC 3339 with as many decimals as the value needs; UTC is written `Z`.
    fn from(time: DateTime<Tz>) -> Self {
        Self::new(&time.to_rfc3339_opts(chrono::SecondsFormat::AutoSi, true))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Timestamp({})", self.as_str())
    }
}

impl FieldValue for Timestamp {
    fn read(value: Value<'_>) -> Result<Self, DecodeError> {
        value.string().map(|text| Self::new(&text))
    }

    fn write(&self, out: &mut Writer<'_>) {
        out.utf8(self.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_the_field_gives_its_moment() {
        for (text, nanos) in [
            ("2026-08-22T15:15:56Z", 0),
            ("2026-08-22T15:15:56.5+02:00", 500_000_000),
            ("2026-03-01T09:30:00.000138", 138_000),
            ("2026-03-01T09:30:00", 0),
            ("2026-08-22 23:15:56.123", 123_000_000),
            ("2026-08-22T15:15:56.123456789Z", 123_456_789),
        ] {
            let stamp = Timestamp::new(text);
            assert_eq!(stamp.as_str(), text);
            assert_eq!(stamp.to_datetime().map(|t| t.timestamp_subsec_nanos()), Some(nanos), "{text}");
        }
        for text in ["", "yesterday", "1787411756123", "2026-13-01T00:00:00Z"] {
            assert_eq!(Timestamp::new(text).to_datetime(), None, "{text}");
        }
    }

    #[test]
    fn a_value_is_written_as_rfc_3339() {
        let time = Timestamp::new("2026-03-01T09:30:00.000138").to_datetime().unwrap();
        assert_eq!(Timestamp::from(time.to_utc()).as_str(), "2026-03-01T09:30:00.000138Z");
    }
}
