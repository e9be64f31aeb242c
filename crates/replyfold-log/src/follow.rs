//! Following a log while it is being written.

mod files;
mod lines;
mod notice;
#[cfg(feature = "stream")]
mod stream;
mod tail;
mod waiting;

pub use notice::{Followed, Notice};
#[cfg(feature = "stream")]
pub use stream::Ticking;
pub use waiting::Waiting;

use crate::{Format, LogError, LogOptions, LogReader, Place};
use files::{Around, Files, Next, Why};
use lines::Refused;
use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::path::Path;
use std::task::Poll;
use tail::{Cut, Fault, Look, Tail};

/// Follows a log while it is being written, as `tail -F` follows a text: gives every record once, in order, the first ones at once and
/// each later one as soon as the line it ends with is there.
///
/// A line that has no end yet waits for it; of a capture of server-sent events, an event waits for its blank line; of a log packed with
/// zstd, a frame waits for its last byte. What happens to the files is a [`Notice`] between the records:
///
/// - the log goes on in its next segment, as a writer makes them that rotates;
/// - another file gets the name of the log: the old one is read to its end first, until something is written to the new one, and of
///   files that rotation has numbered meanwhile (`run.jsonl.2`, `run.jsonl.1`) those in between;
/// - the file is truncated, or written anew in place: it is read from its start, with what is there then;
/// - the last bytes are taken back: they are forgotten, and nothing is given twice.
///
/// Positions and the state of the dialect carry on over all files. Nothing here waits or reads a clock: [`try_next`](Self::try_next) looks
/// once, and who calls it decides when it does so again; [`waiting`](Self::waiting) is an iterator with a wait that is passed in, and with
/// the feature `stream` there is `ticking`, a `Stream`. Memory is the longest record, or the longest packed frame, and a window of some
/// 200 KiB.
///
/// ```
/// use replyfold_log::{Follow, Followed};
/// use std::io::Write;
/// use std::task::Poll;
///
/// # let dir = tempfile::tempdir()?;
/// # let path = dir.path().join("run.jsonl");
/// let mut log = std::fs::File::create(&path)?;
/// let mut follow = Follow::open(&path)?;
/// assert!(follow.try_next().is_pending());
///
/// write!(log, r#"{{"type":"AGENT_START","replyId":"r1","#)?;
/// assert!(follow.try_next().is_pending());
/// writeln!(log, r#""createdAt":"T"}}"#)?;
/// let Poll::Ready(Some(Ok(Followed::Record(record)))) = follow.try_next() else { panic!("a record") };
/// assert_eq!(record.position, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Follow {
    files: Files,
    tail: Tail,
    reader: LogReader,
    notices: VecDeque<Notice>,
    /// The file that is read once this one is read to its end.
    leaving: Option<Next>,
    /// What is read now that the rest of a file was given.
    turn: Option<Turn>,
    state: State,
}

/// How far the following is.
#[derive(Clone, Copy, PartialEq)]
enum State {
    /// More may be written.
    Open,
    /// Nothing more is written, and what is there is given to its end.
    Closing,
    /// The last file was read to its end.
    Ended,
    /// An error was given.
    Failed,
}

/// What is read after the rest of a file.
enum Turn {
    To(Next),
    /// The same file from its start.
    Anew {
        read: u64,
        length: u64,
    },
}

impl Follow {
    /// Follows the log with this name, from its first record, with the usual options.
    ///
    /// # Errors
    ///
    /// The file cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, LogError> {
        Self::open_with(path, LogOptions::new())
    }

    /// Follows the log with this name, from its first record.
    ///
    /// # Errors
    ///
    /// The file cannot be opened.
    pub fn open_with(path: impl AsRef<Path>, options: LogOptions) -> Result<Self, LogError> {
        let path = path.as_ref();
        let (files, file) = Files::open(path).map_err(|err| LogError::open(path, err))?;
        Ok(Self {
            files,
            tail: Tail::new(file),
            reader: LogReader::fed(path, options),
            notices: VecDeque::new(),
            leaving: None,
            turn: None,
            state: State::Open,
        })
    }

    /// What comes next: `Pending` if nothing is at hand, and `None` after an error, or after [`close`](Self::close) once all is given.
    ///
    /// Whether anything is new is looked up in the file system, so a caller that waits calls it a few times a second, not in a loop.
    pub fn try_next(&mut self) -> Poll<Option<Result<Followed, LogError>>> {
        while self.state != State::Failed {
            if let Some(notice) = self.notices.pop_front() {
                return Poll::Ready(Some(Ok(Followed::Notice(notice))));
            }
            match self.reader.next() {
                Some(Ok(record)) => return Poll::Ready(Some(Ok(Followed::Record(record)))),
                Some(Err(err)) => return self.fail(err),
                None if self.state == State::Ended => return Poll::Ready(None),
                None => {}
            }
            match self.go_on() {
                Ok(true) => {}
                Ok(false) => return Poll::Pending,
                Err(err) => return self.fail(err),
            }
        }
        Poll::Ready(None)
    }

    fn fail(&mut self, err: LogError) -> Poll<Option<Result<Followed, LogError>>> {
        self.state = State::Failed;
        Poll::Ready(Some(Err(err)))
    }

    /// Nothing more will be written: what is there is given to its end, a last line without its end as it is, and then `None` comes
    /// instead of `Pending`.
    pub fn close(&mut self) {
        if self.state == State::Open {
            self.state = State::Closing;
        }
    }

    /// An iterator that calls `wait` when nothing is at hand, and then looks again; `wait` says whether there is more to wait for. Once it
    /// says `false` what is there is given to its end, as after [`close`](Self::close).
    ///
    /// ```
    /// use replyfold_log::{Follow, Followed};
    /// use std::{thread, time::Duration};
    ///
    /// # let dir = tempfile::tempdir()?;
    /// # let path = dir.path().join("run.jsonl");
    /// # std::fs::write(&path, "{\"type\":\"AGENT_START\",\"replyId\":\"r1\",\"createdAt\":\"T\"}\n")?;
    /// # let mut writer_is_there = { let mut looks = 0; move || { looks += 1; looks < 2 } };
    /// let log = Follow::open(&path)?.waiting(|| {
    ///     thread::sleep(Duration::from_millis(10));
    ///     writer_is_there()
    /// });
    /// let mut records = 0;
    /// for item in log {
    ///     match item? {
    ///         Followed::Record(_) => records += 1,
    ///         Followed::Notice(notice) => eprintln!("{notice}"),
    ///     }
    /// }
    /// assert_eq!(records, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn waiting<W: FnMut() -> bool>(self, wait: W) -> Waiting<W> {
        Waiting::new(self, wait)
    }

    /// A stream that looks again at each tick, as those of an interval of an async runtime; when the ticks end, what is there is given to
    /// its end, as after [`close`](Self::close).
    #[cfg(feature = "stream")]
    pub fn ticking<T: futures_core::Stream + Unpin>(self, ticks: T) -> Ticking<T> {
        Ticking::new(self, ticks)
    }

    /// The file that is being read.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.files.path()
    }

    /// How the records of the file are framed, once a line shows it.
    #[must_use]
    pub fn format(&self) -> Option<Format> {
        self.reader.format()
    }

    /// Reads on in the files; `false` if nothing is at hand.
    fn go_on(&mut self) -> Result<bool, LogError> {
        if let Some(turn) = self.turn.take() {
            self.turn_to(turn)?;
            return Ok(true);
        }
        if let Some(lines) = self.tail.take().map_err(|fault| self.error(fault))? {
            self.reader.push(&lines);
            if self.reader.detect() == Some(Format::JsonArray) {
                return Err(LogError::follow(self.files.path(), "it is a JSON array, which is read once it is whole"));
            }
            return Ok(true);
        }
        match self.tail.look().map_err(|fault| self.error(fault))? {
            Look::Grown => {}
            Look::CutBack(cut) => self.cut_back(cut),
            Look::Other { length } => {
                let read = self.tail.bytes_read();
                self.end_file(Some(Turn::Anew { read, length }))?;
            }
            Look::Same => match self.leaving.take() {
                Some(next) => self.end_file(Some(Turn::To(next)))?,
                None => return self.look_around(),
            },
        }
        Ok(true)
    }

    /// Nothing new in the file: another one may come next.
    fn look_around(&mut self) -> Result<bool, LogError> {
        match self.files.look_around().map_err(|err| self.error(Fault::Read(err)))? {
            // What was written to this one before the other one came is read first.
            Around::Next(next) => self.leaving = Some(next),
            Around::Missing => self.notices.push_back(Notice::Missing { path: self.files.path().to_owned() }),
            Around::Same if self.state == State::Closing => {
                self.end_file(None)?;
                self.state = State::Ended;
            }
            Around::Same => return Ok(false),
        }
        Ok(true)
    }

    /// The rest of the file is its last record.
    fn end_file(&mut self, turn: Option<Turn>) -> Result<(), LogError> {
        let rest = self.tail.take_rest().map_err(|fault| self.error(fault))?;
        self.reader.push(&rest);
        self.reader.close_file();
        self.turn = turn;
        Ok(())
    }

    fn turn_to(&mut self, turn: Turn) -> Result<(), LogError> {
        match turn {
            Turn::To(next) => {
                self.files.go_to(&next).map_err(|err| LogError::open(&next.path, err))?;
                let (path, why) = (next.path, next.why);
                self.tail = Tail::new(next.file);
                self.reader.open_file(self.start(), why == Why::Replaced);
                self.notices.push_back(match why {
                    Why::Segment(_) => Notice::Segment { path },
                    Why::Replaced => Notice::Replaced { path },
                });
            }
            Turn::Anew { read, length } => {
                let file = self.tail.file().try_clone().map_err(|err| LogError::open(self.files.path(), err))?;
                self.tail = Tail::new(file);
                self.reader.open_file(self.start(), true);
                self.notices.push_back(Notice::Truncated { read, length });
            }
        }
        Ok(())
    }

    /// The start of the file that is read.
    fn start(&self) -> Place {
        Place { segment: self.files.number(), line: 1, offset: 0 }
    }

    fn cut_back(&mut self, cut: Cut) {
        let mut place = self.reader.next_place();
        place.line = place.line.saturating_sub(cut.lines).max(1);
        if cut.lines > 0 {
            place.offset = place.offset.saturating_sub(cut.whole);
        }
        self.reader.open_file(place, false);
        if cut.read > 0 {
            self.notices.push_back(Notice::CutBack { bytes: cut.read, lines: cut.lines });
        }
    }

    fn error(&self, fault: Fault) -> LogError {
        let offset = self.reader.next_place().offset;
        let path = self.files.path().to_owned();
        match fault {
            Fault::Read(err) => LogError::read(err, offset, false).at(Some(&path)),
            Fault::Refused(Refused::Gzip) => {
                LogError::follow(&path, "it is packed with gzip, which shows nothing before it is whole; zstd frames can be followed")
            }
            Fault::Refused(Refused::LongFrame) => {
                LogError::follow(&path, "a zstd frame in it is longer than 64 MiB and not whole; a writer that flushes makes shorter ones")
            }
            Fault::Refused(Refused::Damaged(err)) => {
                let err = io::Error::new(err.kind(), format!("the zstd data is damaged ({err})"));
                LogError::read(err, offset, true).at(Some(&path))
            }
        }
    }
}

impl fmt::Debug for Follow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Follow").field("path", &self.path()).field("segment", &self.files.number()).finish_non_exhaustive()
    }
}
