//! Logs in every form that a test has them in.

use replyfold_event::AgentEvent;
use replyfold_log::{LogError, LogReader};
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A record of a log.
#[derive(Clone, Debug)]
pub(crate) enum LogRecord {
    Event(Box<AgentEvent>),
    /// What could not be read, and why.
    Bad(String),
}

/// The records of a log.
#[derive(Clone, Debug)]
pub struct Log(pub(crate) Arc<[LogRecord]>);

impl Log {
    fn of_events(events: &[AgentEvent]) -> Self {
        Self(events.iter().cloned().map(|event| LogRecord::Event(Box::new(event))).collect())
    }

    fn of_reader(reader: LogReader) -> Result<Self, LogError> {
        let records = reader.map(|record| {
            let record = record?;
            Ok(match (record.event(), record.bad()) {
                (Some(event), _) => LogRecord::Event(Box::new(event.clone())),
                (None, bad) => LogRecord::Bad(bad.map(|bad| bad.reason.clone()).unwrap_or_default()),
            })
        });
        records.collect::<Result<_, _>>().map(Self)
    }
}

/// What can be given as a log: a path, the text of a log, events, a story.
///
/// A string is the text of a log if it holds a `{` or is empty, else it is a path; what has a brace in its path is given as a
/// [`Path`]. Text and files may be in every form that [`LogReader`] reads: JSONL, SSE captures, JSON arrays, in each dialect, files also packed
/// or in segments. Records of the coarse protocol are unknown events here; a [`Lifter`](replyfold_coarse::Lifter) makes fine ones of them.
pub trait ReadLog {
    /// Reads it.
    ///
    /// # Errors
    ///
    /// The file cannot be opened or read. A record that cannot be read is part of the log.
    fn read_log(&self) -> Result<Log, LogError>;
}

impl<T: ReadLog + ?Sized> ReadLog for &T {
    fn read_log(&self) -> Result<Log, LogError> {
        T::read_log(self)
    }
}

impl ReadLog for Log {
    fn read_log(&self) -> Result<Log, LogError> {
        Ok(self.clone())
    }
}

impl ReadLog for Path {
    fn read_log(&self) -> Result<Log, LogError> {
        Log::of_reader(LogReader::open(self)?)
    }
}

impl ReadLog for PathBuf {
    fn read_log(&self) -> Result<Log, LogError> {
        self.as_path().read_log()
    }
}

impl ReadLog for str {
    fn read_log(&self) -> Result<Log, LogError> {
        match self.is_empty() || self.contains('{') {
            true => Log::of_reader(LogReader::new(Cursor::new(self.to_owned()))),
            false => Path::new(self).read_log(),
        }
    }
}

impl ReadLog for String {
    fn read_log(&self) -> Result<Log, LogError> {
        self.as_str().read_log()
    }
}

impl ReadLog for [AgentEvent] {
    fn read_log(&self) -> Result<Log, LogError> {
        Ok(Log::of_events(self))
    }
}

impl ReadLog for Vec<AgentEvent> {
    fn read_log(&self) -> Result<Log, LogError> {
        self.as_slice().read_log()
    }
}

impl<const N: usize> ReadLog for [AgentEvent; N] {
    fn read_log(&self) -> Result<Log, LogError> {
        self.as_slice().read_log()
    }
}
