//! The arguments of a call that is still streaming: the best reading of a JSON object that is not complete.

use replyfold_message::json::JsonObject;

/// Reads as much of a JSON object as its text shows so far.
///
/// What is open is closed: objects, arrays, and a string that is a value, which shows what it has. An escape that is not complete and half
/// of a surrogate pair are left out, so a string never flickers; so is a key without a value, a word (`tru`) that is not complete, and what
/// of a number is no number yet (`1.` shows `1`). Text that cannot become JSON is read up to there. Text that is no object gives `{}`.
///
/// Costs the length of the text.
///
/// ```
/// use replyfold_reduce::partial_json::parse;
///
/// assert_eq!(parse(r#"{"city":"Par"#).as_str(), r#"{"city":"Par"}"#);
/// assert_eq!(parse(r#"{"a":[1,{"b":"\uD83D"#).as_str(), r#"{"a":[1,{"b":""}]}"#);
/// assert_eq!(parse(r#"{"a":1,"b"#).as_str(), r#"{"a":1}"#);
/// ```
#[must_use]
pub fn parse(text: &str) -> JsonObject {
    let mut reader = Reader { text, at: 0, out: String::with_capacity(text.len() + 8), open: Vec::new(), safe: 0 };
    reader.space();
    if !reader.eat(b'{') {
        return JsonObject::default();
    }
    reader.push_open('{');
    reader.read();
    reader.finish()
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    out: String,
    /// The closing brackets that are due, innermost last.
    open: Vec<char>,
    /// Length of `out` that becomes JSON when `open` is closed.
    safe: usize,
}

/// How far a token got.
#[derive(PartialEq)]
enum Token {
    Complete,
    /// The text ended, or cannot be JSON: nothing follows.
    Cut,
}

impl Reader<'_> {
    /// Reads until the text ends, the outermost object is closed, or something cannot be JSON.
    fn read(&mut self) {
        // Whether an element may follow without a comma: right after an opening bracket.
        let mut first = true;
        while let Some(close) = self.open.last().copied() {
            self.space();
            if self.eat(close as u8) {
                self.open.pop();
                self.out.truncate(self.safe);
                self.out.push(close);
                self.safe = self.out.len();
                first = false;
                continue;
            }
            if !first {
                if !self.eat(b',') {
                    return;
                }
                self.out.push(',');
                self.space();
            }
            if close == '}' && self.key() == Token::Cut {
                return;
            }
            match self.value() {
                Some(Token::Cut) | None => return,
                Some(Token::Complete) => first = self.out.ends_with(['{', '[']),
            }
        }
    }

    fn key(&mut self) -> Token {
        if !self.eat(b'"') || self.string() == Token::Cut {
            return Token::Cut;
        }
        self.space();
        if !self.eat(b':') {
            return Token::Cut;
        }
        self.out.push(':');
        self.space();
        Token::Complete
    }

    /// A value; `None` when there is none to show.
    fn value(&mut self) -> Option<Token> {
        match self.byte()? {
            b'"' => {
                self.at += 1;
                let token = self.string();
                if token == Token::Cut {
                    self.out.push('"');
                }
                self.safe = self.out.len();
                Some(token)
            }
            b'{' => {
                self.at += 1;
                self.push_open('{');
                Some(Token::Complete)
            }
            b'[' => {
                self.at += 1;
                self.push_open('[');
                Some(Token::Complete)
            }
            _ => self.scalar(),
        }
    }

    /// A number or a word, taken up to the longest text that is one.
    fn scalar(&mut self) -> Option<Token> {
        let rest = self.text.get(self.at..)?;
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '+' | '-' | '.')).unwrap_or(rest.len());
        let whole = rest.get(..end)?;
        if matches!(whole, "true" | "false" | "null") || is_number(whole) {
            self.out.push_str(whole);
            self.at += end;
            self.safe = self.out.len();
            return Some(Token::Complete);
        }
        // Only the tail of a number can be missing, and it has few forms: `1.`, `1e`, `1.5e+`.
        let shown = (1..=whole.len().min(3)).filter_map(|cut| whole.get(..whole.len() - cut)).find(|text| is_number(text))?;
        if end == rest.len() {
            self.out.push_str(shown);
            self.safe = self.out.len();
        }
        Some(Token::Cut)
    }

    /// A string whose opening quote was read: copies it, quotes included, without a closing one if it is cut.
    fn string(&mut self) -> Token {
        self.out.push('"');
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let plain = rest.find(|c: char| c == '"' || c == '\\' || c < ' ').unwrap_or(rest.len());
            self.out.push_str(rest.get(..plain).unwrap_or_default());
            self.at += plain;
            match self.byte() {
                Some(b'"') => {
                    self.at += 1;
                    self.out.push('"');
                    return Token::Complete;
                }
                Some(b'\\') => {
                    let Some(length) = self.escape() else { return Token::Cut };
                    self.at += length;
                }
                _ => return Token::Cut,
            }
        }
    }

    /// Copies the escape that stands here, unless it is half of a surrogate pair, which is left out. Gives its length; `None` if it is
    /// not complete or no escape.
    fn escape(&mut self) -> Option<usize> {
        let rest = self.text.get(self.at..)?;
        let length = match rest.as_bytes().get(1)? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => 2,
            b'u' => match unit(rest)? {
                0xD800..=0xDBFF => {
                    let after = rest.get(6..)?;
                    match unit(after) {
                        Some(0xDC00..=0xDFFF) => 12,
                        // The other half may still come.
                        None if "\\u".starts_with(after.get(..2).unwrap_or(after)) && after.len() < 6 => return None,
                        _ => return Some(6),
                    }
                }
                0xDC00..=0xDFFF => return Some(6),
                _ => 6,
            },
            _ => return None,
        };
        self.out.push_str(rest.get(..length)?);
        Some(length)
    }

    fn push_open(&mut self, bracket: char) {
        self.out.push(bracket);
        self.open.push(if bracket == '{' { '}' } else { ']' });
        self.safe = self.out.len();
    }

    fn finish(mut self) -> JsonObject {
        self.out.truncate(self.safe);
        self.out.extend(self.open.iter().rev());
        // Every piece up to `safe` is JSON once the brackets are closed; a test cuts texts at every byte.
        JsonObject::parse(&self.out).unwrap_or_default()
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let there = self.byte() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn space(&mut self) {
        while matches!(self.byte(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }
}

/// The code unit of the escape, `\u` with four digits, that the text starts with.
fn unit(text: &str) -> Option<u16> {
    let digits = text.get(..6)?.strip_prefix("\\u")?;
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then_some(())?;
    u16::from_str_radix(digits, 16).ok()
}

/// Whether the text is a number by the grammar of JSON.
fn is_number(text: &str) -> bool {
    let text = text.strip_prefix('-').unwrap_or(text);
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))),
        None => (text, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    digits(whole) && (whole == "0" || !whole.starts_with('0')) && fraction.is_none_or(digits) && exponent.is_none_or(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, shown: &str) {
        assert_eq!(parse(text).as_str(), shown, "{text}");
    }

    #[test]
    fn what_is_open_is_closed_and_what_is_unfinished_is_left_out() {
        check("", "{}");
        check("  ", "{}");
        check("[1]", "{}");
        check("\"x\"", "{}");
        check("{", "{}");
        check(r#"{"a"#, "{}");
        check(r#"{"a":"#, "{}");
        check(r#"{"a":""#, r#"{"a":""}"#);
        check(r#"{"a":"x"#, r#"{"a":"x"}"#);
        check(r#"{"a":"x\"#, r#"{"a":"x"}"#);
        check(r#"{"a":"x\n"#, r#"{"a":"x\n"}"#);
        check(r#"{"a":"x","b"#, r#"{"a":"x"}"#);
        check(r#"{"a":"x","b":"#, r#"{"a":"x"}"#);
        check(r#"{"a":"x","b":tru"#, r#"{"a":"x"}"#);
        check(r#"{"a":true"#, r#"{"a":true}"#);
        check(r#"{"a":1"#, r#"{"a":1}"#);
        check(r#"{"a":-"#, "{}");
        check(r#"{"a":1."#, r#"{"a":1}"#);
        check(r#"{"a":1.5e+"#, r#"{"a":1.5}"#);
        check(r#"{"a":[1,2,"#, r#"{"a":[1,2]}"#);
        check(r#"{"a":[{"b":[]},["#, r#"{"a":[{"b":[]},[]]}"#);
        check(r#"{"a":1}"#, r#"{"a":1}"#);
        check(" { \"a\" : [ 1 , 2 ] } ", r#"{"a":[1,2]}"#);
    }

    #[test]
    fn text_that_cannot_become_json_is_read_up_to_there() {
        check(r#"{"a":1}}"#, r#"{"a":1}"#);
        check(r#"{"a":1,,"b":2}"#, r#"{"a":1}"#);
        check(r#"{"a":1 "b":2}"#, r#"{"a":1}"#);
        check(r#"{"a":01}"#, "{}");
        check(r#"{"a":[1}"#, r#"{"a":[1]}"#);
        check(r#"{"a":"\x","b":1}"#, r#"{"a":""}"#);
        check("{\"a\":\"x\ny\"}", r#"{"a":"x"}"#);
        check(r#"{"a":1,]"#, r#"{"a":1}"#);
        check(r#"{,"a":1}"#, "{}");
    }

    #[test]
    fn b025_split_escapes_never_flicker() {
        check(r#"{"a":"\uD8"#, r#"{"a":""}"#);
        check(r#"{"a":"\uD83D\uDE"#, r#"{"a":""}"#);
        assert_eq!(parse(r#"{"a":"\uD83D\uDE00"}"#).get("a").and_then(|v| v.string().ok().map(Into::into)), Some("😀".to_owned()));
        // A half that stays alone is left out, and what follows is shown.
        check(r#"{"a":"x\uD83Dy"#, r#"{"a":"xy"}"#);
        check(r#"{"a":"x\uDE00y"#, r#"{"a":"xy"}"#);
        check(r#"{"a":"x\uD83D\n"#, r#"{"a":"x\n"}"#);
        check(r#"{"a":"x\uD83D\uD83D\uDE00"#, r#"{"a":"x\uD83D\uDE00"}"#);
    }

    #[test]
    fn no_cut_panics_or_makes_an_earlier_key_vanish() {
        let texts = [
            r#"{"city":"Par\u00eds \uD83D\uDE00é漢","n":[-1.50e-3,true,null,{"k":"\\\"\n"}],"o":{"x":{},"y":[]},"last":false}"#,
            " { \"a\" : \"b\" , \"c\" : [ 1 , [ 2 ] ] } ",
        ];
        for text in texts {
            let mut shown = 0;
            let mut before = String::new();
            for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                let object = parse(&text[..at]);
                let keys = object.fields().iter().count();
                assert!(keys >= shown, "{:?} shows fewer keys than {before:?}", &text[..at]);
                (shown, before) = (keys, text[..at].to_owned());
            }
            assert_eq!(parse(text), JsonObject::parse(text).unwrap());
        }
    }

    #[test]
    fn deep_nesting_needs_no_deep_stack() {
        let text = format!("{{\"a\":{}", "[".repeat(100_000));
        assert_eq!(parse(&text).as_str().len(), text.len() + 100_001);
    }
}
