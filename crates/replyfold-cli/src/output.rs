//! Where output goes: data on standard output, everything else on standard error.

mod screen;

pub(crate) use screen::{Clean, PLAIN, Paper, Screen};

use replyfold::log::Place;
use std::fmt;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

/// How a command ended well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Fine,
    Findings,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Fine => Self::SUCCESS,
            Outcome::Findings => Self::from(1),
        }
    }
}

/// Why a command could not do what it was asked.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The log cannot be opened or read on.
    Log(String),
    /// A bad record came in a strict run.
    BadRecord(String),
    Output(io::Error),
    Usage(String),
}

impl Failure {
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::BadRecord(_) => ExitCode::from(1),
            Self::Output(_) if self.is_closed_pipe() => ExitCode::SUCCESS,
            Self::Log(_) | Self::Output(_) | Self::Usage(_) => ExitCode::from(2),
        }
    }

    pub(crate) fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Output(err) if err.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// How the reading of a log ended. Either way there is something to show.
#[derive(Debug)]
#[must_use = "a run that was stopped fails after what was read is shown"]
pub(crate) enum End {
    /// All that was wanted was read.
    Whole,
    /// Where the log cannot be read on.
    Stopped(Failure),
    /// At a bad record in a strict run.
    BadRecord { log: String, place: Place, is_torn: bool, reason: String },
}

impl End {
    pub(crate) fn is_whole(&self) -> bool {
        matches!(self, Self::Whole)
    }

    /// The bad record that ended a strict run: its place, whether it is torn, and the reason.
    pub(crate) fn bad(&self) -> Option<(Place, bool, &str)> {
        match self {
            Self::BadRecord { place, is_torn, reason, .. } => Some((*place, *is_torn, reason)),
            Self::Whole | Self::Stopped(_) => None,
        }
    }

    /// How the command ends after what was read is shown. The reader of a pipe that went away has seen enough; what was found before
    /// it did stays found.
    pub(crate) fn after(self, shown: Result<(), Failure>, outcome: Outcome) -> Result<Outcome, Failure> {
        match (shown, self) {
            (Err(err), _) if !err.is_closed_pipe() => Err(err),
            (_, Self::Whole) => Ok(outcome),
            (_, Self::Stopped(failure)) => Err(failure),
            (_, Self::BadRecord { log, place, reason, .. }) => Err(Failure::BadRecord(format!("{log}: {place}: {reason}"))),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Output(err) => write!(f, "cannot write: {err}"),
            Self::Log(text) | Self::BadRecord(text) | Self::Usage(text) => f.write_str(text),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(err: io::Error) -> Self {
        Self::Output(err)
    }
}

/// Standard output for people; styles are dropped where they would not be seen, or are not wanted (`NO_COLOR`).
pub(crate) fn screen() -> Screen<impl Write> {
    Screen::new(BufWriter::with_capacity(64 * 1024, anstream::AutoStream::auto(io::stdout())))
}

/// Standard output for data, which holds no styles: nothing looks for any.
pub(crate) fn data() -> impl Write {
    BufWriter::with_capacity(64 * 1024, io::stdout())
}

/// One line on standard error, whatever of the log it quotes.
pub(crate) fn complain(text: &str) {
    // There is nowhere left to tell that standard error is closed.
    let _ = writeln!(io::stderr(), "replyfold: {}", Clean(text));
}
