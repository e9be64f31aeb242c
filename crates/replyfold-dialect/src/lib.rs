//! The wire formats that AgentScope Java and AgentScope Python really use, beside the canonical one: events and messages, read and written.
//!
//! A log is read with an [`EventReader`], which tells the dialects apart line by line and gives every event the id of its reply. Single
//! events and messages are read and written with free functions, the events of a log with an [`EventWriter`]. Nothing is dropped silently: what a dialect cannot carry is a [`Loss`].
//! It knows nothing of how a line is framed. The rules are those of "Wire formats" sections 3, 5 and 6; `docs/wire/` holds them.
//!
//! ```
//! use replyfold_dialect::{Dialect, read_event, write_event};
//!
//! let python = r#"{"id": "e1", "created_at": "2026-03-01T09:30:00", "metadata": {}, "type": "TEXT_BLOCK_DELTA", "reply_id": "r1", "block_id": "b1", "delta": "Hi"}"#;
//! let event = read_event(python, Dialect::Python)?;
//!
//! let mut canonical = Vec::new();
//! let losses = write_event(&event, Dialect::Canonical, &mut canonical);
//! assert!(losses.is_empty());
//! assert_eq!(
//!     String::from_utf8(canonical).as_deref(),
//!     Ok(r#"{"type":"TEXT_BLOCK_DELTA","id":"e1","createdAt":"2026-03-01T09:30:00","replyId":"r1","blockId":"b1","delta":"Hi"}"#)
//! );
//! # Ok::<(), replyfold_dialect::Error>(())
//! ```

mod camel;
mod convert;
mod detect;
mod dialect;
mod java;
mod loss;
mod python;
mod reader;
mod replies;
mod template;

pub use convert::{EventWriter, read_event, read_msg, write_event, write_msg};
pub use detect::is_known_type;
pub use dialect::{Dialect, UnknownDialect};
pub use loss::{CANNOT_CARRY, CannotCarry, Loss, LossKind};
pub use reader::{EventReader, LoneSurrogates, ReadEvent, ReadEventRef, ReadNote, ReadOptions};
pub use replyfold_event::Error;
