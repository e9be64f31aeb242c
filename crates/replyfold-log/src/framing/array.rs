//! The elements of a JSON array, one by one.

use super::Raw;
use crate::Frame;
use crate::buffer::Buffer;

/// Takes the next element. What lies between elements (brackets, commas, space) is nothing, so several arrays may follow each other.
pub(super) fn next(buffer: &mut Buffer) -> Option<Raw> {
    loop {
        let bytes = buffer.peek(1);
        if bytes.is_empty() {
            return None;
        }
        let between = bytes.iter().take_while(|byte| matches!(byte, b'[' | b']' | b',' | b' ' | b'\t' | b'\r' | b'\n')).count();
        if between == 0 {
            break;
        }
        buffer.take(between);
    }
    let place = buffer.place();
    let mut element = Element::default();
    let mut scanned = 0;
    loop {
        let bytes = buffer.peek(scanned + 1);
        let Some(byte) = bytes.get(scanned..).filter(|rest| !rest.is_empty()) else { break };
        match byte.iter().position(|byte| element.ends_before(*byte)) {
            Some(at) => {
                scanned += at;
                break;
            }
            None => scanned = bytes.len(),
        }
    }
    let mut text = buffer.take(scanned);
    text.truncate(text.trim_ascii_end().len());
    Some(Raw { place, text, frame: Frame::default(), fault: None })
}

/// Follows the nesting of one element.
#[derive(Default)]
struct Element {
    depth: usize,
    quoted: bool,
    escaped: bool,
}

impl Element {
    /// Whether the element ended before this byte: at a comma or bracket of the array itself.
    fn ends_before(&mut self, byte: u8) -> bool {
        if self.escaped {
            self.escaped = false;
        } else if self.quoted {
            match byte {
                b'\\' => self.escaped = true,
                b'"' => self.quoted = false,
                _ => {}
            }
        } else {
            match byte {
                b'"' => self.quoted = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' if self.depth > 0 => self.depth -= 1,
                b',' | b']' | b'}' if self.depth == 0 => return byte != b'}',
                _ => {}
            }
        }
        false
    }
}
