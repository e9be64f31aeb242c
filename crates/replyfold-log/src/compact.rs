//! Making a log smaller without changing what it folds into.
//!
//! Pieces of one block that follow each other become one, and events that the fold ignores because it had them already go away. At every
//! point of the log that still exists the messages are what they were, and what is read as another event than before is an error.

mod error;
mod file;
mod run;
mod seen;

pub use error::CompactError;
pub(crate) use error::no_lines;
pub use file::{compact, compact_to};

use crate::reader::WithText;
use crate::{Format, LogReader, OutcomeRef, envelope};
use error::Kind;
use replyfold_dialect::{Dialect, EventReader, LoneSurrogates, ReadEventRef};
use replyfold_event::AgentEvent;
use run::Run;
use seen::{Kept, Seen};
use std::collections::VecDeque;

/// What compacting a log came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Compacted {
    /// Records of the log, readable or not.
    pub records_before: u64,
    /// Records that were written.
    pub records_after: u64,
    /// Bytes of the log, unpacked.
    pub bytes_before: u64,
    /// Bytes that were written.
    pub bytes_after: u64,
    /// Records that went into the one before them.
    pub joined: u64,
    /// Records that were left out because the fold had them already.
    pub duplicates: u64,
}

/// One line of a compacted log.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompactLine {
    /// The line, without a line end.
    pub text: Vec<u8>,
    /// Position in the log of the last record that is in it: after this line the messages are those after `last + 1` records.
    pub last: u64,
}

/// Gives the lines of a compacted log one by one.
///
/// Memory is the longest record, a run of pieces (about a mebibyte) and 16 bytes for the id of each event.
///
/// ```
/// use replyfold_log::{Compactor, LogReader};
///
/// let log = r#"{"type":"TEXT_BLOCK_DELTA","id":"e1","replyId":"r","blockId":"b","delta":"Hel"}
/// {"type":"TEXT_BLOCK_DELTA","id":"e2","replyId":"r","blockId":"b","delta":"lo"}
/// "#;
/// let mut compactor = Compactor::new(LogReader::new(log.as_bytes()));
/// let line = compactor.next().transpose()?.unwrap();
/// assert_eq!(line.text, br#"{"type":"TEXT_BLOCK_DELTA","id":"e1","replyId":"r","blockId":"b","delta":"Hello"}"#);
/// assert_eq!(line.last, 1);
/// assert!(compactor.next().is_none());
/// # Ok::<(), replyfold_log::CompactError>(())
/// ```
pub struct Compactor {
    reader: LogReader,
    state: State,
    /// Reads what is written, as it will be read again.
    check: EventReader,
    path: envelope::Path,
    lone_surrogates: LoneSurrogates,
    done: bool,
}

#[derive(Default)]
struct State {
    run: Option<Run>,
    /// Position of the last record of the run.
    last: u64,
    seen: Seen,
    ready: VecDeque<Ready>,
    told: Compacted,
    /// Where the text of the last record ends in the log.
    end: u64,
}

struct Ready {
    line: CompactLine,
    /// What the line has to be read as; `None` for a record that cannot be read.
    event: Option<AgentEvent>,
}

impl Compactor {
    /// Compacts what the reader reads, with its options.
    #[must_use]
    pub fn new(reader: LogReader) -> Self {
        let (read, path) = reader.read_options();
        Self {
            check: EventReader::new(read),
            path: envelope::Path::told(path.map(Into::into)),
            lone_surrogates: read.lone_surrogates,
            reader,
            state: State::default(),
            done: false,
        }
    }

    /// What it came to; once the lines are over, in all. Bytes written are those of the lines so far with an end each.
    #[must_use]
    pub fn compacted(&self) -> Compacted {
        self.state.told
    }

    /// Whether the last line of the log has a line end; known once the lines are over. A log that was cut off stays cut off.
    #[must_use]
    pub fn is_ended(&self) -> bool {
        self.state.end < self.reader.offset()
    }

    fn advance(&mut self) -> Result<Option<Ready>, CompactError> {
        loop {
            if let Some(ready) = self.state.ready.pop_front() {
                return Ok(Some(ready));
            }
            if self.done {
                return Ok(None);
            }
            match self.reader.next_with_text() {
                Some(record) => {
                    let WithText { record, text, start } = record?;
                    self.state.end = start + record.place.offset + text.len() as u64;
                    self.state.told.records_before += 1;
                    match record.outcome {
                        OutcomeRef::Event(read) => self.state.take(record.position, read, text, record.frame.envelope.is_some()),
                        OutcomeRef::Bad(_) => self.state.keep(record.position, None, text),
                    }
                }
                None => {
                    self.done = true;
                    self.state.flush();
                    self.state.told.bytes_before = self.reader.offset();
                }
            }
            if let Some(format) = self.reader.format().filter(|format| *format != Format::Jsonl) {
                return Err(Kind::Form { path: None, format }.into());
            }
        }
    }

    /// Reads the line as it will be read again.
    fn check(&mut self, ready: &Ready) -> Result<(), CompactError> {
        let Some(event) = &ready.event else { return Ok(()) };
        let again = std::str::from_utf8(&ready.line.text).ok().and_then(|text| {
            let found = self.path.find(text, self.lone_surrogates);
            let text = found.as_ref().map_or(text, |found| &found.event);
            self.check.read_ref(text).ok().map(|read| *read.event.to_cow() == *event)
        });
        match again {
            Some(true) => Ok(()),
            _ => Err(Kind::ReadsOtherwise { path: None, position: ready.line.last }.into()),
        }
    }
}

impl Iterator for Compactor {
    type Item = Result<CompactLine, CompactError>;

    fn next(&mut self) -> Option<Self::Item> {
        let line = self.advance().and_then(|ready| {
            let Some(ready) = ready else { return Ok(None) };
            self.check(&ready)?;
            self.state.told.records_after += 1;
            self.state.told.bytes_after += ready.line.text.len() as u64 + 1;
            Ok(Some(ready.line))
        });
        if line.is_err() {
            self.done = true;
            self.state = State { told: self.state.told, end: self.state.end, ..State::default() };
        }
        line.transpose()
    }
}

impl std::fmt::Debug for Compactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Compactor").field("reader", &self.reader).field("compacted", &self.state.told).finish_non_exhaustive()
    }
}

impl State {
    fn take(&mut self, position: u64, read: ReadEventRef<'_>, text: &[u8], is_enveloped: bool) {
        let event = read.event;
        let reply = event.reply_id().filter(|reply| !reply.is_empty());
        if let (Some(reply), Some(id)) = (reply, event.id()) {
            match self.seen.see(event.source(), reply, id) {
                // What a camelCase log says of runs and calls its reader follows, known id or not, so only pieces go.
                Some(Kept::Yes) if read.dialect != Dialect::Python && event.piece().is_none() => {}
                Some(_) => {
                    self.told.duplicates += 1;
                    return;
                }
                None => {}
            }
        }
        if let Some(run) = &mut self.run
            && !is_enveloped
            && run.join(read).is_some()
        {
            if let (Some(reply), Some(id)) = (reply, event.id()) {
                self.seen.join(event.source(), reply, id);
            }
            (self.last, self.told.joined) = (position, self.told.joined + 1);
            return;
        }
        match Run::start(read, text).filter(|_| !is_enveloped) {
            Some(run) => {
                self.flush();
                (self.run, self.last) = (Some(run), position);
            }
            None => self.keep(position, Some(event.to_event()), text),
        }
    }

    fn keep(&mut self, position: u64, event: Option<AgentEvent>, text: &[u8]) {
        self.flush();
        self.ready.push_back(Ready { line: CompactLine { text: text.to_vec(), last: position }, event });
    }

    /// What comes next is not joined to what was before.
    fn flush(&mut self) {
        if let Some(run) = self.run.take() {
            let (text, event) = run.finish();
            self.ready.push_back(Ready { line: CompactLine { text, last: self.last }, event: Some(event) });
        }
    }
}
