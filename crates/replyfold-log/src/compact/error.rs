//! Why a log was not compacted.

use crate::{Format, LogError};
use std::path::{Path, PathBuf};
use std::{error, fmt, io};

/// Why a log was not compacted. Nothing was written then.
#[derive(Debug)]
pub struct CompactError(Kind);

#[derive(Debug)]
pub(super) enum Kind {
    Read(LogError),
    Form { path: Option<PathBuf>, format: Format },
    ReadsOtherwise { path: Option<PathBuf>, position: u64 },
    Exists(PathBuf),
    InPlace(PathBuf),
    Write { path: Option<PathBuf>, source: io::Error },
}

impl CompactError {
    /// Whether the output is there already and was not to be replaced.
    #[must_use]
    pub fn is_existing(&self) -> bool {
        matches!(self.0, Kind::Exists(_))
    }

    /// Why the log could not be read, if that is the reason.
    #[must_use]
    pub fn log_error(&self) -> Option<&LogError> {
        if let Kind::Read(err) = &self.0 { Some(err) } else { None }
    }

    /// With the names of the files that it is about.
    pub(super) fn at(mut self, log: Option<&Path>, out: &Path) -> Self {
        match &mut self.0 {
            Kind::Form { path, .. } | Kind::ReadsOtherwise { path, .. } => *path = log.map(Path::to_owned),
            Kind::Write { path, .. } => *path = Some(out.to_owned()),
            Kind::Read(_) | Kind::Exists(_) | Kind::InPlace(_) => {}
        }
        self
    }

    pub(super) fn write(path: Option<&Path>, source: io::Error) -> Self {
        Self(Kind::Write { path: path.map(Path::to_owned), source })
    }
}

impl From<Kind> for CompactError {
    fn from(kind: Kind) -> Self {
        Self(kind)
    }
}

impl From<LogError> for CompactError {
    fn from(err: LogError) -> Self {
        Self(Kind::Read(err))
    }
}

/// What a log is that has no lines of its own, and what to do about it.
pub(crate) fn no_lines(format: Format) -> &'static str {
    match format {
        Format::Sse => "the log is a capture of server-sent events and not JSONL: write it as JSONL first, as `replyfold convert` does",
        Format::JsonArray => "the log is a JSON array and not JSONL: write it as JSONL first, as `replyfold convert` does",
        Format::Jsonl => "the log is JSONL",
    }
}

impl fmt::Display for CompactError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = match &self.0 {
            Kind::Form { path, .. } | Kind::ReadsOtherwise { path, .. } | Kind::Write { path, .. } => path.as_ref(),
            Kind::Exists(path) | Kind::InPlace(path) => Some(path),
            Kind::Read(_) => None,
        };
        if let Some(path) = path {
            write!(f, "{}: ", path.display())?;
        }
        match &self.0 {
            Kind::Read(err) => err.fmt(f),
            Kind::Form { format, .. } => f.write_str(no_lines(*format)),
            Kind::ReadsOtherwise { position, .. } => write!(
                f,
                "the record at position {position} would be read as another event in the compacted log: its events that came twice matter to its readers, so it cannot be compacted"
            ),
            Kind::Exists(_) => f.write_str("the file is there already and was not to be replaced"),
            Kind::InPlace(_) => f.write_str("a log is never compacted in place: write to another file"),
            Kind::Write { source, .. } => write!(f, "cannot write: {source}"),
        }
    }
}

impl error::Error for CompactError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match &self.0 {
            Kind::Read(err) => Some(err),
            Kind::Write { source, .. } => Some(source),
            Kind::Form { .. } | Kind::ReadsOtherwise { .. } | Kind::Exists(_) | Kind::InPlace(_) => None,
        }
    }
}
