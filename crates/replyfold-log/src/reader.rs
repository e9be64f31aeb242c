//! Reading a log, record by record.

mod fed;
mod files;
mod texts;

pub(crate) use texts::{Resume, WithText};

use crate::buffer::Buffer;
use crate::framing::{Format, Framing, Raw};
use crate::gzip::Trailing;
use crate::input::Input;
use crate::segments::Rest;
use crate::{BadRecord, Frame, LogError, Outcome, OutcomeRef, Place, Record, RecordRef, envelope, reasons};
use replyfold_dialect::{Dialect, EventReader, LoneSurrogates, ReadEvent, ReadNote, ReadOptions};
use std::borrow::Cow;
use std::io::{self, Read};
use std::path::PathBuf;

/// What a bad record does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the reading goes on or it stops")]
pub enum Strictness {
    /// It is reported, and the reading goes on.
    #[default]
    Lenient,
    /// It ends the reading.
    Strict,
}

/// How a log is read.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct LogOptions {
    /// The dialect, if it is told, and what to do with half surrogate pairs.
    pub read: ReadOptions,
    /// What a bad record does.
    pub strictness: Strictness,
    /// Key of the member that carries the event, if the log has envelopes and it is told; else each record shows its own.
    pub path: Option<Box<str>>,
}

impl LogOptions {
    /// The usual options: everything is found out, and the reading goes on after a bad record.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// All records are of this dialect.
    #[must_use]
    pub fn with_dialect(mut self, dialect: Dialect) -> Self {
        self.read.dialect = Some(dialect);
        self
    }

    /// Half of a surrogate pair is treated in this way.
    #[must_use]
    pub fn with_lone_surrogates(mut self, lone_surrogates: LoneSurrogates) -> Self {
        self.read.lone_surrogates = lone_surrogates;
        self
    }

    /// A bad record does this.
    #[must_use]
    pub fn with_strictness(mut self, strictness: Strictness) -> Self {
        self.strictness = strictness;
        self
    }

    /// Events stand in this member of each record.
    #[must_use]
    pub fn with_path(mut self, key: impl Into<Box<str>>) -> Self {
        self.path = Some(key.into());
        self
    }
}

/// Reads a log: an iterator of its records.
///
/// An `Err` ends it: the bytes could not be read, or a bad record came and the reader is strict. What was read before comes first, the
/// record in which the bytes end included.
///
/// ```
/// use replyfold_log::{Format, LogReader};
///
/// let capture = ": ready\n\nid: 7\ndata: {\"type\":\"AGENT_START\",\"replyId\":\"r1\",\"createdAt\":\"T\"}\n\ndata: [DONE]\n\n";
/// let mut reader = LogReader::new(capture.as_bytes());
/// let record = reader.next().transpose()?;
/// assert_eq!(record.as_ref().and_then(|record| record.frame.sse_id.as_deref()), Some("7"));
/// assert_eq!(record.map(|record| (record.position, record.place.line)), Some((0, 4)));
/// assert!(reader.next().is_none());
/// assert_eq!(reader.format(), Some(Format::Sse));
/// # Ok::<(), replyfold_log::LogError>(())
/// ```
pub struct LogReader {
    /// The log before anything of it was read, so that opening one cannot fail twice.
    buffer: Result<Buffer, Option<io::Error>>,
    framing: Option<Framing>,
    events: EventReader,
    strictness: Strictness,
    /// The dialect that was told.
    told: Option<Dialect>,
    lone_surrogates: LoneSurrogates,
    path: envelope::Path,
    file: Option<PathBuf>,
    /// The segments that follow, of a log in files.
    rest: Option<Rest>,
    /// Bytes of the segments that were read to their ends, as they stand in their files.
    read_before: u64,
    /// Where each segment that was met begins, in bytes that are not packed.
    starts: Vec<u64>,
    /// Whether the first record shows that the log is in another encoding.
    is_utf16: bool,
    position: u64,
    /// What comes after a cut record: it tells a torn log from a damaged one.
    ahead: Option<Result<Raw, LogError>>,
    /// The record that was made last, if it was not given away.
    current: Option<Record>,
    /// The text of the event that was made last, if texts are kept.
    text: Option<Vec<u8>>,
    done: bool,
}

/// What nothing stands around.
static BARE: Frame = Frame { sse_id: None, sse_event: None, envelope: None };

/// Where the record is that comes next.
enum Next {
    /// The reader of events lends its event.
    Lent(Place),
    /// It is `current`.
    Made,
}

impl LogReader {
    /// Reads from any reader, with the usual options.
    pub fn new(reader: impl Read + Send + 'static) -> Self {
        Self::with_options(reader, LogOptions::new())
    }

    /// Reads from any reader.
    pub fn with_options(reader: impl Read + Send + 'static, options: LogOptions) -> Self {
        Self {
            buffer: Input::new(reader).map(|input| Buffer::new(input, 0)).map_err(Some),
            framing: None,
            events: EventReader::new(options.read),
            told: options.read.dialect,
            lone_surrogates: options.read.lone_surrogates,
            strictness: options.strictness,
            path: envelope::Path::told(options.path),
            file: None,
            rest: None,
            read_before: 0,
            starts: vec![0],
            is_utf16: false,
            position: 0,
            ahead: None,
            current: None,
            text: None,
            done: false,
        }
    }

    /// How the records are framed, once the first one was asked for.
    #[must_use]
    pub fn format(&self) -> Option<Format> {
        self.framing.as_ref().map(|framing| framing.format)
    }

    /// The dialect of the log, as far as its records have shown it.
    #[must_use]
    pub fn dialect(&self) -> Option<Dialect> {
        self.events.dialect()
    }

    /// Key of the member that carries the events, if it was told or the log has envelopes: then the key that most of them have so far.
    #[must_use]
    pub fn envelope_path(&self) -> Option<&str> {
        self.path.key()
    }

    /// Bytes taken from the file so far, before unpacking; for a progress bar.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.read_before + self.buffer.as_ref().map_or(0, Buffer::consumed)
    }

    /// The next record, lent until the one after is asked for: the fast way through a log. What `next` says of errors holds for it too.
    ///
    /// ```
    /// use replyfold_log::LogReader;
    /// use replyfold_reduce::SessionReducer;
    ///
    /// let log = "{\"type\":\"AGENT_START\",\"replyId\":\"r1\",\"createdAt\":\"T\"}\n";
    /// let (mut reader, mut session) = (LogReader::new(log.as_bytes()), SessionReducer::new());
    /// while let Some(record) = reader.next_ref() {
    ///     if let Some(event) = record?.event() {
    ///         session.apply(event);
    ///     }
    /// }
    /// assert_eq!(session.messages().count(), 1);
    /// # Ok::<(), replyfold_log::LogError>(())
    /// ```
    pub fn next_ref(&mut self) -> Option<Result<RecordRef<'_>, LogError>> {
        match self.advance()? {
            Err(err) => Some(Err(err)),
            Ok(Next::Made) => self.current.as_ref().map(|record| Ok(record.as_ref())),
            Ok(Next::Lent(place)) => self.lend(place).map(Ok),
        }
    }

    fn lend(&self, place: Place) -> Option<RecordRef<'_>> {
        let read = self.events.alike(self.buffer.as_ref().ok()?.at_hand())?;
        Some(RecordRef { position: self.position.saturating_sub(1), place, frame: &BARE, outcome: OutcomeRef::Event(read) })
    }

    fn advance(&mut self) -> Option<Result<Next, LogError>> {
        if self.done {
            return None;
        }
        if let Ok(buffer) = &mut self.buffer {
            buffer.take_lent();
        }
        if let Some(place) = self.lend_alike() {
            return Some(Ok(Next::Lent(place)));
        }
        let record = match self.next_raw() {
            Ok(None) => None,
            Ok(Some(raw)) => Some(self.read(raw)),
            Err(err) => Some(Err(err)),
        };
        self.done = match &record {
            Some(result) => result.is_err(),
            None => !self.is_fed(),
        };
        record.map(|result| match result {
            Ok(record) => {
                self.current = Some(record);
                Ok(Next::Made)
            }
            Err(err) => Err(err.at(self.file.as_deref())),
        })
    }

    /// Takes the next line if it is like an earlier one.
    fn lend_alike(&mut self) -> Option<Place> {
        if self.ahead.is_some() || self.path.is_told() || self.format() != Some(Format::Jsonl) {
            return None;
        }
        let buffer = self.buffer.as_mut().ok()?;
        let length = self.events.read_alike(buffer.peek(1))?;
        buffer.lend_line(length);
        self.position += 1;
        Some(buffer.place())
    }

    fn next_raw(&mut self) -> Result<Option<Raw>, LogError> {
        if let Some(ahead) = self.ahead.take() {
            return ahead.map(Some);
        }
        loop {
            let buffer = match &mut self.buffer {
                Ok(buffer) => buffer,
                Err(err) => {
                    let err = err.take().unwrap_or_else(|| io::Error::from(io::ErrorKind::UnexpectedEof));
                    return Err(LogError::read(err, 0, false));
                }
            };
            if self.framing.is_none() && fed::shows_nothing(buffer) {
                return Ok(None);
            }
            let pairs = self.told == Some(Dialect::Java);
            let framing = self.framing.get_or_insert_with(|| Framing::detect(buffer, pairs));
            if let Some(raw) = framing.next(buffer) {
                return Ok(Some(raw));
            }
            let path = self.rest.as_ref().map(Rest::path);
            if let Some(fault) = buffer.take_fault() {
                return after_end(fault, buffer.place(), buffer.is_packed()).map(Some).map_err(|err| err.at(path.as_deref()));
            }
            let Some((input, number)) = self.rest.as_mut().map_or(Ok(None), Rest::next)? else { return Ok(None) };
            self.read_before += buffer.consumed();
            self.starts.push(self.starts.last().copied().unwrap_or_default() + buffer.place().offset);
            *buffer = Buffer::new(input, number);
            // All segments are framed as the first one.
            buffer.skip_mark();
        }
    }

    fn read(&mut self, raw: Raw) -> Result<Record, LogError> {
        let Raw { place, text, mut frame, fault, note } = raw;
        let position = self.position;
        self.position += 1;
        let read = match fault {
            Some(fault) => Err((fault.into_owned(), false)),
            None => self.read_text(&text, &mut frame),
        };
        let outcome = match read {
            Ok(read) => {
                if let Some(kept) = &mut self.text {
                    *kept = text;
                }
                Outcome::Event(Box::new(read))
            }
            Err((mut reason, cut)) => {
                if let Some(note) = note {
                    reason = format!("{reason}; {note}");
                }
                // Of a log that is being written only whole lines come: one that ends in the middle is not what a write was cut off in.
                let cut = cut && !self.waits();
                if cut {
                    self.ahead = self.next_raw().transpose();
                }
                let torn = cut && !matches!(self.ahead, Some(Ok(_)));
                self.is_utf16 |= position == 0 && reasons::is_utf16(&text);
                if self.is_utf16 {
                    reason = reasons::UTF16.to_owned();
                } else if !torn && self.format() == Some(Format::Jsonl) && reasons::is_piece(&text) {
                    reason = format!("{reason}; {}", reasons::PIECE);
                }
                let bad = BadRecord::new(reason, text, torn);
                if self.strictness == Strictness::Strict {
                    // A record that is cut because the log cannot be read on is not what is wrong.
                    return Err(match self.ahead.take() {
                        Some(Err(err)) => err,
                        _ => LogError::bad(place, bad),
                    });
                }
                Outcome::Bad(bad)
            }
        };
        Ok(Record { position, place, frame, outcome })
    }

    /// Reads the event of a record; else the reason, and whether the record ends in the middle.
    fn read_text(&mut self, bytes: &[u8], frame: &mut Frame) -> Result<ReadEvent, (String, bool)> {
        let text = std::str::from_utf8(bytes).map_err(|err| (reasons::not_text(bytes, err), err.error_len().is_none()))?;
        let (mut event, mut replaced) = (Cow::Borrowed(text), false);
        if let Some(found) = self.path.find(text, self.lone_surrogates) {
            frame.envelope = Some(found.envelope);
            (event, replaced) = (found.event, found.replaced);
        }
        let mut read = self.events.read(&event).map_err(|err| {
            let cut = err.is_truncated();
            let reason = match self.framing.as_ref().and_then(|framing| reasons::two_texts(&event, &err, framing.format)) {
                Some(reason) => reason,
                None if bytes.iter().all(|byte| *byte == 0) => reasons::zeros(bytes.len()),
                None => reasons::list_of_events(&event, &err).unwrap_or_else(|| err.to_string()),
            };
            (reason, cut)
        })?;
        if replaced && !read.notes.contains(&ReadNote::ReplacedSurrogate) {
            read.notes.push(ReadNote::ReplacedSurrogate);
        }
        Ok(read)
    }
}

/// What ends a log that cannot be read on. Bytes that only follow the packed data cost none of it: they are a record that cannot be read.
fn after_end(fault: io::Error, place: Place, is_packed: bool) -> Result<Raw, LogError> {
    match fault.downcast::<Trailing>() {
        Ok(trailing) => {
            let reason = trailing.to_string();
            Ok(Raw { place, text: trailing.0, frame: Frame::default(), fault: Some(reason.into()), note: None })
        }
        Err(fault) => Err(LogError::read(fault, place.offset, is_packed)),
    }
}

impl Iterator for LogReader {
    type Item = Result<Record, LogError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.advance()? {
            Err(err) => Some(Err(err)),
            Ok(Next::Made) => self.current.take().map(Ok),
            Ok(Next::Lent(place)) => self.lend(place).map(|record| Ok(record.to_record())),
        }
    }
}

impl std::fmt::Debug for LogReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LogReader")
            .field("file", &self.file)
            .field("format", &self.format())
            .field("position", &self.position)
            .finish_non_exhaustive()
    }
}
