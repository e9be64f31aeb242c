//! The file that is written.

use super::error::Kind;
use super::files::{Files, LogFile, write_full};
use super::frames::Packer;
use super::{Packing, Repair, WriteError, repair};
use crate::segments::segment_path;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Bytes of lines that wait for their frame at most, unpacked: more of them pack no better.
const PENDING: usize = 1024 * 1024;

/// The last segment of a log.
pub(super) struct Active {
    file: Box<dyn LogFile>,
    pub(super) path: PathBuf,
    pub(super) number: u32,
    packing: Packing,
    /// Bytes that were written to it and are whole records.
    length: u64,
    /// Lines that wait for their frame.
    pending: Vec<u8>,
    /// Made with the first frame.
    packer: Option<Packer>,
    /// Whether some of what was written is not durable.
    dirty: bool,
}

impl Active {
    /// Opens a file that is there, and mends its end.
    pub(super) fn open(
        files: &dyn Files,
        base: &Path,
        number: u32,
        packing: Packing,
        repairs: &mut Vec<Repair>,
    ) -> Result<Self, WriteError> {
        let path = segment_path(base, number);
        let mut file = files.open(&path).map_err(|err| WriteError::failed(&path, "open the log for writing", err))?;
        let found = repair::packing(file.as_mut(), &path)?;
        // It makes all that is in the file durable, whoever wrote it.
        let length = repair::repair(files, file.as_mut(), &path, found, repairs)?;
        // Its name too, and those of the segments before it.
        files.sync_directory(&path).map_err(|err| WriteError::failed(&path, "make the name of the file durable", err))?;
        let packing = if length == 0 { packing } else { found };
        Ok(Self { file, path, number, packing, length, pending: Vec::new(), packer: None, dirty: false })
    }

    /// Makes the next file.
    pub(super) fn create(files: &dyn Files, base: &Path, number: u32, packing: Packing) -> Result<Self, WriteError> {
        let path = segment_path(base, number);
        let failed = |err| WriteError::failed(&path, "go on in a new segment", err);
        let file = files.create(&path).map_err(failed)?;
        files.sync_directory(&path).map_err(failed)?;
        Ok(Self { file, path, number, packing, length: 0, pending: Vec::new(), packer: None, dirty: false })
    }

    pub(super) fn created(&self) -> Option<SystemTime> {
        self.file.created()
    }

    /// Bytes in the file, and those that wait for their frame.
    pub(super) fn size(&self) -> u64 {
        self.length + self.pending.len() as u64
    }

    /// Writes lines, perhaps later.
    pub(super) fn write(&mut self, lines: &[u8]) -> Result<(), WriteError> {
        match self.packing {
            Packing::Plain => self.put(lines),
            Packing::Zstd => {
                self.pending.extend_from_slice(lines);
                if self.pending.len() >= PENDING { self.flush() } else { Ok(()) }
            }
        }
    }

    /// Writes lines and makes them durable; what fails is taken back as far as it can be.
    pub(super) fn write_durably(&mut self, lines: &[u8]) -> Result<(), WriteError> {
        let before = self.length;
        self.write(lines)?;
        self.sync().inspect_err(|_| {
            // A reader should not see what was not acknowledged. If this fails too, opening the log finds a whole record, which stays.
            let _ = self.file.set_len(before);
        })
    }

    /// Writes what waits, and makes all that was written durable.
    pub(super) fn sync(&mut self) -> Result<(), WriteError> {
        self.flush()?;
        if self.dirty {
            self.file.sync().map_err(|source| self.failed("make durable what was appended", source))?;
            self.dirty = false;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), WriteError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let packer = match self.packer.take() {
            Some(packer) => Ok(packer),
            None => Packer::new(),
        };
        let frame = packer.and_then(|packer| self.packer.insert(packer).frame(&self.pending));
        let frame = frame.map_err(|source| self.failed("pack what was appended", source))?;
        self.put(&frame)?;
        self.pending.clear();
        Ok(())
    }

    /// Writes at the end. Of what fails in the middle nothing stays, if it can be cut off; else opening the log again moves it aside.
    fn put(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        if let Err(source) = write_full(self.file.as_mut(), self.length, bytes) {
            let _ = self.file.set_len(self.length);
            return Err(self.failed("append to the log", source));
        }
        self.length += bytes.len() as u64;
        self.dirty = true;
        Ok(())
    }

    fn failed(&self, what: &'static str, source: std::io::Error) -> WriteError {
        WriteError::new(&self.path, Kind::Failed { what, offset: Some(self.length), source })
    }
}
