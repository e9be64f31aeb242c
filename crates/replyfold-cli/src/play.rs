//! The terminal player: a log on a full screen, forwards and backwards.
//!
//! [`Player`] is what a key does and what is shown, without a terminal, a clock or a file; [`Stage`] looks up in the log what it needs.

pub(crate) mod clock;
pub(crate) mod frame;
pub(crate) mod keys;
mod layout;
mod paper;
pub(crate) mod scan;
pub(crate) mod stage;
pub(crate) mod state;
#[cfg(test)]
mod tests;

pub(crate) use stage::Stage;
pub(crate) use state::Player;
