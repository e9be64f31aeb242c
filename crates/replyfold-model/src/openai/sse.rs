//! Server-sent events out of bytes, however the network cuts them.
//!
//! A decoder of our own: of the crates there are, those that were looked at lose an event that the end of the body closes, tell no place, and
//! hold a line of any length. One also panics at a byte-order mark.

use std::str;

/// Most bytes of one event. No provider sends so much; what does would fill the memory.
const MOST: usize = 64 << 20;
const BOM: &[u8] = b"\xEF\xBB\xBF";

/// An event that has data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Event {
    /// Its name; empty if it has none.
    pub(super) name: String,
    /// Its data: lines joined by `\n`.
    pub(super) data: String,
    /// The bytes before its first line.
    pub(super) offset: u64,
}

/// Why bytes are no events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// A line that begins behind so many bytes is no UTF-8.
    Encoding(u64),
    /// The event that begins behind so many bytes has more than [`MOST`].
    Length(u64),
}

/// Takes bytes, gives events.
///
/// A line ends with CR, LF or CRLF and with nothing else. One byte-order mark at the beginning is skipped. A line is decoded once it is whole,
/// so a cut character is no fault, and bytes that are no UTF-8 are one.
#[derive(Debug)]
pub(super) struct Decoder {
    /// The line so far.
    line: Vec<u8>,
    /// Bytes that were taken, and those before the line.
    taken: u64,
    line_offset: u64,
    /// Whether no line was whole yet.
    is_first: bool,
    /// Whether the last byte was a CR: an LF after it is part of the same line end.
    after_cr: bool,
    event: Event,
    has_data: bool,
    is_begun: bool,
    most: usize,
}

impl Default for Decoder {
    fn default() -> Self {
        Self {
            line: Vec::new(),
            taken: 0,
            line_offset: 0,
            is_first: true,
            after_cr: false,
            event: Event::default(),
            has_data: false,
            is_begun: false,
            most: MOST,
        }
    }
}

impl Decoder {
    /// Takes bytes, and hands over each event that they complete. After a fault the decoder is of no use.
    pub(super) fn push(&mut self, bytes: &[u8], mut take: impl FnMut(Event)) -> Result<(), Fault> {
        let mut rest = bytes;
        if self.after_cr && !rest.is_empty() {
            self.after_cr = false;
            if let Some(tail) = rest.strip_prefix(b"\n") {
                self.taken += 1;
                self.line_offset = self.taken;
                rest = tail;
            }
        }
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')) {
            // `end` is the place of a byte.
            let (head, tail) = rest.split_at_checked(end).unwrap_or((rest, b""));
            self.grow(head)?;
            let width = match tail {
                [b'\r', b'\n', ..] => 2,
                [b'\r'] => {
                    self.after_cr = true;
                    1
                }
                _ => 1,
            };
            rest = tail.get(width..).unwrap_or_default();
            self.taken += width as u64;
            self.end_line(&mut take)?;
        }
        self.grow(rest)
    }

    /// Ends the body. What the last event still lacks is its line ends: servers that close at once leave them out.
    pub(super) fn finish(&mut self, mut take: impl FnMut(Event)) -> Result<(), Fault> {
        if !self.line.is_empty() {
            self.end_line(&mut take)?;
        }
        self.end_event(&mut take);
        Ok(())
    }

    fn grow(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        if self.line.len() + self.event.data.len() + bytes.len() > self.most {
            return Err(Fault::Length(if self.is_begun { self.event.offset } else { self.line_offset }));
        }
        self.line.extend_from_slice(bytes);
        self.taken += bytes.len() as u64;
        Ok(())
    }

    fn end_line(&mut self, take: &mut impl FnMut(Event)) -> Result<(), Fault> {
        let offset = std::mem::replace(&mut self.line_offset, self.taken);
        let mut line = std::mem::take(&mut self.line);
        let mark = if std::mem::take(&mut self.is_first) && line.starts_with(BOM) { BOM.len() } else { 0 };
        let bytes = line.get(mark..).unwrap_or_default();
        if bytes.is_empty() {
            self.end_event(take);
        } else {
            self.field(str::from_utf8(bytes).map_err(|_| Fault::Encoding(offset))?, offset);
        }
        // The next line has the memory of this one.
        line.clear();
        self.line = line;
        Ok(())
    }

    fn field(&mut self, line: &str, offset: u64) {
        if !std::mem::replace(&mut self.is_begun, true) {
            self.event.offset = offset;
        }
        // The standard skips a field that it does not know. A line of bare JSON is none of its fields, but it is an error that a server wrote
        // into its stream without a frame.
        let (name, value) = if line.starts_with('{') { ("data", line) } else { line.split_once(':').unwrap_or((line, "")) };
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
            }
            "event" => value.clone_into(&mut self.event.name),
            // Comments have an empty name. Nobody connects again, so ids and times to wait are of no use.
            _ => {}
        }
    }

    fn end_event(&mut self, take: &mut impl FnMut(Event)) {
        let event = std::mem::take(&mut self.event);
        self.is_begun = false;
        if std::mem::take(&mut self.has_data) {
            take(event);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The data of the events, and the fault that ended them.
    fn decode<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> (Vec<Event>, Option<Fault>) {
        let (mut decoder, mut events) = (Decoder::default(), Vec::new());
        for chunk in chunks {
            if let Err(fault) = decoder.push(chunk, |event| events.push(event)) {
                return (events, Some(fault));
            }
        }
        let fault = decoder.finish(|event| events.push(event)).err();
        (events, fault)
    }

    fn data<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<String> {
        let (events, fault) = decode(chunks);
        assert_eq!(fault, None);
        events.into_iter().map(|event| event.data).collect()
    }

    #[test]
    fn b044_a_line_end_may_be_cut_between_cr_and_lf() {
        let chunks: [&[u8]; 5] = [b"data: A\r\n", b"data: B\r", b"\n", b"data: C\r\n", b"\r\n"];
        assert_eq!(data(chunks), ["A\nB\nC"]);
        // A CR ends a line before anybody knows what follows, and a blank line after it stays one.
        assert_eq!(data([&b"data: A\r"[..], b"\rdata: B\r\r"]), ["A", "B"]);
        assert_eq!(data([&b"data: A\r\n\r"[..], b"\ndata: B\n\n"]), ["A", "B"]);
    }

    #[test]
    fn b046_one_byte_order_mark_is_skipped() {
        let body = "\u{FEFF}data: one\n\ndata: \u{FEFF}two\n\n".as_bytes();
        assert_eq!(data([&body[..2], &body[2..]]), ["one", "\u{FEFF}two"]);
        assert_eq!(data(["\u{FEFF}\u{FEFF}data: one\n\n".as_bytes()]), [""; 0]);
    }

    #[test]
    fn b047_a_character_may_be_cut_and_other_bytes_are_a_fault() {
        let body = "data: {\"t\":\"你好🦀\"}\n\n".as_bytes();
        assert_eq!(data(body.chunks(1)), ["{\"t\":\"你好🦀\"}"]);
        let (events, fault) = decode([&b"data: a\n\ndata: \xE4\xBD\n\n"[..]]);
        assert_eq!((events.len(), fault), (1, Some(Fault::Encoding(9))));
        assert_eq!(decode([&b"data: \xE4\xBD"[..]]), (vec![], Some(Fault::Encoding(0))));
    }

    #[test]
    fn b049_lines_of_data_are_joined() {
        assert_eq!(data([&b"data:a\ndata: b\ndata:  c\ndata\n\n"[..]]), ["a\nb\n c\n"]);
    }

    #[test]
    fn b050_other_separators_end_no_line() {
        assert_eq!(data(["data: a\u{2028}b\u{2029}c\u{85}d\x0Be\n\n".as_bytes()]), ["a\u{2028}b\u{2029}c\u{85}d\x0Be"]);
    }

    #[test]
    fn comments_and_events_without_data_are_nothing() {
        assert_eq!(data([&b": keep-alive\n\nevent: ping\n\nid: 1\nretry: 5\n\ndata: x\n\n"[..]]), ["x"]);
    }

    #[test]
    fn the_end_of_the_body_ends_the_last_event() {
        assert_eq!(data([&b"data: [DONE]"[..]]), ["[DONE]"]);
        assert_eq!(data([&b"data: a\n"[..]]), ["a"]);
    }

    #[test]
    fn names_and_places_are_told() {
        let (events, _) = decode([&b": hi\r\n\r\nevent: error\r\ndata: x\r\n\r\n{\"error\":1}\n\n"[..]]);
        let told: Vec<_> = events.iter().map(|event| (event.name.as_str(), event.data.as_str(), event.offset)).collect();
        assert_eq!(told, [("error", "x", 8), ("", "{\"error\":1}", 33)]);
    }

    #[test]
    fn every_cut_gives_the_same() {
        let body = "\u{FEFF}: hi\r\rdata: é\r\ndata: 🦀\r\n\r\nevent: e\ndata:x\n\n\r\ndata: y\r\r".as_bytes();
        let whole = decode([body]);
        assert_eq!(whole.0.len(), 3);
        assert_eq!(decode(body.chunks(1)), whole);
        for cut in 0..=body.len() {
            let (head, tail) = body.split_at(cut);
            assert_eq!(decode([head, b"", tail]), whole, "cut at {cut}");
        }
    }

    #[test]
    fn an_event_without_end_is_a_fault() {
        let mut decoder = Decoder { most: 20, ..Decoder::default() };
        let mut take = |_| {};
        decoder.push(b"data: 1\n\n", &mut take).unwrap();
        // A line, and an event of many lines.
        assert_eq!(decoder.push(b"data: 123456789012345678901", &mut take), Err(Fault::Length(9)));
        let mut decoder = Decoder { most: 20, ..Decoder::default() };
        assert_eq!(decoder.push(&b"data: 1234\n".repeat(4), &mut take), Err(Fault::Length(0)));
    }
}
