//! The runtime against its laws, the traces of its specification and the reports of the field.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed step fails the test")]

mod built_in;
mod laws;
mod layers;
mod reports;
mod script;
mod soak;
mod traces;
mod waits;
