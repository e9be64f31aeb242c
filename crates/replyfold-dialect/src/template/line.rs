//! The text of a template, and finding its slots in a line.

use super::slots::Slot;
use replyfold_event::AgentEvent;
use replyfold_message::json::StringSpan;
use std::ops::Range;

/// What comes after a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineEnd {
    /// Nothing: the line is the whole text.
    Text,
    /// `\n` or `\r\n`.
    Newline,
}

/// A text with slots.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) parts: Vec<Part>,
    /// The text after the last slot.
    pub(super) tail: Box<[u8]>,
}

/// A slot with the text before it, from the end of the slot before.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) before: Box<[u8]>,
    pub(super) slot: Slot,
    /// Bytes of the last string that stood there.
    pub(super) length: usize,
}

/// The strings of a line that stay the same in a run, as they stood on the wire; empty where the line has none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wire {
    pub(super) reply: String,
    pub(super) block: String,
    pub(super) call: String,
    pub(super) name: String,
}

impl Wire {
    /// The strings of an event before its reply is found.
    pub(crate) fn of(event: &AgentEvent) -> Self {
        let get = |slot: Slot| slot.get(event).unwrap_or_default().to_owned();
        Self { reply: get(Slot::Reply), block: get(Slot::Block), call: get(Slot::Call), name: get(Slot::Name) }
    }

    pub(super) fn get(&self, slot: Slot) -> Option<&str> {
        match slot {
            Slot::Reply => Some(&self.reply),
            Slot::Block => Some(&self.block),
            Slot::Call => Some(&self.call),
            Slot::Name => Some(&self.name),
            Slot::Id | Slot::CreatedAt | Slot::Text => None,
        }
    }

    pub(super) fn get_mut(&mut self, slot: Slot) -> Option<&mut String> {
        match slot {
            Slot::Reply => Some(&mut self.reply),
            Slot::Block => Some(&mut self.block),
            Slot::Call => Some(&mut self.call),
            Slot::Name => Some(&mut self.name),
            Slot::Id | Slot::CreatedAt | Slot::Text => None,
        }
    }
}

/// A line that fitted.
#[derive(Clone, Copy)]
pub(super) struct Fit {
    /// Its length, its end included.
    pub(super) length: usize,
    /// Whether a string of [`Wire`] changed.
    pub(super) moved: bool,
}

impl Line {
    /// Finds the strings of the line at the start of `text`: those of [`Wire`] that differ go there, the others to `take`, with whether they have
    /// escapes. `None` if the line does not fit; `wire` is as it was then.
    pub(super) fn read(
        &mut self,
        text: &[u8],
        end: LineEnd,
        wire: Option<&mut Wire>,
        mut take: impl FnMut(Slot, Range<usize>, bool) -> Option<()>,
    ) -> Option<Fit> {
        let mut moved: [Option<(Slot, &str)>; 4] = [None; 4];
        let (mut at, mut count) = (0, 0);
        for Part { before, slot, length } in &mut self.parts {
            let start = at + before.len();
            if !is_same(text.get(at..start)?, before) {
                return None;
            }
            if *slot == Slot::Text {
                let span = StringSpan::find(text, start)?;
                take(Slot::Text, start..span.end, span.escaped)?;
                at = span.end;
                continue;
            }
            if let Some(known) = wire.as_ref().and_then(|wire| wire.get(*slot))
                && text.get(start..)?.strip_prefix(known.as_bytes()).is_some_and(|rest| rest.starts_with(b"\""))
            {
                at = start + known.len();
                continue;
            }
            if !StringSpan::is_plain_ascii(text, start, *length) {
                let end = StringSpan::find(text, start).filter(|span| !span.escaped)?.end;
                *length = end - start;
                // Of these strings only ASCII ones are predicted.
                StringSpan::is_plain_ascii(text, start, *length).then_some(())?;
            }
            at = start + *length;
            match slot {
                Slot::Id | Slot::CreatedAt | Slot::Text => take(*slot, start..at, false)?,
                Slot::Reply | Slot::Block | Slot::Call | Slot::Name => {
                    *moved.get_mut(count)? = Some((*slot, std::str::from_utf8(text.get(start..at)?).ok()?));
                    count += 1;
                }
            }
        }
        let stop = at + self.tail.len();
        if !is_same(text.get(at..stop)?, &self.tail) {
            return None;
        }
        let length = match (end, text.get(stop..)?) {
            (LineEnd::Text, []) => stop,
            (LineEnd::Newline, [b'\n', ..]) => stop + 1,
            (LineEnd::Newline, [b'\r', b'\n', ..]) => stop + 2,
            _ => return None,
        };
        if let (1.., Some(wire)) = (count, wire) {
            for (slot, string) in moved.into_iter().flatten() {
                let place = wire.get_mut(slot)?;
                place.clear();
                place.push_str(string);
            }
        }
        Some(Fit { length, moved: count > 0 })
    }

    /// The line with these strings in their slots: fewer and longer pieces to compare.
    pub(super) fn with(&self, wire: &Wire) -> Self {
        let (mut parts, mut text) = (Vec::new(), Vec::new());
        for Part { before, slot, length } in &self.parts {
            text.extend_from_slice(before);
            match wire.get(*slot) {
                Some(string) => text.extend_from_slice(string.as_bytes()),
                None => parts.push(Part { before: std::mem::take(&mut text).into(), slot: *slot, length: *length }),
            }
        }
        text.extend_from_slice(&self.tail);
        Self { parts, tail: text.into() }
    }
}

/// Whether both are the same bytes. The pieces have lengths that the compiler knows, so no function is called to compare them.
#[inline]
pub(super) fn is_same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    // The last piece laps over the one before it.
    if let (Some(x), Some(y)) = (a.last_chunk::<16>(), b.last_chunk::<16>()) {
        let (heads, others) = (a.as_chunks::<16>().0, b.as_chunks::<16>().0);
        x == y && heads.iter().zip(others).all(|(x, y)| x == y)
    } else if let (Some(x), Some(y)) = (a.last_chunk::<8>(), b.last_chunk::<8>()) {
        x == y && a.first_chunk::<8>() == b.first_chunk::<8>()
    } else {
        a == b
    }
}
