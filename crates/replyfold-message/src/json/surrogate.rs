//! Escapes of half a surrogate pair: valid JSON, but no Rust string holds them.

/// Byte offset of the first escape of a code unit in `text` that is half of a surrogate pair.
///
/// `text` is valid JSON, so a backslash stands in a string only and starts an escape.
pub(super) fn find_lone_surrogate(text: &str) -> Option<usize> {
    // Most lines have no escape of this form at all, and this search is vectorised.
    if !text.contains("\\u") {
        return None;
    }
    lone_surrogates(text).next()
}

/// The text with every escape of half a surrogate pair replaced by `\ufffd`; `None` when there is none.
///
/// `text` is JSON. Offsets do not move, since both escapes take six bytes.
///
/// ```
/// use replyfold_message::json::replace_lone_surrogates;
///
/// assert_eq!(replace_lone_surrogates(r#"{"delta":"a\ud83d"}"#).as_deref(), Some(r#"{"delta":"a\ufffd"}"#));
/// assert_eq!(replace_lone_surrogates(r#"{"delta":"\ud83d\ude00"}"#), None);
/// ```
#[must_use]
pub fn replace_lone_surrogates(text: &str) -> Option<String> {
    let mut fixed: Option<String> = None;
    for at in lone_surrogates(text) {
        fixed.get_or_insert_with(|| text.to_owned()).replace_range(at..at + 6, "\\ufffd");
    }
    fixed
}

/// Offsets of the escapes of lone halves. Every offset is followed by six ASCII bytes of the text.
fn lone_surrogates(text: &str) -> impl Iterator<Item = usize> + '_ {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(step) = bytes.get(at..)?.iter().position(|b| *b == b'\\') {
            let escape = at + step;
            let Some(unit) = unit_at(bytes, escape) else {
                at = escape + 2;
                continue;
            };
            at = escape + 6;
            match unit {
                0xD800..=0xDBFF if matches!(unit_at(bytes, at), Some(0xDC00..=0xDFFF)) => at += 6,
                0xD800..=0xDFFF => return Some(escape),
                _ => {}
            }
        }
        None
    })
}

/// The code unit of the escape `\u` with four digits that starts here.
pub(super) fn unit_at(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    // `from_str_radix` would take a sign.
    digits.iter().all(u8::is_ascii_hexdigit).then_some(())?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_pass_and_halves_are_found_at_their_escape() {
        for (text, at) in [
            (r#""\ud83d\ude00""#, None),
            (r#""\ud83d""#, Some(1)),
            (r#""x\ude00\ud83d""#, Some(2)),
            (r#""\ud83d\ud83d\ude00""#, Some(1)),
            (r#""\\ud83d""#, None),
            (r#""\\\ud83d""#, Some(3)),
            (r#""\u00e9\n""#, None),
            (r#""\uD83D\u0041""#, Some(1)),
        ] {
            assert_eq!(find_lone_surrogate(text), at, "{text}");
        }
    }

    #[test]
    fn halves_are_replaced_in_place() {
        assert_eq!(replace_lone_surrogates(r#"["\ude00\ud83d\ud83d\ude00"]"#).as_deref(), Some(r#"["\ufffd\ufffd\ud83d\ude00"]"#));
    }
}
