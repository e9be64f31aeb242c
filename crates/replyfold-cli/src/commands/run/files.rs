//! The files of a run: none is two things at once.

use crate::args::Run;
use crate::output::Failure;
use replyfold::log::segments;
use std::fs::{self, Metadata};
#[cfg(unix)]
use std::io;
use std::path::{Path, PathBuf};

/// What a file is to a run.
struct Role {
    name: &'static str,
    /// As it was given; empty if the shell opened it.
    given: PathBuf,
    /// With links followed.
    file: PathBuf,
    number: Option<Number>,
}

/// What the system calls a file: device and number of it, the same by all its names.
type Number = (u64, u64);

impl Role {
    fn new(name: &'static str, given: &Path) -> Self {
        let file = resolved(given);
        let number = fs::metadata(&file).ok().and_then(|found| number(&found));
        Self { name, given: given.to_owned(), file, number }
    }

    fn is_file_of(&self, other: &Self) -> bool {
        (!self.given.as_os_str().is_empty() && self.file == other.file) || (self.number.is_some() && self.number == other.number)
    }
}

/// Refuses files that would overwrite each other, before anything is opened for writing.
pub(super) fn check(args: &Run) -> Result<(), Failure> {
    for (name, path) in [("--log", &args.log), ("--state", &args.state)] {
        if path.as_ref().is_some_and(|path| path.as_os_str() == "-") {
            return Err(Failure::Usage(format!("{name} writes a file: give its name (`./-` for one that is called so)")));
        }
    }
    let mut others = match args.script.as_os_str() == "-" {
        true => Vec::new(),
        false => vec![Role::new("--script", &args.script)],
    };
    others.extend(opened_by_shell(args.script.as_os_str() == "-"));
    let log = args.log.as_deref().map(|log| {
        // One that cannot be looked at is told when the log is opened.
        let parts = segments(log).unwrap_or_default();
        [log.to_owned()].into_iter().chain(parts).map(|part| Role::new("--log", &part)).collect::<Vec<_>>()
    });
    let log = log.unwrap_or_default();
    let state = args.state.as_deref().map(|state| Role::new("--state", state));
    let pairs = log.iter().flat_map(|log| others.iter().chain(&state).map(move |other| (other, log)));
    let pairs = pairs.chain(state.iter().flat_map(|state| others.iter().map(move |other| (other, state))));
    match pairs.into_iter().find(|(one, other)| one.is_file_of(other)) {
        None => Ok(()),
        Some((one, other)) => {
            let path = other.given.display();
            let (one, other) = (one.name, other.name);
            Err(Failure::Usage(format!("{path}: {one} and {other} are one file, and would overwrite each other: give each its own")))
        }
    }
}

/// The file that a path leads to, links followed; of one that is not there, where it would be made.
pub(super) fn resolved(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    // As many links as systems follow.
    for _ in 0..40 {
        if let Ok(whole) = fs::canonicalize(&path) {
            return whole;
        }
        let Some(name) = path.file_name().map(ToOwned::to_owned) else { break };
        let folder = fs::canonicalize(folder_of(&path)).unwrap_or_else(|_| folder_of(&path).to_owned());
        path = folder.join(name);
        // A link to what is not there yet.
        match fs::read_link(&path) {
            Ok(target) => path = folder.join(target),
            Err(_) => break,
        }
    }
    path
}

pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(unix)]
fn number(found: &Metadata) -> Option<Number> {
    use std::os::unix::fs::MetadataExt as _;
    Some((found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn number(_: &Metadata) -> Option<Number> {
    None
}

/// The files that a shell has opened for the command.
#[cfg(unix)]
fn opened_by_shell(reads_script: bool) -> Vec<Role> {
    use std::os::fd::AsFd as _;
    let (input, output, errors) = (io::stdin(), io::stdout(), io::stderr());
    let input = reads_script.then(|| ("the script on standard input", input.as_fd()));
    let all = input.into_iter().chain([("standard output", output.as_fd()), ("standard error", errors.as_fd())]);
    let file = |(name, handle): (_, std::os::fd::BorrowedFd<'_>)| {
        let found = fs::File::from(handle.try_clone_to_owned().ok()?).metadata().ok()?;
        // Whatever else it is, a terminal or a pipe, is not overwritten.
        let number = if found.is_file() { number(&found) } else { None };
        number.map(|number| Role { name, given: PathBuf::new(), file: PathBuf::new(), number: Some(number) })
    };
    all.filter_map(file).collect()
}

#[cfg(not(unix))]
fn opened_by_shell(_: bool) -> Vec<Role> {
    Vec::new()
}
