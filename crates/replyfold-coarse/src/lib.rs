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
