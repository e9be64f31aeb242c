//! The whole lines of what was read of a file, unpacked.

use crate::input::PIECE;
use std::collections::VecDeque;
use std::io::{self, BufReader, Cursor, Read};
use zstd::zstd_safe;

/// Most bytes of a packed frame that is not whole; a writer that flushes makes far shorter ones.
const LONGEST_FRAME: usize = 64 * 1024 * 1024;
/// Bytes of whole lines, or frames, that are remembered, to find out how far the file is still what it was.
const REMEMBERED: usize = 64 * 1024;

/// What the bytes of one file are made into, as they come.
#[derive(Default)]
pub(super) struct Lines {
    packing: Packing,
    /// Packed bytes of a frame that is not whole, or the first bytes of a file that do not show yet how it is packed.
    raw: Vec<u8>,
    /// The frame that is being unpacked.
    frame: Option<Frame>,
    /// Text after the last whole line.
    text: Vec<u8>,
    /// Whole lines, not yet taken.
    whole: Vec<u8>,
    /// The last bytes of the file that whole lines, or frames, were made of.
    recent: Vec<u8>,
    /// Lengths of the last frames among them.
    frames: VecDeque<usize>,
}

/// A frame that is being unpacked.
type Frame = zstd::Decoder<'static, BufReader<Cursor<Vec<u8>>>>;

#[derive(Clone, Copy, Default, PartialEq)]
enum Packing {
    #[default]
    Unknown,
    Plain,
    Zstd,
}

/// Why a file cannot be followed.
#[derive(Debug)]
pub(super) enum Refused {
    Gzip,
    LongFrame,
    Damaged(io::Error),
}

impl Lines {
    /// The next bytes of the file.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<(), Refused> {
        if self.packing == Packing::Plain {
            self.add_text(bytes);
            return Ok(());
        }
        self.raw.extend_from_slice(bytes);
        self.unpack()
    }

    /// Takes whole lines, the last one with its end; unpacks more if there is more. `None` if the rest has to wait.
    pub(super) fn take(&mut self) -> Result<Option<Vec<u8>>, Refused> {
        while self.whole.is_empty() && (self.frame.is_some() || self.packing == Packing::Zstd) {
            let Some(frame) = &mut self.frame else {
                if !self.next_frame()? {
                    break;
                }
                continue;
            };
            let mut piece = vec![0; PIECE];
            match frame.read(&mut piece).map_err(Refused::Damaged)? {
                0 => self.frame = None,
                count => self.add_text(piece.get(..count).unwrap_or_default()),
            }
        }
        Ok(Some(std::mem::take(&mut self.whole)).filter(|whole| !whole.is_empty()))
    }

    /// Bytes of the file that nothing was made of yet: of a line or a frame that is not whole.
    pub(super) fn unfinished(&self) -> &[u8] {
        if self.packing == Packing::Plain { &self.text } else { &self.raw }
    }

    /// The bytes before those, as far as they are remembered.
    pub(super) fn recent(&self) -> &[u8] {
        &self.recent
    }

    /// The last end of a line, or of a frame, in so many of the bytes that are remembered.
    pub(super) fn last_end(&self, same: usize) -> Option<usize> {
        if self.packing != Packing::Zstd {
            return memchr::memrchr(b'\n', self.recent.get(..same)?).map(|at| at + 1);
        }
        let mut end = self.recent.len();
        for length in self.frames.iter().rev() {
            if end <= same {
                break;
            }
            end = end.checked_sub(*length)?;
        }
        (0 < end && end <= same).then_some(end)
    }

    /// Forgets what comes after so many of the bytes that are remembered: the file does not have it any more. Gives the number of lines
    /// that had been taken of it, as far as it is known.
    pub(super) fn cut_back(&mut self, kept: usize) -> u64 {
        let gone = self.recent.split_off(kept.min(self.recent.len()));
        self.raw.clear();
        if self.packing == Packing::Zstd {
            let mut left = gone.len();
            while left > 0
                && let Some(length) = self.frames.pop_back()
            {
                left = left.saturating_sub(length);
            }
            return 0;
        }
        self.text.clear();
        memchr::memchr_iter(b'\n', &gone).count() as u64
    }

    fn remember(&mut self, bytes: &[u8]) {
        self.recent.extend_from_slice(bytes);
        let too_many = self.recent.len().saturating_sub(REMEMBERED);
        self.recent.drain(..too_many);
    }

    /// The text after the last whole line, of a file that gets no longer.
    pub(super) fn take_rest(&mut self) -> Result<Vec<u8>, Refused> {
        match self.packing {
            // Less than what tells the packing is no packed data.
            Packing::Unknown => self.text = std::mem::take(&mut self.raw),
            Packing::Zstd if !self.raw.is_empty() => {
                let cut = io::Error::new(io::ErrorKind::UnexpectedEof, "the zstd data ends in the middle");
                return Err(Refused::Damaged(cut));
            }
            Packing::Plain | Packing::Zstd => {}
        }
        Ok(std::mem::take(&mut self.text))
    }

    fn unpack(&mut self) -> Result<(), Refused> {
        if self.packing == Packing::Unknown {
            self.packing = match self.raw.get(..4) {
                None => return Ok(()),
                Some([0x1f, 0x8b, ..]) => return Err(Refused::Gzip),
                Some([0x28, 0xb5, 0x2f, 0xfd] | [0x50..=0x5f, 0x2a, 0x4d, 0x18]) => Packing::Zstd,
                Some(_) => Packing::Plain,
            };
        }
        if self.packing == Packing::Plain {
            let text = std::mem::take(&mut self.raw);
            self.add_text(&text);
        }
        Ok(())
    }

    /// Starts on the next frame if it is whole.
    fn next_frame(&mut self) -> Result<bool, Refused> {
        let length = match zstd_safe::find_frame_compressed_size(&self.raw) {
            Ok(length) => length,
            Err(_) if self.raw.len() > LONGEST_FRAME => return Err(Refused::LongFrame),
            Err(code) if self.raw.len() < 4 || is_too_short(code) => return Ok(false),
            Err(code) => return Err(Refused::Damaged(io::Error::other(zstd_safe::get_error_name(code)))),
        };
        if length == 0 || length > self.raw.len() {
            return Ok(false);
        }
        let rest = self.raw.split_off(length);
        let frame = std::mem::replace(&mut self.raw, rest);
        self.remember(&frame);
        self.frames.push_back(length);
        let mut remembered: usize = self.frames.iter().sum();
        while remembered > self.recent.len()
            && let Some(first) = self.frames.pop_front()
        {
            remembered -= first;
        }
        self.frame = Some(zstd::Decoder::with_buffer(BufReader::new(Cursor::new(frame))).map_err(Refused::Damaged)?);
        Ok(true)
    }

    fn add_text(&mut self, bytes: &[u8]) {
        // What was there before has no end of a line.
        match memchr::memrchr(b'\n', bytes).and_then(|at| bytes.split_at_checked(at + 1)) {
            Some((ended, rest)) => {
                let start = std::mem::take(&mut self.text);
                if self.packing == Packing::Plain {
                    self.remember(&start);
                    self.remember(ended);
                }
                self.whole.extend_from_slice(&start);
                self.whole.extend_from_slice(ended);
                self.text.extend_from_slice(rest);
            }
            None => self.text.extend_from_slice(bytes),
        }
    }
}

/// Whether the reason is that the frame is not whole.
fn is_too_short(code: usize) -> bool {
    zstd_safe::get_error_name(code) == zstd_safe::get_error_name(too_short())
}

/// What the library answers where a frame begins and does not end.
fn too_short() -> usize {
    zstd_safe::find_frame_compressed_size(&[0x28, 0xb5, 0x2f, 0xfd]).err().unwrap_or_default()
}
