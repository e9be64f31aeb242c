//! What an index is told.

use crate::{LogOptions, Strictness};
use replyfold_reduce::ReduceOptions;

/// How a log is read and folded that has an index, and how close the points are at which the index knows the fold.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct IndexOptions {
    /// How the log is read. An index answers only for the options that it was built with; strictness is for whoever asks for bad records.
    pub log: LogOptions,
    /// How it is folded.
    pub reduce: ReduceOptions,
    /// Records from one point to the next: fewer make seeking shorter and the index larger. An interval also ends after a mebibyte.
    pub interval: u64,
    /// Records that are read at once: the offset of every so many is known. A block also ends after 64 KiB.
    pub block: u64,
}

impl Default for IndexOptions {
    fn default() -> Self {
        Self { log: LogOptions::new(), reduce: ReduceOptions::new(), interval: 1024, block: 64 }
    }
}

impl IndexOptions {
    /// The usual options.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The log is read in this way.
    #[must_use]
    pub fn with_log(mut self, log: LogOptions) -> Self {
        self.log = log.with_strictness(Strictness::Lenient);
        self
    }

    /// It is folded in this way. Duplicates are always looked for.
    #[must_use]
    pub fn with_reduce(mut self, reduce: ReduceOptions) -> Self {
        self.reduce = reduce.with_check_duplicates(true);
        self
    }

    /// So many records from one point at which the fold is known to the next, and in what is read at once; at least one each.
    #[must_use]
    pub fn with_sizes(mut self, interval: u64, block: u64) -> Self {
        (self.interval, self.block) = (interval.max(1), block.max(1));
        self
    }
}
