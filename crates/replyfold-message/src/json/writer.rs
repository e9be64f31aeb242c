//! Writing JSON text without intermediate values.

use super::{FieldValue, scan};

/// How much space stands between the parts of an object or array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the two forms that the dialects write")]
pub enum Style {
    /// No space: `{"a":1,"b":2}`.
    #[default]
    Compact,
    /// One space after each comma and colon: `{"a": 1, "b": 2}`.
    Spaced,
}

/// Writes one JSON value to the end of a buffer.
#[derive(Debug)]
pub struct Writer<'a> {
    out: &'a mut Vec<u8>,
    style: Style,
}

impl<'a> Writer<'a> {
    /// A writer that appends to `out`.
    pub fn new(out: &'a mut Vec<u8>, style: Style) -> Self {
        Self { out, style }
    }

    /// The text that `write` writes.
    ///
    /// ```
    /// use replyfold_message::json::{Style, Writer};
    ///
    /// let text = Writer::text(Style::Compact, |out| out.object(|object| object.string("name", "é\"")));
    /// assert_eq!(text, r#"{"name":"é\""}"#);
    /// ```
    pub fn text(style: Style, write: impl FnOnce(&mut Writer<'_>)) -> String {
        let mut out = Vec::new();
        write(&mut Writer::new(&mut out, style));
        // A writer is given UTF-8 only.
        String::from_utf8(out).unwrap_or_default()
    }

    /// Writes a string, escaped as `serde_json` escapes: what JSON demands and nothing else.
    pub fn string(&mut self, text: &str) {
        self.utf8(text.as_bytes());
    }

    /// Writes a string that is known to be UTF-8.
    pub(crate) fn utf8(&mut self, text: &[u8]) {
        self.out.reserve(text.len() + 2);
        self.out.push(b'"');
        write_escaped(text, self.out);
        self.out.push(b'"');
    }

    /// Writes a count.
    pub fn number(&mut self, number: u64) {
        // As above.
        let _ = serde_json::to_writer(&mut *self.out, &number);
    }

    /// Writes `true` or `false`.
    pub fn bool(&mut self, value: bool) {
        self.raw(if value { "true" } else { "false" });
    }

    /// Writes `null`.
    pub fn null(&mut self) {
        self.raw("null");
    }

    /// Writes text that is JSON already, as it stands.
    pub fn raw(&mut self, json: &str) {
        self.out.extend_from_slice(json.as_bytes());
    }

    /// Writes an array, each item with `write`.
    pub fn array<T>(&mut self, items: impl IntoIterator<Item = T>, mut write: impl FnMut(&mut Writer<'_>, T)) {
        self.out.push(b'[');
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                self.out.extend_from_slice(self.style.comma());
            }
            write(&mut Writer::new(self.out, self.style), item);
        }
        self.out.push(b']');
    }

    /// Writes an object, its fields with `write`.
    pub fn object<R>(&mut self, write: impl FnOnce(&mut ObjectWriter<'_>) -> R) -> R {
        self.out.push(b'{');
        let result = write(&mut ObjectWriter { out: self.out, style: self.style, empty: true });
        self.out.push(b'}');
        result
    }
}

/// Writes the fields of one object, in the order of the calls.
#[derive(Debug)]
pub struct ObjectWriter<'a> {
    out: &'a mut Vec<u8>,
    style: Style,
    empty: bool,
}

impl ObjectWriter<'_> {
    /// Writes the key and gives the writer for its value, which has to be used once.
    #[must_use]
    #[inline]
    pub fn key(&mut self, key: &str) -> Writer<'_> {
        let before: &[u8] = match (self.empty, self.style) {
            (true, _) => b"\"",
            (false, Style::Compact) => b",\"",
            (false, Style::Spaced) => b", \"",
        };
        self.empty = false;
        self.out.extend_from_slice(before);
        // Of a key that stands in the code this is known when it is compiled.
        if is_word(key.as_bytes()) {
            self.out.extend_from_slice(key.as_bytes());
        } else {
            write_escaped(key.as_bytes(), self.out);
        }
        self.out.extend_from_slice(match self.style {
            Style::Compact => b"\":",
            Style::Spaced => b"\": ",
        });
        Writer::new(self.out, self.style)
    }

    /// Writes a field, or nothing when its value counts as absent.
    #[inline]
    pub fn field<T: FieldValue>(&mut self, key: &str, value: &T) {
        if !value.is_absent() {
            value.write(&mut self.key(key));
        }
    }

    /// Writes a string field.
    #[inline]
    pub fn string(&mut self, key: &str, text: &str) {
        self.key(key).string(text);
    }
}

impl Style {
    fn comma(self) -> &'static [u8] {
        match self {
            Self::Compact => b",",
            Self::Spaced => b", ",
        }
    }
}

/// Whether a key is a short word, which needs no escape.
#[inline]
const fn is_word(key: &[u8]) -> bool {
    let mut at = 0;
    while at < key.len() {
        if !(key[at].is_ascii_alphanumeric() || key[at] == b'_') {
            return false;
        }
        at += 1;
    }
    key.len() <= 24
}

/// Writes UTF-8 text without quotes.
fn write_escaped(text: &[u8], out: &mut Vec<u8>) {
    let mut at = 0;
    loop {
        let end = scan::plain(text, at);
        out.extend_from_slice(text.get(at..end).unwrap_or_default());
        let Some(byte) = text.get(end) else { return };
        let short: &[u8] = match byte {
            b'"' => b"\\\"",
            b'\\' => b"\\\\",
            b'\n' => b"\\n",
            b'\r' => b"\\r",
            b'\t' => b"\\t",
            0x08 => b"\\b",
            0x0c => b"\\f",
            _ => b"",
        };
        if short.is_empty() {
            let digit = |half: u8| if half < 10 { b'0' + half } else { b'a' + half - 10 };
            out.extend_from_slice(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte & 0xf)]);
        } else {
            out.extend_from_slice(short);
        }
        at = end + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn strings_are_written_as_serde_json_writes_them(text in "[\\x00-\\x7f\u{80}-\u{9f}漢😀]{0,40}") {
            prop_assert_eq!(Writer::text(Style::Compact, |out| out.string(&text)), serde_json::to_string(&text).unwrap());
        }

        #[test]
        fn counts_are_written_as_serde_json_writes_them(count in prop_oneof![any::<u64>(), 0..1000_u64]) {
            prop_assert_eq!(Writer::text(Style::Compact, |out| out.number(count)), count.to_string());
        }
    }
}
