//! Logs to measure with, made by a generator with a fixed seed: the same call gives the same bytes, on every machine.

mod many;
mod react;
mod wide;
mod words;
mod writer;

pub use writer::LogWriter;

use replyfold::dialect::Dialect;
use std::io::{self, Write};
use std::sync::Arc;

/// Seed of every log.
const SEED: u64 = 0x7265_706c_7966_6f6c;
/// Bytes of a generated log that are held before they are written out.
const CHUNK: usize = 1 << 20;

/// What a log is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shape {
    /// Realistic sessions: one reply after the other, each with model calls, thinking, text, tool calls and their results.
    React,
    /// One text of many pieces.
    TextOnly,
    /// One message with many tool calls of 20 pieces.
    ManyTools,
    /// One picture in many base64 pieces of 4,194 bytes.
    BigMedia,
    /// Replies whose pieces alternate.
    Interleaved,
    /// Many replies of two pieces.
    ManyReplies,
}

impl Shape {
    /// Every shape.
    pub const ALL: [Self; 6] = [Self::React, Self::TextOnly, Self::ManyTools, Self::BigMedia, Self::Interleaved, Self::ManyReplies];

    /// How large the log is made when the realistic one has this many events: events, pieces, calls, pieces of media, events, replies.
    #[must_use]
    pub fn size(self, events: usize) -> usize {
        match self {
            Self::React | Self::TextOnly | Self::Interleaved => events,
            Self::ManyTools => (events / 40).max(1),
            Self::BigMedia => (events / 50).max(1),
            Self::ManyReplies => (events / 2).max(1),
        }
    }
}

/// A log in memory.
#[derive(Clone, Debug)]
pub struct Corpus {
    /// What it is like.
    pub shape: Shape,
    /// How it is written.
    pub dialect: Dialect,
    /// Its bytes: a line an event.
    pub bytes: Arc<[u8]>,
    /// Number of its events.
    pub events: usize,
    /// Bytes of media in it, decoded.
    pub media: usize,
}

impl Corpus {
    /// The log of this shape. What `size` counts is said at [`Shape::size`]; the realistic shape ends with the reply in which it is reached.
    #[must_use]
    pub fn new(shape: Shape, dialect: Dialect, size: usize) -> Self {
        Self::of(LogWriter::new(dialect, SEED), shape, dialect, size)
    }

    /// The same log with `type` once in each line. Only Java repeats it, and parsers made by serde refuse that.
    #[must_use]
    pub fn with_single_type(shape: Shape, dialect: Dialect, size: usize) -> Self {
        Self::of(LogWriter::new(dialect, SEED).with_single_type(), shape, dialect, size)
    }

    fn of(mut log: LogWriter, shape: Shape, dialect: Dialect, size: usize) -> Self {
        match shape {
            Shape::React => {
                while log.events() < size {
                    react::reply(&mut log);
                }
            }
            Shape::TextOnly => wide::text_only(&mut log, size),
            Shape::ManyTools => wide::many_tools(&mut log, size),
            Shape::BigMedia => wide::big_media(&mut log, size),
            Shape::Interleaved => many::interleaved(&mut log, size),
            Shape::ManyReplies => many::many_replies(&mut log, size),
        }
        let media = if shape == Shape::BigMedia { size * wide::PIECE } else { 0 };
        Self { shape, dialect, events: log.events(), media, bytes: log.take().into() }
    }

    /// Its lines, without their ends.
    pub fn lines(&self) -> impl Iterator<Item = &[u8]> {
        lines(&self.bytes)
    }
}

/// The lines of a log, without their ends.
pub fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut start = 0;
    memchr::memchr_iter(b'\n', bytes).map(move |end| &bytes[std::mem::replace(&mut start, end + 1)..end])
}

/// Writes realistic sessions of at least so many bytes, without holding them; gives the number of events.
///
/// # Errors
///
/// Those of `out`.
pub fn write_react(dialect: Dialect, bytes: u64, out: &mut impl Write) -> io::Result<usize> {
    let mut log = LogWriter::new(dialect, SEED);
    let mut written = 0;
    while written < bytes {
        while log.len() < CHUNK {
            react::reply(&mut log);
        }
        let chunk = log.take();
        written += chunk.len() as u64;
        out.write_all(&chunk)?;
    }
    Ok(log.events())
}

#[cfg(test)]
mod tests;
