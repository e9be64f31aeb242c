//! One strict pass over the text of a JSON object: where its fields are.
//!
//! It accepts exactly what `serde_json` accepts of an object (a fuzz target compares the two) and gives up, without a reason, on anything
//! else; the caller asks `serde_json` for the reason then. It reads eight bytes at a time and recurses nowhere.

/// What the pass found, as byte ranges of the text.
pub(super) trait Sink {
    /// A field: the key without its quotes, whether it has an escape, and the value with everything that belongs to it; `plain` if it is a
    /// string without an escape.
    fn field(&mut self, key: std::ops::Range<usize>, escaped: bool, value: std::ops::Range<usize>, plain: bool);
}

/// Finds the fields of the object that `text` is; `None` when it is no object or anything is wrong with it.
///
/// `text` is UTF-8: only what JSON adds to that is checked.
pub(super) fn object(text: &[u8], sink: &mut impl Sink) -> Option<()> {
    let mut at = space(text, 0);
    if byte(text, at) != b'{' {
        return None;
    }
    at = space(text, at + 1);
    if byte(text, at) == b'}' {
        at += 1;
    } else {
        loop {
            if byte(text, at) != b'"' {
                return None;
            }
            let (end, escaped) = string(text, at + 1)?;
            let key = at + 1..end - 1;
            at = space(text, end);
            if byte(text, at) != b':' {
                return None;
            }
            at = space(text, at + 1);
            let start = at;
            let plain = match byte(text, at) {
                b'"' => {
                    let (end, escaped) = string(text, at + 1)?;
                    at = end;
                    !escaped
                }
                _ => {
                    at = value(text, at)?;
                    false
                }
            };
            sink.field(key, escaped, start..at, plain);
            at = space(text, at);
            match byte(text, at) {
                b',' => at = space(text, at + 1),
                b'}' => {
                    at += 1;
                    break;
                }
                _ => return None,
            }
        }
    }
    (space(text, at) == text.len()).then_some(())
}

/// The byte there, or 0 past the end: no token of JSON is a zero byte.
fn byte(text: &[u8], at: usize) -> u8 {
    text.get(at).copied().unwrap_or(0)
}

fn space(text: &[u8], mut at: usize) -> usize {
    while matches!(byte(text, at), b' ' | b'\t' | b'\n' | b'\r') {
        at += 1;
    }
    at
}

/// The end of the value that starts here and is no string.
fn value(text: &[u8], at: usize) -> Option<usize> {
    match byte(text, at) {
        b'{' | b'[' => nested(text, at),
        _ => scalar(text, at),
    }
}

/// The end of the object or array that starts here. The stack of open brackets is a stack of bits: objects are ones.
fn nested(text: &[u8], mut at: usize) -> Option<usize> {
    let mut stack = Brackets::default();
    // Each turn starts where a value is due.
    loop {
        match byte(text, at) {
            b'{' => {
                at = space(text, at + 1);
                if byte(text, at) == b'}' {
                    at += 1;
                } else {
                    stack.push(true);
                    at = key(text, at)?;
                    continue;
                }
            }
            b'[' => {
                at = space(text, at + 1);
                if byte(text, at) == b']' {
                    at += 1;
                } else {
                    stack.push(false);
                    continue;
                }
            }
            b'"' => at = string(text, at + 1)?.0,
            _ => at = scalar(text, at)?,
        }
        // A value is complete: close what it completes, go on where it does not.
        loop {
            let Some(object) = stack.top() else { return Some(at) };
            at = space(text, at);
            match (byte(text, at), object) {
                (b',', true) => {
                    at = key(text, space(text, at + 1))?;
                    break;
                }
                (b',', false) => {
                    at = space(text, at + 1);
                    break;
                }
                (b'}', true) | (b']', false) => {
                    at += 1;
                    stack.pop();
                }
                _ => return None,
            }
        }
    }
}

/// A key and its colon: where the value starts.
fn key(text: &[u8], at: usize) -> Option<usize> {
    if byte(text, at) != b'"' {
        return None;
    }
    let (end, _) = string(text, at + 1)?;
    let at = space(text, end);
    (byte(text, at) == b':').then(|| space(text, at + 1))
}

/// A number or a word.
fn scalar(text: &[u8], at: usize) -> Option<usize> {
    match byte(text, at) {
        b't' => word(text, at, b"true"),
        b'f' => word(text, at, b"false"),
        b'n' => word(text, at, b"null"),
        _ => number(text, at),
    }
}

fn word(text: &[u8], at: usize, word: &[u8]) -> Option<usize> {
    text.get(at..)?.starts_with(word).then_some(at + word.len())
}

/// A number by the grammar of JSON: no leading zero, no bare sign or point.
fn number(text: &[u8], mut at: usize) -> Option<usize> {
    if byte(text, at) == b'-' {
        at += 1;
    }
    at = match byte(text, at) {
        b'0' => at + 1,
        b'1'..=b'9' => digits(text, at)?,
        _ => return None,
    };
    if byte(text, at) == b'.' {
        at = digits(text, at + 1)?;
    }
    if matches!(byte(text, at), b'e' | b'E') {
        at += 1;
        if matches!(byte(text, at), b'+' | b'-') {
            at += 1;
        }
        at = digits(text, at)?;
    }
    Some(at)
}

/// At least one digit.
fn digits(text: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    while byte(text, at).is_ascii_digit() {
        at += 1;
    }
    (at > start).then_some(at)
}

/// The end of the string whose first byte after the quote is here, its closing quote included, and whether it has an escape.
pub(super) fn string(text: &[u8], mut at: usize) -> Option<(usize, bool)> {
    let mut escaped = false;
    loop {
        at = plain(text, at);
        match byte(text, at) {
            b'"' => return Some((at + 1, escaped)),
            b'\\' => {
                escaped = true;
                at = escape(text, at + 1)?;
            }
            // A raw control character, or the end of the text.
            _ => return None,
        }
    }
}

/// The end of the escape whose first byte after the backslash is here.
fn escape(text: &[u8], at: usize) -> Option<usize> {
    match byte(text, at) {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(at + 1),
        b'u' => text.get(at + 1..at + 5)?.iter().all(u8::is_ascii_hexdigit).then_some(at + 5),
        _ => None,
    }
}

/// One in each of eight bytes.
const ONES: u64 = u64::MAX / 255;
/// The high bit of each of eight bytes.
const HIGHS: u64 = ONES * 0x80;

/// The bytes of a word that end a run of plain bytes: the lowest set bit tells the first one.
fn ends(word: u64) -> u64 {
    // The high bit of a byte of the result is set where the byte is one of the three, and perhaps in a byte above such a one: the lowest
    // set bit is exact. A byte of `x` is zero exactly where `x.wrapping_sub(ONES) & !x` sets its high bit first.
    let zero = |x: u64| x.wrapping_sub(ONES) & !x;
    let (quote, slash) = (zero(word ^ (ONES * u64::from(b'"'))), zero(word ^ (ONES * u64::from(b'\\'))));
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    (quote | slash | control) & HIGHS
}

/// Bytes of a long string that are looked at together.
const BLOCK: usize = 64;

/// Whether one of the bytes ends a run of plain bytes. Without a branch in it, so that the compiler reads many bytes at once.
fn has_end(block: &[u8; BLOCK]) -> bool {
    block.iter().fold(false, |found, byte| found | (*byte < 0x20) | (*byte == b'"') | (*byte == b'\\'))
}

/// Where the run of plain bytes that starts here ends: at a quote, a backslash, a control character or the end of the text.
#[inline]
pub(super) fn plain(text: &[u8], mut at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    // Most strings end within the first words; media goes on by the block.
    let (words, _) = rest.get(..BLOCK).unwrap_or(rest).as_chunks();
    for word in words {
        let ends = ends(u64::from_le_bytes(*word));
        if ends != 0 {
            return at + (ends.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    while text.get(at..).and_then(<[u8]>::first_chunk).is_some_and(|block| !has_end(block)) {
        at += BLOCK;
    }
    // Fewer than eight bytes before the end of the text, or a block with the end in it.
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let mut word = [b' '; 8];
        word.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
        let ends = ends(u64::from_le_bytes(word));
        if ends != 0 {
            return at + (ends.trailing_zeros() / 8) as usize;
        }
        if rest.len() <= 8 {
            return text.len();
        }
        at += 8;
    }
}

/// Whether all bytes are plain and ASCII.
#[inline]
pub(super) fn is_plain_ascii(bytes: &[u8]) -> bool {
    let Some(last) = bytes.last_chunk::<8>() else {
        return bytes.iter().all(|byte| matches!(byte, 0x20..0x80) && !matches!(byte, b'"' | b'\\'));
    };
    // Of ASCII bytes, these sums set the high bit of each that is no quote, no backslash and no control character.
    let others = |word: u64| {
        let (quote, slash) = (word ^ (ONES * u64::from(b'"')), word ^ (ONES * u64::from(b'\\')));
        let sums = quote.wrapping_add(ONES * 0x7f) & slash.wrapping_add(ONES * 0x7f) & word.wrapping_add(ONES * 0x60);
        !sums | word
    };
    // The last word laps over the one before it.
    let (words, _) = bytes.as_chunks();
    let all = words.iter().fold(others(u64::from_le_bytes(*last)), |all, word| all | others(u64::from_le_bytes(*word)));
    all & HIGHS == 0
}

/// The open brackets, outermost first: 64 levels in place, deeper ones in memory.
#[derive(Default)]
struct Brackets {
    depth: usize,
    bits: u64,
    deep: Vec<u64>,
}

impl Brackets {
    fn push(&mut self, object: bool) {
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.deep.push(self.bits);
        }
        self.bits = self.bits << 1 | u64::from(object);
        self.depth += 1;
    }

    fn top(&self) -> Option<bool> {
        (self.depth > 0).then_some(self.bits & 1 == 1)
    }

    fn pop(&mut self) {
        self.depth -= 1;
        self.bits >>= 1;
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.bits = self.deep.pop().unwrap_or_default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::value::RawValue;

    impl Sink for Vec<(String, String)> {
        fn field(&mut self, _: std::ops::Range<usize>, _: bool, _: std::ops::Range<usize>, _: bool) {}
    }

    fn accepts(text: &str) -> bool {
        object(text.as_bytes(), &mut Vec::new()).is_some()
    }

    fn judge(text: &str) -> bool {
        serde_json::from_str::<std::collections::BTreeMap<String, &RawValue>>(text).is_ok()
    }

    /// Every text that differs from a good one in one byte, or is cut anywhere, is judged as `serde_json` does.
    #[test]
    fn near_misses_are_judged_as_serde_json_does() {
        let seeds = [
            r#"{"a":"x\n\u00e9\"","b":[1,-0.5e+10,{}],"c":{"d":[true,false,null,[]]},"e":0}"#,
            r#" { "k" : [ [ 1 , 2 ] , { "x" : "0123456789abcdef" } ] , "k" : -12.5E-3 } "#,
            r#"{}"#,
        ];
        let bytes = [
            0_u8, 9, 10, 31, b' ', b'"', b'\\', b'0', b'1', b'-', b'+', b'.', b'e', b'u', b'n', b'{', b'}', b'[', b']', b',', b':', b'/',
            127,
        ];
        let mut judged = 0;
        for seed in seeds {
            for at in 0..=seed.len() {
                assert_eq!(accepts(&seed[..at]), judge(&seed[..at]), "{:?}", &seed[..at]);
                for byte in bytes {
                    for mut text in [seed.as_bytes().to_vec(), {
                        let mut t = seed.as_bytes().to_vec();
                        t.insert(at, byte);
                        t
                    }] {
                        if let Some(place) = text.get_mut(at) {
                            *place = byte;
                        }
                        let text = String::from_utf8(text).unwrap();
                        assert_eq!(accepts(&text), judge(&text), "{text:?}");
                        judged += 1;
                    }
                }
            }
        }
        assert!(judged > 5_000);
    }

    #[test]
    fn plain_stops_at_the_first_special_byte_wherever_it_stands() {
        for special in [b'"', b'\\', 0, 0x1f, b'\n'] {
            for at in 0..300 {
                for filler in [b'a', 0x20, 0x21, 0x23, 0x5b, 0x5d, 0x7f, 0x80, 0xff] {
                    let mut text = vec![filler; 300];
                    text[at] = special;
                    assert_eq!(plain(&text, 0), at, "{special} {filler}");
                }
            }
        }
    }

    #[test]
    fn brackets_remember_every_level() {
        let mut stack = Brackets::default();
        let levels: Vec<bool> = (0..300).map(|i| i % 3 == 0 || i % 7 == 0).collect();
        levels.iter().for_each(|level| stack.push(*level));
        for level in levels.iter().rev() {
            assert_eq!(stack.top(), Some(*level));
            stack.pop();
        }
        assert_eq!(stack.top(), None);
    }
}
