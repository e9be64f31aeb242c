//! Why a record cannot be read, where the record shows more than its first fault, and what to do about it.

use crate::{Format, envelope};
use replyfold_dialect::Error;
use replyfold_message::json::{Fields, Value};

/// Said of every record of a log in another encoding.
pub(crate) const UTF16: &str = "the log is UTF-16 and not UTF-8: convert it first, as `iconv -f UTF-16 -t UTF-8` does";

/// Added to the reason of a line that is a piece of a text.
pub(crate) const PIECE: &str =
    "a JSON text on several lines is no record: write each event on one line, or all of them as one array, which may take several";

/// What is wrong, if it is that a second JSON text follows the first in one record.
pub(crate) fn two_texts(text: &str, err: &Error, format: Format) -> Option<String> {
    let at = err.is_syntax().then(|| err.offset()).flatten()?;
    let (first, second) = (text.get(..at)?, text.get(at..)?);
    (Fields::parse(first).is_ok() && second.starts_with('{')).then(|| match format {
        Format::JsonArray => format!("two JSON texts in one array element, the second at byte {at}; there is no comma between them"),
        Format::Sse => format!("two JSON texts in one event, the second at byte {at}; each needs an event of its own"),
        Format::Jsonl => format!("two JSON texts on one line, the second at byte {at}; each needs a line of its own"),
    })
}

/// What is wrong, if it is that an object without a type holds a list of events, or several events.
pub(crate) fn list_of_events(text: &str, err: &Error) -> Option<String> {
    if err.event_type().is_some() || err.field().as_deref() != Some("type") {
        return None;
    }
    let fields = Fields::parse(text).ok()?;
    let events: Vec<String> =
        fields.iter().filter(|(_, value)| envelope::is_event_value(*value)).map(|(key, _)| format!("`{key}`")).collect();
    if let [first @ .., last] = &events[..]
        && !first.is_empty()
    {
        return Some(format!("no event but an object with events in {} and {last}: only a key that is told chooses one", first.join(", ")));
    }
    fields.iter().find_map(|(key, value)| {
        let list: Vec<Value<'_>> = value.array().ok()?;
        envelope::is_event_value(*list.first()?).then(|| {
            format!("no event but an object with a list of {} in `{key}`: give the list alone, which is a log as it stands", list.len())
        })
    })
}

/// Whether the line looks like one of several that a JSON text stands on: it opens a bracket or goes on behind its end, is a member, or
/// closes brackets only.
pub(crate) fn is_piece(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let closes = !line.is_empty() && line.iter().all(|byte| matches!(byte, b'}' | b']' | b','));
    closes || line.starts_with(b"\"") || (line.starts_with(b"{") && matches!(line.last(), Some(b'{' | b'[' | b',' | b':')))
}

/// Whether a log that begins with these bytes is UTF-16: it has its mark, or every other byte is zero.
pub(crate) fn is_utf16(head: &[u8]) -> bool {
    match head {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => true,
        [a, b, c, d, ..] => [*a, *c] == [0, 0] && *b != 0 && *d != 0 || [*b, *d] == [0, 0] && *a != 0 && *c != 0,
        _ => false,
    }
}

pub(crate) fn not_text(bytes: &[u8], err: std::str::Utf8Error) -> String {
    match bytes.iter().all(|byte| *byte == 0) {
        true => zeros(bytes.len()),
        false => format!("not UTF-8 at byte {} of the record", err.valid_up_to()),
    }
}

pub(crate) fn zeros(count: usize) -> String {
    if count == 0 {
        return "an empty record".to_owned();
    }
    format!("{count} zero bytes, as a write leaves them that a crash cut off")
}
