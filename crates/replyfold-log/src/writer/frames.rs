//! The zstd frames of a packed segment: each is written whole, so that what a crash cuts is the last one.

use super::files::{LogFile, read_full};
use super::tail;
use std::io;
use zstd::bulk::Compressor;
use zstd::stream::raw::{Decoder, InBuffer, Operation, OutBuffer};

/// What a frame begins with (RFC 8878, section 3.1.1).
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The library's own choice between time and size.
const LEVEL: i32 = 0;
/// Bytes that are read, or unpacked, at once.
const PIECE: usize = 128 * 1024;

/// Makes frames.
pub(crate) struct Packer(Compressor<'static>);

impl Packer {
    pub(crate) fn new() -> io::Result<Self> {
        let mut compressor = Compressor::new(LEVEL)?;
        compressor.include_checksum(true)?;
        Ok(Self(compressor))
    }

    /// One frame that holds these bytes, and a checksum of them.
    pub(crate) fn frame(&mut self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        self.0.compress(bytes)
    }
}

/// The whole frames of a segment.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    /// Where the last of them ends.
    pub(crate) end: u64,
    /// What they unpack to, from the last line on that holds anything.
    pub(crate) tail: Vec<u8>,
    /// Whether frames that unpack follow behind bytes that do not.
    pub(crate) resume: bool,
}

impl Frames {
    /// Follows the frames from the start of a file of this length.
    pub(crate) fn of(file: &mut dyn LogFile, length: u64) -> io::Result<Self> {
        let mut frames = Self::default();
        let mut walk = Walk::new(file, 0, length)?;
        while frames.end < length
            && let Some(bytes) = walk.frame()?
        {
            frames.end = walk.offset();
            add(&mut frames.tail, &bytes);
        }
        frames.resume = frames.end < length && any_after(file, frames.end + 1, length)?;
        Ok(frames)
    }
}

/// Unpacks one frame after the other.
struct Walk<'f> {
    file: &'f mut dyn LogFile,
    length: u64,
    decoder: Decoder<'static>,
    packed: Vec<u8>,
    /// Where `packed` begins in the file, how much of it was read, and how much of that was taken.
    start: u64,
    count: usize,
    taken: usize,
    room: Vec<u8>,
}

impl<'f> Walk<'f> {
    fn new(file: &'f mut dyn LogFile, start: u64, length: u64) -> io::Result<Self> {
        let (packed, room) = (vec![0; PIECE], vec![0; PIECE]);
        Ok(Self { file, length, decoder: Decoder::new()?, packed, start, count: 0, taken: 0, room })
    }

    fn offset(&self) -> u64 {
        self.start + self.taken as u64
    }

    /// Unpacks the next frame: what it holds, from its last line on. `None` if there is none, or none that is whole.
    fn frame(&mut self) -> io::Result<Option<Vec<u8>>> {
        self.decoder.reinit()?;
        let mut tail = Vec::new();
        loop {
            if self.taken == self.count {
                self.start += self.count as u64;
                self.taken = 0;
                self.count = if self.start < self.length { read_full(self.file, self.start, &mut self.packed)? } else { 0 };
            }
            let mut input = InBuffer::around(self.packed.get(self.taken..self.count).unwrap_or_default());
            let mut output = OutBuffer::around(self.room.as_mut_slice());
            let Ok(left) = self.decoder.run(&mut input, &mut output) else { return Ok(None) };
            let (taken, given) = (input.pos(), output.pos());
            self.taken += taken;
            add(&mut tail, self.room.get(..given).unwrap_or_default());
            if left == 0 {
                return Ok(Some(tail));
            }
            if taken == 0 && given == 0 && self.taken == self.count && self.offset() >= self.length {
                return Ok(None);
            }
        }
    }
}

/// Adds bytes to the end of a log, of which only the last line is of interest.
fn add(tail: &mut Vec<u8>, bytes: &[u8]) {
    if !bytes.is_empty() {
        tail.extend_from_slice(bytes);
        let start = tail::last_line(tail).unwrap_or(0);
        tail.drain(..start);
    }
}

/// Whether a whole frame begins anywhere from this place on.
fn any_after(file: &mut dyn LogFile, start: u64, length: u64) -> io::Result<bool> {
    let (mut offset, mut piece) = (start, vec![0; PIECE]);
    while offset < length {
        let count = read_full(file, offset, &mut piece)?;
        for at in memchr::memmem::find_iter(piece.get(..count).unwrap_or_default(), &MAGIC) {
            if Walk::new(file, offset + at as u64, length)?.frame()?.is_some() {
                return Ok(true);
            }
        }
        if count < PIECE {
            break;
        }
        // A frame may begin in this piece and go on in the next.
        offset += (count - (MAGIC.len() - 1)) as u64;
    }
    Ok(false)
}
