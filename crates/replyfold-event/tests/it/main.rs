//! What the event crate promises to someone who depends on it alone.
#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

mod allocations;
mod reading;
mod round_trip;
mod taxonomy;
