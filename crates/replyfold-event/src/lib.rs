//! The events of an agent's reply: the 27 of the published taxonomy, five extensions seen in the field, and unknown ones kept with their
//! exact text, typed, with their canonical JSON.
//!
//! It knows nothing of files, dialects, folding or async. The format is "Wire formats" sections 1 and 2; `docs/wire/events.md` holds the
//! table, made from this crate.
//!
//! ```
//! use replyfold_event::{AgentEvent, EventType, Payload, TextBlockDelta};
//!
//! let line = r#"{"type":"TEXT_BLOCK_DELTA","id":"e1","createdAt":"2026-08-22T15:15:56Z","replyId":"r1","blockId":"b1","delta":"Hel"}"#;
//! let event = AgentEvent::from_json(line)?;
//! assert_eq!(event.event_type(), Some(EventType::TextBlockDelta));
//! assert!(matches!(&event.payload, Payload::TextBlockDelta(delta) if delta.delta == "Hel"));
//! assert_eq!(event.to_json(), line);
//!
//! let made = AgentEvent::new(TextBlockDelta::new("r1", "b1", "Hel")).with_id("e1").with_created_at("2026-08-22T15:15:56Z");
//! assert_eq!(made, event);
//! # Ok::<(), replyfold_event::Error>(())
//! ```

// Nothing may hide an event that the table gains; the one `_` that `#[non_exhaustive]` demands elsewhere is not needed in here.
#![deny(clippy::wildcard_enum_match_arm)]

mod absent;
mod accessors;
mod error;
mod event;
mod event_ref;
mod generate_reason;
mod media_delta;
mod payload;
mod table;
mod unknown;

pub use absent::Absent;
pub use error::Error;
pub use event::AgentEvent;
pub use event_ref::{EventRef, Piece, PieceText};
pub use generate_reason::GenerateReason;
pub use media_delta::MediaDelta;
pub use payload::{
    AgentEnd, AgentResult, AgentStart, AllToolsDenied, ConfirmResult, Custom, DataBlockDelta, DataBlockEnd, DataBlockStart, ExceedMaxIters,
    ExternalExecutionResult, FieldInfo, HintBlock, ModelCallEnd, ModelCallStart, RequestStop, RequireExternalExecution, RequireUserConfirm,
    Retry, SubagentExposed, TextBlockDelta, TextBlockEnd, TextBlockStart, ThinkingBlockDelta, ThinkingBlockEnd, ThinkingBlockStart,
    ToolCallDelta, ToolCallEnd, ToolCallStart, ToolResultDataDelta, ToolResultEnd, ToolResultStart, ToolResultTextDelta, UserConfirmResult,
    UserInterrupt,
};
pub use table::{EventType, Extension, ExtensionType, Payload};
pub use unknown::UnknownEvent;

/// The types that events are made of: ids, time stamps, blocks, JSON kept as text.
pub use replyfold_message as message;
