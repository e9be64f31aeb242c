//! Where a cursor takes records and intervals from.

use super::loaded::{INTERVAL, Loaded};
use super::restore::apply;
use crate::index::Detail;
use crate::{Index, IndexError, Record};
use replyfold_reduce::{Applied, SessionReducer};
use std::collections::VecDeque;
use std::sync::Arc;

/// Blocks of records that are kept: those of an interval and some.
const BLOCKS: usize = 32;

pub(super) enum Backend {
    Indexed {
        index: Box<Index>,
        /// Blocks that were read, by the position of their first record.
        blocks: VecDeque<(u64, Vec<Record>)>,
        /// The interval that was asked for last.
        interval: Option<Known>,
    },
    Loaded(Loaded),
}

/// An interval: its number, where it begins and ends, and what is known of its records.
#[derive(Clone)]
pub(super) struct Known {
    pub(super) number: u64,
    pub(super) start: u64,
    pub(super) end: u64,
    detail: Option<Arc<Detail>>,
}

impl Backend {
    pub(super) fn indexed(index: Index) -> Self {
        Self::Indexed { index: Box::new(index), blocks: VecDeque::new(), interval: None }
    }

    pub(super) fn records(&self) -> u64 {
        match self {
            Self::Indexed { index, .. } => index.records(),
            Self::Loaded(loaded) => loaded.records.len() as u64,
        }
    }

    pub(super) fn record(&mut self, position: u64) -> Result<Option<&Record>, IndexError> {
        match self {
            Self::Indexed { index, blocks, .. } => {
                if position >= index.records() {
                    return Ok(None);
                }
                let has = |(start, block): &(u64, Vec<Record>)| (*start..*start + block.len() as u64).contains(&position);
                if !blocks.iter().any(has) {
                    let block = index.block_of(position)?;
                    blocks.push_front(block);
                    blocks.truncate(BLOCKS);
                }
                let block = blocks.iter().find(|block| has(block));
                Ok(block.and_then(|(start, records)| records.get(usize::try_from(position - start).ok()?)))
            }
            Self::Loaded(loaded) => Ok(usize::try_from(position).ok().and_then(|at| loaded.records.get(at))),
        }
    }

    /// The interval that this record is in.
    pub(super) fn interval_of(&mut self, position: u64) -> Result<Known, IndexError> {
        match self {
            Self::Indexed { index, interval, .. } => {
                if let Some(known) = interval.as_ref().filter(|known| (known.start..known.end).contains(&position)) {
                    return Ok(known.clone());
                }
                let number = index.interval_of(position)?;
                let (start, detail) = (index.interval(number)?.position, index.detail(number)?);
                let end = index.end_of(number)?.map_or(index.records(), |(position, _)| position);
                Ok(interval.insert(Known { number, start, end, detail: Some(detail) }).clone())
            }
            Self::Loaded(loaded) => {
                let number = position / INTERVAL;
                let end = ((number + 1) * INTERVAL).min(loaded.records.len() as u64);
                Ok(Known { number, start: number * INTERVAL, end, detail: None })
            }
        }
    }

    /// Folds a whole interval; gives the position behind it.
    pub(super) fn apply_interval(&mut self, session: &mut SessionReducer, number: u64) -> Result<u64, IndexError> {
        match self {
            Self::Indexed { index, .. } => {
                index.apply_interval(session, number)?;
                Ok(index.end_of(number)?.map_or(index.records(), |(position, _)| position))
            }
            Self::Loaded(loaded) => {
                let (start, end) = (number * INTERVAL, ((number + 1) * INTERVAL).min(loaded.records.len() as u64));
                for position in start..end {
                    self.apply(session, position)?;
                }
                Ok(end)
            }
        }
    }

    /// Folds one record.
    pub(super) fn apply(&mut self, session: &mut SessionReducer, position: u64) -> Result<Option<Applied>, IndexError> {
        let known = self.interval_of(position)?;
        let repeats = match (&known.detail, &*self) {
            (Some(detail), _) => &detail.repeats,
            (None, Self::Loaded(loaded)) => &loaded.repeats,
            (None, Self::Indexed { .. }) => &Vec::new(),
        };
        let is_repeat = repeats.binary_search(&position).is_ok();
        Ok(self.record(position)?.and_then(|record| apply(session, record, is_repeat)))
    }
}
