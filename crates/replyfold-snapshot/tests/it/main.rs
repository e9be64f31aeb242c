//! The snapshot crate: what its texts hold and what they leave out.
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
mod story;
