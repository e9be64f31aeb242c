//! A reader of bytes that somebody else reads: the one of a log that is being written.

use super::LogReader;
use crate::buffer::Buffer;
use crate::framing::{Format, Framing};
use crate::{LogOptions, Place};
use replyfold_dialect::Dialect;
use std::path::Path;

impl LogReader {
    /// A reader that gives the records of what is [pushed](Self::push): `None` means that nothing is at hand.
    pub(crate) fn fed(path: &Path, options: LogOptions) -> Self {
        let mut reader = Self::with_options(std::io::empty(), options);
        (reader.buffer, reader.file) = (Ok(Buffer::fed()), Some(path.to_owned()));
        reader
    }

    pub(super) fn is_fed(&self) -> bool {
        self.buffer.as_ref().is_ok_and(Buffer::is_fed)
    }

    pub(super) fn waits(&self) -> bool {
        self.buffer.as_ref().is_ok_and(Buffer::waits)
    }

    /// Whole lines of the file.
    pub(crate) fn push(&mut self, lines: &[u8]) {
        if let Ok(buffer) = &mut self.buffer {
            buffer.push(lines);
            buffer.skip_mark();
        }
    }

    /// Nothing more comes of the file: what is at hand is its end.
    pub(crate) fn close_file(&mut self) {
        if let Ok(buffer) = &mut self.buffer {
            buffer.close();
        }
    }

    /// Bytes of a file come, from this place in it on, `is_other` if its framing is its own. Everything else carries on: positions,
    /// dialect, replies that are open.
    pub(crate) fn open_file(&mut self, place: Place, is_other: bool) {
        if is_other {
            self.framing = None;
        }
        if let Ok(buffer) = &mut self.buffer {
            buffer.reopen(place);
        }
    }

    /// How the records of the file are framed, once a line shows it.
    pub(crate) fn detect(&mut self) -> Option<Format> {
        if let (Ok(buffer), None) = (&mut self.buffer, &self.framing)
            && !shows_nothing(buffer)
        {
            self.framing = Some(Framing::detect(buffer, self.told == Some(Dialect::Java)));
        }
        self.format()
    }

    /// Where the bytes that come next stand in their file.
    pub(crate) fn next_place(&self) -> Place {
        self.buffer.as_ref().map(Buffer::place).unwrap_or_default()
    }
}

/// Whether no line that is not blank was pushed yet; blank ones are taken. Always `false` for a log that the reader reads itself.
pub(super) fn shows_nothing(buffer: &mut Buffer) -> bool {
    if !buffer.waits() {
        return false;
    }
    let is_blank = buffer.at_hand().trim_ascii().is_empty();
    if is_blank {
        buffer.take(buffer.at_hand().len());
    }
    is_blank
}
