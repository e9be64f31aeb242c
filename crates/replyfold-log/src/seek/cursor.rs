//! Any point of a log, forwards and backwards, in a running program.

use super::ReplySpan;
use super::backend::Backend;
use super::checkpoints::Checkpoints;
use super::loaded::Loaded;
use crate::{Index, IndexError, IndexOptions, LogOptions, LogReader, Record, index};
use replyfold_event::AgentEvent;
use replyfold_reduce::{Applied, ReduceOptions, SessionReducer, Undo};
use std::collections::VecDeque;
use std::path::Path;

/// Events that can be taken back one by one, and the blocks of a reply up to which they are: each holds those of its reply.
const UNDOS: usize = 256;
const UNDO_BLOCKS: usize = 500;

/// Which way to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a log has two ends")]
pub enum Direction {
    /// To its end.
    Forward,
    /// To its start.
    Backward,
}

/// Any point of a log: the records at it and the fold up to it.
///
/// The point beside the last one costs one event, forwards or backwards; now and then, and after a jump, a clone of a fold and less than an
/// interval's events. A log that has no index of its own gets one in memory.
///
/// ```
/// use replyfold_event::{AgentEvent, TextBlockDelta, TextBlockStart};
/// use replyfold_log::{Cursor, Direction};
/// use replyfold_reduce::ReduceOptions;
///
/// let delta = |text| AgentEvent::new(TextBlockDelta::new("r", "b", text));
/// let events = [AgentEvent::new(TextBlockStart::new("r", "b")), delta("Hel"), delta("lo")];
/// let mut cursor = Cursor::from_events(events, ReduceOptions::new());
///
/// let text = |cursor: &mut Cursor, at| cursor.state(at).map(|state| state.messages().next().map(|msg| msg.to_json()));
/// assert!(text(&mut cursor, 3)?.is_some_and(|json| json.contains(r#""text":"Hello""#)));
/// assert!(text(&mut cursor, 2)?.is_some_and(|json| json.contains(r#""text":"Hel""#)));
/// assert_eq!(cursor.find(0, Direction::Forward, |record| record.event().is_some_and(|event| event.block_id().is_some()))?, Some(0));
/// # Ok::<(), replyfold_log::IndexError>(())
/// ```
pub struct Cursor {
    backend: Backend,
    /// The fold of so many records.
    at: u64,
    session: SessionReducer,
    /// Before any record.
    start: SessionReducer,
    checkpoints: Checkpoints,
    /// What takes the last events back, the last one at the end.
    undos: VecDeque<Undo>,
    replies: Option<Vec<ReplySpan>>,
}

impl Cursor {
    /// Opens a log with the usual options.
    ///
    /// # Errors
    ///
    /// As [`open_with`](Self::open_with).
    pub fn open(path: impl AsRef<Path>) -> Result<Self, IndexError> {
        Self::open_with(path, LogOptions::new(), ReduceOptions::new(), |_, _| true)
    }

    /// Opens a log. Takes the index beside it if it fits, else builds one in memory; a log that can have none (packed, a capture, an array) is
    /// read into memory whole.
    ///
    /// `progress` is called now and then with the bytes read so far and those that there are; `false` stops.
    ///
    /// # Errors
    ///
    /// The log cannot be read, or `progress` has stopped it.
    pub fn open_with(
        path: impl AsRef<Path>,
        log: LogOptions,
        reduce: ReduceOptions,
        mut progress: impl FnMut(u64, u64) -> bool,
    ) -> Result<Self, IndexError> {
        let path = path.as_ref();
        let options = IndexOptions::new().with_log(log).with_reduce(reduce);
        if let Ok(mut index) = Index::open(path, &options)
            && !index.is_grown()
            && index.verify().is_ok()
        {
            return Ok(Self::new(Backend::indexed(index), reduce));
        }
        match Index::in_memory(path, &options, &mut progress) {
            Err(err) if err.is_unfit() => {
                let length = index::length(path).unwrap_or_default();
                let loaded = Loaded::read(LogReader::open_with(path, options.log)?, reduce, |read| progress(read, length))?;
                Ok(Self::new(Backend::Loaded(loaded.ok_or_else(IndexError::stopped)?), reduce))
            }
            index => Ok(Self::new(Backend::indexed(index?), reduce)),
        }
    }

    /// Events that are in memory already, one record each.
    #[must_use]
    pub fn from_events(events: impl IntoIterator<Item = AgentEvent>, reduce: ReduceOptions) -> Self {
        Self::new(Backend::Loaded(Loaded::of_events(events, reduce)), reduce)
    }

    /// Every record of a reader, kept in memory.
    ///
    /// # Errors
    ///
    /// The log cannot be read, or a bad record came and the reader is strict.
    pub fn from_reader(reader: LogReader, reduce: ReduceOptions) -> Result<Self, IndexError> {
        let loaded = Loaded::read(reader, reduce, |_| true)?;
        Ok(Self::new(Backend::Loaded(loaded.ok_or_else(IndexError::stopped)?), reduce))
    }

    fn new(backend: Backend, reduce: ReduceOptions) -> Self {
        let start = SessionReducer::with_options(reduce.with_check_duplicates(false));
        Self { backend, at: 0, session: start.clone(), start, checkpoints: Checkpoints::default(), undos: VecDeque::new(), replies: None }
    }

    /// Number of records, readable or not; the points of the log are 0 to this.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.backend.records()
    }

    /// The record at this position, from 0; `None` beyond the end.
    ///
    /// # Errors
    ///
    /// The log or its index cannot be read, or was changed meanwhile.
    pub fn record(&mut self, position: u64) -> Result<Option<&Record>, IndexError> {
        self.backend.record(position)
    }

    /// The fold of the first `records` records, of all if there are fewer. It does not look for duplicates itself, if more is applied to it.
    ///
    /// # Errors
    ///
    /// As [`record`](Self::record).
    pub fn state(&mut self, records: u64) -> Result<&SessionReducer, IndexError> {
        let records = records.min(self.records());
        if records != self.at
            && let Err(err) = self.go(records)
        {
            // The fold stands between two points.
            (self.at, self.session) = (0, self.start.clone());
            self.undos.clear();
            return Err(err);
        }
        Ok(&self.session)
    }

    fn go(&mut self, records: u64) -> Result<(), IndexError> {
        if self.at.checked_sub(records).is_some_and(|back| back <= self.undos.len() as u64) {
            while self.at > records {
                let Some(undo) = self.undos.pop_back() else { break };
                self.session.undo(undo);
                self.at -= 1;
            }
            return Ok(());
        }
        // The point behind the last record is in the last interval.
        let (target, target_start) = match records.min(self.records().saturating_sub(1)) {
            0 => (0, 0),
            position => {
                let known = self.backend.interval_of(position)?;
                (known.number, known.start)
            }
        };
        let is_ahead = self.at < records;
        if !(is_ahead && self.at >= target_start) {
            self.checkpoints.aim(target);
            let (mut interval, position, session) = self.checkpoints.before(target).unwrap_or((0, 0, &self.start));
            if is_ahead && self.at >= position {
                // Goes on from where it is, to the end of the interval.
                let known = self.backend.interval_of(self.at)?;
                interval = known.number;
                if self.at > known.start {
                    self.apply_until(known.end)?;
                    interval += 1;
                }
            } else {
                (self.at, self.session) = (position, session.clone());
                self.undos.clear();
            }
            while self.at < target_start {
                self.checkpoints.pass(interval, self.at, target, &self.session);
                self.undos.clear();
                self.at = self.backend.apply_interval(&mut self.session, interval)?;
                interval += 1;
            }
            self.checkpoints.pass(target, target_start, target, &self.session);
        }
        self.apply_until(records)
    }

    fn apply_until(&mut self, records: u64) -> Result<(), IndexError> {
        while self.at < records {
            self.step_on(records - self.at <= UNDOS as u64)?;
        }
        Ok(())
    }

    /// Folds the next record, and remembers how it was before if that is told.
    fn step_on(&mut self, remember: bool) -> Result<Option<Applied>, IndexError> {
        let undo = match self.backend.record(self.at)?.map(|record| record.event()) {
            Some(Some(event)) if remember => Some(self.session.before(event)),
            Some(None) if remember => Some(self.session.nothing()),
            _ => None,
        };
        match undo {
            Some(undo) if undo.blocks() <= UNDO_BLOCKS => {
                if self.undos.len() == UNDOS {
                    self.undos.pop_front();
                }
                self.undos.push_back(undo);
            }
            // What is not remembered is a gap, and nothing before it can be reached.
            _ => self.undos.clear(),
        }
        let applied = self.backend.apply(&mut self.session, self.at)?;
        self.at += 1;
        Ok(applied)
    }

    /// What the record at this position did to the fold, which is left behind it; `None` for a record that is no event, and beyond the end.
    ///
    /// # Errors
    ///
    /// As [`record`](Self::record).
    pub fn step(&mut self, position: u64) -> Result<Option<Applied>, IndexError> {
        if position >= self.records() {
            return Ok(None);
        }
        self.state(position)?;
        let applied = self.step_on(true);
        if applied.is_err() {
            (self.at, self.session) = (0, self.start.clone());
            self.undos.clear();
        }
        applied
    }

    /// Position of the first event with this id.
    ///
    /// # Errors
    ///
    /// As [`record`](Self::record).
    pub fn find_event(&mut self, id: &str) -> Result<Option<u64>, IndexError> {
        match &mut self.backend {
            Backend::Indexed { index, .. } => index.find_event(id),
            Backend::Loaded(loaded) => Ok(loaded.ids.get(id).copied()),
        }
    }

    /// The replies of the log, in the order of their first event.
    ///
    /// # Errors
    ///
    /// As [`record`](Self::record).
    pub fn replies(&mut self) -> Result<&[ReplySpan], IndexError> {
        if self.replies.is_none() {
            self.replies = Some(match &mut self.backend {
                Backend::Indexed { index, .. } => index.replies()?,
                Backend::Loaded(loaded) => loaded.replies.clone(),
            });
        }
        Ok(self.replies.as_deref().unwrap_or_default())
    }

    /// The nearest record at or behind a point, or before it, of which `wanted` says so.
    ///
    /// # Errors
    ///
    /// As [`record`](Self::record).
    pub fn find(&mut self, from: u64, direction: Direction, mut wanted: impl FnMut(&Record) -> bool) -> Result<Option<u64>, IndexError> {
        let mut next = match direction {
            Direction::Forward => Some(from),
            Direction::Backward => from.min(self.records()).checked_sub(1),
        };
        while let Some(position) = next {
            let Some(record) = self.record(position)? else { return Ok(None) };
            if wanted(record) {
                return Ok(Some(position));
            }
            next = match direction {
                Direction::Forward => position.checked_add(1),
                Direction::Backward => position.checked_sub(1),
            };
        }
        Ok(None)
    }
}

impl std::fmt::Debug for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cursor").field("records", &self.records()).field("at", &self.at).finish_non_exhaustive()
    }
}
