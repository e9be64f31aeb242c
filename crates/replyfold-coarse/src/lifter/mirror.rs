//! What a collapser knows while it reads what we lift: it decides how an error has to be said.

#[derive(Clone, Debug, Default)]
pub(super) struct Mirror {
    /// Retries of this round.
    pub(super) retries: u64,
    /// The last model call showed text.
    pub(super) showed_text: bool,
    /// A failure was told in this model call, so another one would not be.
    pub(super) told_failure: bool,
    /// The failure that the end of the reply gives.
    pub(super) failed: Option<String>,
}

impl Mirror {
    pub(super) fn model_call_start(&mut self) {
        self.showed_text = false;
        self.told_failure = false;
        self.failed = None;
    }
}
