//! Text of the input as it stands in a snapshot: never ambiguous, never raw control characters.

use std::fmt::Write as _;

/// Whether a snapshot shows the character as it is. Control characters would reach the terminal of whoever reviews, and marks of direction
/// would show the text in another order than it has.
fn is_shown(c: char) -> bool {
    !c.is_control() && !matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// The text in quotes, on one line.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_shown(c) => out.push(c),
            // Beyond the basic plane nothing is escaped but what no font has either; braces keep the digits apart from what follows.
            c => write!(out, "\\u{{{:x}}}", u32::from(c)).unwrap_or_default(),
        }
    }
    out.push('"');
    out
}

/// A name or a word: as it is if it can be taken for nothing else, else in quotes.
pub(crate) fn word(text: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '/' | ':' | '@' | '#');
    let starts = text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    // A range of times is written with two points.
    if starts && text.chars().all(is_word) && !text.contains("..") { text.to_owned() } else { quoted(text) }
}

/// A JSON text that is shown as it stands, in one line.
pub(crate) fn json(text: &str) -> String {
    let edges = text.starts_with(char::is_whitespace) || text.ends_with(char::is_whitespace);
    if !text.is_empty() && !edges && text.chars().all(is_shown) { text.to_owned() } else { format!("!json {}", quoted(text)) }
}

/// The lines of a text that can stand below each other as they are: then nothing that trims lines can change what is read.
pub(crate) fn lines(text: &str) -> Option<(&'static str, std::str::Lines<'_>)> {
    let (header, body) = match text.strip_suffix('\n') {
        Some(body) => ("|", body),
        None => ("|-", text),
    };
    let is_whole = |line: &str| !line.ends_with(char::is_whitespace) && line.chars().all(is_shown);
    let starts = body.starts_with(char::is_whitespace) || body.is_empty();
    (body.contains('\n') && !starts && !body.ends_with('\n') && body.split('\n').all(is_whole)).then(|| (header, body.lines()))
}
