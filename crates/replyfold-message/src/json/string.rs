//! Strings inside a JSON text: where they end, and what they say.

use super::scan;
use super::surrogate::unit_at;

/// A string that was found in a JSON text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StringSpan {
    /// Offset of its closing quote.
    pub end: usize,
    /// Whether it holds an escape. Without any, the text up to `end` is what it says.
    pub escaped: bool,
}

impl StringSpan {
    /// Finds the end of the string whose first byte after the opening quote stands at `start`; `None` if it is no JSON string. Bytes that are
    /// no UTF-8 pass.
    ///
    /// ```
    /// use replyfold_message::json::StringSpan;
    ///
    /// let span = StringSpan::find(br#"{"delta":"a\"b"}"#, 10);
    /// assert_eq!(span.map(|span| (span.end, span.escaped)), Some((14, true)));
    /// assert_eq!(StringSpan::find(br#""never closed"#, 1), None);
    /// ```
    #[must_use]
    pub fn find(text: &[u8], start: usize) -> Option<Self> {
        let (end, escaped) = scan::string(text, start)?;
        Some(Self { end: end - 1, escaped })
    }

    /// Whether the string that starts at `start` has this length, and no escape and nothing but ASCII in it.
    #[must_use]
    #[inline]
    pub fn is_plain_ascii(text: &[u8], start: usize, length: usize) -> bool {
        text.get(start + length) == Some(&b'"') && text.get(start..start + length).is_some_and(scan::is_plain_ascii)
    }
}

/// Appends what a JSON string says to `out`; `text` is the string without its quotes. `None`, and `out` as it was, if an escape is wrong or
/// half of a surrogate pair.
///
/// ```
/// use replyfold_message::json::unescape_into;
///
/// let mut out = String::from("> ");
/// assert_eq!(unescape_into(r"a\n\u6f22\ud83d\ude00", &mut out), Some(()));
/// assert_eq!(out, "> a\n漢😀");
/// assert_eq!(unescape_into(r"\ud83d", &mut out), None);
/// ```
pub fn unescape_into(text: &str, out: &mut String) -> Option<()> {
    let before = out.len();
    let done = unescape(text, out);
    if done.is_none() {
        out.truncate(before);
    }
    done
}

/// Whether [`unescape_into`] can read the text.
///
/// ```
/// use replyfold_message::json::can_unescape;
///
/// assert!(can_unescape(r"a\n"));
/// assert!(!can_unescape(r"\ud83d"));
/// ```
#[must_use]
pub fn can_unescape(text: &str) -> bool {
    unescape(text, &mut ()).is_some()
}

/// Where the characters of a string go.
trait Sink {
    fn push_str(&mut self, text: &str);
    fn push(&mut self, char: char);
}

impl Sink for String {
    fn push_str(&mut self, text: &str) {
        self.push_str(text);
    }

    fn push(&mut self, char: char) {
        self.push(char);
    }
}

impl Sink for () {
    fn push_str(&mut self, _: &str) {}

    fn push(&mut self, _: char) {}
}

fn unescape(mut text: &str, out: &mut impl Sink) -> Option<()> {
    while let Some(at) = memchr::memchr(b'\\', text.as_bytes()) {
        // A backslash is one byte, so both are character boundaries.
        let (plain, escape) = (text.get(..at)?, text.get(at..)?);
        out.push_str(plain);
        let (char, length) = match escape.as_bytes().get(1)? {
            b'n' => ('\n', 2),
            b'"' => ('"', 2),
            b'\\' => ('\\', 2),
            b't' => ('\t', 2),
            b'r' => ('\r', 2),
            b'/' => ('/', 2),
            b'b' => ('\u{8}', 2),
            b'f' => ('\u{c}', 2),
            b'u' => unicode(escape.as_bytes())?,
            _ => return None,
        };
        out.push(char);
        text = escape.get(length..)?;
    }
    out.push_str(text);
    Some(())
}

/// The character of the escape of one code unit, or of the two of a pair, and the length of its text. Halves are no characters.
fn unicode(escape: &[u8]) -> Option<(char, usize)> {
    let units = [unit_at(escape, 0)?, unit_at(escape, 6).unwrap_or_default()];
    let char = char::decode_utf16(units).next()?.ok()?;
    Some((char, 6 * char.len_utf16()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Strings of all that matters to an escape, broken ones among them.
    fn texts() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("\\".to_owned()),
            Just("\\u".to_owned()),
            Just("\\n".to_owned()),
            Just("\\\"".to_owned()),
            Just("\\ud83d".to_owned()),
            Just("\\uDE00".to_owned()),
            Just("\\u00e9".to_owned()),
            Just("\"".to_owned()),
            Just("\u{1}".to_owned()),
            "[a-f0-9+é漢😀]{0,12}",
        ];
        prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn strings_end_and_say_what_serde_json_says(text in texts(), before in "[a-z]{0,9}") {
            let whole = format!("\"{text}\"");
            let judged = serde_json::from_str::<String>(&whole).ok();
            let padded = format!("{before}{whole}");
            let span = StringSpan::find(padded.as_bytes(), before.len() + 1).filter(|span| span.end == padded.len() - 1);
            for length in 0..padded.len() {
                let start = before.len() + 1;
                let found = StringSpan::find(padded.as_bytes(), start).filter(|span| span.end == start + length && !span.escaped);
                prop_assert_eq!(
                    StringSpan::is_plain_ascii(padded.as_bytes(), start, length),
                    found.is_some_and(|span| padded[start..span.end].is_ascii())
                );
            }
            let mut out = "x".to_owned();
            let said = span.and_then(|span| {
                let inner = padded.get(before.len() + 1..span.end)?;
                assert_eq!(span.escaped, inner.contains('\\'));
                unescape_into(inner, &mut out)
            });
            prop_assert_eq!(out, format!("x{}", judged.as_deref().unwrap_or_default()));
            prop_assert_eq!(said.is_some(), judged.is_some());
            if let Some(span) = span {
                prop_assert_eq!(can_unescape(&padded[before.len() + 1..span.end]), judged.is_some());
            }
        }
    }
}
