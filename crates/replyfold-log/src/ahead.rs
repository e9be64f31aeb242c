//! Reading, and unpacking, on a thread of its own, a few pieces ahead of who asks.

use crate::input::read_some;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// Size of a piece, in bytes, and how many there are. All of them go round, so that nothing is allocated once they are made.
const PIECE: usize = 256 * 1024;
const PIECES: usize = 3;

/// What a thread reads ahead.
///
/// Dropping it ends the thread, at the latest when the read that it is in comes back: nobody waits for that.
pub(crate) struct Ahead {
    pieces: Receiver<io::Result<Piece>>,
    /// Where pieces go back to be filled again.
    empty: SyncSender<Piece>,
    /// The piece that is being taken, and how much of it was.
    piece: Piece,
    taken: usize,
    is_over: bool,
}

/// Bytes that were read at once.
#[derive(Default)]
struct Piece {
    bytes: Vec<u8>,
    /// How many of them there are; 0 at the end of the log.
    count: usize,
    /// Bytes taken from the file up to here, before unpacking.
    consumed: u64,
}

impl Ahead {
    /// Starts to read; gives the reader back where no thread can be had.
    pub(crate) fn start(reader: Box<dyn Read + Send>, consumed: Arc<AtomicU64>) -> Result<Self, Box<dyn Read + Send>> {
        let (filled, pieces) = sync_channel(PIECES);
        let (empty, to_fill) = sync_channel(PIECES);
        let so_far = consumed.load(Ordering::Relaxed);
        // Passed on once the thread is there: a thread that cannot be started drops what it was given.
        let (give, given) = sync_channel::<Box<dyn Read + Send>>(1);
        let work = move || {
            if let Ok(reader) = given.recv() {
                fill(reader, &to_fill, &filled, &consumed);
            }
        };
        if thread::Builder::new().name("replyfold-log".to_owned()).spawn(work).is_err() {
            return Err(reader);
        }
        give.send(reader).map_err(|unsent| unsent.0)?;
        let ahead = Self { pieces, empty, piece: Piece { consumed: so_far, ..Piece::default() }, taken: 0, is_over: false };
        (1..PIECES).for_each(|_| ahead.give_back(Piece::default()));
        Ok(ahead)
    }

    /// Takes what is at hand, and waits if nothing is; 0 bytes at the end of the log. Errors come behind the bytes before them.
    pub(crate) fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.piece.count && !self.is_over {
            // A thread that went away without having told the end has panicked: what it did not read must not look like an end.
            let next = self.pieces.recv().unwrap_or_else(|_| Err(io::Error::other("the thread that reads the log has failed")));
            self.is_over = !next.as_ref().is_ok_and(|piece| piece.count > 0);
            let last = std::mem::replace(&mut self.piece, next?);
            self.taken = 0;
            self.give_back(last);
        }
        let rest = self.piece.bytes.get(self.taken..self.piece.count).unwrap_or_default();
        let count = rest.len().min(room.len());
        if let (Some(room), Some(bytes)) = (room.get_mut(..count), rest.get(..count)) {
            room.copy_from_slice(bytes);
        }
        self.taken += count;
        Ok(count)
    }

    /// Bytes taken from the file, before unpacking, for what was taken here.
    pub(crate) fn consumed(&self) -> u64 {
        self.piece.consumed
    }

    fn give_back(&self, piece: Piece) {
        // A thread that is done needs no more.
        let _ = self.empty.try_send(piece);
    }
}

/// Fills pieces until the log ends, cannot be read on, or nobody wants more.
fn fill(mut reader: Box<dyn Read + Send>, to_fill: &Receiver<Piece>, filled: &SyncSender<io::Result<Piece>>, consumed: &AtomicU64) {
    while let Ok(mut piece) = to_fill.recv() {
        // Made zero once.
        piece.bytes.resize(PIECE, 0);
        let read = read_some(&mut reader, &mut piece.bytes);
        let is_over = !read.as_ref().is_ok_and(|count| *count > 0);
        let read = read.map(|count| Piece { count, consumed: consumed.load(Ordering::Relaxed), ..piece });
        if filled.send(read).is_err() || is_over {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    /// Gives so many bytes, then this, and tells when it is dropped.
    struct Source<F> {
        left: usize,
        then: F,
        consumed: Arc<AtomicU64>,
        _dropped: std::sync::mpsc::Sender<()>,
    }

    impl<F: FnMut() -> io::Result<usize>> Read for Source<F> {
        fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
            if self.left == 0 {
                return (self.then)();
            }
            // Pieces are not always full.
            let count = self.left.min(room.len()).min(100_000);
            room[..count].iter_mut().enumerate().for_each(|(at, byte)| *byte = ((self.left - at) % 251) as u8);
            self.left -= count;
            self.consumed.fetch_add(count as u64, Ordering::Relaxed);
            Ok(count)
        }
    }

    fn start(left: usize, then: impl FnMut() -> io::Result<usize> + Send + 'static) -> (Ahead, Receiver<()>) {
        let (dropped, waiting) = channel();
        let consumed = Arc::new(AtomicU64::new(7));
        let source = Source { left, then, consumed: Arc::clone(&consumed), _dropped: dropped };
        (Ahead::start(Box::new(source), consumed).ok().unwrap(), waiting)
    }

    /// All bytes, and the error after them.
    fn read_all(ahead: &mut Ahead) -> (Vec<u8>, Option<String>) {
        let (mut all, mut room) = (Vec::new(), vec![0; 70_000]);
        assert_eq!(ahead.consumed(), 7);
        loop {
            match ahead.read(&mut room) {
                Ok(0) => return (all, None),
                Ok(count) => all.extend_from_slice(&room[..count]),
                Err(err) => return (all, Some(err.to_string())),
            }
            // Never more than what was taken, to within a piece.
            assert!((all.len()..=all.len() + PIECE).contains(&(ahead.consumed() as usize - 7)));
        }
    }

    const LENGTH: usize = 3_000_001;

    fn bytes() -> Vec<u8> {
        (1..=LENGTH).rev().map(|left| (left % 251) as u8).collect()
    }

    #[test]
    fn every_byte_arrives_once_and_in_order_and_then_the_end() {
        let (mut ahead, dropped) = start(LENGTH, || Ok(0));
        assert_eq!(read_all(&mut ahead), (bytes(), None));
        assert_eq!((ahead.read(&mut [0; 8]).unwrap(), ahead.consumed()), (0, LENGTH as u64 + 7));
        assert!(dropped.recv().is_err(), "the thread is over");
    }

    #[test]
    fn an_error_comes_behind_the_bytes_before_it() {
        let (mut ahead, _) = start(LENGTH, || Err(io::Error::other("unplugged")));
        assert_eq!(read_all(&mut ahead), (bytes(), Some("unplugged".to_owned())));
        assert_eq!(ahead.read(&mut [0; 8]).unwrap(), 0);
    }

    #[test]
    fn an_interruption_is_no_error() {
        let mut interrupted = false;
        let (mut ahead, _) = start(LENGTH, move || match std::mem::replace(&mut interrupted, true) {
            false => Err(io::ErrorKind::Interrupted.into()),
            true => Ok(0),
        });
        assert_eq!(read_all(&mut ahead), (bytes(), None));
    }

    #[test]
    fn a_reader_that_panics_is_no_end() {
        let (mut ahead, _) = start(LENGTH, || std::panic::resume_unwind(Box::new(())));
        assert_eq!(read_all(&mut ahead), (bytes(), Some("the thread that reads the log has failed".to_owned())));
    }

    #[test]
    fn dropping_it_ends_the_thread() {
        let (mut ahead, dropped) = start(usize::MAX, || Ok(0));
        assert!(ahead.read(&mut [0; 8]).unwrap() > 0);
        drop(ahead);
        // Comes back when the thread has dropped its reader.
        assert!(dropped.recv().is_err());
    }
}
