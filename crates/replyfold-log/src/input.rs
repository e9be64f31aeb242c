//! The bytes of a log, unpacked.

use crate::gzip::{self, Gzip};
use std::io::{self, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Size of the pieces in which a log is read, in bytes.
pub(crate) const PIECE: usize = 64 * 1024;

/// The unpacked bytes of a log, and how many packed ones they cost so far.
pub(crate) struct Input {
    reader: Box<dyn Read>,
    consumed: Arc<AtomicU64>,
}

impl Input {
    /// Recognises the packing by the first bytes: gzip (of several members too), zstd (of several frames too), else none.
    pub(crate) fn new(raw: impl Read + 'static) -> io::Result<Self> {
        let consumed = Arc::new(AtomicU64::new(0));
        let mut raw = BufReader::with_capacity(PIECE, Counted { raw, consumed: Arc::clone(&consumed) });
        let mut head = Vec::new();
        raw.by_ref().take(4).read_to_end(&mut head)?;
        let packed = io::Cursor::new(head.clone()).chain(raw);
        let reader: Box<dyn Read> = if head.starts_with(&gzip::MAGIC) {
            Box::new(Gzip::new(BufReader::with_capacity(PIECE, packed)))
        } else if is_zstd(&head) {
            Box::new(zstd::Decoder::with_buffer(BufReader::with_capacity(PIECE, packed))?)
        } else {
            Box::new(packed)
        };
        Ok(Self { reader, consumed })
    }

    /// Reads a piece into the room; 0 bytes at the end of the log.
    pub(crate) fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.reader.read(room) {
                Err(err) if err.kind() == io::ErrorKind::Interrupted => {}
                result => return result,
            }
        }
    }

    /// Bytes taken from the file so far, before unpacking.
    pub(crate) fn consumed(&self) -> u64 {
        self.consumed.load(Ordering::Relaxed)
    }
}

/// Whether the log begins with a frame of zstd, or with one that its readers skip (RFC 8878, sections 3.1.1 and 3.1.2).
fn is_zstd(head: &[u8]) -> bool {
    matches!(head, [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

struct Counted<R> {
    raw: R,
    consumed: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.raw.read(buffer)?;
        self.consumed.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
