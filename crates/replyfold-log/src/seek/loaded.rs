//! A log that is in memory whole: one that comes of no file, or of one without places.

use super::ReplySpan;
use crate::{Frame, LogError, LogReader, Outcome, Place, Record};
use replyfold_dialect::{Dialect, ReadEvent};
use replyfold_event::AgentEvent;
use replyfold_message::{AgentPath, EventId, ReplyId};
use replyfold_reduce::{ReduceOptions, SessionReducer};
use std::collections::HashMap;

/// Records of an interval, and of a block.
pub(super) const INTERVAL: u64 = 1024;

pub(super) struct Loaded {
    pub(super) records: Vec<Record>,
    pub(super) repeats: Vec<u64>,
    pub(super) ids: HashMap<EventId, u64>,
    pub(super) replies: Vec<ReplySpan>,
}

impl Loaded {
    /// Takes every record of a reader; `progress` is given the bytes that were read.
    pub(super) fn read(
        mut reader: LogReader,
        reduce: ReduceOptions,
        mut progress: impl FnMut(u64) -> bool,
    ) -> Result<Option<Self>, LogError> {
        let mut records = Vec::new();
        loop {
            if records.len().is_multiple_of(4096) && !progress(reader.bytes_read()) {
                return Ok(None);
            }
            match reader.next() {
                Some(record) => records.push(record?),
                None => return Ok(Some(Self::new(records, reduce))),
            }
        }
    }

    pub(super) fn of_events(events: impl IntoIterator<Item = AgentEvent>, reduce: ReduceOptions) -> Self {
        let read = |event| Outcome::Event(Box::new(ReadEvent::new(event, Dialect::Canonical)));
        let records = (0..)
            .zip(events)
            .map(|(position, event)| Record { position, place: Place::default(), frame: Frame::default(), outcome: read(event) })
            .collect();
        Self::new(records, reduce)
    }

    fn new(records: Vec<Record>, reduce: ReduceOptions) -> Self {
        let mut session = SessionReducer::with_options(reduce.with_check_duplicates(true));
        let mut loaded = Self { records: Vec::new(), repeats: Vec::new(), ids: HashMap::new(), replies: Vec::new() };
        let mut numbers: HashMap<(Option<AgentPath>, ReplyId), usize> = HashMap::new();
        for record in &records {
            let (Some(event), position) = (record.event(), record.position) else { continue };
            let applied = session.apply_at(position, event);
            if applied.duplicate {
                loaded.repeats.push(position);
            }
            if let Some(id) = &event.id {
                loaded.ids.entry(id.clone()).or_insert(position);
            }
            let Some(reply) = event.reply_id() else { continue };
            let number = *numbers.entry((event.source.clone(), reply.clone())).or_insert(loaded.replies.len());
            if number == loaded.replies.len() {
                let (source, reply) = (event.source.clone(), reply.clone());
                loaded.replies.push(ReplySpan { source, reply, first: position, last: position, opened: None });
            }
            if let Some(span) = loaded.replies.get_mut(number) {
                span.last = position;
                span.opened = span.opened.or(applied.opened.then_some(position));
            }
        }
        loaded.records = records;
        loaded
    }
}
