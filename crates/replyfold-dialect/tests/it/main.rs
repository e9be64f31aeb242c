//! The dialects against the recorded corpus, rule by rule, and there and back.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed step fails the test")]

mod corpus;
mod python_logs;
mod python_parse;
