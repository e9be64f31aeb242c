//! The log crate, and the recorded corpus through all crates below it.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed step fails the test")]

mod ahead;
mod arrays;
mod bug_reports;
mod chunks;
mod compacting;
mod corpus;
mod crafted_index;
mod cursor;
mod envelopes;
mod follow;
mod frames;
mod framing;
mod fuzz_corpus;
mod generate;
mod grown_index;
mod growth;
mod java_logs;
mod packing;
mod persisted;
mod python_goldens;
mod reasons;
mod seeking;
mod segment_index;
mod segments;
mod sse;
mod stories;
mod writer;
