//! Any point of a log, by its index: the same answers as a scan gives.

mod backend;
mod checkpoints;
mod cursor;
mod line;
mod loaded;
mod restore;

pub use cursor::{Cursor, Direction};

use crate::index::{Bad, Block, NEVER};
use crate::{BadRecord, Index, IndexError, Outcome, Place, Record};
use replyfold_message::{AgentPath, ReplyId};
use replyfold_reduce::SessionReducer;
use std::io::{Read as _, Seek as _, SeekFrom};

/// Where an interval or a block begins: position and offset of its first record.
type Start = (u64, u64);

/// Where a reply stands in its log.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReplySpan {
    /// Path of the agent that spoke; the top-level agent has none.
    pub source: Option<AgentPath>,
    /// Its id.
    pub reply: ReplyId,
    /// Position of its first event.
    pub first: u64,
    /// Position of its last event.
    pub last: u64,
    /// Position of the event that opened its message, if one did.
    pub opened: Option<u64>,
}

impl Index {
    /// The record at this position; `None` beyond the end.
    ///
    /// # Errors
    ///
    /// The log or the index cannot be read or is not what it was.
    pub fn record(&mut self, position: u64) -> Result<Option<Record>, IndexError> {
        if position >= self.records() {
            return Ok(None);
        }
        let (_, records) = self.block_of(position)?;
        Ok(records.into_iter().find(|record| record.position == position))
    }

    /// Position of the first event with this id.
    ///
    /// # Errors
    ///
    /// As [`record`](Self::record).
    pub fn find_event(&mut self, id: &str) -> Result<Option<u64>, IndexError> {
        let mut from = 0;
        loop {
            // Few events share a hash: one is looked at, then the next.
            let mut next = None;
            self.may_have(id, |position| {
                next = (position >= from).then_some(position);
                next.is_none()
            })?;
            let Some(position) = next else { return Ok(None) };
            match self.record(position)? {
                Some(record) if record.event().and_then(|event| event.id.as_ref()).is_some_and(|own| *own == *id) => {
                    return Ok(Some(position));
                }
                _ => from = position + 1,
            }
        }
    }

    /// The fold of the first `records` records, of all if there are fewer. It does not look for duplicates itself: those of the log are known.
    ///
    /// Reads what the log folds into up to there, and less than an interval of the log itself.
    ///
    /// # Errors
    ///
    /// As [`record`](Self::record).
    pub fn session_at(&mut self, records: u64) -> Result<SessionReducer, IndexError> {
        let (whole, rest) = self.split(records.min(self.records()))?;
        let mut session = self.fresh();
        for number in 0..self.intervals() {
            if self.interval(number)?.position >= whole {
                break;
            }
            self.apply_interval(&mut session, number)?;
        }
        self.apply_records(&mut session, rest, |_| true)?;
        Ok(session)
    }

    /// The fold of the first `records` records as far as they are of replies with this id. What is read does not grow with the rest of the log.
    ///
    /// # Errors
    ///
    /// As [`record`](Self::record).
    pub fn reply_at(&mut self, id: &str, records: u64) -> Result<SessionReducer, IndexError> {
        let records = records.min(self.records());
        let mut session = self.fresh();
        let mut spans = Vec::new();
        for number in self.named(id)? {
            let entry = self.reply_entry(number)?;
            let (source, name) = self.reply_name(number)?;
            if name == *id && entry.first < records {
                spans.push((entry, source));
            }
        }
        if spans.is_empty() {
            return Ok(session);
        }
        // Messages stand in the order in which they were opened.
        spans.sort_by_key(|(entry, _)| (entry.opened, entry.first));
        let (whole, rest) = self.split(records)?;
        for (entry, source) in &spans {
            for chunk in self.chunks(entry.chunks)? {
                if chunk.of >= whole {
                    break;
                }
                let bytes = self.unpack(chunk.span)?;
                self.apply_chunk(&mut session, chunk.of, &bytes, Some((source.as_ref(), &ReplyId::new(id))))?;
            }
        }
        // An interval in which none of them has anything need not be read.
        if spans.iter().any(|(entry, _)| entry.last >= whole) {
            self.apply_records(&mut session, rest, |reply| reply.is_some_and(|reply| *reply == *id))?;
        }
        Ok(session)
    }

    /// The replies of the log, in the order of their first event.
    ///
    /// # Errors
    ///
    /// As [`record`](Self::record).
    pub fn replies(&mut self) -> Result<Vec<ReplySpan>, IndexError> {
        let mut list = Vec::new();
        for number in 0..self.replies_in_all() {
            let entry = self.reply_entry(number)?;
            let (source, reply) = self.reply_name(number)?;
            list.push(ReplySpan {
                source,
                reply,
                first: entry.first,
                last: entry.last,
                opened: Some(entry.opened).filter(|opened| *opened != NEVER),
            });
        }
        Ok(list)
    }

    /// The bad records among the first `records`: how many there are, and the first `most` of them.
    ///
    /// # Errors
    ///
    /// As [`record`](Self::record).
    pub fn bad_records(&mut self, records: u64, most: usize) -> Result<(u64, Vec<(Place, BadRecord)>), IndexError> {
        let records = records.min(self.records());
        if records == 0 {
            return Ok((0, Vec::new()));
        }
        let last = self.interval_of(records - 1)?;
        let within = self.detail(last)?.bad.iter().filter(|bad| bad.position < records).count() as u64;
        let count = self.interval(last)?.bad_before + within;
        let mut list = Vec::new();
        let mut number = 0;
        while (list.len() as u64) < count.min(most as u64) && number <= last {
            // Intervals without any are passed over by their number alone.
            let after = if number == last { count } else { self.interval(number + 1)?.bad_before };
            if after > list.len() as u64 {
                for bad in &self.detail(number)?.bad {
                    if bad.position < records && list.len() < most {
                        list.push(self.bad_record(bad)?);
                    }
                }
            }
            number += 1;
        }
        Ok((count, list))
    }

    /// What [`SessionReducer::lacks_starts`] says after the first `records` records.
    #[must_use]
    pub fn lacks_starts(&self, records: u64) -> bool {
        self.header.first_lack < records && self.header.first_other >= records
    }

    fn bad_record(&mut self, bad: &Bad) -> Result<(Place, BadRecord), IndexError> {
        let text = self.log_bytes(bad.offset, bad.offset.saturating_add(bad.length))?;
        if crc32fast::hash(&text) != bad.checksum {
            return Err(IndexError::stale("a record that cannot be read is another"));
        }
        let place = self.log.place(bad.line, bad.offset);
        Ok((place, BadRecord::new(bad.reason.clone(), text, bad.is_torn)))
    }

    /// The bytes from a place on to another, as far as they are of one segment.
    fn log_bytes(&mut self, start: u64, end: u64) -> Result<Vec<u8>, IndexError> {
        let end = self.log.end_of(start).map_or(end, |other| other.min(end));
        self.log.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        let length = end.saturating_sub(start);
        (&mut self.log).take(length).read_to_end(&mut bytes)?;
        if (bytes.len() as u64) < length {
            return Err(IndexError::stale("it is shorter"));
        }
        Ok(bytes)
    }

    /// The text of the record at this position.
    pub(crate) fn text(&mut self, position: u64) -> Result<Vec<u8>, IndexError> {
        let (_, block, end) = self.block_at(position)?;
        let bytes = self.log_bytes(block.offset, end.map_or(self.log_length(), |(_, offset)| offset))?;
        let text = line::texts(&bytes, Place::default()).nth(usize::try_from(position - block.position).unwrap_or(usize::MAX));
        text.map(|(_, text)| text.to_vec()).ok_or_else(|| IndexError::stale("it has fewer records"))
    }

    /// The block that this record is in, and its records.
    pub(crate) fn block_of(&mut self, position: u64) -> Result<(u64, Vec<Record>), IndexError> {
        let (number, block, end) = self.block_at(position)?;
        Ok((block.position, self.block_records(number, block, end)?))
    }

    /// The interval and the block that this record is in, and where the block ends: position and offset of what is behind it.
    fn block_at(&mut self, position: u64) -> Result<(u64, Block, Option<Start>), IndexError> {
        let number = self.interval_of(position)?;
        let detail = self.detail(number)?;
        let at = detail.blocks.iter().rposition(|block| block.position <= position);
        let at = at.ok_or_else(|| IndexError::damaged("no block has the record"))?;
        let end = match detail.blocks.get(at + 1) {
            Some(next) => Some((next.position, next.offset)),
            None => self.end_of(number)?,
        };
        let block = detail.blocks.get(at).copied().unwrap_or_default();
        Ok((number, block, end))
    }

    /// Where the interval ends: position and offset of the next one; `None` for the last.
    pub(crate) fn end_of(&mut self, interval: u64) -> Result<Option<Start>, IndexError> {
        if interval + 1 >= self.intervals() {
            return Ok(None);
        }
        self.interval(interval + 1).map(|next| Some((next.position, next.offset)))
    }

    /// The records of a block, from the log.
    pub(crate) fn block_records(&mut self, interval: u64, block: Block, end: Option<Start>) -> Result<Vec<Record>, IndexError> {
        let (after, end) = end.unwrap_or((self.header.records, self.log_length()));
        let bytes = self.log_bytes(block.offset, end)?;
        let texts: Vec<(Place, &[u8])> = line::texts(&bytes, self.log.place(block.line, block.offset)).collect();
        let mut sum = crc32fast::Hasher::new();
        for (_, text) in &texts {
            sum.update(text);
            sum.update(b"\n");
        }
        if sum.finalize() != block.checksum || texts.len() as u64 != after.saturating_sub(block.position) {
            return Err(IndexError::stale("its records are others"));
        }
        let (detail, start) = (self.detail(interval)?, self.interval(interval)?.position);
        let patches = detail.patches_from(block.position.saturating_sub(start));
        let mut records = Vec::new();
        for ((position, (place, text)), patch) in (block.position..).zip(texts).zip(patches) {
            let bad = detail.bad.binary_search_by_key(&position, |bad| bad.position).ok().and_then(|at| detail.bad.get(at));
            let (frame, outcome) = match bad {
                Some(bad) => {
                    let record = BadRecord::new(bad.reason.clone(), text.to_vec(), bad.is_torn);
                    (line::frame(text, &self.options), Outcome::Bad(record))
                }
                None => {
                    let (frame, read) = line::read(text, &self.options, patch)?;
                    (frame, Outcome::Event(Box::new(read)))
                }
            };
            records.push(Record { position, place, frame, outcome });
        }
        Ok(records)
    }
}
