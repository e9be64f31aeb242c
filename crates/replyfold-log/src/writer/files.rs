//! The files of a log as the writer sees them: few operations, so that a test can let each of them fail.

use crate::input::Input;
use crate::segments;
use std::any::Any;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Where files are.
pub(crate) trait Files: Send + Sync {
    /// Takes the lock of a log, until what it gives is dropped; makes the base file if it is not there.
    fn lock(&self, base: &Path) -> Result<Box<dyn Any + Send>, TryLockError>;
    /// Opens a file to be read and written.
    fn open(&self, path: &Path) -> io::Result<Box<dyn LogFile>>;
    /// Makes a file that is not there yet.
    fn create(&self, path: &Path) -> io::Result<Box<dyn LogFile>>;
    /// Makes the names in the directory of a file durable.
    fn sync_directory(&self, of: &Path) -> io::Result<()>;
    /// The names in the directory of a file.
    fn names(&self, beside: &Path) -> Vec<OsString>;
    /// The bytes of a file, unpacked; `None` if it is not there.
    fn input(&self, path: &Path) -> io::Result<Option<Input>>;
}

/// One file that is written.
pub(crate) trait LogFile: Send {
    fn len(&self) -> io::Result<u64>;
    /// When it was made, if the system knows.
    fn created(&self) -> Option<SystemTime>;
    /// Reads at a place; 0 bytes at the end.
    fn read_at(&mut self, offset: u64, room: &mut [u8]) -> io::Result<usize>;
    /// Writes some of the bytes at a place.
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<usize>;
    fn set_len(&mut self, length: u64) -> io::Result<()>;
    /// Makes what was written durable.
    fn sync(&mut self) -> io::Result<()>;
}

/// Reads all bytes from a place on, up to the room that there is; fewer at the end.
pub(crate) fn read_full(file: &mut dyn LogFile, offset: u64, room: &mut [u8]) -> io::Result<usize> {
    let mut done = 0;
    while let Some(rest) = room.get_mut(done..).filter(|rest| !rest.is_empty()) {
        match file.read_at(offset + done as u64, rest) {
            Ok(0) => break,
            Ok(count) => done += count,
            Err(err) if err.kind() == io::ErrorKind::Interrupted => {}
            Err(err) => return Err(err),
        }
    }
    Ok(done)
}

/// Writes all of the bytes at a place.
pub(crate) fn write_full(file: &mut dyn LogFile, offset: u64, bytes: &[u8]) -> io::Result<()> {
    let mut done = 0;
    while let Some(rest) = bytes.get(done..).filter(|rest| !rest.is_empty()) {
        match file.write_at(offset + done as u64, rest) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => done += count,
            Err(err) if err.kind() == io::ErrorKind::Interrupted => {}
            Err(err) => return Err(err),
        }
    }
    Ok(())
}

/// The files of the system.
pub(crate) struct Disk;

impl Disk {
    fn opened(options: &OpenOptions, path: &Path) -> io::Result<File> {
        let file = options.open(path)?;
        match file.metadata()?.is_file() {
            true => Ok(file),
            false => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file")),
        }
    }
}

impl Files for Disk {
    fn lock(&self, base: &Path) -> Result<Box<dyn Any + Send>, TryLockError> {
        let options = &mut OpenOptions::new();
        options.read(true).write(true).create(true);
        let file = Self::opened(options, base).map_err(TryLockError::Error)?;
        // Where a lock keeps others from reading, it is that of a file which nobody reads.
        let file = if cfg!(windows) { options.open(lock_file(base)).map_err(TryLockError::Error)? } else { file };
        file.try_lock()?;
        Ok(Box::new(Locked(file)))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn LogFile>> {
        Ok(Box::new(Self::opened(OpenOptions::new().read(true).write(true), path)?))
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn LogFile>> {
        Ok(Box::new(OpenOptions::new().read(true).write(true).create_new(true).open(path)?))
    }

    fn sync_directory(&self, of: &Path) -> io::Result<()> {
        // Only Unix can open a directory; elsewhere its names are as durable as the system makes them.
        if cfg!(unix) { File::open(segments::directory_of(of))?.sync_all() } else { Ok(()) }
    }

    fn names(&self, beside: &Path) -> Vec<OsString> {
        segments::names_beside(beside)
    }

    fn input(&self, path: &Path) -> io::Result<Option<Input>> {
        segments::open_input(path)
    }
}

/// A file that is locked until this is dropped. A process that another thread starts meanwhile has the file too, for a moment; so it is unlocked
/// and not only closed.
struct Locked(File);

impl Drop for Locked {
    fn drop(&mut self) {
        // Closing it does the same, a moment later.
        let _ = self.0.unlock();
    }
}

fn lock_file(base: &Path) -> PathBuf {
    let mut name = base.as_os_str().to_owned();
    name.push(".lock");
    name.into()
}

impl LogFile for File {
    fn len(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn created(&self) -> Option<SystemTime> {
        self.metadata().ok().and_then(|metadata: fs::Metadata| metadata.created().ok())
    }

    fn read_at(&mut self, offset: u64, room: &mut [u8]) -> io::Result<usize> {
        self.seek(SeekFrom::Start(offset))?;
        self.read(room)
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<usize> {
        self.seek(SeekFrom::Start(offset))?;
        self.write(bytes)
    }

    fn set_len(&mut self, length: u64) -> io::Result<()> {
        Self::set_len(self, length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}
