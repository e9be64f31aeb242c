//! The dialects against the recorded corpus, rule by rule, and there and back.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed step fails the test")]

mod alike;
mod corpus;
mod generate;
mod java_logs;
mod java_objects;
mod java_rejects;
mod java_values;
mod losses;
mod nesting;
mod python_logs;
mod python_parse;
mod reader;
mod replies;
mod round_trips;
mod written_logs;
