//! What a dialect cannot carry.

use crate::Dialect;
use replyfold_event::AgentEvent;
use replyfold_message::{EventId, ReplyId};
use std::fmt;

/// Something of an event or message that did not make it into a dialect as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loss {
    /// The dialect that was written.
    pub dialect: Dialect,
    /// The `type` of the event, or `message`.
    pub event_type: Box<str>,
    /// Id of the event, if it has one.
    pub event: Option<EventId>,
    /// What of it: a field, or the event itself.
    pub what: Box<str>,
    /// What became of it.
    pub kind: LossKind,
}

/// What became of something that a dialect cannot carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LossKind {
    /// The whole event was left out: the dialect has no such event.
    EventLeftOut,
    /// A field was left out: the dialect has no place for it.
    FieldLeftOut,
    /// A field that the dialect demands and the event lacks was filled.
    Filled,
    /// A value was replaced by one that the dialect knows.
    Replaced,
    /// A value was written as it is although the dialect's readers refuse it: there is no other that says the same.
    WrittenInvalid,
    /// A value was written as it is, and means something else to a reader of the log: an [`EventWriter`](crate::EventWriter) tells it.
    ReadOtherwise,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { dialect, event_type, what, .. } = self;
        match self.kind {
            LossKind::EventLeftOut => write!(f, "{event_type}: the {dialect} dialect has no such event; it was left out"),
            LossKind::FieldLeftOut => write!(f, "{event_type}: the {dialect} dialect has no place for `{what}`; it was left out"),
            LossKind::Filled => write!(f, "{event_type}: the {dialect} dialect demands `{what}`, which is not there; it was filled"),
            LossKind::Replaced => write!(f, "{event_type}: the {dialect} dialect does not know this value of `{what}`; it was replaced"),
            LossKind::WrittenInvalid => {
                write!(f, "{event_type}: the {dialect} dialect refuses this value of `{what}`; it was written as it is")
            }
            LossKind::ReadOtherwise => {
                write!(
                    f,
                    "{event_type}: `{what}` names a reply that was not started; in the {dialect} dialect the event reads as another reply's"
                )
            }
        }
    }
}

/// One row of the table of what a dialect cannot carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CannotCarry {
    /// The dialect.
    pub dialect: Dialect,
    /// The event type it is about, or `every event`, `blocks` or `messages`.
    pub of: &'static str,
    /// What cannot be carried.
    pub what: &'static str,
    /// What becomes of it.
    pub kind: LossKind,
}

const fn row(dialect: Dialect, of: &'static str, what: &'static str, kind: LossKind) -> CannotCarry {
    CannotCarry { dialect, of, what, kind }
}

/// Everything that a dialect cannot carry, one row a case; tests compare it with what the writers report.
///
/// An event that holds blocks or a message may lose what the rows of `blocks` and `messages` say.
pub const CANNOT_CARRY: &[CannotCarry] = &[
    row(Dialect::Canonical, "TOOL_RESULT_DATA_DELTA", "data", LossKind::EventLeftOut),
    row(Dialect::Canonical, "every event", "replyId", LossKind::Filled),
    row(Dialect::Canonical, "every event", "blockId", LossKind::Filled),
    row(Dialect::Canonical, "every event", "toolCallId", LossKind::Filled),
    row(Dialect::Canonical, "every event", "replyId", LossKind::ReadOtherwise),
    row(Dialect::Java, "every event", "replyId", LossKind::ReadOtherwise),
    row(Dialect::Java, "USER_INTERRUPT", "", LossKind::EventLeftOut),
    row(Dialect::Java, "DATA_BLOCK_DELTA", "url", LossKind::EventLeftOut),
    row(Dialect::Java, "AGENT_END", "finishedReason", LossKind::FieldLeftOut),
    row(Dialect::Java, "AGENT_END", "error", LossKind::FieldLeftOut),
    row(Dialect::Java, "MODEL_CALL_START", "modelName", LossKind::FieldLeftOut),
    row(Dialect::Java, "MODEL_CALL_END", "finishedReason", LossKind::FieldLeftOut),
    row(Dialect::Java, "MODEL_CALL_END", "error", LossKind::FieldLeftOut),
    row(Dialect::Java, "MODEL_CALL_END", "retry", LossKind::FieldLeftOut),
    row(Dialect::Java, "MODEL_CALL_END", "usage.cacheCreationInputTokens", LossKind::FieldLeftOut),
    row(Dialect::Java, "TEXT_BLOCK_END", "text", LossKind::FieldLeftOut),
    row(Dialect::Java, "DATA_BLOCK_START", "mediaType", LossKind::FieldLeftOut),
    row(Dialect::Java, "DATA_BLOCK_START", "name", LossKind::FieldLeftOut),
    row(Dialect::Java, "DATA_BLOCK_DELTA", "mediaType", LossKind::FieldLeftOut),
    row(Dialect::Java, "TOOL_RESULT_DATA_DELTA", "mediaType", LossKind::Filled),
    row(Dialect::Java, "TOOL_RESULT_DATA_DELTA", "blockId", LossKind::FieldLeftOut),
    row(Dialect::Java, "TOOL_RESULT_DATA_DELTA", "mediaType", LossKind::FieldLeftOut),
    row(Dialect::Java, "TOOL_RESULT_DATA_DELTA", "name", LossKind::FieldLeftOut),
    row(Dialect::Java, "EXCEED_MAX_ITERS", "maxIters", LossKind::Filled),
    row(Dialect::Java, "EXCEED_MAX_ITERS", "currentIter", LossKind::Filled),
    row(Dialect::Java, "EXCEED_MAX_ITERS", "maxIters", LossKind::Replaced),
    row(Dialect::Java, "EXCEED_MAX_ITERS", "currentIter", LossKind::Replaced),
    row(Dialect::Java, "EXCEED_MAX_ITERS", "name", LossKind::FieldLeftOut),
    row(Dialect::Java, "REQUEST_STOP", "replyId", LossKind::FieldLeftOut),
    row(Dialect::Java, "REQUEST_STOP", "generateReason", LossKind::Replaced),
    row(Dialect::Java, "SUBAGENT_EXPOSED", "replyId", LossKind::FieldLeftOut),
    row(Dialect::Java, "HINT_BLOCK", "hint", LossKind::Replaced),
    row(Dialect::Java, "blocks", "id", LossKind::FieldLeftOut),
    row(Dialect::Java, "blocks", "createdAt", LossKind::FieldLeftOut),
    row(Dialect::Java, "blocks", "finishedAt", LossKind::FieldLeftOut),
    row(Dialect::Java, "blocks", "suggestedRules", LossKind::FieldLeftOut),
    row(Dialect::Java, "blocks", "metadata", LossKind::FieldLeftOut),
    row(Dialect::Java, "blocks", "hint", LossKind::Replaced),
    row(Dialect::Java, "messages", "role", LossKind::Replaced),
    row(Dialect::Java, "messages", "metadata", LossKind::FieldLeftOut),
    row(Dialect::Java, "messages", "finishedAt", LossKind::FieldLeftOut),
    row(Dialect::Java, "messages", "finishedReason", LossKind::FieldLeftOut),
    row(Dialect::Java, "messages", "error", LossKind::FieldLeftOut),
    row(Dialect::Java, "messages", "structuredOutput", LossKind::FieldLeftOut),
    row(Dialect::Java, "messages", "usage.cacheCreationInputTokens", LossKind::FieldLeftOut),
    row(Dialect::Python, "REQUEST_STOP", "", LossKind::EventLeftOut),
    row(Dialect::Python, "SUBAGENT_EXPOSED", "", LossKind::EventLeftOut),
    row(Dialect::Python, "AGENT_RESULT", "", LossKind::EventLeftOut),
    row(Dialect::Python, "ALL_TOOLS_DENIED", "", LossKind::EventLeftOut),
    row(Dialect::Python, "every event", "source", LossKind::FieldLeftOut),
    row(Dialect::Python, "every event", "reply_id", LossKind::Filled),
    row(Dialect::Python, "every event", "block_id", LossKind::Filled),
    row(Dialect::Python, "every event", "tool_call_id", LossKind::Filled),
    row(Dialect::Python, "AGENT_START", "session_id", LossKind::Filled),
    row(Dialect::Python, "AGENT_START", "name", LossKind::Filled),
    row(Dialect::Python, "AGENT_START", "role", LossKind::Replaced),
    row(Dialect::Python, "AGENT_END", "finished_reason", LossKind::Filled),
    row(Dialect::Python, "AGENT_END", "error.type", LossKind::Replaced),
    row(Dialect::Python, "AGENT_END", "error.code", LossKind::FieldLeftOut),
    row(Dialect::Python, "AGENT_END", "error.detail", LossKind::FieldLeftOut),
    row(Dialect::Python, "MODEL_CALL_START", "model_name", LossKind::Filled),
    row(Dialect::Python, "MODEL_CALL_END", "input_tokens", LossKind::Filled),
    row(Dialect::Python, "MODEL_CALL_END", "finished_reason", LossKind::Filled),
    row(Dialect::Python, "MODEL_CALL_END", "finished_reason", LossKind::Replaced),
    row(Dialect::Python, "MODEL_CALL_END", "error", LossKind::FieldLeftOut),
    row(Dialect::Python, "MODEL_CALL_END", "retry", LossKind::FieldLeftOut),
    row(Dialect::Python, "DATA_BLOCK_DELTA", "media_type", LossKind::Filled),
    row(Dialect::Python, "TOOL_RESULT_DATA_DELTA", "media_type", LossKind::Filled),
    row(Dialect::Python, "TOOL_RESULT_DATA_DELTA", "name", LossKind::FieldLeftOut),
    row(Dialect::Python, "TOOL_RESULT_DATA_DELTA", "data", LossKind::FieldLeftOut),
    row(Dialect::Python, "EXCEED_MAX_ITERS", "max_iters", LossKind::FieldLeftOut),
    row(Dialect::Python, "EXCEED_MAX_ITERS", "current_iter", LossKind::FieldLeftOut),
    row(Dialect::Python, "EXCEED_MAX_ITERS", "name", LossKind::Filled),
    row(Dialect::Python, "HINT_BLOCK", "hint", LossKind::FieldLeftOut),
    row(Dialect::Python, "blocks", "input", LossKind::Filled),
    row(Dialect::Python, "blocks", "input", LossKind::Replaced),
    row(Dialect::Python, "blocks", "id", LossKind::Filled),
    row(Dialect::Python, "blocks", "source.url", LossKind::Replaced),
    row(Dialect::Python, "blocks", "source.url", LossKind::WrittenInvalid),
    row(Dialect::Python, "blocks", "source.media_type", LossKind::Filled),
    row(Dialect::Python, "blocks", "thinking.metadata", LossKind::FieldLeftOut),
    row(Dialect::Python, "blocks", "output", LossKind::FieldLeftOut),
    row(Dialect::Python, "blocks", "hint", LossKind::FieldLeftOut),
    row(Dialect::Python, "messages", "role", LossKind::Replaced),
    row(Dialect::Python, "messages", "error.type", LossKind::Replaced),
    row(Dialect::Python, "messages", "error.code", LossKind::FieldLeftOut),
    row(Dialect::Python, "messages", "error.detail", LossKind::FieldLeftOut),
];

/// Collects the losses of one event or message.
pub(crate) struct Losses<'a> {
    pub(crate) dialect: Dialect,
    pub(crate) event_type: &'a str,
    pub(crate) event: Option<&'a EventId>,
    pub(crate) list: Vec<Loss>,
    /// Whether what is written was read a moment ago, so that text kept beside it is known to say the same.
    pub(crate) kept_is_fresh: bool,
}

impl<'a> Losses<'a> {
    pub(crate) fn new(dialect: Dialect, event_type: &'a str, event: Option<&'a EventId>) -> Self {
        Self { dialect, event_type, event, list: Vec::new(), kept_is_fresh: false }
    }

    pub(crate) fn with_kept_fresh(mut self) -> Self {
        self.kept_is_fresh = true;
        self
    }

    pub(crate) fn add(&mut self, kind: LossKind, what: &str) {
        self.list.push(Loss {
            dialect: self.dialect,
            event_type: self.event_type.into(),
            event: self.event.cloned(),
            what: what.into(),
            kind,
        });
    }

    /// The ids that the event lacks and that are written as `""`; their keys are given in the order of [`Absent`](replyfold_event::Absent).
    pub(crate) fn filled_ids(&mut self, event: &AgentEvent, [reply, block, call]: [&str; 3]) {
        let is_empty = event.reply_id().is_some_and(ReplyId::is_empty);
        for (absent, key) in [(event.absent.reply_id && is_empty, reply), (event.absent.block_id, block), (event.absent.tool_call_id, call)]
        {
            if absent {
                self.add(LossKind::Filled, key);
            }
        }
    }

    /// A field that has no place in the dialect, if it is there.
    pub(crate) fn left_out(&mut self, there: bool, what: &str) {
        if there {
            self.add(LossKind::FieldLeftOut, what);
        }
    }
}
