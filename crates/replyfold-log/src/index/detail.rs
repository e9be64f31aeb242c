//! What is known of the records of one interval: where they stand, what their reader gave them, which cannot be read.

use super::bytes::{Decoder, Encoder};
use replyfold_dialect::Dialect;
use replyfold_dialect::ReadNote;
use replyfold_message::{BlockId, ReplyId};
use std::collections::HashMap;

/// Some records that follow each other, with the checksum of their texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) position: u64,
    pub(crate) offset: u64,
    pub(crate) line: u64,
    pub(crate) checksum: u32,
}

/// What the reader of the log gave an event beyond its line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Patch {
    pub(crate) reply: Option<ReplyId>,
    pub(crate) block: Option<BlockId>,
    pub(crate) notes: Vec<ReadNote>,
}

/// A record that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bad {
    pub(crate) position: u64,
    pub(crate) offset: u64,
    pub(crate) line: u64,
    pub(crate) length: u64,
    pub(crate) checksum: u32,
    pub(crate) is_torn: bool,
    pub(crate) reason: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Detail {
    pub(crate) blocks: Vec<Block>,
    pub(crate) bad: Vec<Bad>,
    /// Positions of events that their reply had already.
    pub(crate) repeats: Vec<u64>,
    /// Positions of records that say something of those that come.
    pub(crate) telling: Vec<u64>,
    patches: Vec<Patch>,
    /// How many records in a row have the patch with this number and one; 0 stands for none.
    runs: Vec<(u64, usize)>,
}

/// Numbers patches while an interval is written.
#[derive(Default)]
pub(super) struct Patches(HashMap<Patch, usize>);

impl Detail {
    /// The next record has this patch.
    pub(super) fn patch(&mut self, patch: Option<Patch>, known: &mut Patches) {
        let number = match patch {
            None => 0,
            Some(patch) => {
                let new = self.patches.len() + 1;
                let number = *known.0.entry(patch.clone()).or_insert(new);
                if number == new {
                    self.patches.push(patch);
                }
                number
            }
        };
        match self.runs.last_mut() {
            Some((count, last)) if *last == number => *count += 1,
            _ => self.runs.push((1, number)),
        }
    }

    /// The patches of the records from this one of the interval on.
    pub(crate) fn patches_from(&self, record: u64) -> impl Iterator<Item = Option<&Patch>> {
        let each = self.runs.iter().flat_map(|(count, number)| (0..*count).map(|_| *number));
        each.skip(usize::try_from(record).unwrap_or(usize::MAX)).map(|number| number.checked_sub(1).and_then(|at| self.patches.get(at)))
    }

    pub(super) fn encode(&self, start: u64, out: &mut Encoder) {
        out.number(self.blocks.len() as u64);
        for block in &self.blocks {
            [block.position - start, block.offset, block.line, block.checksum.into()].into_iter().for_each(|number| out.number(number));
        }
        out.number(self.bad.len() as u64);
        for bad in &self.bad {
            let numbers = [bad.position - start, bad.offset, bad.line, bad.length, bad.checksum.into()];
            numbers.into_iter().for_each(|number| out.number(number));
            out.flag(bad.is_torn);
            out.bytes(bad.reason.as_bytes());
        }
        for list in [&self.repeats, &self.telling] {
            out.number(list.len() as u64);
            list.iter().for_each(|position| out.number(position - start));
        }
        out.number(self.patches.len() as u64);
        for patch in &self.patches {
            out.optional(patch.reply.as_ref().map(ReplyId::as_str));
            out.optional(patch.block.as_ref().map(BlockId::as_str));
            out.number(patch.notes.len() as u64);
            patch.notes.iter().for_each(|note| out.number(number_of(*note)));
        }
        out.number(self.runs.len() as u64);
        for (count, number) in &self.runs {
            out.number(*count);
            out.number(*number as u64);
        }
    }

    pub(super) fn decode(start: u64, bytes: &mut Decoder<'_>) -> Option<Self> {
        let position = |bytes: &mut Decoder<'_>| start.checked_add(bytes.number()?);
        let mut detail = Self::default();
        for _ in 0..bytes.count()? {
            let (position, offset, line) = (position(bytes)?, bytes.number()?, bytes.number()?);
            detail.blocks.push(Block { position, offset, line, checksum: bytes.number()?.try_into().ok()? });
        }
        for _ in 0..bytes.count()? {
            let (position, offset, line, length) = (position(bytes)?, bytes.number()?, bytes.number()?, bytes.number()?);
            let (checksum, is_torn) = (bytes.number()?.try_into().ok()?, bytes.flag()?);
            detail.bad.push(Bad { position, offset, line, length, checksum, is_torn, reason: bytes.text()?.to_owned() });
        }
        for list in [&mut detail.repeats, &mut detail.telling] {
            for _ in 0..bytes.count()? {
                list.push(position(bytes)?);
            }
        }
        for _ in 0..bytes.count()? {
            let (reply, block) = (bytes.optional()?.map(ReplyId::new), bytes.optional()?.map(BlockId::new));
            let notes = (0..bytes.count()?).map(|_| note_of(bytes.number()?)).collect::<Option<_>>()?;
            detail.patches.push(Patch { reply, block, notes });
        }
        for _ in 0..bytes.count()? {
            detail.runs.push((bytes.number()?, bytes.number()?.try_into().ok()?));
        }
        bytes.is_empty().then_some(detail)
    }
}

/// The notes in the order of their numbers.
const NOTES: [ReadNote; 6] = [
    ReadNote::GuessedRun,
    ReadNote::AnonymousReply,
    ReadNote::ReplacedSurrogate,
    ReadNote::OtherDialect(Dialect::Canonical),
    ReadNote::OtherDialect(Dialect::Java),
    ReadNote::OtherDialect(Dialect::Python),
];

fn number_of(note: ReadNote) -> u64 {
    // A note that is not listed has a number that cannot be read, so an index with it is not used.
    NOTES.iter().position(|known| *known == note).map_or(u64::MAX, |at| at as u64)
}

fn note_of(number: u64) -> Option<ReadNote> {
    NOTES.get(usize::try_from(number).ok()?).copied()
}
