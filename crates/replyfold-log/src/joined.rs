//! The files of a log as one row of bytes that can be read at any place.

use crate::segments::segments;
use crate::{LogError, Place};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::SystemTime;

/// What can be read at any place.
pub(crate) trait Source: Read + Seek + Send {}
impl<T: Read + Seek + Send> Source for T {}

/// The segments of a log behind each other. Only the last one can grow.
pub(crate) struct Joined {
    /// Where each begins in the whole; never empty.
    starts: Vec<u64>,
    files: Vec<Box<dyn Source>>,
    at: u64,
}

impl Joined {
    /// A log that is one file.
    pub(crate) fn one(file: impl Source + 'static) -> Self {
        Self { starts: vec![0], files: vec![Box::new(file)], at: 0 }
    }

    /// Opens the files of a log; tells when the last one was changed, if the system knows.
    pub(crate) fn open(log: &Path) -> Result<(Self, Option<SystemTime>), LogError> {
        let mut joined = Self { starts: Vec::new(), files: Vec::new(), at: 0 };
        let (mut length, mut changed) = (0, None);
        for path in segments(log)? {
            let opened = File::open(&path).and_then(|file| Ok((file.metadata()?, file)));
            let (metadata, file) = opened.map_err(|err| LogError::open(&path, err))?;
            joined.starts.push(length);
            joined.files.push(Box::new(file));
            length += metadata.len();
            changed = metadata.modified().ok();
        }
        Ok((joined, changed))
    }

    /// Where each file begins.
    pub(crate) fn starts(&self) -> &[u64] {
        &self.starts
    }

    /// The number of the file that has this byte, or would have it if the last one grew.
    fn number(&self, offset: u64) -> usize {
        // The first one begins at 0. Of empty files the last one has it.
        self.starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    /// Where the file that has this byte ends, if another one follows.
    pub(crate) fn end_of(&self, offset: u64) -> Option<u64> {
        self.starts.get(self.number(offset) + 1).copied()
    }

    /// The place of a byte of the whole.
    pub(crate) fn place(&self, line: u64, offset: u64) -> Place {
        let number = self.number(offset);
        let start = self.starts.get(number).copied().unwrap_or_default();
        Place { segment: u32::try_from(number).unwrap_or(u32::MAX), line, offset: offset - start }
    }
}

impl Read for Joined {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let number = self.number(self.at);
        let most = self.end_of(self.at).map_or(u64::MAX, |end| end - self.at);
        let room = room.get_mut(..usize::try_from(most).unwrap_or(usize::MAX).min(room.len())).unwrap_or_default();
        let (Some(file), Some(start)) = (self.files.get_mut(number), self.starts.get(number)) else { return Ok(0) };
        file.seek(SeekFrom::Start(self.at - start))?;
        let count = file.read(room)?;
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for Joined {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (from, by) = match to {
            SeekFrom::Start(offset) => (offset, 0),
            SeekFrom::Current(by) => (self.at, by),
            SeekFrom::End(by) => {
                let start = self.starts.last().copied().unwrap_or_default();
                let length = self.files.last_mut().map_or(Ok(0), |file| file.seek(SeekFrom::End(0)))?;
                (start + length, by)
            }
        };
        self.at = from.checked_add_signed(by).ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_read_as_one() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().join("run.jsonl");
        for (number, text) in (0..).zip(["abc", "", "de", ""]) {
            std::fs::write(crate::segment_path(&base, number), text).unwrap();
        }
        let (mut joined, changed) = Joined::open(&base).unwrap();
        assert_eq!((joined.starts(), changed.is_some()), (&[0, 3, 3, 5][..], true));
        for start in 0..=5 {
            joined.seek(SeekFrom::Start(start)).unwrap();
            assert_eq!(io::read_to_string(&mut joined).unwrap(), "abcde"[start as usize..]);
        }
        assert_eq!(joined.seek(SeekFrom::End(-1)).unwrap(), 4);
        assert_eq!((joined.end_of(2), joined.end_of(3), joined.end_of(5)), (Some(3), Some(5), None));
        assert_eq!(joined.place(7, 4), Place { segment: 2, line: 7, offset: 1 });
        assert_eq!(joined.place(1, 5), Place { segment: 3, line: 1, offset: 0 });
        joined.seek(SeekFrom::Start(0)).unwrap();
        assert!(joined.seek(SeekFrom::Current(-1)).is_err());
    }
}
