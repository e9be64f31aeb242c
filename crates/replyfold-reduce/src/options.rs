//! What a user of the fold may choose.

/// Choices of the fold.
///
/// ```
/// use replyfold_event::{AgentEvent, TextBlockDelta};
/// use replyfold_reduce::{MsgReducer, ReduceOptions};
///
/// // A host that forwards only the pieces of blocks, never their starts.
/// let piece = AgentEvent::new(TextBlockDelta::new("r1", "b1", "Hello"));
/// let mut usual = MsgReducer::new("r1");
/// usual.apply(&piece);
/// assert!(usual.message().content.is_empty());
///
/// let mut opening = MsgReducer::with_options("r1", ReduceOptions::new().with_open_missing(true));
/// opening.apply(&piece);
/// assert_eq!(opening.message().content.len(), 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReduceOptions {
    /// Whether an event whose id was folded already has no effect. On by default; off saves 16 bytes and a look-up an event in logs that
    /// are known to hold each event once.
    pub check_duplicates: bool,
    /// Whether a piece of a block that was never started opens the block. Off by default: then it is a note and nothing else. Captures of
    /// hosts that forward only the pieces need it.
    pub open_missing: bool,
}

impl ReduceOptions {
    /// The choices by which logs of the field implementations fold as they do there.
    #[must_use]
    pub const fn new() -> Self {
        Self { check_duplicates: true, open_missing: false }
    }

    /// With or without the check for duplicates.
    #[must_use]
    pub const fn with_check_duplicates(mut self, check: bool) -> Self {
        self.check_duplicates = check;
        self
    }

    /// With or without opening blocks that were never started.
    #[must_use]
    pub const fn with_open_missing(mut self, open: bool) -> Self {
        self.open_missing = open;
        self
    }
}

impl Default for ReduceOptions {
    fn default() -> Self {
        Self::new()
    }
}
