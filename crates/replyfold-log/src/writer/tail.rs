//! Where the records of a log end, and what a cut write left behind them.

use replyfold_dialect::{Error, EventReader};
use replyfold_message::json::Fields;

/// What is to be done with the end of a log, so that the next record can follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tail {
    /// How many of the bytes are whole records, with the blank lines among them; what follows is torn.
    pub(crate) keep: usize,
    /// Whether the last of those bytes end a record but no line.
    pub(crate) lacks_newline: bool,
}

/// Whether the byte belongs to no record where it stands at the end: blank, or the zero of a page that was never written.
fn is_empty(byte: u8) -> bool {
    byte == 0 || byte.is_ascii_whitespace()
}

/// Where the last line begins that holds more than blanks and zeros; `None` if no line does.
pub(crate) fn last_line(bytes: &[u8]) -> Option<usize> {
    let end = bytes.iter().rposition(|byte| !is_empty(*byte))?;
    Some(memchr::memrchr(b'\n', bytes.get(..end)?).map_or(0, |at| at + 1))
}

impl Tail {
    /// Judges the end of a log. The bytes begin with a line, and hold the last one that is more than blanks and zeros, if there is any.
    ///
    /// What a finished line holds stays, readable or not, unless it ends in the middle: then a write was cut off, and blank lines after it
    /// came from those who tried to go on. What no newline ends is a record if it is whole, and else what is left of one.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let records = match last_line(bytes) {
            Some(start) => start + last_record(bytes.get(start..).unwrap_or_default()),
            None => 0,
        };
        // Zeros are no line, whatever stands around them.
        let rest = bytes.get(records..).unwrap_or_default();
        let blank = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let torn = blank < rest.len();
        // Blank lines before torn bytes are as good as none, and a newline is written anew.
        let newline = rest.iter().take(blank).position(|byte| *byte == b'\n');
        let keep = match (torn, newline) {
            (true, Some(at)) => records + at + 1,
            (true, None) => records,
            (false, _) => bytes.len(),
        };
        let lacks_newline = bytes.get(..keep).unwrap_or_default().last().is_some_and(|byte| *byte != b'\n');
        Self { keep, lacks_newline }
    }
}

/// How many bytes of the last line, which has content, are records that stay.
fn last_record(line: &[u8]) -> usize {
    let content = line.iter().rposition(|byte| !is_empty(*byte)).map_or(0, |at| at + 1);
    let (content, rest) = line.split_at(content);
    let is_finished = rest.iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r')) == Some(&b'\n');
    let text = match std::str::from_utf8(content) {
        Ok(text) => text,
        // Bytes that are no text stay within a finished line: that is damage. A character that is cut is the end of a cut record.
        Err(err) if is_finished && err.error_len().is_some() => return content.len(),
        Err(err) => return std::str::from_utf8(content.get(..err.valid_up_to()).unwrap_or_default()).map_or(0, first_records),
    };
    match EventReader::default().read(text) {
        Ok(_) => text.len(),
        Err(err) if err.is_truncated() || is_cut_number(&err, text) => 0,
        // A whole object that is no event, a list, a number.
        Err(err) if is_finished || !err.is_syntax() => text.len(),
        Err(_) => first_records(text),
    }
}

/// Whether the text ends within a number, behind its sign, point or exponent: no end of input for the parser, which calls it no number.
fn is_cut_number(err: &Error, text: &str) -> bool {
    err.is_syntax() && text.ends_with(['-', '+', '.', 'e', 'E']) && err.offset().is_some_and(|at| at + 1 >= text.len())
}

/// How many bytes of a line whose end was cut are whole objects before that: two writers once took it for one line.
fn first_records(text: &str) -> usize {
    let mut end = 0;
    while let Some(rest) = text.get(end..).filter(|rest| !rest.is_empty()) {
        match Fields::parse(rest) {
            Ok(_) => return text.len(),
            Err(err) => match err
                .offset()
                .filter(|at| *at > 0 && err.is_syntax() && rest.get(..*at).is_some_and(|first| Fields::parse(first).is_ok()))
            {
                Some(at) => end += at,
                None => break,
            },
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    const OK: &str = r#"{"type":"OK"}"#;

    fn kept(text: impl AsRef<[u8]>) -> (String, bool) {
        let text = text.as_ref();
        let tail = Tail::of(text);
        (String::from_utf8(text[..tail.keep].to_vec()).unwrap(), tail.lacks_newline)
    }

    #[test]
    fn whole_records_stay_with_or_without_newline() {
        for whole in ["", "\n", "\n\n", &format!("{OK}\n"), &format!("{OK}\n\n"), &format!("{OK}\r\n")] {
            assert_eq!(kept(whole), (whole.to_owned(), false));
        }
        // An event, an object that is none, a list as Java has it, Python's number that is no JSON, two records, half of a surrogate pair.
        for whole in [OK, r#"{"a":1}"#, r#"["OK",{}]"#, r#"{"type":"CUSTOM","value":NaN}"#, &format!("{OK}{OK}"), r#"{"type":"\ud83d"}"#] {
            assert_eq!(kept(whole), (whole.to_owned(), true), "{whole}");
            assert_eq!(kept(format!("{whole}\n")), (format!("{whole}\n"), false), "{whole}");
        }
    }

    #[test]
    fn every_cut_of_a_record_is_torn() {
        let line = r#"{"type":"CUSTOM","replyId":"r","name":"a\"b","value":{"é":[1,-2.5e3,null,true,"🦀"]}}"#;
        for end in 1..line.len() {
            for after in [&b""[..], b"\n", b"\n\n", b" \r\n\n", b"\0\0\0", b"\n\0\0", b"\0\n\0\n"] {
                let text = [OK.as_bytes(), b"\n", &line.as_bytes()[..end], after].concat();
                assert_eq!(kept(&text), (format!("{OK}\n"), false), "{:?}", String::from_utf8_lossy(&text));
            }
        }
        assert_eq!(kept(line), (line.to_owned(), true));
    }

    #[test]
    fn zeros_are_torn_wherever_they_follow() {
        assert_eq!(kept([0; 300]), (String::new(), false));
        for (text, wanted) in [
            (format!("{OK}\0\0"), (OK.to_owned(), true)),
            (format!("{OK}\n\0\0"), (format!("{OK}\n"), false)),
            (format!("{OK}\n\n\0\n\n"), (format!("{OK}\n"), false)),
            ("\n\0".to_owned(), ("\n".to_owned(), false)),
        ] {
            assert_eq!(kept(&text), wanted, "{text:?}");
        }
    }

    #[test]
    fn damage_on_a_finished_line_stays() {
        for line in [&b"nonsense\n"[..], b"{\"type\":\"t\xff\"}\n", b"{\"a\":1,,}\n\n", b"{\"type\":\"OK\"}{\"type\":\"OK\"}\n"] {
            assert_eq!(Tail::of(line), Tail { keep: line.len(), lacks_newline: false });
        }
        // No newline: nobody finished it.
        assert_eq!(Tail::of(b"nonsense").keep, 0);
        assert_eq!(Tail::of(b"{\"type\":\"t\xff\"}").keep, 0);
        // What two writers made of one line is whole up to where it is cut.
        assert_eq!(kept(format!("{OK}{}", &OK[..7])), (OK.to_owned(), true));
        assert_eq!(kept([OK.as_bytes(), b"{\"type\":\"\xff"].concat()), (OK.to_owned(), true));
    }
}
