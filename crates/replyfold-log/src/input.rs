//! The bytes of a log, unpacked.

use crate::ahead::Ahead;
use crate::gzip::{self, Gzip};
use std::any::Any;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Size of the pieces in which a log is read, in bytes.
pub(crate) const PIECE: usize = 64 * 1024;

/// Bytes of a log, unpacked, that are read before a thread goes on: most logs are shorter, and starting one would cost more than it saves.
const BEFORE_THREAD: usize = 1024 * 1024;

/// The unpacked bytes of a log, and how many packed ones they cost so far.
pub(crate) struct Input {
    reader: Reader,
    consumed: Arc<AtomicU64>,
    /// Bytes to read here before a thread goes on; `None` if none ever does.
    before_thread: Option<usize>,
    is_packed: bool,
}

/// Who reads.
enum Reader {
    /// Whoever asks.
    Here(Box<dyn Read + Send>),
    /// A thread, ahead of who asks.
    Ahead(Ahead),
}

impl Input {
    /// Recognises the packing by the first bytes: gzip (of several members too), zstd (of several frames too), else none.
    pub(crate) fn new(raw: impl Read + Send + 'static) -> io::Result<Self> {
        let consumed = Arc::new(AtomicU64::new(0));
        // Bytes in memory are at hand, and of a pipe nobody knows when the next ones come.
        let is_file = (&raw as &dyn Any).is::<File>();
        let failed = Arc::new(AtomicBool::new(false));
        let counted = Counted { raw, consumed: Arc::clone(&consumed), failed: Arc::clone(&failed) };
        let mut raw = BufReader::with_capacity(PIECE, counted);
        let mut head = Vec::new();
        raw.by_ref().take(4).read_to_end(&mut head)?;
        let packed = io::Cursor::new(head.clone()).chain(raw);
        let (reader, is_packed): (Box<dyn Read + Send>, _) = if head.starts_with(&gzip::MAGIC) {
            (Box::new(Gzip::new(BufReader::with_capacity(PIECE, packed))), true)
        } else if is_zstd(&head) {
            let decoder = zstd::Decoder::with_buffer(BufReader::with_capacity(PIECE, packed))?;
            (Box::new(Zstd { decoder, failed }), true)
        } else {
            (Box::new(packed), false)
        };
        let before_thread = (is_packed || is_file).then_some(BEFORE_THREAD);
        Ok(Self { reader: Reader::Here(reader), consumed, before_thread, is_packed })
    }

    /// Whether the log is packed, so that its offsets are not those of the file.
    pub(crate) fn is_packed(&self) -> bool {
        self.is_packed
    }

    /// Reads a piece into the room; 0 bytes at the end of the log.
    pub(crate) fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        if self.before_thread == Some(0) {
            self.before_thread = None;
            self.start_thread();
        }
        let count = match &mut self.reader {
            Reader::Here(reader) => read_some(reader, room)?,
            Reader::Ahead(ahead) => ahead.read(room)?,
        };
        self.before_thread = self.before_thread.map(|left| left.saturating_sub(count));
        Ok(count)
    }

    /// A thread reads from here on. Where there can be none, everything stays as it is.
    fn start_thread(&mut self) {
        if let Reader::Here(reader) = &mut self.reader {
            let reader = std::mem::replace(reader, Box::new(io::empty()));
            self.reader = match Ahead::start(reader, Arc::clone(&self.consumed)) {
                Ok(ahead) => Reader::Ahead(ahead),
                Err(reader) => Reader::Here(reader),
            };
        }
    }

    /// Bytes taken from the file so far, before unpacking; not those that were read ahead.
    pub(crate) fn consumed(&self) -> u64 {
        match &self.reader {
            Reader::Here(_) => self.consumed.load(Ordering::Relaxed),
            Reader::Ahead(ahead) => ahead.consumed(),
        }
    }
}

/// Reads once, again and again while that is interrupted.
pub(crate) fn read_some(reader: &mut dyn Read, room: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(room) {
            Err(err) if err.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// Whether the log begins with a frame of zstd, or with one that its readers skip (RFC 8878, sections 3.1.1 and 3.1.2).
fn is_zstd(head: &[u8]) -> bool {
    matches!(head, [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

struct Counted<R> {
    raw: R,
    consumed: Arc<AtomicU64>,
    /// Whether the bytes themselves could not be read.
    failed: Arc<AtomicBool>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.raw.read(buffer);
        match &read {
            Ok(count) => _ = self.consumed.fetch_add(*count as u64, Ordering::Relaxed),
            Err(err) => self.failed.store(err.kind() != io::ErrorKind::Interrupted, Ordering::Relaxed),
        }
        read
    }
}

/// Says in words of ours what is wrong with zstd data.
struct Zstd<D> {
    decoder: D,
    failed: Arc<AtomicBool>,
}

impl<D: Read> Read for Zstd<D> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.decoder.read(room).map_err(|err| match err.kind() {
            _ if self.failed.load(Ordering::Relaxed) => err,
            io::ErrorKind::Interrupted => err,
            io::ErrorKind::UnexpectedEof => io::Error::new(io::ErrorKind::UnexpectedEof, "the zstd data ends in the middle"),
            kind => io::Error::new(kind, format!("the zstd data is damaged ({err})")),
        })
    }
}
