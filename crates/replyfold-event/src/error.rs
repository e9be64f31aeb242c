//! Why a text is no event.

use replyfold_message::json::DecodeError;
use std::{error, fmt};

/// A text that is no event: no JSON object, no `type`, or a known type whose fields are wrong.
///
/// ```
/// use replyfold_event::AgentEvent;
///
/// let err = AgentEvent::from_json(r#"{"type":"TEXT_BLOCK_DELTA","replyId":"r1","blockId":"b1"}"#).unwrap_err();
/// assert_eq!(err.to_string(), "event `TEXT_BLOCK_DELTA`: missing field `delta`");
/// assert_eq!(err.event_type(), Some("TEXT_BLOCK_DELTA"));
/// assert_eq!(err.field().as_deref(), Some("delta"));
/// ```
#[derive(Debug)]
pub struct Error {
    event_type: Option<Box<str>>,
    cause: DecodeError,
}

impl Error {
    /// The fields of an event of this type are wrong; without a type, the text is no event at all.
    #[must_use]
    pub fn new(event_type: Option<&str>, cause: DecodeError) -> Self {
        Self { event_type: event_type.map(Into::into), cause }
    }

    /// The `type` of the event, if the text got that far.
    #[must_use]
    pub fn event_type(&self) -> Option<&str> {
        self.event_type.as_deref()
    }

    /// Path of the field at fault, `toolCalls[0].state`.
    #[must_use]
    pub fn field(&self) -> Option<String> {
        self.cause.field()
    }

    /// Byte offset of the fault within the text, for errors of the text itself.
    #[must_use]
    pub fn offset(&self) -> Option<usize> {
        self.cause.offset()
    }

    /// Whether the text is no JSON.
    #[must_use]
    pub fn is_syntax(&self) -> bool {
        self.cause.is_syntax()
    }

    /// Whether the text ended in the middle of a value: the mark of a torn line.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        self.cause.is_truncated()
    }

    /// Whether half of a surrogate pair is all that keeps the text from being read.
    #[must_use]
    pub fn is_lone_surrogate(&self) -> bool {
        self.cause.is_lone_surrogate()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.event_type {
            Some(name) => write!(f, "event `{name}`: {}", self.cause),
            None => write!(f, "no event: {}", self.cause),
        }
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        self.cause.source()
    }
}
