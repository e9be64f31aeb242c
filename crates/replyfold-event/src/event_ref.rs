//! An event that is lent: what the fast way through a log passes on.

use crate::{
    AgentEvent, DataBlockDelta, EventType, MediaDelta, Payload, TextBlockDelta, ThinkingBlockDelta, ToolCallDelta, ToolResultDataDelta,
    ToolResultTextDelta,
};
use replyfold_message::json::{can_unescape, unescape_into};
use replyfold_message::{AgentPath, BlockId, EventId, ReplyId, Timestamp, ToolCallId};
use std::borrow::Cow;

/// An event that is lent until the next one is read.
///
/// Nearly all events of a log are pieces, and a piece differs from the one before it in its id, its time and its text alone. So a lent event
/// is an [`AgentEvent`], or an `AgentEvent` with those three taken from a line instead: then nothing of the line is copied.
///
/// ```
/// use replyfold_event::{AgentEvent, EventRef, TextBlockDelta};
///
/// let event = AgentEvent::new(TextBlockDelta::new("r1", "b1", "Hel")).with_id("e1");
/// let lent = EventRef::from(&event);
/// assert_eq!((lent.id(), lent.text().as_deref()), (Some("e1"), Some("Hel")));
/// assert_eq!(lent.to_event(), event);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct EventRef<'a> {
    base: &'a AgentEvent,
    piece: Option<Piece<'a>>,
}

/// What a piece has of its own, as it stands in a line of JSON.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "made by readers field by field")]
pub struct Piece<'a> {
    /// Id of the event; `None` leaves that of the event it is like.
    pub id: Option<&'a [u8]>,
    /// When it happened; `None` as above.
    pub created_at: Option<&'a [u8]>,
    /// The text of a text, thinking, call or result piece, the base64 text of a media piece.
    pub text: PieceText<'a>,
}

/// The text of a piece, as the inside of a JSON string, or as it is.
#[derive(Clone, Copy, Debug)]
pub struct PieceText<'a> {
    /// With escapes if `escaped`, else the text itself.
    json: &'a str,
    escaped: bool,
}

impl<'a> PieceText<'a> {
    /// The text that the inside of a JSON string says; `escaped` tells whether it has an escape. `None` if an escape is wrong or half of a
    /// surrogate pair.
    #[must_use]
    pub fn new(json: &'a str, escaped: bool) -> Option<Self> {
        (!escaped || can_unescape(json)).then_some(Self { json, escaped })
    }

    /// The text; borrowed if it has no escape.
    #[must_use]
    pub fn get(self) -> Cow<'a, str> {
        if !self.escaped {
            return Cow::Borrowed(self.json);
        }
        let mut text = String::new();
        self.push_to(&mut text);
        Cow::Owned(text)
    }

    /// Appends the text.
    pub fn push_to(self, out: &mut String) {
        if self.escaped {
            // `new` has seen that it can be read.
            let _ = unescape_into(self.json, out);
        } else {
            out.push_str(self.json);
        }
    }
}

impl<'a> From<&'a AgentEvent> for EventRef<'a> {
    fn from(event: &'a AgentEvent) -> Self {
        Self { base: event, piece: None }
    }
}

impl<'a> EventRef<'a> {
    /// The event that is like `base` but for what the piece has of its own; `None` if `base` has no text or has it as a URL, so that there
    /// is nothing to be a piece of.
    #[must_use]
    pub fn with_piece(base: &'a AgentEvent, piece: Piece<'a>) -> Option<Self> {
        text_of(&base.payload).is_some().then_some(Self { base, piece: Some(piece) })
    }

    /// The event itself, if it is lent as it is.
    #[must_use]
    pub fn as_event(self) -> Option<&'a AgentEvent> {
        self.piece.is_none().then_some(self.base)
    }

    /// The event, to keep or to look into.
    #[must_use]
    pub fn to_event(self) -> AgentEvent {
        let mut event = self.base.clone();
        let Some(piece) = self.piece else { return event };
        if let Some(id) = self.id() {
            event.id = Some(EventId::new(id));
        }
        if let Some(time) = self.created_at() {
            event.created_at = Some(Timestamp::new(time));
        }
        if let Some(text) = text_mut(&mut event.payload) {
            text.clear();
            piece.text.push_to(text);
        }
        event
    }

    /// The event: lent if it is lent as it is, else made.
    #[must_use]
    pub fn to_cow(self) -> Cow<'a, AgentEvent> {
        self.as_event().map_or_else(|| Cow::Owned(self.to_event()), Cow::Borrowed)
    }

    /// What a piece has of its own, and the event that it is like: of that event everything holds but id, time and text. `None` if the event is
    /// no piece.
    #[must_use]
    pub fn piece(self) -> Option<(&'a AgentEvent, Piece<'a>)> {
        let own = || {
            let text = PieceText { json: text_of(&self.base.payload)?, escaped: false };
            let (id, created_at) = (self.base.id.as_ref().map(EventId::as_bytes), self.base.created_at.as_ref().map(Timestamp::as_bytes));
            Some(Piece { id, created_at, text })
        };
        self.piece.or_else(own).map(|piece| (self.base, piece))
    }

    /// Id of the event.
    #[must_use]
    pub fn id(self) -> Option<&'a str> {
        match self.piece.and_then(|piece| piece.id) {
            // Readers give ASCII.
            Some(id) => std::str::from_utf8(id).ok(),
            None => self.base.id.as_ref().map(EventId::as_str),
        }
    }

    /// When it happened, as the log wrote it.
    #[must_use]
    pub fn created_at(self) -> Option<&'a str> {
        match self.piece.and_then(|piece| piece.created_at) {
            Some(time) => std::str::from_utf8(time).ok(),
            None => self.base.created_at.as_ref().map(Timestamp::as_str),
        }
    }

    /// The text of a text, thinking, call or result piece, the base64 text of a media piece.
    #[must_use]
    pub fn text(self) -> Option<Cow<'a, str>> {
        match self.piece {
            Some(piece) => Some(piece.text.get()),
            None => text_of(&self.base.payload).map(Cow::Borrowed),
        }
    }

    /// Path of the agent that spoke.
    #[must_use]
    pub fn source(self) -> Option<&'a AgentPath> {
        self.base.source.as_ref()
    }

    /// The type, if it is one of the 27.
    #[must_use]
    pub fn event_type(self) -> Option<EventType> {
        self.base.event_type()
    }

    /// The `type` on the wire.
    #[must_use]
    pub fn type_name(self) -> &'a str {
        self.base.type_name()
    }

    /// The reply that the event belongs to, if it says so.
    #[must_use]
    pub fn reply_id(self) -> Option<&'a ReplyId> {
        self.base.reply_id()
    }

    /// The block that the event is about, if it is about one.
    #[must_use]
    pub fn block_id(self) -> Option<&'a BlockId> {
        self.base.block_id()
    }

    /// The tool call that the event is about, if it is about exactly one.
    #[must_use]
    pub fn tool_call_id(self) -> Option<&'a ToolCallId> {
        self.base.tool_call_id()
    }
}

/// The text of a piece, borrowed as the payload is.
macro_rules! text {
    ($payload:expr) => {
        match $payload {
            Payload::TextBlockDelta(TextBlockDelta { delta: text, .. })
            | Payload::ThinkingBlockDelta(ThinkingBlockDelta { delta: text, .. })
            | Payload::ToolCallDelta(ToolCallDelta { delta: text, .. })
            | Payload::ToolResultTextDelta(ToolResultTextDelta { delta: text, .. })
            | Payload::DataBlockDelta(DataBlockDelta { media: MediaDelta::Base64(text), .. })
            | Payload::ToolResultDataDelta(ToolResultDataDelta { media: MediaDelta::Base64(text), .. }) => Some(text),
            _ => None,
        }
    };
}

fn text_of(payload: &Payload) -> Option<&str> {
    text!(payload).map(String::as_str)
}

fn text_mut(payload: &mut Payload) -> Option<&mut String> {
    text!(payload)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_piece_is_the_event_it_is_like_with_its_own_id_time_and_text() {
        let base = AgentEvent::new(ToolResultTextDelta::new("r", "c", "old")).with_id("e1").with_created_at("T1").with_source("main/a");
        let piece = |escaped, json| Piece { id: Some(b"e2"), created_at: Some(b"T2"), text: PieceText::new(json, escaped).unwrap() };
        let lent = EventRef::with_piece(&base, piece(true, r"a\n\u00e9")).unwrap();
        let event = AgentEvent::new(ToolResultTextDelta::new("r", "c", "a\né")).with_id("e2").with_created_at("T2").with_source("main/a");
        assert_eq!((lent.to_event(), lent.text().as_deref()), (event, Some("a\né")));
        assert_eq!((lent.id(), lent.created_at(), lent.as_event().is_none()), (Some("e2"), Some("T2"), true));
        let start = AgentEvent::new(crate::TextBlockStart::new("r", "b"));
        assert!(EventRef::with_piece(&start, piece(false, "x")).is_none());
        assert!(PieceText::new(r"\ud83d", true).is_none());
    }

    #[test]
    fn pieces_are_the_six_events_with_a_text_of_their_own() {
        let media = || MediaDelta::Base64("AQ==".to_owned());
        let pieces: [Payload; 6] = [
            TextBlockDelta::new("r", "b", "AQ==").into(),
            ThinkingBlockDelta::new("r", "b", "AQ==").into(),
            ToolCallDelta::new("r", "c", "AQ==").into(),
            ToolResultTextDelta::new("r", "c", "AQ==").into(),
            DataBlockDelta::new("r", "b", media()).into(),
            ToolResultDataDelta::new("r", "c", media()).into(),
        ];
        let types: BTreeSet<_> = pieces.iter().map(|payload| payload.type_name().to_owned()).collect();
        for payload in pieces {
            assert_eq!(EventRef::from(&AgentEvent::new(payload)).text().as_deref(), Some("AQ=="));
        }
        let deltas = EventType::ALL.map(EventType::as_str).into_iter().filter(|name| name.ends_with("_DELTA"));
        assert_eq!(types, deltas.map(str::to_owned).collect());
    }
}
