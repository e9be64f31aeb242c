//! What one would otherwise use, doing the same work on the same logs.
//!
//! Parsers made by serde refuse a key that stands twice, so of a Java log they are given the one with a single `type`.

pub mod body;
pub mod coarse;
pub mod flat;
pub mod floor;
pub mod port;
pub mod tagged;
pub mod wire;

mod replies;

#[cfg(test)]
mod tests;
