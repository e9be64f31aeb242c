//! Why an index is not there, not used, or not built.

use super::pages::PageError;
use crate::{Format, LogError, no_lines};
use std::path::{Path, PathBuf};
use std::{error, fmt, io};

/// Why an index cannot be built, used or read. Without one everything is the same, only slower.
#[derive(Debug)]
pub struct IndexError {
    pub(super) path: Option<PathBuf>,
    pub(super) kind: Kind,
}

#[derive(Debug)]
pub(super) enum Kind {
    Missing,
    /// The index is not what was written.
    Damaged(&'static str),
    /// Another build wrote it, in a form that this one does not know.
    Version(u64),
    /// The log was changed.
    Stale(&'static str),
    /// It was built for a log that is read in another way.
    Options,
    Form(Format),
    Packed,
    Stopped,
    Io(io::Error),
    Log(LogError),
}

impl IndexError {
    /// Whether there is no index.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(self.kind, Kind::Missing)
    }

    /// Whether there is an index that does not fit the log as it is: a new one would.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        matches!(self.kind, Kind::Stale(_) | Kind::Damaged(_) | Kind::Version(_))
    }

    /// Whether the log is of a form that has no index: packed, a capture, an array.
    #[must_use]
    pub fn is_unfit(&self) -> bool {
        matches!(self.kind, Kind::Form(_) | Kind::Packed)
    }

    /// Why the log could not be read, if that is the reason.
    #[must_use]
    pub fn log_error(&self) -> Option<&LogError> {
        if let Kind::Log(err) = &self.kind { Some(err) } else { None }
    }

    pub(crate) fn at(mut self, path: &Path) -> Self {
        self.path.get_or_insert_with(|| path.to_owned());
        self
    }

    /// The index does not hold what it should.
    pub(crate) fn damaged(what: &'static str) -> Self {
        Kind::Damaged(what).into()
    }

    /// The log is not the one that was indexed.
    pub(crate) fn stale(what: &'static str) -> Self {
        Kind::Stale(what).into()
    }

    pub(crate) fn stopped() -> Self {
        Kind::Stopped.into()
    }
}

impl From<Kind> for IndexError {
    fn from(kind: Kind) -> Self {
        Self { path: None, kind }
    }
}

impl From<io::Error> for IndexError {
    fn from(err: io::Error) -> Self {
        Kind::Io(err).into()
    }
}

impl From<LogError> for IndexError {
    fn from(err: LogError) -> Self {
        Kind::Log(err).into()
    }
}

impl From<PageError> for IndexError {
    fn from(err: PageError) -> Self {
        match err {
            PageError::Io(err) => Kind::Io(err).into(),
            PageError::Damaged => Kind::Damaged("a page has another checksum than it was written with").into(),
        }
    }
}

impl fmt::Display for IndexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The reader of a log names it.
        if let Some(path) = self.path.as_ref().filter(|_| !matches!(self.kind, Kind::Log(_))) {
            write!(f, "{}: ", path.display())?;
        }
        match &self.kind {
            Kind::Missing => f.write_str("the log has no index"),
            Kind::Damaged(what) => write!(f, "the index is damaged: {what}"),
            Kind::Version(version) => write!(f, "the index has version {version}, and this is version {}", super::VERSION),
            Kind::Stale(what) => write!(f, "the log is not as it was when it was indexed: {what}"),
            Kind::Options => f.write_str("the index was built for a log that is read in another way"),
            Kind::Form(format) => f.write_str(no_lines(*format)),
            Kind::Packed => {
                f.write_str("the log is packed, so that no place of it can be read without what is before: unpack it first, as `zstd -d` and `gzip -d` do")
            }
            Kind::Stopped => f.write_str("stopped"),
            Kind::Io(err) => write!(f, "cannot read the log or its index, or write that: {err}"),
            Kind::Log(err) => err.fmt(f),
        }
    }
}

impl error::Error for IndexError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match &self.kind {
            Kind::Io(err) => Some(err),
            Kind::Log(err) => Some(err),
            _ => None,
        }
    }
}
