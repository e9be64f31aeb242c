//! Writing a log that survives what happens to it.

mod active;
mod error;
mod files;
mod frames;
mod known;
mod options;
mod repair;
mod tail;

#[cfg(test)]
mod faults;
#[cfg(test)]
mod tests;

pub use error::WriteError;
pub use options::{Durability, Packing, WriterOptions};
pub use repair::Repair;

use crate::segments;
use active::Active;
use error::Kind;
use files::{Disk, Files};
use replyfold_dialect::{EventWriter, Loss};
use replyfold_event::AgentEvent;
use std::any::Any;
use std::iter;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// Appends events to a log, and keeps them: JSONL, plain or in zstd frames, in one file or in [segments](crate::segment_path).
///
/// Under [`Durability::EveryEvent`] an event is durable when `append` comes back; whatever happens after that, it is in the log. Under any
/// policy a log is, after any crash, the first events that were appended, and perhaps a piece of the next one, which opening it again moves
/// aside. `docs/wire/log-format.md` has the rules.
///
/// One writer has a log at a time: another one is refused. A write or a sync that fails ends the writer; every later `append` is refused until
/// the log is opened again, because nobody can tell what of the failed one is on the disk. Dropping a writer closes it, and hides what
/// goes wrong then; [`close`](Self::close) tells.
///
/// ```
/// use replyfold_dialect::Dialect;
/// use replyfold_event::{AgentEvent, AgentStart, TextBlockDelta, message::Role};
/// use replyfold_log::{LogReader, LogWriter, WriterOptions};
///
/// # let dir = tempfile::tempdir()?;
/// # let path = dir.path().join("run.jsonl");
/// let mut writer = LogWriter::open(&path, WriterOptions::new(Dialect::Canonical))?;
/// for repair in writer.repairs() {
///     eprintln!("{repair}");
/// }
/// let appended = writer.append(&AgentEvent::new(AgentStart::new("r1", Role::Assistant)))?;
/// assert_eq!(appended.positions, 0..1);
/// writer.append(&AgentEvent::new(TextBlockDelta::new("r1", "b1", "Hello")))?;
/// writer.close()?;
/// assert_eq!(LogReader::open(&path)?.count(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LogWriter {
    files: Arc<dyn Files>,
    /// Held until the writer is gone.
    _lock: Box<dyn Any + Send>,
    base: PathBuf,
    options: WriterOptions,
    events: EventWriter,
    active: Active,
    /// Records in the log, those of the active file included that are not written yet.
    position: u64,
    /// How many of them are durable.
    durable: u64,
    /// Since when some are not.
    waiting: Option<SystemTime>,
    /// When the active file was made.
    born: Option<SystemTime>,
    repairs: Vec<Repair>,
    /// The first failure.
    failure: Option<String>,
    /// Room for lines, used again and again.
    lines: Vec<u8>,
}

/// What an append came to.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Appended {
    /// The records that the events are, counted from 0 over the whole log. It is shorter than the events if the dialect cannot carry one of
    /// them at all.
    pub positions: Range<u64>,
    /// What the dialect cannot carry.
    pub losses: Vec<Loss>,
}

impl LogWriter {
    /// Opens a log to append to it; makes the file if there is none.
    ///
    /// The end of a log that was cut off is mended first, and [`repairs`](Self::repairs) tells how: a record that only lacks its newline is
    /// completed, torn bytes are moved to a file beside the log. Damage before the end stays where it is. The log is read once, so this takes
    /// as long as reading it.
    ///
    /// # Errors
    ///
    /// Another writer has the log open; it is of another dialect, no JSONL or packed with gzip; it cannot be read on somewhere, so that what is
    /// appended could not be read either; the file is a segment; an option needs a clock; or the files cannot be opened, read or mended.
    pub fn open(path: impl AsRef<Path>, options: WriterOptions) -> Result<Self, WriteError> {
        Self::open_in(Arc::new(Disk), &segments::resolved(path.as_ref()), options)
    }

    fn open_in(files: Arc<dyn Files>, base: &Path, options: WriterOptions) -> Result<Self, WriteError> {
        if let Some(option) = options.lacks_clock() {
            return Err(WriteError::new(base, Kind::Clock(option)));
        }
        let names = files.names(base);
        if let Some(whole) = segments::base_of(base).filter(|whole| names.iter().any(|name| Some(name.as_os_str()) == whole.file_name())) {
            return Err(WriteError::new(base, Kind::Segment { base: whole }));
        }
        let last = segments::last(base, &names);
        if last > 0 && !names.iter().any(|name| Some(name.as_os_str()) == base.file_name()) {
            // To make the base anew would put new events before the old ones.
            return Err(WriteError::failed(base, "open the log for writing", segments::missing(base, last)));
        }
        let lock = files.lock(base).map_err(|err| WriteError::lock(base, err))?;
        // Another writer may have gone on to a new segment before this one had the lock.
        let last = segments::last(base, &files.names(base));
        known::check(files.as_ref(), base, options.dialect)?;
        let mut repairs = Vec::new();
        let active = Active::open(files.as_ref(), base, last, options.packing, &mut repairs)?;
        let (records, reader) = known::read(&files, base, &options)?;
        let born = active.created().or_else(|| options.now());
        Ok(Self {
            files,
            _lock: lock,
            base: base.to_owned(),
            events: EventWriter::resume(options.dialect, reader),
            options,
            active,
            position: records,
            durable: records,
            waiting: None,
            born,
            repairs,
            failure: None,
            lines: Vec::new(),
        })
    }

    /// What opening the log mended.
    #[must_use]
    pub fn repairs(&self) -> &[Repair] {
        &self.repairs
    }

    /// How many records the log has, those that were appended included: the position of the next one.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.position
    }

    /// How many of the records are durable: those before this position survive a crash of the machine.
    #[must_use]
    pub fn durable(&self) -> u64 {
        self.durable
    }

    /// The file that is written, and its number among the segments.
    #[must_use]
    pub fn segment(&self) -> (u32, &Path) {
        (self.active.number, &self.active.path)
    }

    /// Appends one event.
    ///
    /// # Errors
    ///
    /// It could not be written, or not be made durable; or an earlier one could not. It may be in the log or not; opening the log again tells.
    pub fn append(&mut self, event: &AgentEvent) -> Result<Appended, WriteError> {
        self.append_all(iter::once(event))
    }

    /// Appends several events with one write, and makes them durable together. They stand in one segment. After a crash in the middle the first
    /// ones of them may be in the log.
    ///
    /// # Errors
    ///
    /// As [`append`](Self::append).
    pub fn append_all<'e>(&mut self, events: impl IntoIterator<Item = &'e AgentEvent>) -> Result<Appended, WriteError> {
        self.refuse_after_failure()?;
        let mut lines = std::mem::take(&mut self.lines);
        lines.clear();
        let (mut count, mut losses) = (0, Vec::new());
        for event in events {
            let start = lines.len();
            losses.extend(self.events.write(event, &mut lines));
            count += u64::from(end_line(&mut lines, start));
        }
        let written = if count > 0 { self.write(&lines, count) } else { Ok(()) };
        self.lines = lines;
        let positions = self.position..self.position + if written.is_ok() { count } else { 0 };
        self.check(written)?;
        self.position += count;
        if self.options.durability == Durability::EveryEvent {
            self.durable = self.position;
        }
        self.tick()?;
        Ok(Appended { positions, losses })
    }

    /// Writes lines, in a new segment if it is time for one. Where each event is made durable, a failure takes back what nobody was told of.
    fn write(&mut self, lines: &[u8], count: u64) -> Result<(), WriteError> {
        if count > 0 && self.wants_segment(lines.len()) {
            self.rotate()?;
        }
        match self.options.durability {
            Durability::EveryEvent => self.active.write_durably(lines),
            Durability::Every(_) | Durability::OnClose => self.active.write(lines),
        }
    }

    fn wants_segment(&self, more: usize) -> bool {
        let size = self.active.size();
        let is_full = self.options.max_bytes.is_some_and(|most| size + more as u64 > most);
        let is_old = || {
            let age = self.options.now().zip(self.born).and_then(|(now, born)| now.duration_since(born).ok());
            age.zip(self.options.max_age).is_some_and(|(age, most)| age >= most)
        };
        size > 0 && (is_full || is_old())
    }

    /// Goes on in a new segment. What stands before it is durable before it is there, so no crash leaves a gap.
    fn rotate(&mut self) -> Result<(), WriteError> {
        self.active.sync()?;
        (self.durable, self.waiting) = (self.position, None);
        let number = self.active.number.checked_add(1).ok_or_else(|| WriteError::new(&self.base, Kind::Full))?;
        self.active = Active::create(self.files.as_ref(), &self.base, number, self.options.packing)?;
        self.born = self.options.now();
        Ok(())
    }

    /// Makes everything durable that was appended.
    ///
    /// # Errors
    ///
    /// It cannot be made durable, or an earlier failure ended the writer.
    pub fn sync(&mut self) -> Result<(), WriteError> {
        self.refuse_after_failure()?;
        let synced = self.active.sync();
        self.check(synced)?;
        (self.durable, self.waiting) = (self.position, None);
        Ok(())
    }

    /// Looks at the clock, and makes durable what is due under [`Durability::Every`]. Each `append` does the same.
    ///
    /// # Errors
    ///
    /// As [`sync`](Self::sync).
    pub fn tick(&mut self) -> Result<(), WriteError> {
        let (Durability::Every(most), true) = (self.options.durability, self.durable < self.position) else { return Ok(()) };
        let Some(now) = self.options.now() else { return Ok(()) };
        let since = *self.waiting.get_or_insert(now);
        // A clock that went back says nothing of the age.
        match now.duration_since(since) {
            Ok(age) if age < most => Ok(()),
            _ => self.sync(),
        }
    }

    /// Makes everything durable and closes the log.
    ///
    /// # Errors
    ///
    /// As [`sync`](Self::sync).
    pub fn close(mut self) -> Result<(), WriteError> {
        self.sync()
    }

    fn refuse_after_failure(&self) -> Result<(), WriteError> {
        match &self.failure {
            Some(failure) => Err(WriteError::new(&self.active.path, Kind::Poisoned(failure.clone()))),
            None => Ok(()),
        }
    }

    fn check(&mut self, result: Result<(), WriteError>) -> Result<(), WriteError> {
        if let Err(err) = &result {
            self.failure = Some(err.to_string());
        }
        result
    }
}

impl Drop for LogWriter {
    fn drop(&mut self) {
        if self.failure.is_none() && self.durable < self.position {
            // There is nobody to tell; `close` tells.
            let _ = self.active.sync();
        }
    }
}

impl std::fmt::Debug for LogWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LogWriter")
            .field("segment", &self.active.path)
            .field("position", &self.position)
            .field("durable", &self.durable)
            .field("failure", &self.failure)
            .finish_non_exhaustive()
    }
}

/// Makes one line of what was written from here on; `false` if that is nothing.
fn end_line(lines: &mut Vec<u8>, start: usize) -> bool {
    let line = lines.get_mut(start..).unwrap_or_default();
    if line.trim_ascii().is_empty() {
        lines.truncate(start);
        return false;
    }
    // A line end can only stand between the tokens of an unknown event that came over several lines.
    line.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
    lines.push(b'\n');
    true
}
