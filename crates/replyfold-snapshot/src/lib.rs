//! Snapshot tests of messages with [insta](https://insta.rs): what a message is, how it grows, what a simple front end shows of it; and
//! streams to test with.
//!
//! Ids and times change from run to run; a snapshot shows them as `[reply-1]`, `[block-2]`, `[call-1]` in the order of appearance and as
//! `+0.120s` from the first time ([`SnapshotOptions`] switches that off). Everything else that two messages can differ in is in the text, so a
//! snapshot never hides a difference. The text does not depend on the dialect of the log.
//!
//! ```
//! use replyfold_snapshot::{assert_msg_snapshot, assert_prefix_snapshots, given, json, story};
//!
//! // A stream to test with; `given` takes the path or the text of a recorded log just as well.
//! let log = story().reply("r1").text(["Hel", "lo"]).open_tool("search", ["{\"q\":", "\"x"]);
//!
//! assert_msg_snapshot!(given(&log).at(5), @r#"
//! message: [reply-1]
//! role: assistant
//! at: +0.000s..
//! content:
//! - text: "Hello"
//!   id: [block-1]
//!   at: +0.010s..+0.040s
//! "#);
//!
//! assert_prefix_snapshots!(log, @r#"
//! 1 AGENT_START  + {message: [reply-1], role: assistant, at: +0.000s.., content: []}
//! 2 TEXT_BLOCK_START  + content[0] {text: "", id: [block-1], at: +0.010s..}
//! 3 TEXT_BLOCK_DELTA  content[0].text += "Hel"
//! 4 TEXT_BLOCK_DELTA  content[0].text += "lo"
//! 5 TEXT_BLOCK_END  content[0].at = +0.010s..+0.040s
//! 6 TOOL_CALL_START  + content[1] {tool_use: search, id: [call-1], state: pending, at: +0.050s..}
//! 7 TOOL_CALL_DELTA  + content[1].content "{\"q\":"
//! 8 TOOL_CALL_DELTA  content[1].content += "\"x"
//! "#);
//! ```
//!
//! It is a crate for tests: what cannot be read or is not there fails the test with a sentence that says so. The macros need no dependency on
//! insta; `cargo insta review` works with them as with insta's own.

mod coarse_text;
mod given;
mod log;
mod macros;
mod marks;
mod msg_node;
mod node;
mod options;
mod prefixes;
mod quote;
mod snapshot;
mod story;

pub use given::{Given, Point, given};
pub use log::{Log, ReadLog};
pub use options::{SnapshotOptions, WithOptions};
pub use snapshot::{Snapshot, coarse_snapshot, msg_snapshot, of, prefix_snapshots, timeline_snapshot};
pub use story::{Arguments, Output, Part, Pieces, Story, Written, chopped, story};

/// JSON values, for the arguments of calls.
pub use serde_json::json;

#[doc(hidden)]
pub use insta as __insta;

/// The examples of the README, compiled and run here, since this crate knows all the crates that they use.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// The example of the page, compiled and run here.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/how-to/snapshot-test-messages.md")]
struct HowTo;
