//! The log crate, and the recorded corpus through all crates below it.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed step fails the test")]

mod corpus;
mod java_logs;
mod python_goldens;
