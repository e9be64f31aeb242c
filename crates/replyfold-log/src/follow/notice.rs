//! What a follower gives.

use crate::Record;
use std::fmt;
use std::path::PathBuf;

/// What comes next of a log that is being written.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "something of the log, or something about its files")]
pub enum Followed {
    /// A record.
    Record(Record),
    /// Something that happened to the files of the log.
    Notice(Notice),
}

/// Something that happened to the files of a log that is being followed. The records before it were given already.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// The log goes on in its next segment.
    Segment {
        /// The file of the segment.
        path: PathBuf,
    },
    /// Another file has the name of the log now; the old one was read to its end, and the new one is read from its start.
    Replaced {
        /// The name.
        path: PathBuf,
    },
    /// The file is another log now: it was truncated, or written anew in place. It is read from its start. What was written and taken
    /// away between two looks was never seen.
    Truncated {
        /// Bytes that were read of it before.
        read: u64,
        /// Its length in bytes now.
        length: u64,
    },
    /// The last bytes of the file were taken back, as a writer does that repairs the end of its log; what comes is read from there on.
    CutBack {
        /// Bytes that were read and are gone.
        bytes: u64,
        /// Lines of them that had been given as records: the log no longer has these. 0 of a packed log.
        lines: u64,
    },
    /// The file has no name any more; it is read on until another has it.
    Missing {
        /// The name.
        path: PathBuf,
    },
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Segment { path } => write!(f, "the log goes on in {}", path.display()),
            Self::Replaced { path } => write!(f, "another file is {} now; it is read from its start", path.display()),
            Self::Truncated { read, length } => {
                write!(f, "the file was truncated or written anew: {read} bytes were read, it has {length} now; it is read from its start")
            }
            Self::CutBack { bytes, lines: 0 } => write!(f, "the writer took the last {bytes} bytes back, no whole record among them"),
            Self::CutBack { bytes, lines } => {
                write!(f, "the writer took the last {bytes} bytes back; {lines} records that were given are no longer in the log")
            }
            Self::Missing { path } => write!(f, "there is no file {} any more; what had the name is read on", path.display()),
        }
    }
}
