//! What one event did to the message.

/// What one event did to the message, for views that follow it without comparing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Applied {
    /// Whether the event opened the message.
    pub opened: bool,
    /// Where the message changed.
    pub change: Change,
    /// Whether the event was ignored because the reply has one with its id already. Never set while duplicates are not checked.
    pub duplicate: bool,
    /// Whether something was noted.
    pub noted: bool,
}

/// Where an event changed the message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// Nowhere.
    #[default]
    None,
    /// Beside the content: name, times, reason, usage.
    Message,
    /// A block was appended at this index.
    Appended(usize),
    /// The block at this index changed.
    Block(usize),
    /// Several blocks changed, were appended or were withdrawn: indexes may have moved.
    Content,
}

impl Applied {
    /// What a repeated event did: nothing.
    pub(crate) const DUPLICATE: Self = Self { opened: false, change: Change::None, duplicate: true, noted: true };

    /// Whether the message is another one than before.
    #[must_use]
    pub fn is_change(self) -> bool {
        self.opened || self.change != Change::None
    }
}

impl From<Change> for Applied {
    fn from(change: Change) -> Self {
        Self { change, ..Self::default() }
    }
}
