//! A run of pieces that become one.

use crate::pieces::{PieceKind, are_alike, kind_of};
use replyfold_dialect::ReadEventRef;
use replyfold_event::{AgentEvent, EventRef, Piece, PieceText};
use replyfold_message::Media;
use replyfold_message::json::{Fields, Style, Value, ValueKind, Writer};
use std::ops::Range;

/// Bytes of text that one line gets at most, but for its last piece: what a run takes in memory.
const MOST: usize = 1024 * 1024;

/// Pieces of one block, one after the other, as the line of the first with the text of all.
pub(super) struct Run {
    first: AgentEvent,
    line: Vec<u8>,
    /// Where in the line the text of the first stands, once a second was to be joined.
    span: Option<Range<usize>>,
    text: Joined,
    pub(super) pieces: u64,
}

/// The text of the pieces so far.
enum Joined {
    Text(String),
    Bytes(Media),
}

impl Run {
    /// The run that begins with this piece; `None` if nothing may be joined to the event.
    pub(super) fn start(read: ReadEventRef<'_>, line: &[u8]) -> Option<Self> {
        if !read.notes.is_empty() {
            return None;
        }
        let (base, _) = read.event.piece()?;
        let kind = kind_of(base)?;
        let mut text = match kind {
            PieceKind::Text => Joined::Text(String::new()),
            PieceKind::Base64 => Joined::Bytes(Media::default()),
        };
        text.push(read.event)?;
        Some(Self { first: read.event.to_event(), line: line.to_vec(), span: None, text, pieces: 1 })
    }

    /// Joins the piece, if it is one of the same block; else changes nothing.
    pub(super) fn join(&mut self, read: ReadEventRef<'_>) -> Option<()> {
        let (base, _) = read.event.piece()?;
        if !read.notes.is_empty() || self.text.len() > MOST || !are_alike(&self.first, base) {
            return None;
        }
        if self.span.is_none() {
            let line = std::str::from_utf8(&self.line).ok()?;
            self.span = Some(text_span(line, &EventRef::from(&self.first).text()?)?);
        }
        self.text.push(read.event)?;
        self.pieces += 1;
        Some(())
    }

    /// The line of all pieces, and the event that it is to be read as.
    pub(super) fn finish(self) -> (Vec<u8>, AgentEvent) {
        let (Some(span), 2..) = (self.span, self.pieces) else { return (self.line, self.first) };
        let text = match self.text {
            Joined::Text(text) => text,
            Joined::Bytes(media) => media.to_base64(),
        };
        let mut line = Vec::with_capacity(self.line.len() + text.len());
        line.extend_from_slice(self.line.get(..span.start).unwrap_or_default());
        Writer::new(&mut line, Style::Compact).string(&text);
        line.extend_from_slice(self.line.get(span.end..).unwrap_or_default());
        let piece = PieceText::new(&text, false).map(|text| Piece { id: None, created_at: None, text });
        let joined = piece.and_then(|piece| EventRef::with_piece(&self.first, piece)).map(EventRef::to_event);
        (line, joined.unwrap_or(self.first))
    }
}

impl Joined {
    /// Adds the text of a piece; `None` and no change if it is not base64 where it should be.
    fn push(&mut self, event: EventRef<'_>) -> Option<()> {
        let (_, piece) = event.piece()?;
        match self {
            Self::Text(text) => piece.text.push_to(text),
            Self::Bytes(media) => media.append_base64(&piece.text.get()).ok()?,
        }
        Some(())
    }

    fn len(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Bytes(media) => media.len(),
        }
    }
}

/// Where the text of a piece stands in its line, quotes included; `None` if it does not stand there as one string, as in an envelope.
fn text_span(line: &str, text: &str) -> Option<Range<usize>> {
    let fields = Fields::parse(line).ok()?;
    let value = ["delta", "data"].iter().find_map(|key| fields.present(key))?;
    let value = match value.kind() {
        // Java's data is a block with its source.
        ValueKind::Object => value.object().ok()?.present("source")?.object().ok()?.present("data")?,
        _ => value,
    };
    let is_text = |value: Value<'_>| value.kind() == ValueKind::String && value.string().is_ok_and(|said| said == text);
    let start = value.text().as_ptr().addr().checked_sub(line.as_ptr().addr())?;
    is_text(value).then(|| start..start + value.text().len())
}
