//! Why the reading stopped.

use crate::{BadRecord, Place};
use std::path::{Path, PathBuf};
use std::{error, fmt, io};

/// Why the reading of a log stopped: it could not be opened or read, or a bad record came and the reader was told to be strict.
#[derive(Debug)]
pub struct LogError {
    path: Option<PathBuf>,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Open(io::Error),
    Follow { reason: &'static str },
    Read { source: io::Error, offset: u64, is_packed: bool },
    Bad { place: Place, bad: Box<BadRecord> },
}

impl LogError {
    pub(crate) fn open(path: &Path, source: io::Error) -> Self {
        Self { path: Some(path.to_owned()), kind: Kind::Open(source) }
    }

    pub(crate) fn follow(path: &Path, reason: &'static str) -> Self {
        Self { path: Some(path.to_owned()), kind: Kind::Follow { reason } }
    }

    pub(crate) fn read(source: io::Error, offset: u64, is_packed: bool) -> Self {
        Self { path: None, kind: Kind::Read { source, offset, is_packed } }
    }

    pub(crate) fn bad(place: Place, bad: BadRecord) -> Self {
        Self { path: None, kind: Kind::Bad { place, bad: Box::new(bad) } }
    }

    pub(crate) fn at(mut self, path: Option<&Path>) -> Self {
        self.path = self.path.or_else(|| path.map(Path::to_owned));
        self
    }

    /// Whether a bad record is the reason: the reader was strict.
    #[must_use]
    pub fn is_bad_record(&self) -> bool {
        matches!(self.kind, Kind::Bad { .. })
    }

    /// The bad record and where it stands, if that is the reason.
    #[must_use]
    pub fn bad_record(&self) -> Option<(Place, &BadRecord)> {
        match &self.kind {
            Kind::Bad { place, bad } => Some((*place, bad)),
            Kind::Open(_) | Kind::Follow { .. } | Kind::Read { .. } => None,
        }
    }

    /// Where the bad record stands, if that is the reason.
    #[must_use]
    pub fn place(&self) -> Option<Place> {
        match &self.kind {
            Kind::Bad { place, .. } => Some(*place),
            Kind::Open(_) | Kind::Follow { .. } | Kind::Read { .. } => None,
        }
    }
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{}: ", path.display())?;
        }
        match &self.kind {
            Kind::Open(source) => write!(f, "cannot open the log: {source}"),
            Kind::Follow { reason } => write!(f, "cannot follow the log: {reason}"),
            Kind::Read { source, offset, is_packed } => {
                let of = if *is_packed { " of the unpacked log" } else { "" };
                write!(f, "cannot read on after byte {offset}{of}: {source}")
            }
            Kind::Bad { place, bad } => write!(f, "{place}: {}", bad.reason),
        }
    }
}

impl error::Error for LogError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match &self.kind {
            Kind::Open(source) | Kind::Read { source, .. } => Some(source),
            Kind::Follow { .. } | Kind::Bad { .. } => None,
        }
    }
}
