//! Where one record ends and the next begins.

mod array;
mod sse;

use crate::buffer::{Buffer, LineEnds};
use crate::{Frame, Place};
use std::borrow::Cow;

/// How the records of a log are framed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// One record a line.
    Jsonl,
    /// A capture of server-sent events, as `curl` saves it.
    Sse,
    /// The elements of a JSON array, or of several.
    JsonArray,
}

/// One record before it is read.
#[derive(Debug, PartialEq)]
pub(crate) struct Raw {
    pub(crate) place: Place,
    pub(crate) text: Vec<u8>,
    pub(crate) frame: Frame,
    /// Why it is no record, if the framing knows.
    pub(crate) fault: Option<Cow<'static, str>>,
    /// What the framing adds to the reason if it cannot be read.
    pub(crate) note: Option<String>,
}

/// Takes the records of one log.
pub(crate) struct Framing {
    pub(crate) format: Format,
    capture: sse::Capture,
    elements: array::Elements,
}

impl Framing {
    /// Tells the format by the first line that is not blank. With `pairs` an event may be a list that begins with its type.
    pub(crate) fn detect(buffer: &mut Buffer, pairs: bool) -> Self {
        buffer.skip_mark();
        let mut window = 1;
        loop {
            // No more than what tells it is waited for: the first event of a pipe may be all that there is for a while.
            let bytes = buffer.peek(window);
            let text = bytes.trim_ascii_start();
            let list = text.strip_prefix(b"[").filter(|_| pairs);
            // An unfinished word may still become a field.
            let is_told = text.len() > 16 || text.contains(&b'\n');
            if bytes.len() < window || (is_told && list.is_none_or(|list| !list.trim_ascii_start().is_empty())) {
                let blank = bytes.len() - text.len();
                let indent = bytes.iter().take(blank).rev().take_while(|byte| !matches!(byte, b'\n' | b'\r')).count();
                let format = match text.first() {
                    Some(b'[') if list.is_some_and(array::starts_pair_on_one_line) => Format::Jsonl,
                    Some(b'[') => Format::JsonArray,
                    Some(b':') => Format::Sse,
                    _ if sse::starts_with_field(text) => Format::Sse,
                    _ => Format::Jsonl,
                };
                return Self { format, capture: sse::Capture::new(indent), elements: array::Elements::new(pairs) };
            }
            window = bytes.len() + 1;
        }
    }

    /// One record a line, as it is known to be.
    pub(crate) fn lines() -> Self {
        Self { format: Format::Jsonl, capture: sse::Capture::new(0), elements: array::Elements::new(false) }
    }

    /// Takes the next record; `None` at the end of the log.
    pub(crate) fn next(&mut self, buffer: &mut Buffer) -> Option<Raw> {
        match self.format {
            Format::Jsonl => next_line(buffer),
            Format::Sse => self.capture.next(buffer),
            Format::JsonArray => self.elements.next(buffer),
        }
    }
}

fn next_line(buffer: &mut Buffer) -> Option<Raw> {
    while let Some(line) = buffer.line(LineEnds::Lf) {
        if !line.text.trim_ascii().is_empty() {
            return Some(Raw { place: line.place, text: line.text, frame: Frame::default(), fault: None, note: None });
        }
    }
    None
}
