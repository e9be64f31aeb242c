//! A window on the bytes of a log: grows to the longest record, never re-scans, remembers lines and offsets.

use crate::Place;
use crate::input::{Input, PIECE};
use std::io;

/// The bytes that are read and not yet taken.
pub(crate) struct Buffer {
    /// Where more bytes come from; `None` if they are [pushed](Self::push).
    input: Option<Input>,
    /// Number of the segment that these are bytes of.
    segment: u32,
    /// Room for bytes; those that were read end at `end`.
    bytes: Vec<u8>,
    /// Where the bytes that are not yet taken begin.
    start: usize,
    end: usize,
    /// Offset of `bytes[start]` in the log.
    offset: u64,
    /// Line of `bytes[start]`, from 1.
    line: u64,
    ended: bool,
    /// Whether bytes that are pushed may still come.
    waits: bool,
    /// Length of the line at `start` that is lent and not yet taken.
    lent: usize,
    /// Why the log ended, if it could not be read on.
    fault: Option<io::Error>,
}

/// Which bytes end a line.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum LineEnds {
    /// `\n` only, a `\r` before it dropped (`wire.md` section 6).
    Lf,
    /// `\n`, `\r\n` or `\r`, as SSE has it.
    Sse,
}

/// One line that was taken: its bytes without the end.
#[derive(Debug, PartialEq)]
pub(crate) struct Line {
    pub(crate) place: Place,
    pub(crate) text: Vec<u8>,
}

impl Buffer {
    pub(crate) fn new(input: Input, segment: u32) -> Self {
        Self { input: Some(input), segment, waits: false, ..Self::fed() }
    }

    /// A window on bytes that somebody else reads, and pushes.
    pub(crate) fn fed() -> Self {
        Self {
            input: None,
            segment: 0,
            bytes: Vec::new(),
            start: 0,
            end: 0,
            offset: 0,
            line: 1,
            ended: false,
            waits: true,
            lent: 0,
            fault: None,
        }
    }

    /// More bytes of a file that somebody else reads.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.take_lent();
        self.bytes.copy_within(self.start..self.end, 0);
        self.bytes.truncate(self.end - self.start);
        self.bytes.extend_from_slice(bytes);
        (self.start, self.end, self.ended) = (0, self.bytes.len(), false);
    }

    pub(crate) fn is_fed(&self) -> bool {
        self.input.is_none()
    }

    /// Whether there may be more, though nothing is at hand.
    pub(crate) fn waits(&self) -> bool {
        self.waits
    }

    /// Nothing more comes of the file whose bytes were pushed.
    pub(crate) fn close(&mut self) {
        self.waits = false;
    }

    /// Bytes of another file come, from this place in it on. What is at hand was taken.
    pub(crate) fn reopen(&mut self, place: Place) {
        self.take_lent();
        (self.segment, self.offset, self.line) = (place.segment, place.offset, place.line);
        (self.waits, self.ended) = (true, false);
    }

    /// The bytes behind this place.
    pub(crate) fn behind(input: Input, place: Place) -> Self {
        Self { offset: place.offset, line: place.line, ..Self::new(input, place.segment) }
    }

    pub(crate) fn consumed(&self) -> u64 {
        self.input.as_ref().map_or(0, Input::consumed)
    }

    pub(crate) fn is_packed(&self) -> bool {
        self.input.as_ref().is_some_and(Input::is_packed)
    }

    pub(crate) fn place(&self) -> Place {
        Place { segment: self.segment, line: self.line, offset: self.offset }
    }

    /// Why the log ended, if it could not be read on; told once.
    pub(crate) fn take_fault(&mut self) -> Option<io::Error> {
        self.fault.take()
    }

    /// The bytes that are at hand; reads more if there are not `least` of them. What cannot be read ends the log: the bytes before it are
    /// records first.
    pub(crate) fn peek(&mut self, least: usize) -> &[u8] {
        while self.end - self.start < least && !self.ended {
            self.fill();
        }
        self.at_hand()
    }

    fn fill(&mut self) {
        let Some(input) = &mut self.input else {
            self.ended = true;
            return;
        };
        // What was taken goes away once it is half of the buffer, so that each byte moves at most twice.
        if self.start * 2 >= self.end {
            self.bytes.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        if self.bytes.len() < self.end + PIECE {
            // The room for a long record doubles, and is made zero once.
            let room = (self.bytes.len() * 2).max(self.end + PIECE);
            if self.end == 0 {
                self.bytes = vec![0; room];
            } else {
                self.bytes.resize(room, 0);
            }
        }
        match input.read(self.bytes.get_mut(self.end..).unwrap_or_default()) {
            Ok(count) => (self.ended, self.end) = (count == 0, self.end + count),
            Err(err) => (self.ended, self.fault) = (true, Some(err)),
        }
    }

    /// Takes bytes off the front, counting their lines.
    pub(crate) fn take(&mut self, count: usize) -> Vec<u8> {
        let end = (self.start + count).min(self.end);
        let taken = self.bytes.get(self.start..end).unwrap_or_default().to_vec();
        self.line += memchr::memchr_iter(b'\n', &taken).count() as u64;
        self.offset += taken.len() as u64;
        self.start = end;
        taken
    }

    /// Takes a byte-order mark at the start of the log.
    pub(crate) fn skip_mark(&mut self) {
        if self.offset == 0 && self.peek(3).starts_with(b"\xef\xbb\xbf") {
            self.take(3);
        }
    }

    /// The bytes that are at hand.
    pub(crate) fn at_hand(&self) -> &[u8] {
        self.bytes.get(self.start..self.end).unwrap_or_default()
    }

    /// Lends the next line, which has this length, its end included; [`take_lent`](Self::take_lent) takes it.
    pub(crate) fn lend_line(&mut self, length: usize) {
        self.lent = length;
    }

    /// The line that is lent, without its end.
    pub(crate) fn lent_line(&self) -> &[u8] {
        let line = self.at_hand().get(..self.lent).unwrap_or_default();
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// Takes the line that was lent last.
    pub(crate) fn take_lent(&mut self) {
        if self.lent > 0 {
            self.start = (self.start + self.lent).min(self.end);
            self.offset += self.lent as u64;
            self.line += 1;
            self.lent = 0;
        }
    }

    /// Takes the next line; `None` at the end of the log.
    pub(crate) fn line(&mut self, ends: LineEnds) -> Option<Line> {
        let place = self.place();
        let mut scanned = 0;
        loop {
            let ended = self.ended;
            let bytes = self.peek(scanned + 1);
            let found = bytes.get(scanned..).and_then(|rest| match ends {
                LineEnds::Lf => memchr::memchr(b'\n', rest),
                LineEnds::Sse => memchr::memchr2(b'\n', b'\r', rest),
            });
            match found {
                Some(at) => {
                    let length = scanned + at;
                    let end = match (bytes.get(length), ends) {
                        (Some(b'\r'), _) => {
                            // One end, even if its two bytes came in two pieces.
                            let next = self.peek(length + 2).get(length + 1).copied();
                            if next == Some(b'\n') { 2 } else { 1 }
                        }
                        _ => 1,
                    };
                    let carriage_only = end == 1 && self.peek(length + 1).get(length) == Some(&b'\r');
                    let mut text = self.take(length + end);
                    // A `\r` that ends a line is no `\n` that `take` counted.
                    self.line += u64::from(carriage_only);
                    text.truncate(length);
                    if ends == LineEnds::Lf && text.last() == Some(&b'\r') {
                        text.pop();
                    }
                    return Some(Line { place, text });
                }
                None if ended => {
                    let length = bytes.len();
                    return (length > 0).then(|| Line { place, text: self.take(length) });
                }
                None => scanned = bytes.len(),
            }
        }
    }
}
