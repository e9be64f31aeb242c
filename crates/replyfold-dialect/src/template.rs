//! Lines that are predicted from earlier ones.
//!
//! In a run of pieces only the id, the time and the text of a line change, in every dialect. A template is such a line with slots for its
//! strings: what lies between the slots is compared byte by byte, so a line that fits was as good as parsed when the template was made, and
//! only its slots are left to read. What does not fit is parsed: a template can miss, it cannot mislead.

mod line;
mod set;
mod slots;

pub(crate) use line::{LineEnd, Wire};
pub(crate) use set::Templates;

use crate::camel::Camel;
use crate::java::Extra;
use crate::replies::Replies;
use crate::{ReadEvent, ReadEventRef};
use line::{Fit, Line, Part, is_same};
use replyfold_event::{EventRef, Piece, PieceText};
use replyfold_message::json::{Fields, can_unescape};
use replyfold_message::{BlockId, ReplyId, Residue, ToolCallId};
use slots::{SLOTS, Slot, is_predictable};
use std::ops::Range;

/// Keys that a predicted line may have beside those of slots. An object with another one may be more than an event to those who look
/// for envelopes.
const CONSTANT: [&str; 16] = [
    "type",
    "metadata",
    "source",
    "name",
    "role",
    "sessionId",
    "session_id",
    "modelName",
    "model_name",
    "finishedReason",
    "finished_reason",
    "error",
    "state",
    "mediaType",
    "media_type",
    "url",
];

/// A line with slots, and the event of the last line that fitted.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    /// The line with a slot for each of its strings.
    line: Line,
    /// The line as the last one had it, ids of reply, block and call included, if two lines in a row had them.
    run: Option<Line>,
    /// Where the value of the first `type` stood and what it was: most lines of other types are told by it. Where that moves it is no reason
    /// to parse wrongly, only to parse.
    tag: (usize, Box<[u8]>),
    read: ReadEvent,
    /// Of a piece: where the last line that fitted has what `read` does not follow.
    piece: Option<Spans>,
    /// The ids as they stood on the wire.
    wire: Wire,
    /// For camelCase lines: what the reply step is given and what became of it.
    step: Option<Step>,
}

/// What an event gets beyond its fields, and when.
#[derive(Clone, Debug)]
struct Step {
    extra: Extra,
    /// The state in which the event got what it has, if it gets the same as long as that stays.
    settled: Option<u64>,
}

/// Where a piece has what is its own.
#[derive(Clone, Debug, Default)]
struct Spans {
    id: Range<usize>,
    created_at: Range<usize>,
    text: Range<usize>,
    escaped: bool,
}

impl Spans {
    #[inline]
    fn take(&mut self, line: &[u8], slot: Slot, span: Range<usize>, escaped: bool) -> Option<()> {
        match slot {
            Slot::Id => self.id = span,
            Slot::CreatedAt => self.created_at = span,
            Slot::Reply | Slot::Block | Slot::Call | Slot::Name => {}
            Slot::Text => {
                let text = line.get(span.clone())?;
                if escaped || !text.is_ascii() {
                    let said = std::str::from_utf8(text).ok()?;
                    (!escaped || can_unescape(said)).then_some(())?;
                }
                (self.text, self.escaped) = (span, escaped);
            }
        }
        Some(())
    }
}

impl Template {
    /// The template of a line whose event was read from exactly this text; `None` if a line like it cannot be predicted.
    ///
    /// `wire` is what stood on the wire; `step`, of a camelCase line, is what it had beyond its fields and the state after it.
    pub(crate) fn new(text: &str, read: &ReadEvent, wire: Wire, step: Option<(Extra, &Camel)>) -> Option<Self> {
        if !is_predictable(&read.event.payload) || !read.notes.is_empty() {
            return None;
        }
        let fields = Fields::parse(text).ok()?;
        let (mut parts, mut tag, mut done) = (Vec::new(), None, 0);
        let mut used = [false; SLOTS];
        for (key, value) in fields.iter() {
            let start = value.text().as_ptr().addr().checked_sub(text.as_ptr().addr())?;
            if key == "type" && tag.is_none() {
                tag = Some((start, value.text().as_bytes().into()));
            }
            let Some(slot) = Slot::of(key, &read.event.payload) else {
                if CONSTANT.contains(&key) || Slot::is_elsewhere(key) {
                    continue;
                }
                return None;
            };
            if value.is_null() {
                continue;
            }
            let said = value.string().ok()?;
            // One string for one slot, without escapes unless it is the piece, and the one that the event has.
            if std::mem::replace(used.get_mut(slot as usize)?, true)
                || (slot != Slot::Text && value.text().len() != said.len() + 2)
                || wire.get(slot).or_else(|| slot.get(&read.event)) != Some(&said)
            {
                return None;
            }
            parts.push(Part { before: text.get(done..start + 1)?.as_bytes().into(), slot, length: value.text().len() - 2 });
            done = start + value.text().len() - 1;
        }
        let step = step.map(|(extra, camel)| Step { extra, settled: Replies::is_inert(&read.event.payload).then(|| camel.version()) });
        let line = Line { parts, tail: text.get(done..)?.as_bytes().into() };
        let piece = used.get(Slot::Text as usize).is_some_and(|used| *used).then(Spans::default);
        Some(Self { line, run: None, tag: tag?, read: read.clone(), piece, wire, step })
    }

    /// The line that fitted last, which is what `text` begins with.
    pub(crate) fn lend<'a>(&'a self, text: &'a [u8]) -> Option<ReadEventRef<'a>> {
        let event = match &self.piece {
            None => EventRef::from(&self.read.event),
            Some(spans) => {
                // A string in a line does not begin at its start: an empty span is none.
                let get = |span: &Range<usize>| text.get(span.clone()).filter(|_| span.start > 0);
                let said = std::str::from_utf8(text.get(spans.text.clone())?).ok()?;
                let piece = Piece { id: get(&spans.id), created_at: get(&spans.created_at), text: PieceText::new(said, spans.escaped)? };
                EventRef::with_piece(&self.read.event, piece)?
            }
        };
        Some(ReadEventRef { event, dialect: self.read.dialect, notes: &self.read.notes })
    }

    /// Reads the line at the start of `text` if it fits and ends as it should. Gives its length, its end included.
    pub(crate) fn fill(&mut self, text: &[u8], end: LineEnd, camel: &mut Camel) -> Option<usize> {
        let (at, tag) = &self.tag;
        if !is_same(text.get(*at..*at + tag.len())?, tag) {
            return None;
        }
        let fit = match self.run(text, end) {
            Some(fit) => fit,
            None => {
                let fit = self.walk(text, end)?;
                // A run is worth it where it goes on.
                self.run = if fit.moved || self.run.is_some() { None } else { Some(self.line.with(&self.wire)) };
                fit
            }
        };
        let settled = self.step.as_ref().is_none_or(|step| step.settled == Some(camel.version()));
        if fit.moved || !settled {
            self.place(camel);
        }
        Some(fit.length)
    }

    fn run(&mut self, text: &[u8], end: LineEnd) -> Option<Fit> {
        let run = self.run.as_mut()?;
        match &mut self.piece {
            Some(spans) => run.read(text, end, None, |slot, span, escaped| spans.take(text, slot, span, escaped)),
            None => run.read(text, end, None, |slot, span, _| slots::assign(&mut self.read.event, slot, text.get(span)?)),
        }
    }

    fn walk(&mut self, text: &[u8], end: LineEnd) -> Option<Fit> {
        let wire = Some(&mut self.wire);
        match &mut self.piece {
            Some(spans) => self.line.read(text, end, wire, |slot, span, escaped| spans.take(text, slot, span, escaped)),
            None => self.line.read(text, end, wire, |slot, span, _| slots::assign(&mut self.read.event, slot, text.get(span)?)),
        }
    }

    /// Gives the event its ids, and its reply.
    fn place(&mut self, camel: &mut Camel) {
        let event = &mut self.read.event;
        event.set_reply_id(ReplyId::new(&self.wire.reply));
        if let Some(block) = event.block_id_mut() {
            *block = BlockId::new(&self.wire.block);
        }
        if let Some(call) = event.tool_call_id_mut() {
            *call = ToolCallId::new(&self.wire.call);
        }
        if let Some(name) = slots::name_mut(&mut event.payload) {
            name.clone_from(&self.wire.name);
        }
        let Some(step) = &mut self.step else { return };
        event.residue = Residue::default();
        let note = camel.finish(event, step.extra.clone());
        step.settled = (note.is_none() && Replies::is_inert(&event.payload)).then(|| camel.version());
        self.read.notes.clear();
        self.read.notes.extend(note);
    }
}
