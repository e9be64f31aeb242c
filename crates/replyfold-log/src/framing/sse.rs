//! Server-sent events: fields line by line, an event at each blank line.

use super::Raw;
use crate::buffer::{Buffer, LineEnds};
use crate::{Frame, Place};
use std::io;

const FIELDS: [&[u8]; 4] = [b"data", b"event", b"id", b"retry"];

/// Whether the text starts with a line that is a field of SSE.
pub(super) fn starts_with_field(text: &[u8]) -> bool {
    FIELDS.iter().any(|field| text.strip_prefix(*field).is_some_and(|rest| matches!(rest.first(), Some(b':' | b'\n' | b'\r'))))
}

/// Takes the next event that has data. Comments, unknown fields and `[DONE]` are nothing; at the end of a capture the blank line may be
/// missing.
pub(super) fn next(buffer: &mut Buffer) -> io::Result<Option<Raw>> {
    let mut event = Event::default();
    loop {
        match buffer.line(LineEnds::Sse)? {
            Some(line) if line.text.is_empty() => {
                if let Some(raw) = std::mem::take(&mut event).finish() {
                    return Ok(Some(raw));
                }
            }
            Some(line) => event.field(&line.text, line.place),
            None => return Ok(event.finish()),
        }
    }
}

/// The fields of one event.
#[derive(Default)]
struct Event {
    data: Option<(Place, Vec<u8>)>,
    frame: Frame,
}

impl Event {
    fn field(&mut self, line: &[u8], place: Place) {
        let (name, value) = match memchr::memchr(b':', line) {
            Some(at) => line.split_at(at),
            None => (line, &b""[..]),
        };
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        let text = || Some(String::from_utf8_lossy(value).into());
        match name {
            b"data" => match &mut self.data {
                Some((_, data)) => {
                    data.push(b'\n');
                    data.extend_from_slice(value);
                }
                None => self.data = Some((place, value.to_vec())),
            },
            b"id" => self.frame.sse_id = text(),
            b"event" => self.frame.sse_event = text(),
            // Comments have an empty name; `retry` and fields that SSE does not know say nothing of the log.
            _ => {}
        }
    }

    fn finish(self) -> Option<Raw> {
        let (place, text) = self.data?;
        let content = text.trim_ascii();
        (!content.is_empty() && content != b"[DONE]").then_some(Raw { place, text, frame: self.frame })
    }
}
