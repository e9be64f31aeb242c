//! Mending the end of a log when it is opened, so that the next record stands on a line of its own.

use super::error::Kind;
use super::files::{Files, LogFile, read_full, write_full};
use super::frames::{Frames, Packer};
use super::tail::{Tail, last_line};
use super::{Packing, WriteError};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// What opening a log mended. Nothing is ever deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Repair {
    /// The last record was whole and only lacked its newline, which it was given.
    #[non_exhaustive]
    Completed {
        /// The file.
        file: PathBuf,
        /// Where in it the newline was written.
        offset: u64,
    },
    /// Bytes of a cut write stood at the end; they are in a file of their own now.
    #[non_exhaustive]
    Moved {
        /// The file.
        file: PathBuf,
        /// Where in it they began.
        offset: u64,
        /// How many there were.
        bytes: u64,
        /// The file that they were moved to.
        to: PathBuf,
    },
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Completed { file, offset } => {
                write!(f, "{}: the last record is whole and lacked its newline, which was written at byte {offset}", file.display())
            }
            Self::Moved { file, offset, bytes, to } => {
                let counted = if *bytes == 1 { "1 byte".to_owned() } else { format!("{bytes} bytes") };
                write!(f, "{}: {counted} of a cut write at byte {offset} were moved to {}", file.display(), to.display())
            }
        }
    }
}

/// Bytes at the end of a file that are looked at first; as many more as the last line takes.
const PIECE: u64 = 64 * 1024;

/// How a file that is not empty is packed, by its first bytes.
pub(crate) fn packing(file: &mut dyn LogFile, path: &Path) -> Result<Packing, WriteError> {
    let mut head = [0; 4];
    let count = read_full(file, 0, &mut head).map_err(|err| WriteError::failed(path, "read the log", err))?;
    match head.get(..count) {
        Some([0x1f, 0x8b, ..]) => Err(WriteError::new(path, Kind::Gzip)),
        // A first frame of which not even the magic number is whole is a first frame that was cut.
        Some([0x28, 0xb5, 0x2f, 0xfd] | [0x28] | [0x28, 0xb5] | [0x28, 0xb5, 0x2f] | [0x50..=0x5f, 0x2a, 0x4d, 0x18]) => Ok(Packing::Zstd),
        _ => Ok(Packing::Plain),
    }
}

/// Mends the end of the last file of a log; gives its length then.
pub(crate) fn repair(
    files: &dyn Files,
    file: &mut dyn LogFile,
    path: &Path,
    packing: Packing,
    repairs: &mut Vec<Repair>,
) -> Result<u64, WriteError> {
    let length = file.len().map_err(|err| WriteError::failed(path, "read the log", err))?;
    let (keep, newline) = match packing {
        Packing::Plain => plain(file, length).map_err(|err| WriteError::failed(path, "read the log", err))?,
        Packing::Zstd => packed(file, path, length)?,
    };
    if keep < length {
        let to = set_aside(files, file, path, keep, length)?;
        file.set_len(keep).and_then(|()| file.sync()).map_err(|err| WriteError::failed(path, "cut off the torn bytes", err))?;
        repairs.push(Repair::Moved { file: path.to_owned(), offset: keep, bytes: length - keep, to });
    }
    write_full(file, keep, &newline).and_then(|()| file.sync()).map_err(|err| WriteError::failed(path, "mend the end of the log", err))?;
    if !newline.is_empty() {
        repairs.push(Repair::Completed { file: path.to_owned(), offset: keep });
    }
    Ok(keep + newline.len() as u64)
}

/// How much of a plain file stays, and the bytes that complete its last record.
fn plain(file: &mut dyn LogFile, length: u64) -> io::Result<(u64, Vec<u8>)> {
    let mut size = PIECE.min(length);
    loop {
        let start = length - size;
        // As large as the last line, which a reader of the log holds in memory too.
        let mut bytes = vec![0; usize::try_from(size).map_err(io::Error::other)?];
        let count = read_full(file, start, &mut bytes)?;
        bytes.truncate(count);
        // Where a line begins is only known behind the end of another, or at the start of the file.
        let begin = last_line(&bytes).filter(|line| *line > 0).or((start == 0).then_some(0));
        if let Some(begin) = begin {
            let tail = Tail::of(bytes.get(begin..).unwrap_or_default());
            let newline = if tail.lacks_newline { b"\n".to_vec() } else { Vec::new() };
            return Ok((start + (begin + tail.keep) as u64, newline));
        }
        size = (size * 4).min(length);
    }
}

/// How much of a packed file stays, and the frame that completes its last record.
fn packed(file: &mut dyn LogFile, path: &Path, length: u64) -> Result<(u64, Vec<u8>), WriteError> {
    let failed = |err| WriteError::failed(path, "read the log", err);
    let frames = Frames::of(file, length).map_err(failed)?;
    if frames.resume {
        return Err(WriteError::new(path, Kind::Damaged { offset: frames.end, rest: length - frames.end }));
    }
    // What stands within a whole frame stays there: the newline alone ends its line.
    let lacks_newline = frames.tail.last().is_some_and(|byte| *byte != b'\n');
    let newline = if lacks_newline { Packer::new().and_then(|mut packer| packer.frame(b"\n")).map_err(failed)? } else { Vec::new() };
    Ok((frames.end, newline))
}

/// Copies the end of a file to a file of its own, which is durable then.
fn set_aside(files: &dyn Files, file: &mut dyn LogFile, path: &Path, from: u64, to: u64) -> Result<PathBuf, WriteError> {
    let (side, mut aside) = new_side_file(files, path, from)?;
    let failed = |err| WriteError::failed(&side, "keep the torn bytes of the log", err);
    let mut piece = vec![0; 64 * 1024];
    let mut offset = from;
    while offset < to {
        let count = read_full(file, offset, &mut piece).map_err(failed)?;
        if count == 0 {
            break;
        }
        write_full(aside.as_mut(), offset - from, piece.get(..count).unwrap_or_default()).map_err(failed)?;
        offset += count as u64;
    }
    aside.sync().and_then(|()| files.sync_directory(&side)).map_err(failed)?;
    Ok(side)
}

/// A new file beside the log, named after it and the place of the torn bytes.
fn new_side_file(files: &dyn Files, path: &Path, offset: u64) -> Result<(PathBuf, Box<dyn LogFile>), WriteError> {
    for number in 1_u64.. {
        let mut name = path.as_os_str().to_owned();
        name.push(if number == 1 { format!(".{offset}.torn") } else { format!(".{offset}-{number}.torn") });
        let side = PathBuf::from(name);
        match files.create(&side) {
            Ok(file) => return Ok((side, file)),
            // An earlier crash at the same place has left one.
            Err(err) if err.kind() == io::ErrorKind::AlreadyExists => {}
            Err(err) => return Err(WriteError::failed(&side, "keep the torn bytes of the log", err)),
        }
    }
    Err(WriteError::new(path, Kind::Full))
}
