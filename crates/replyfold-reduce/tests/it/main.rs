//! The fold, held to its rules from outside: literal logs, arbitrary logs, and reports from the field.
#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

mod bug_reports;
mod generate;
mod logs;
mod notes;
mod properties;
mod rules;
mod session;
