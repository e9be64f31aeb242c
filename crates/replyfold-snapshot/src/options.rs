//! What a snapshot shows as it is, and what as a mark.

use replyfold_coarse::CollapseOptions;
use replyfold_reduce::ReduceOptions;

/// How a value is shown.
///
/// A snapshot shows everything that makes a message what it is. Two things that change from run to run are marked: ids and times. Each of
/// these redactions can be switched off.
///
/// ```
/// use replyfold_snapshot::{SnapshotOptions, assert_msg_snapshot, story};
///
/// let story = story().reply("r1").text("Hello");
/// assert_msg_snapshot!(SnapshotOptions::new().with_ids(false).with_times(false).of(&story), @r#"
/// message: r1
/// role: assistant
/// at: 2026-01-01T00:00:00Z..
/// content:
/// - text: "Hello"
///   id: b1
///   at: 2026-01-01T00:00:00.010Z..2026-01-01T00:00:00.030Z
/// "#);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SnapshotOptions {
    /// Whether ids are shown as `[reply-1]`, `[block-2]`, `[call-1]` (in notes of a prefix snapshot also `[event-1]`), each kind counted in the
    /// order of appearance; the same id of the same kind is the same mark. On by default. An empty id is shown as it is.
    pub ids: bool,
    /// Whether times are shown as their distance from the first one, `+0.120s`. On by default. The first time is that of a log's first event,
    /// else the first that the message has. A text that names no moment is shown as it is.
    pub times: bool,
    /// Whether ids are marked also where they stand in other texts of the structure: metadata, error messages and details, who gave a hint,
    /// paths of agents. On by default. Only whole words count (letters, digits, `_` and `-` make a word), and only ids that have a digit and are
    /// no short number: `text` and `10` are ids in some logs and words in all. Of an id of two kinds it is the mark of the one that appeared
    /// first. What people, models and tools said (text, thinking, arguments, answers, hints, URLs, names) is shown as it is, whatever stands in
    /// it.
    pub texts: bool,
    /// Whether `finishedReason: completed` is left out, so that recordings of one story in two dialects give the same snapshot: no log of Java
    /// has a reason, every log of Python has one. Off by default, since it hides whether there is one.
    pub across_dialects: bool,
    /// How events are folded.
    pub reduce: ReduceOptions,
    /// How events are collapsed into coarse ones.
    pub collapse: CollapseOptions,
}

impl SnapshotOptions {
    /// Ids and times are marked, nothing else.
    #[must_use]
    pub fn new() -> Self {
        Self { ids: true, times: true, texts: true, across_dialects: false, reduce: ReduceOptions::new(), collapse: CollapseOptions::new() }
    }

    /// With ids marked, or as they are.
    #[must_use]
    pub fn with_ids(mut self, marked: bool) -> Self {
        self.ids = marked;
        self
    }

    /// With times as distances, or as they are.
    #[must_use]
    pub fn with_times(mut self, marked: bool) -> Self {
        self.times = marked;
        self
    }

    /// With ids marked in other texts of the structure too, or in id fields only.
    #[must_use]
    pub fn with_texts(mut self, marked: bool) -> Self {
        self.texts = marked;
        self
    }

    /// With what only one dialect can say left out, or not.
    #[must_use]
    pub fn with_across_dialects(mut self, across: bool) -> Self {
        self.across_dialects = across;
        self
    }

    /// With events folded in this way.
    #[must_use]
    pub fn with_reduce(mut self, options: ReduceOptions) -> Self {
        self.reduce = options;
        self
    }

    /// With events collapsed in this way.
    #[must_use]
    pub fn with_collapse(mut self, options: CollapseOptions) -> Self {
        self.collapse = options;
        self
    }

    /// The value, to be shown with these options: what the macros of this crate take in the place of the value.
    #[must_use]
    pub fn of<T: ?Sized>(self, value: &T) -> WithOptions<'_, T> {
        WithOptions { value, options: self }
    }
}

impl Default for SnapshotOptions {
    fn default() -> Self {
        Self::new()
    }
}

/// A value and how it is shown; made by [`SnapshotOptions::of`].
#[derive(Clone, Debug)]
pub struct WithOptions<'a, T: ?Sized> {
    pub(crate) value: &'a T,
    pub(crate) options: SnapshotOptions,
}
