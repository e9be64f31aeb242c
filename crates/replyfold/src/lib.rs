//! Event streams of LLM agents: typed events, folding into messages, the dialects of the field, recorded logs.
//!
//! One dependency for applications: each part is a crate of its own, re-exported here behind a feature. There is no code in here.
//!
//! | module | crate | feature |
//! | --- | --- | --- |
//! | [`event`] | `replyfold-event` | always |
//! | [`message`] | `replyfold-message` | always |
#![cfg_attr(feature = "dialect", doc = "| [`dialect`] | `replyfold-dialect` | `dialect` |")]
#![cfg_attr(feature = "reduce", doc = "| [`reduce`] | `replyfold-reduce` | `reduce` |")]
#![cfg_attr(feature = "coarse", doc = "| [`coarse`] | `replyfold-coarse` | `coarse` |")]
#![cfg_attr(feature = "log", doc = "| [`log`] | `replyfold-log` | `log` (default) |")]
#![cfg_attr(feature = "runtime", doc = "| [`runtime`] | `replyfold-runtime` | `runtime` |")]
#![cfg_attr(feature = "model", doc = "| [`model`] | `replyfold-model` | `model` |")]
//!
#![cfg_attr(feature = "log", doc = "```")]
#![cfg_attr(not(feature = "log"), doc = "```ignore")]
//! use replyfold::log::{LogReader, replay_with};
//! use replyfold::reduce::ReduceOptions;
//!
//! let log = r#"{"type":"AGENT_START","id":"1","createdAt":"T","replyId":"r1","role":"assistant"}
//! {"type":"TEXT_BLOCK_START","id":"2","createdAt":"T","replyId":"r1","blockId":"b1"}
//! {"type":"TEXT_BLOCK_DELTA","id":"3","createdAt":"T","replyId":"r1","blockId":"b1","delta":"Hello"}
//! "#;
//! // The messages after two records, then after all of them.
//! for (records, text) in [(2, ""), (u64::MAX, "Hello")] {
//!     let replay = replay_with(LogReader::new(log.as_bytes()), ReduceOptions::new(), records)?;
//!     let json = replay.session.messages().next().map(|msg| msg.to_json()).unwrap_or_default();
//!     assert!(json.contains(&format!(r#""text":"{text}""#)), "{json}");
//! }
//! # Ok::<(), replyfold::log::LogError>(())
//! ```

#[cfg(feature = "coarse")]
pub use replyfold_coarse as coarse;
#[cfg(feature = "dialect")]
pub use replyfold_dialect as dialect;
pub use replyfold_event as event;
#[cfg(feature = "log")]
pub use replyfold_log as log;
pub use replyfold_message as message;
#[cfg(feature = "model")]
pub use replyfold_model as model;
#[cfg(feature = "reduce")]
pub use replyfold_reduce as reduce;
#[cfg(feature = "runtime")]
pub use replyfold_runtime as runtime;
