//! The file that keeps what the agent remembers.

use super::files::{folder_of, resolved};
use crate::output::Failure;
use replyfold::runtime::AgentState;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The file that keeps what the agent remembers: it is the old one or the new one, whatever happens.
pub(super) struct StateFile {
    /// As it was given.
    given: PathBuf,
    /// The file itself, of a link to it: the link stays.
    file: PathBuf,
}

impl StateFile {
    /// Looks for the state, and whether it can be kept there.
    pub(super) fn open(given: &Path) -> Result<(Self, Option<AgentState>), Failure> {
        let this = Self { given: given.to_owned(), file: resolved(given) };
        let state = this.load()?;
        // Found out before the agent does what is then forgotten.
        this.beside()?;
        Ok((this, state))
    }

    fn load(&self) -> Result<Option<AgentState>, Failure> {
        let path = self.given.display();
        let text = match fs::read_to_string(&self.file) {
            Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read.map_err(|err| Failure::Log(format!("{path}: the state cannot be read: {err}")))?,
        };
        serde_json::from_str(&text).map(Some).map_err(|err| Failure::Log(format!("{path}: this is no state of an agent: {err}")))
    }

    pub(super) fn save(&self, state: &AgentState) -> Result<(), Failure> {
        let failure = |err: io::Error| self.failure(&err);
        let mut file = self.beside()?;
        serde_json::to_writer_pretty(&mut file, state).map_err(|err| failure(err.into()))?;
        file.write_all(b"\n").and_then(|()| file.as_file().sync_all()).map_err(failure)?;
        file.persist(&self.file).map_err(|err| failure(err.error))?;
        Ok(())
    }

    /// A file beside it, which takes its place once it is whole.
    fn beside(&self) -> Result<NamedTempFile, Failure> {
        NamedTempFile::new_in(folder_of(&self.file)).map_err(|err| self.failure(&err))
    }

    fn failure(&self, err: &io::Error) -> Failure {
        // Without the name of the file beside it, which nobody has given.
        let why = err.get_ref().and_then(|named| named.source()).map_or_else(|| err.to_string(), ToString::to_string);
        let folder = folder_of(&self.file).display();
        Failure::Log(format!("{}: the state cannot be kept: no file can be written in `{folder}`: {why}", self.given.display()))
    }
}
