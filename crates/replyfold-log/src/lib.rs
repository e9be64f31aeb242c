//! Reads recorded event logs: JSONL, SSE captures and JSON arrays, each plain, gzip or zstd, from a file or any reader, recognised by their
//! content; with the envelopes and odd frames that captures from the field have. Makes logs smaller ([`compact`]) and finds any point of a
//! large one ([`Index`], [`Cursor`]); writes logs that keep what they acknowledged ([`LogWriter`]).
//!
//! It never loses a byte that it cannot read: a bad record is an item like any other, with its place and its reason, and the reading goes
//! on. It knows nothing of what runs agents. `docs/wire/logs.md` holds the rules.
//!
//! ```
//! use replyfold_log::LogReader;
//! use replyfold_reduce::SessionReducer;
//!
//! let log = "{\"type\":\"AGENT_START\",\"replyId\":\"r1\",\"createdAt\":\"T\"}\n{\"type\":\"TEXT_BL";
//! let mut session = SessionReducer::new();
//! for record in LogReader::new(log.as_bytes()) {
//!     let record = record?;
//!     match record.event() {
//!         Some(event) => {
//!             session.apply_at(record.position, event);
//!         }
//!         None => assert!(record.bad().is_some_and(|bad| bad.is_torn())),
//!     }
//! }
//! assert_eq!(session.messages().count(), 1);
//! # Ok::<(), replyfold_log::LogError>(())
//! ```

mod ahead;
mod buffer;
mod compact;
mod envelope;
mod error;
mod follow;
mod framing;
mod gzip;
mod index;
mod input;
mod joined;
mod mend;
mod pieces;
mod reader;
mod reasons;
mod record;
mod replay;
mod seek;
mod segments;
mod sidecar;
mod writer;

pub(crate) use compact::no_lines;
pub use compact::{CompactError, CompactLine, Compacted, Compactor, compact, compact_to};
pub use envelope::Envelope;
pub use error::LogError;
#[cfg(feature = "stream")]
pub use follow::Ticking;
pub use follow::{Follow, Followed, Notice, Waiting};
pub use framing::Format;
pub use index::{Index, IndexBuilt, IndexError, IndexOptions, build_index, index_path, update_index};
pub use reader::{LogOptions, LogReader, Strictness};
pub use record::{BadRecord, Frame, Outcome, OutcomeRef, Place, Record, RecordRef};
pub use replay::{Replay, replay, replay_with};
pub use seek::{Cursor, Direction, ReplySpan};
pub use segments::{segment_path, segments};
pub use writer::{Appended, Durability, LogWriter, Packing, Repair, WriteError, WriterOptions};

/// The examples of the pages, compiled and run here.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/how-to/follow-a-log.md")]
struct HowToFollow;
#[cfg(doctest)]
#[doc = include_str!("../../../docs/how-to/find-a-point-in-a-large-log.md")]
struct HowTo;

/// The example of the page, compiled and run here.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/how-to/record-a-log.md")]
struct HowToRecord;
