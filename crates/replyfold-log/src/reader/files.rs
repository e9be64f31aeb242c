//! Opening the files of a log.

use crate::buffer::Buffer;
use crate::input::Input;
use crate::segments::{self, Rest};
use crate::{LogError, LogOptions, LogReader};
use replyfold_dialect::EventReader;
use std::fs::{self, File};
use std::io;
use std::path::Path;

impl LogReader {
    /// Reads a log whose files are opened by others.
    pub(crate) fn over(input: Input, rest: Rest, options: LogOptions) -> Self {
        let mut reader = Self::with_options(io::empty(), options);
        reader.buffer = Ok(Buffer::new(input, 0));
        reader.file = Some(rest.path());
        reader.rest = Some(rest);
        reader
    }

    /// What the reader knows of the events that it has read.
    pub(crate) fn into_events(self) -> EventReader {
        self.events
    }

    /// Opens a log, with the usual options: a file, and the segments beside it that it was [continued in](crate::segment_path), as one log.
    ///
    /// # Errors
    ///
    /// The file cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, LogError> {
        Self::open_with(path, LogOptions::new())
    }

    /// Opens a log: a file, and the segments beside it that it was [continued in](crate::segment_path), as one log. A segment that is given
    /// by its own name is read alone. A log that goes on in a new segment while it is read is read on there.
    ///
    /// # Errors
    ///
    /// The file cannot be opened. A segment that is missing between others is an error once the reading comes there.
    pub fn open_with(path: impl AsRef<Path>, options: LogOptions) -> Result<Self, LogError> {
        let path = path.as_ref();
        let file = File::open(path).map_err(|err| cannot_open(path, err))?;
        let metadata = file.metadata();
        if metadata.as_ref().is_ok_and(fs::Metadata::is_dir) {
            return Err(LogError::open(path, io::Error::from(io::ErrorKind::IsADirectory)));
        }
        let mut reader = Self::with_options(file, options);
        reader.file = Some(path.to_owned());
        // What a pipe or a device is called says nothing of what stands beside it.
        reader.rest = metadata.is_ok_and(|metadata| metadata.is_file()).then(|| Rest::beside(path));
        Ok(reader)
    }
}

/// Why a log cannot be opened; one whose first files were taken away may still have its later segments.
fn cannot_open(path: &Path, err: io::Error) -> LogError {
    let last = if err.kind() == io::ErrorKind::NotFound { segments::last(path, &segments::names_beside(path)) } else { 0 };
    LogError::open(path, if last > 0 { segments::missing(path, last) } else { err })
}
