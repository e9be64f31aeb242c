//! The message that an agent's reply folds into: [`Msg`], its six kinds of [`Block`], sources, states, usage, ids, time stamps and the
//! data of permission rules, with their canonical JSON.
//!
//! It knows nothing of events, dialects, files or clocks. The format is `spec` "Wire formats" section 4; `docs/wire/messages.md` holds it.
//!
//! ```
//! use replyfold_message::{Block, Msg, Role, TextBlock};
//!
//! let mut msg = Msg::new("r1", Role::Assistant).with_name("Friday");
//! msg.content.push(TextBlock::new("Hello").with_id("b1"));
//! assert_eq!(
//!     msg.to_json(),
//!     r#"{"id":"r1","name":"Friday","role":"assistant","content":[{"type":"text","id":"b1","text":"Hello"}]}"#
//! );
//! assert_eq!(Msg::from_json(&msg.to_json())?, msg);
//! # Ok::<(), replyfold_message::json::DecodeError>(())
//! ```

pub mod block;
pub mod json;

mod content;
mod enums;
mod failure;
mod ids;
mod inline_str;
mod media;
mod msg;
mod residue;
mod rule;
mod timestamp;
mod usage;

pub use block::{Block, DataBlock, Hint, HintBlock, TextBlock, ThinkingBlock, ToolCallBlock, ToolResultBlock};
pub use content::Content;
pub use enums::{FinishedReason, Role, ToolCallState, ToolResultState};
pub use failure::Failure;
pub use ids::{AgentPath, BlockId, EventId, MsgId, ReplyId, SessionId, ToolCallId};
pub use media::{Base64Error, DataSource, Media};
pub use msg::Msg;
pub use residue::{Origin, Residue};
pub use rule::{PermissionBehavior, PermissionRule};
pub use timestamp::Timestamp;
pub use usage::Usage;
