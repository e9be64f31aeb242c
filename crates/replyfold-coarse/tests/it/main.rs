//! The coarse crate: every row of the protocol, its bug reports, and the recorded corpus.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed step fails the test")]

mod bug_reports;
mod corpus;
mod docs;
mod edge_cases;
mod examples;
mod lifting;
mod mapping;
mod script;
mod settled;
mod think;
mod timeline;
mod wire;
