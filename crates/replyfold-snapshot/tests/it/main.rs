//! The snapshot crate: what its texts hold, what they leave out, and tests of the lower crates that are best said as snapshots.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed step fails the test")]

mod coarse;
mod corpus;
mod dialects;
mod differences;
mod forms;
mod given;
mod messages;
mod prefixes;
mod redactions;
mod rules;
mod stories;
mod story;
