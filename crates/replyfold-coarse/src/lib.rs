//! The coarse protocol of simple chat front ends: six events (`text`, `thinking`, `tool_start`, `tool_end`, `error`, `complete`).
//!
//! A [`Collapser`] turns the fine events of one reply into coarse ones, a [`SessionCollapser`] those of many. A [`ThinkSplitter`] takes
//! reasoning between think tags out of text. A [`Timeline`] is what a front end shows. A [`Lifter`] goes the way back, so that the logs of
//! agents that speak only the coarse protocol fold into messages too. The rules are those of "Coarse protocol"; `docs/wire/coarse.md`
//! holds them. It knows nothing of files, folding or async.
//!
//! ```
//! use replyfold_coarse::{CoarseEvent, Collapser, Timeline};
//! use replyfold_event::{AgentEnd, AgentEvent, AgentStart, TextBlockDelta};
//! use replyfold_event::message::Role;
//!
//! let fine = [
//!     AgentEvent::new(AgentStart::new("r1", Role::Assistant)),
//!     AgentEvent::new(TextBlockDelta::new("r1", "b1", "Hello")),
//!     AgentEvent::new(AgentEnd::new("r1")),
//! ];
//! let (mut collapser, mut timeline) = (Collapser::new(), Timeline::new());
//! let mut lines = Vec::new();
//! for event in &fine {
//!     for coarse in collapser.push(event) {
//!         timeline.apply(&coarse);
//!         lines.push(coarse.to_json());
//!     }
//! }
//! assert_eq!(lines, [r#"{"type":"text","content":"Hello"}"#, r#"{"type":"complete"}"#]);
//! assert_eq!((timeline.content(), timeline.is_expanded()), ("Hello", false));
//! assert!(collapser.finish().next().is_none(), "the stream is complete");
//! # Ok::<(), replyfold_coarse::Error>(())
//! ```
//!
//! The reader of logs and the fold know nothing of it: a coarse record is an unknown event to them. A program lifts it in between.
//!
//! ```
//! use replyfold_coarse::{CoarseEvent, Lifter};
//! use replyfold_event::Payload;
//! use replyfold_log::LogReader;
//! use replyfold_reduce::SessionReducer;
//!
//! let log = "{\"type\":\"text\",\"content\":\"Hello\"}\n{\"type\":\"complete\"}\n";
//! let (mut lifter, mut session) = (Lifter::new("r1"), SessionReducer::new());
//! for record in LogReader::new(log.as_bytes()) {
//!     let record = record?;
//!     match record.event().map(|event| &event.payload) {
//!         Some(Payload::Unknown(unknown)) if CoarseEvent::is_coarse_type(&unknown.event_type) => {
//!             for fine in lifter.push(&CoarseEvent::from_json(&unknown.text)?) {
//!                 session.apply_at(record.position, &fine);
//!             }
//!         }
//!         _ => {}
//!     }
//! }
//! for fine in lifter.finish() {
//!     session.apply(&fine);
//! }
//! let messages: Vec<String> = session.messages().map(|msg| msg.to_json()).collect();
//! assert!(messages.len() == 1 && messages[0].contains(r#""text":"Hello""#), "{messages:?}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![deny(clippy::wildcard_enum_match_arm)]

mod collapser;
mod event;
mod failed_result;
mod lifter;
mod mapping;
mod options;
mod phrases;
mod session;
mod think;
mod timeline;

pub use collapser::{Collapser, Ending};
pub use event::{CoarseEvent, OtherEvent};
pub use failed_result::{FAILED_PREFIX, failed_result};
pub use lifter::Lifter;
pub use mapping::{Mapping, mapping_of, mapping_table};
pub use options::{CollapseOptions, ConfirmPolicy, SubagentPolicy};
pub use phrases::{ErrorCode, Language};
pub use session::{SessionCollapser, SessionEvent};
pub use think::{Piece, ThinkOptions, ThinkSplitter, split_think_tags, strip_think_tags};
pub use timeline::{Entry, Timeline, ToolStatus};

pub use replyfold_event::Error;
