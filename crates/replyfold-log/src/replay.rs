//! Folding a whole log in one call.

use crate::{BadRecord, LogError, LogOptions, LogReader, OutcomeRef, Place};
use replyfold_reduce::{ReduceOptions, SessionReducer};
use std::path::Path;

/// A log that was folded.
#[derive(Debug)]
#[non_exhaustive]
pub struct Replay {
    /// The fold: messages, notes, open blocks.
    pub session: SessionReducer,
    /// Number of records, readable or not.
    pub records: u64,
    /// The records that could not be read.
    pub bad: Vec<(Place, BadRecord)>,
}

/// Folds the log in a file, with the usual options.
///
/// # Errors
///
/// The file cannot be opened or read. Bad records are no errors; they are in [`Replay::bad`].
pub fn replay(path: impl AsRef<Path>) -> Result<Replay, LogError> {
    replay_with(LogReader::open_with(path, LogOptions::new())?, ReduceOptions::new(), u64::MAX)
}

/// Folds at most the first `records` records of a log.
///
/// ```
/// use replyfold_log::{LogReader, replay_with};
/// use replyfold_reduce::ReduceOptions;
///
/// let log = "{\"type\":\"AGENT_START\",\"replyId\":\"r1\",\"createdAt\":\"T\"}\nnonsense\n";
/// let replay = replay_with(LogReader::new(log.as_bytes()), ReduceOptions::new(), u64::MAX)?;
/// assert_eq!((replay.records, replay.session.messages().count()), (2, 1));
/// assert_eq!(replay.bad.first().map(|(place, _)| place.line), Some(2));
/// # Ok::<(), replyfold_log::LogError>(())
/// ```
///
/// # Errors
///
/// The log cannot be read, or a bad record came and the reader is strict.
pub fn replay_with(mut reader: LogReader, options: ReduceOptions, records: u64) -> Result<Replay, LogError> {
    let mut replay = Replay { session: SessionReducer::with_options(options), records: 0, bad: Vec::new() };
    while replay.records < records
        && let Some(record) = reader.next_ref()
    {
        let record = record?;
        replay.records += 1;
        match record.outcome {
            OutcomeRef::Event(read) => {
                replay.session.apply_at(record.position, read.event);
            }
            OutcomeRef::Bad(bad) => replay.bad.push((record.place, bad.clone())),
        }
    }
    Ok(replay)
}
