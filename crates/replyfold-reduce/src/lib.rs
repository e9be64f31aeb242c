//! Folds the events of an agent's reply into one message, at any prefix: [`MsgReducer`] for one reply, [`SessionReducer`] for a log of
//! many, sub-agents among them.
//!
//! It knows nothing of clocks, files, dialects or the JSON text of events. The fold is total: it takes any sequence, never fails and never
//! panics, and what cannot be applied becomes a [`Note`]. The rules are those of "Reduction"; `docs/reduction.md` holds them, with every
//! difference from AgentScope Python numbered.
//!
//! ```
//! use replyfold_event::{AgentEvent, AgentStart, TextBlockDelta, TextBlockStart};
//! use replyfold_message::{Block, Role};
//! use replyfold_reduce::MsgReducer;
//!
//! let mut reducer = MsgReducer::new("r1");
//! reducer.apply(&AgentEvent::new(AgentStart::new("r1", Role::Assistant).with_name("Friday")));
//! reducer.apply(&AgentEvent::new(TextBlockStart::new("r1", "b1")));
//! reducer.apply(&AgentEvent::new(TextBlockDelta::new("r1", "b1", "Hel")));
//!
//! // The message is complete for what was seen so far, and the block is open.
//! assert!(matches!(&reducer.message().content[0], Block::Text(text) if text.text == "Hel"));
//! assert!(reducer.is_open(0));
//!
//! reducer.apply(&AgentEvent::new(TextBlockDelta::new("r1", "b1", "lo")));
//! assert!(matches!(&reducer.message().content[0], Block::Text(text) if text.text == "Hello"));
//! assert!(reducer.notes().is_empty());
//! ```

// Every event is listed where it is folded or ignored; the one `_` that `#[non_exhaustive]` demands must hide none.
#![deny(clippy::wildcard_enum_match_arm)]

mod applied;
mod argument_text;
mod blocks;
mod duplicates;
mod msg_reducer;
mod note;
mod options;
pub mod partial_json;
mod session;
#[cfg(test)]
mod tests;

pub use applied::{Applied, Change};
pub use blocks::BlockKind;
pub use msg_reducer::{Checkpoint, MsgReducer};
pub use note::{Note, NoteKind};
pub use options::ReduceOptions;
pub use session::{Prefixes, Reply, SessionCheckpoint, SessionReducer, Undo};
