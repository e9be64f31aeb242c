//! The fold at a point of the log, from what its intervals came to and the records of the last one.

use super::line;
use crate::index::{Item, Patch, each};
use crate::{Index, IndexError, Outcome, Record};
use replyfold_event::{AgentEvent, EventRef, Piece, PieceText};
use replyfold_message::{AgentPath, BlockId, ReplyId};
use replyfold_reduce::{Applied, SessionReducer};
use std::ops::Range;

impl Index {
    pub(crate) fn fresh(&self) -> SessionReducer {
        SessionReducer::with_options(self.reduce.with_check_duplicates(false))
    }

    /// The first records as whole intervals, and the rest: where the last whole one ends, and the records behind it.
    pub(super) fn split(&mut self, records: u64) -> Result<(u64, Range<u64>), IndexError> {
        // At its very end the last interval is whole, unless the log went on.
        if records == 0 || (records == self.header.records && !self.is_grown()) {
            return Ok((records, records..records));
        }
        let number = self.interval_of(records.min(self.header.records.saturating_sub(1)))?;
        let start = self.interval(number)?.position;
        Ok((start, start..records))
    }

    /// Folds the whole interval with this number.
    pub(crate) fn apply_interval(&mut self, session: &mut SessionReducer, number: u64) -> Result<(), IndexError> {
        let interval = self.interval(number)?;
        for chunk in self.chunks(interval.chunks)? {
            let bytes = self.unpack(chunk.span)?;
            let name = chunk.of.checked_sub(1).map(|number| self.reply_name(number)).transpose()?;
            let name = name.as_ref().map(|(source, reply)| (source.as_ref(), reply));
            self.apply_chunk(session, interval.position, &bytes, name)?;
        }
        Ok(())
    }

    /// Folds what an interval did to a reply.
    pub(super) fn apply_chunk(
        &mut self,
        session: &mut SessionReducer,
        start: u64,
        chunk: &[u8],
        name: Option<(Option<&AgentPath>, &ReplyId)>,
    ) -> Result<(), IndexError> {
        let (source, reply) = (name.and_then(|(source, _)| source), name.map(|(_, reply)| reply));
        let options = &self.options;
        let mut run: Option<(u64, AgentEvent)> = None;
        let done = each(chunk, start, |item| {
            match item {
                Item::Line { position, block, text } => {
                    let patch = Patch { reply: reply.cloned(), block: block.map(BlockId::new), notes: Vec::new() };
                    let (_, read) = line::read(text, options, Some(&patch))?;
                    session.apply_at(position, &read.event);
                    run = Some((position, read.event));
                }
                Item::More(text) => {
                    let Some((position, event)) = &run else { return Err(IndexError::damaged("a piece of nothing")) };
                    let piece = PieceText::new(text, false).map(|text| Piece { id: None, created_at: None, text });
                    let event = piece.and_then(|piece| EventRef::with_piece(event, piece));
                    session.apply_at(*position, event.ok_or_else(|| IndexError::damaged("a piece of what has none"))?);
                }
                Item::Repeat { position, id } => {
                    let reply = reply.ok_or_else(|| IndexError::damaged("a repetition in no reply"))?;
                    session.note_repeat(position, source, reply, id);
                }
            }
            Ok(())
        });
        done.unwrap_or_else(|| Err(IndexError::damaged("a chunk")))
    }

    /// Folds records of one interval, as far as their replies are wanted.
    pub(super) fn apply_records(
        &mut self,
        session: &mut SessionReducer,
        range: Range<u64>,
        wanted: impl Fn(Option<&ReplyId>) -> bool,
    ) -> Result<(), IndexError> {
        let mut next = range.start;
        while next < range.end {
            let (start, records) = self.block_of(next)?;
            let after = start + records.len() as u64;
            let number = self.interval_of(next)?;
            let detail = self.detail(number)?;
            for record in records.iter().filter(|record| (next..range.end).contains(&record.position)) {
                if let Outcome::Event(read) = &record.outcome
                    && wanted(read.event.reply_id())
                {
                    apply(session, record, detail.repeats.binary_search(&record.position).is_ok());
                }
            }
            if after <= next {
                return Err(IndexError::damaged("a block has no record"));
            }
            next = after;
        }
        Ok(())
    }
}

/// Folds a record of which it is known whether its reply had it already.
pub(crate) fn apply(session: &mut SessionReducer, record: &Record, is_repeat: bool) -> Option<Applied> {
    let event = record.event()?;
    match (event.reply_id(), &event.id) {
        (Some(reply), Some(id)) if is_repeat => Some(session.note_repeat(record.position, event.source.as_ref(), reply, id.as_str())),
        _ => Some(session.apply_at(record.position, event)),
    }
}
