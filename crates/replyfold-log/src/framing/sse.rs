//! Server-sent events: fields line by line, an event at each blank line.

use super::Raw;
use crate::buffer::{Buffer, Line, LineEnds};
use crate::{Frame, Place};

const FIELDS: [&[u8]; 4] = [b"data", b"event", b"id", b"retry"];

/// Whether the text starts with a line that is a field of SSE.
pub(super) fn starts_with_field(text: &[u8]) -> bool {
    FIELDS.iter().any(|field| text.strip_prefix(*field).is_some_and(|rest| matches!(rest.first(), Some(b':' | b'\n' | b'\r'))))
}

/// Why a line of a capture is a record that cannot be read.
const NO_FIELD: &str = "no field of server-sent events: a line of a capture starts with the name of a field, as `data: `, or with a colon";

/// A capture while its events are taken.
pub(super) struct Capture {
    /// How many blanks the first line starts with: a capture that was moved in keeps that many before each line.
    indent: usize,
    /// The event whose fields are being read.
    event: Event,
}

impl Capture {
    pub(super) fn new(indent: usize) -> Self {
        Self { indent, event: Event::default() }
    }

    /// Takes the next event that has data. Comments, unknown fields and `[DONE]` are nothing; at the end of a capture the blank line may be
    /// missing.
    ///
    /// The standard has a reader ignore any other line. It may be what the log is about, so it is a record that cannot be read; it stands
    /// before an event that it interrupts.
    pub(super) fn next(&mut self, buffer: &mut Buffer) -> Option<Raw> {
        loop {
            let Some(Line { place, text }) = buffer.line(LineEnds::Sse) else {
                if buffer.waits() {
                    return None;
                }
                return std::mem::take(&mut self.event).finish();
            };
            let blanks = text.iter().take(self.indent).take_while(|byte| byte.is_ascii_whitespace()).count();
            let line = text.get(blanks..).unwrap_or_default();
            if line.is_empty() {
                if let Some(raw) = std::mem::take(&mut self.event).finish() {
                    return Some(raw);
                }
            } else if may_be_field(line) {
                self.event.field(line, Place { offset: place.offset + blanks as u64, ..place });
            } else {
                return Some(Raw { place, text, frame: Frame::default(), fault: Some(NO_FIELD.into()), note: None });
            }
        }
    }
}

/// Whether the line is a comment, a field under a name that is a plain word, or blank.
fn may_be_field(line: &[u8]) -> bool {
    let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
    name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')) || line.trim_ascii().is_empty()
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
        (!content.is_empty() && content != b"[DONE]").then_some(Raw { place, text, frame: self.frame, fault: None, note: None })
    }
}
