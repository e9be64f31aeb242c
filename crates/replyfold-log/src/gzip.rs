//! Unpacking gzip so that damage costs nothing of what stands before it.
//!
//! The readers that the library has give up the bytes of a whole piece when its end is damaged, and take padding for damage.

use flate2::{Crc, Decompress, FlushDecompress, Status};
use std::io::{self, BufRead, Read};
use std::{error, fmt};

/// What each member begins with.
pub(crate) const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// What follows the last member and is neither a member nor padding.
#[derive(Debug)]
pub(crate) struct Trailing(pub(crate) Vec<u8>);

impl fmt::Display for Trailing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes after the end of the gzip data that are no gzip", self.0.len())
    }
}

impl error::Error for Trailing {}

/// The unpacked bytes of one or several members, with zero bytes after any of them.
pub(crate) struct Gzip<R> {
    raw: R,
    inflate: Decompress,
    crc: Crc,
    state: State,
}

enum State {
    /// At the header of a member, its first two bytes included.
    Header,
    Body,
    /// In a body that cannot be read on.
    Damaged,
    Trailer,
    /// After a member.
    Between,
    End,
}

impl<R: BufRead> Gzip<R> {
    /// `raw` begins with a member.
    pub(crate) fn new(raw: R) -> Self {
        Self { raw, inflate: Decompress::new(false), crc: Crc::new(), state: State::Header }
    }

    /// Takes the next state that gives no bytes.
    fn step(&mut self) -> io::Result<()> {
        match self.state {
            State::Header => {
                self.array::<2>()?;
                self.start()
            }
            State::Trailer => {
                let [a, b, c, d, e, f, g, h] = self.array()?;
                if (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h])) != (self.crc.sum(), self.crc.amount()) {
                    return Err(damaged("the gzip data does not match its checksum"));
                }
                self.state = State::Between;
                Ok(())
            }
            State::Between => self.between(),
            State::Damaged => Err(damaged("the gzip data is damaged")),
            State::Body | State::End => Ok(()),
        }
    }

    /// Reads the header behind its first two bytes (RFC 1952, section 2.3).
    fn start(&mut self) -> io::Result<()> {
        let [method, flags, ..] = self.array::<8>()?;
        if method != 8 || flags & 0xe0 != 0 {
            return Err(damaged("the gzip header is damaged"));
        }
        if flags & 4 != 0 {
            let length = u64::from(u16::from_le_bytes(self.array()?));
            if io::copy(&mut self.raw.by_ref().take(length), &mut io::sink())? < length {
                return Err(cut());
            }
        }
        for text in [8, 16] {
            if flags & text != 0 && self.raw.skip_until(0)? == 0 {
                return Err(cut());
            }
        }
        if flags & 2 != 0 {
            self.array::<2>()?;
        }
        self.inflate.reset(false);
        self.crc.reset();
        self.state = State::Body;
        Ok(())
    }

    /// Skips padding as gzip(1) does, and finds out what follows.
    fn between(&mut self) -> io::Result<()> {
        loop {
            let bytes = self.raw.fill_buf()?;
            if bytes.is_empty() {
                self.state = State::End;
                return Ok(());
            }
            let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
            let is_over = zeros < bytes.len();
            self.raw.consume(zeros);
            if is_over {
                break;
            }
        }
        let mut rest = Vec::new();
        self.raw.by_ref().take(2).read_to_end(&mut rest)?;
        if rest == MAGIC {
            return self.start();
        }
        self.raw.read_to_end(&mut rest)?;
        self.state = State::End;
        Err(io::Error::new(io::ErrorKind::InvalidData, Trailing(rest)))
    }

    fn array<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.raw.read_exact(&mut bytes).map_err(|err| if err.kind() == io::ErrorKind::UnexpectedEof { cut() } else { err })?;
        Ok(bytes)
    }

    /// Unpacks into a buffer that is not empty; 0 bytes when the body is over or cannot be read on.
    fn body(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let packed = self.raw.fill_buf()?;
            let (is_over, before) = (packed.is_empty(), (self.inflate.total_in(), self.inflate.total_out()));
            let status = self.inflate.decompress(packed, into, FlushDecompress::None);
            // Both are at most the length of a slice.
            let taken = (self.inflate.total_in() - before.0) as usize;
            let given = (self.inflate.total_out() - before.1) as usize;
            self.raw.consume(taken);
            self.crc.update(into.get(..given).unwrap_or_default());
            match status {
                Ok(Status::StreamEnd) => self.state = State::Trailer,
                Ok(_) if given > 0 => {}
                Ok(_) if is_over => return Err(cut()),
                Ok(_) if taken > 0 => continue,
                Ok(_) | Err(_) => self.state = State::Damaged,
            }
            return Ok(given);
        }
    }
}

impl<R: BufRead> Read for Gzip<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        loop {
            match self.state {
                State::End => return Ok(0),
                State::Body => match self.body(into)? {
                    0 => {}
                    given => return Ok(given),
                },
                _ => self.step()?,
            }
        }
    }
}

fn damaged(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

fn cut() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the gzip data ends in the middle")
}
