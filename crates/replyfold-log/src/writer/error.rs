//! Why a log cannot be written.

use crate::{Format, LogError};
use replyfold_dialect::Dialect;
use std::fs::TryLockError;
use std::path::{Path, PathBuf};
use std::{error, fmt, io};

/// Why a log cannot be opened for writing, or an event was not appended: the file, where in it, the reason, and what to do.
#[derive(Debug)]
pub struct WriteError {
    path: PathBuf,
    kind: Box<Kind>,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Locked,
    Dialect {
        found: Dialect,
        told: Dialect,
    },
    Format(Format),
    Gzip,
    Segment {
        base: PathBuf,
    },
    Clock(&'static str),
    Damaged {
        offset: u64,
        rest: u64,
    },
    Unreadable(LogError),
    /// Something failed while this was done.
    Failed {
        what: &'static str,
        offset: Option<u64>,
        source: io::Error,
    },
    Poisoned(String),
    Full,
}

impl WriteError {
    pub(crate) fn new(path: &Path, kind: Kind) -> Self {
        Self { path: path.to_owned(), kind: Box::new(kind) }
    }

    pub(crate) fn failed(path: &Path, what: &'static str, source: io::Error) -> Self {
        Self::new(path, Kind::Failed { what, offset: None, source })
    }

    pub(crate) fn lock(path: &Path, err: TryLockError) -> Self {
        match err {
            TryLockError::WouldBlock => Self::new(path, Kind::Locked),
            TryLockError::Error(source) => Self::failed(path, "open the log for writing", source),
        }
    }

    /// Whether another writer has the log open.
    #[must_use]
    pub fn is_locked(&self) -> bool {
        matches!(*self.kind, Kind::Locked)
    }

    /// Whether the log is of another dialect than the one to be written.
    #[must_use]
    pub fn is_other_dialect(&self) -> bool {
        matches!(*self.kind, Kind::Dialect { .. })
    }

    /// Whether an earlier write failed, so that this one was not tried.
    #[must_use]
    pub fn is_poisoned(&self) -> bool {
        matches!(*self.kind, Kind::Poisoned(_))
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Kind::Unreadable(err) = &*self.kind {
            return write!(f, "{err}; what is appended after that could not be read: move the log away, or repair it first");
        }
        write!(f, "{}: ", self.path.display())?;
        match &*self.kind {
            Kind::Locked => f.write_str(
                "another writer has the log open: two would write into each other's records; close that one first, or write to another log",
            ),
            Kind::Dialect { found, told } => write!(
                f,
                "the log is of the {found} dialect, and {told} was to be appended: write {found}, or convert the log to {told} first (`replyfold convert --to {told}`)"
            ),
            Kind::Format(format) => {
                let what = match format {
                    Format::Sse => "a capture of server-sent events",
                    Format::JsonArray => "a JSON array",
                    Format::Jsonl => "JSONL",
                };
                write!(f, "the log is {what}, and only JSONL can be appended to: convert it first (`replyfold convert`)")
            }
            Kind::Gzip => f.write_str("the log is packed with gzip, which cannot be appended to safely: unpack it, or pack it with zstd"),
            Kind::Segment { base } => {
                write!(f, "the file is a segment of {}, by its name: open that one, which goes on in its last segment", base.display())
            }
            Kind::Clock(option) => write!(f, "`{option}` needs a clock: give one to `WriterOptions::with_clock`"),
            Kind::Damaged { offset, rest } => write!(
                f,
                "the zstd data is damaged at byte {offset} and goes on behind it ({rest} bytes to the end): what is appended could not be read; keep a copy, then cut the file there"
            ),
            Kind::Unreadable(_) => Ok(()),
            Kind::Failed { what, offset: Some(offset), source } => {
                write!(f, "cannot {what} at byte {offset}: {source}; nothing more is written until the log is opened again")
            }
            Kind::Failed { what, offset: None, source } => write!(f, "cannot {what}: {source}"),
            Kind::Poisoned(first) => {
                write!(f, "nothing is written after an earlier failure: open the log again, which repairs it (it was: {first})")
            }
            Kind::Full => f.write_str("the log has as many segments as can be counted: start another one"),
        }
    }
}

impl error::Error for WriteError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match &*self.kind {
            Kind::Failed { source, .. } => Some(source),
            Kind::Unreadable(err) => err.source(),
            Kind::Locked
            | Kind::Dialect { .. }
            | Kind::Format(_)
            | Kind::Gzip
            | Kind::Segment { .. }
            | Kind::Clock(_)
            | Kind::Damaged { .. }
            | Kind::Poisoned(_)
            | Kind::Full => None,
        }
    }
}
