//! The command as a user runs it.
#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

mod check;
mod coarse;
mod compact;
mod convert;
mod follow;
mod index;
mod lifted;
mod play;
mod prefixes;
mod record;
mod replay;
mod run;
mod scripts;
mod stats;
mod terminal;
mod transcripts;
