//! The elements of a JSON array, one by one, damaged ones included.

use super::Raw;
use crate::Frame;
use crate::buffer::Buffer;
use replyfold_dialect::is_known_type;

/// The elements of a log while they are taken.
pub(super) struct Elements {
    /// Whether an element may be a list that begins with a string: Jackson's form of an event in an array.
    pairs: bool,
    /// How many bytes were looked at once more, because an element ended before where its brackets do.
    again: u64,
    /// The arrays of the log that are open, and the line where the outermost one begins.
    open: u64,
    line: u64,
}

/// How often each byte may be looked at, on average: it keeps the cost linear in what nobody but an attacker writes.
const LOOKS: u64 = 8;

/// Whether the rest of a list, behind its bracket, begins with a string that stands on the line of the bracket.
pub(super) fn starts_pair_on_one_line(rest: &[u8]) -> bool {
    rest.iter().find(|byte| !matches!(byte, b' ' | b'\t')) == Some(&b'"')
}

/// Whether the list that is next begins with a string.
fn starts_pair(buffer: &mut Buffer) -> bool {
    let mut least = 2;
    loop {
        let bytes = buffer.peek(least);
        let rest = bytes.get(1..).unwrap_or_default().trim_ascii_start();
        match rest.first() {
            Some(byte) => return *byte == b'"',
            None if bytes.len() < least => return false,
            None => least = bytes.len() + 1,
        }
    }
}

impl Elements {
    pub(super) fn new(pairs: bool) -> Self {
        Self { pairs, again: 0, open: 0, line: 0 }
    }

    /// Takes the next element. What lies between elements (brackets, commas, space) is nothing, so several arrays may follow each other.
    pub(super) fn next(&mut self, buffer: &mut Buffer) -> Option<Raw> {
        loop {
            let bytes = buffer.peek(1);
            let between = bytes.iter().take_while(|byte| matches!(byte, b']' | b',' | b' ' | b'\t' | b'\r' | b'\n')).count();
            match bytes.get(between).copied() {
                _ if between > 0 => {
                    let closed = bytes.iter().take(between).filter(|byte| **byte == b']').count();
                    self.open = self.open.saturating_sub(closed as u64);
                    buffer.take(between);
                }
                Some(b'[') if !(self.pairs && starts_pair(buffer)) => {
                    if self.open == 0 {
                        self.line = buffer.place().line;
                    }
                    self.open += 1;
                    buffer.take(1);
                }
                Some(_) => break,
                None => return self.missing(buffer),
            }
        }
        let place = buffer.place();
        let (element, mut end, looked) = Element::of(buffer);
        if element.reaches_end {
            // It is cut itself, or it has the bracket of the array: either way that is all there is to tell.
            self.open = 0;
        }
        let mut note = None;
        if element.damaged {
            let text = buffer.peek(end).get(..end).unwrap_or_default();
            let start = element.swallowed_event(text);
            if let Some(start) = start {
                let again = self.again + (looked - start) as u64;
                if again <= LOOKS * (place.offset + looked as u64) {
                    (self.again, end) = (again, start);
                }
            }
            let swallowed = element.objects.iter().filter(|at| **at < end).count();
            let text = text.get(..end).unwrap_or_default().trim_ascii_end();
            note = Some(note_of(text, swallowed));
        }
        let mut text = buffer.take(end);
        text.truncate(text.trim_ascii_end().len());
        Some(Raw { place, text, frame: Frame::default(), fault: None, note })
    }

    /// What is missing where the log ends within an array: a record without any bytes, so that a log which was cut between two elements is
    /// as little whole as one that was cut within.
    fn missing(&mut self, buffer: &Buffer) -> Option<Raw> {
        if std::mem::take(&mut self.open) == 0 {
            return None;
        }
        let note = format!("the array that begins on line {} is not closed", self.line);
        Some(Raw { place: buffer.place(), text: Vec::new(), frame: Frame::default(), fault: None, note: Some(note) })
    }
}

/// How much a damaged element is taken to be.
fn note_of(text: &[u8], swallowed: usize) -> String {
    let counted = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let lines = counted(1 + memchr::memchr_iter(b'\n', text).count(), "line");
    let mut note = format!("the brackets do not match: {} on {lines} are taken to be this element", counted(text.len(), "byte"));
    if swallowed > 0 {
        note.push_str(&format!(", with {} in its lists that may be elements too", counted(swallowed, "object")));
    }
    note
}

/// Follows the nesting of one element.
///
/// Brackets that do not match are brought together again: a closing one also closes what is open within its partner, and an object that
/// starts where no value can stand is the next element.
#[derive(Default)]
struct Element {
    /// The brackets that are open: objects are true.
    open: Vec<bool>,
    /// How many of them are objects.
    open_objects: usize,
    /// Whether the element is a list itself.
    is_list: bool,
    quoted: bool,
    escaped: bool,
    /// The last byte that is neither a blank nor within a string.
    last: u8,
    /// Whether the byte before this one ended a string.
    after_string: bool,
    tail: Tail,
    /// Where objects start that are not the first of their list.
    objects: Vec<usize>,
    damaged: bool,
    /// Whether the log ends within the element.
    reaches_end: bool,
}

/// What a string ends with so far, blanks left out. A string that was not closed runs on to the first quote of the next element.
#[derive(Clone, Copy, Default)]
enum Tail {
    #[default]
    Other,
    Comma,
    /// A comma, and a brace at this place.
    Brace(usize),
}

impl Element {
    /// Follows the element that is next; gives its end and how many bytes were looked at.
    fn of(buffer: &mut Buffer) -> (Self, usize, usize) {
        let mut element = Self::default();
        let mut looked = 0;
        loop {
            let bytes = buffer.peek(looked + 1);
            let rest = bytes.get(looked..).unwrap_or_default();
            if rest.is_empty() {
                // A log that ends in the middle is cut. But if its last bracket is that of an array, the array of the log is closed, and
                // what is missing is missing before.
                element.reaches_end = element.quoted || !element.open.is_empty();
                element.damaged |= !element.open.is_empty() && !element.quoted && element.last == b']';
                return (element, looked, looked);
            }
            for (at, byte) in (looked..).zip(rest) {
                if let Some(end) = element.ends(at, *byte) {
                    return (element, end, at);
                }
            }
            looked = bytes.len();
        }
    }

    /// Where the element ended, once this byte shows it.
    fn ends(&mut self, at: usize, byte: u8) -> Option<usize> {
        if self.quoted {
            self.within_string(at, byte);
            return None;
        }
        let after_string = std::mem::take(&mut self.after_string);
        if matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
            return None;
        }
        let before = std::mem::replace(&mut self.last, byte);
        match byte {
            b'"' if !after_string => (self.quoted, self.tail) = (true, Tail::Other),
            b'{' if self.open.last() == Some(&true) && !matches!(before, b':' | b'{') => {
                self.damaged = true;
                return Some(at);
            }
            b'{' | b'[' => {
                self.is_list |= at == 0 && byte == b'[';
                if byte == b'{' && before == b',' {
                    self.objects.push(at);
                }
                self.open.push(byte == b'{');
                self.open_objects += usize::from(byte == b'{');
            }
            b'}' | b']' => match self.close(byte == b'}') {
                true => return Some(at),
                // A list ends with its bracket: another may follow without a comma, on a line of its own.
                false => return (self.is_list && self.open.is_empty()).then_some(at + 1),
            },
            b',' => return self.open.is_empty().then_some(at),
            b':' => {}
            _ => {
                if let (true, Tail::Brace(start)) = (after_string, self.tail) {
                    self.damaged = true;
                    return Some(start);
                }
                if byte == b'"' {
                    (self.quoted, self.tail) = (true, Tail::Other);
                }
            }
        }
        None
    }

    fn within_string(&mut self, at: usize, byte: u8) {
        self.tail = match (byte, self.tail) {
            _ if self.escaped => Tail::Other,
            (b',', _) => Tail::Comma,
            (b'{', Tail::Comma) => Tail::Brace(at),
            (b'"' | b' ' | b'\t' | b'\r' | b'\n', tail) => tail,
            _ => Tail::Other,
        };
        (self.escaped, self.quoted) = (!self.escaped && byte == b'\\', self.escaped || byte != b'"');
        self.after_string = !self.quoted;
    }

    /// Closes the innermost open bracket of this kind and what is open within; whether the bracket closes the array of the log instead.
    fn close(&mut self, object: bool) -> bool {
        let partners = if object { self.open_objects } else { self.open.len() - self.open_objects };
        if partners == 0 {
            self.damaged |= object || !self.open.is_empty();
            return !object;
        }
        while let Some(top) = self.open.pop() {
            self.open_objects -= usize::from(top);
            if top == object {
                break;
            }
            self.damaged = true;
        }
        false
    }

    /// Where in the text of a damaged element the first object starts that shows the type of an event: no event has a list of events.
    fn swallowed_event(&self, text: &[u8]) -> Option<usize> {
        let ends = self.objects.iter().skip(1).copied().chain([text.len()]);
        let mut objects = self.objects.iter().copied().zip(ends);
        objects.find(|(start, end)| text.get(*start..*end).is_some_and(shows_type)).map(|(start, _)| start)
    }
}

/// Whether a member `type` in the text names an event.
fn shows_type(text: &[u8]) -> bool {
    memchr::memmem::find_iter(text, b"\"type\"").any(|at| {
        let rest = text.get(at + 6..).unwrap_or_default().trim_ascii_start();
        let rest = rest.strip_prefix(b":").map(<[u8]>::trim_ascii_start).and_then(|rest| rest.strip_prefix(b"\""));
        let name = rest.and_then(|rest| rest.split(|byte| *byte == b'"').next()).and_then(|name| std::str::from_utf8(name).ok());
        name.is_some_and(is_known_type)
    })
}
