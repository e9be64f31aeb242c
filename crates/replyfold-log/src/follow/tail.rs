//! One file that grows: what comes at its end, and what becomes of what was read.

use super::lines::{Lines, Refused};
use crate::input::{PIECE, read_some};
use std::fs::File;
use std::io::{self, Seek, SeekFrom};

/// Bytes before the end that are compared each time the file is read.
const COMPARED: usize = 1024;

/// A file, and how far it was read.
pub(super) struct Tail {
    file: File,
    /// Bytes of the file that were read.
    read: u64,
    lines: Lines,
    /// Room for what is read.
    room: Vec<u8>,
}

/// What a look at the end of the file shows.
#[derive(Debug, PartialEq)]
pub(super) enum Look {
    /// Bytes that were not there before.
    Grown,
    /// Nothing new.
    Same,
    /// The file lost bytes at its end, or has others there: it is what it was up to the end of a line or a frame, and no further.
    CutBack(Cut),
    /// It is another log now: nothing that was read is known to be still there.
    Other {
        /// Its length now.
        length: u64,
    },
}

/// How much of a file was taken back, in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cut {
    /// Bytes that were read and are gone.
    pub(super) read: u64,
    /// Bytes of them that whole lines were made of, and those lines.
    pub(super) whole: u64,
    pub(super) lines: u64,
}

/// Why a file cannot be read on.
#[derive(Debug)]
pub(super) enum Fault {
    Read(io::Error),
    Refused(Refused),
}

impl From<io::Error> for Fault {
    fn from(err: io::Error) -> Self {
        Self::Read(err)
    }
}

impl From<Refused> for Fault {
    fn from(err: Refused) -> Self {
        Self::Refused(err)
    }
}

impl Tail {
    pub(super) fn new(file: File) -> Self {
        Self { file, read: 0, lines: Lines::default(), room: Vec::new() }
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Bytes of the file that were read.
    pub(super) fn bytes_read(&self) -> u64 {
        self.read
    }

    /// Reads a piece at the end, if the file is still what it was.
    ///
    /// One read takes the last bytes that are known and those behind them, so nothing can happen to the file in between.
    pub(super) fn look(&mut self) -> Result<Look, Fault> {
        let expected = self.known();
        let mut room = std::mem::take(&mut self.room);
        room.resize(COMPARED + PIECE, 0);
        self.file.seek(SeekFrom::Start(self.read - expected.len() as u64))?;
        let count = read_some(&mut self.file, &mut room)?;
        let look = match room.get(..count).unwrap_or_default().strip_prefix(&expected[..]) {
            None => self.compare(),
            Some([]) => Ok(Look::Same),
            Some(new) => {
                self.read += new.len() as u64;
                self.lines.push(new).map(|()| Look::Grown).map_err(Fault::from)
            }
        };
        self.room = room;
        look
    }

    /// Takes whole lines; `None` if there are none at hand.
    pub(super) fn take(&mut self) -> Result<Option<Vec<u8>>, Fault> {
        Ok(self.lines.take()?)
    }

    /// What is left of a file that gets no longer.
    pub(super) fn take_rest(&mut self) -> Result<Vec<u8>, Fault> {
        Ok(self.lines.take_rest()?)
    }

    /// The last bytes that were read.
    fn known(&self) -> Vec<u8> {
        let unfinished = self.lines.unfinished();
        let last = |bytes: &[u8], count: usize| bytes.get(bytes.len().saturating_sub(count)..).unwrap_or_default().to_vec();
        let mut known = last(self.lines.recent(), COMPARED.saturating_sub(unfinished.len()));
        known.extend(last(unfinished, COMPARED));
        known
    }

    /// Finds out how far the file is still what it was, and goes on from there.
    fn compare(&mut self) -> Result<Look, Fault> {
        let settled = self.read - self.lines.unfinished().len() as u64;
        let recent = self.lines.recent();
        let first = settled - recent.len() as u64;
        let length = self.file.metadata()?.len();
        let mut now = vec![0; recent.len()];
        self.file.seek(SeekFrom::Start(first))?;
        let mut count = 0;
        while let Some(room @ [_, ..]) = now.get_mut(count..) {
            match read_some(&mut self.file, room)? {
                0 => break,
                more => count += more,
            }
        }
        let same = recent.iter().zip(now.iter().take(count)).take_while(|(was, is)| was == is).count();
        let kept = if same == recent.len() { Some(same) } else { self.lines.last_end(same) };
        let Some(kept) = kept else { return Ok(Look::Other { length }) };
        let end = first + kept as u64;
        let cut = Cut { read: self.read - end, whole: settled - end, lines: self.lines.cut_back(kept) };
        self.read = end;
        Ok(Look::CutBack(cut))
    }
}
