//! Building an index: one pass over the log.

use super::chunk::ChunkWriter;
use super::detail::{Bad, Block, Detail, Patch, Patches};
use super::error::{IndexError, Kind};
use super::grow::Earlier;
use super::layout::{ChunkEntry, Entry, Header, Interval, NEVER, ReplyEntry, Span, Told, packed};
use super::lookup::{Lookup, hash};
use super::mark::Mark;
use super::options::IndexOptions;
use super::pages::PageWriter;
use crate::reader::WithText;
use crate::{Format, LogReader, OutcomeRef, RecordRef};
use crc32fast::Hasher;
use replyfold_dialect::ReadEventRef;
use replyfold_event::{AgentEvent, Payload};
use replyfold_message::{AgentPath, ReplyId};
use replyfold_reduce::{Applied, NoteKind, SessionReducer};
use std::collections::{BTreeMap, HashMap};
use std::io::{Seek, Write};

/// Bytes of an interval, and of a block, at most, but for its last record.
const INTERVAL: u64 = 1024 * 1024;
const BLOCK: u64 = 64 * 1024;
/// Unknown types that are remembered.
const UNKNOWN: usize = 64;

/// One reply, and where its chunks are.
pub(super) struct Reply {
    pub(super) source: Option<AgentPath>,
    pub(super) id: ReplyId,
    pub(super) first: u64,
    pub(super) last: u64,
    pub(super) opened: u64,
    pub(super) chunks: Vec<ChunkEntry>,
}

/// The interval that is being read.
struct Current {
    entry: Interval,
    detail: Detail,
    patches: Patches,
    /// By number of the reply and one; events of no reply under 0.
    chunks: BTreeMap<u64, ChunkWriter>,
    block: Hasher,
}

/// An index while it is built.
pub(super) struct Builder<W> {
    pub(super) pages: PageWriter<W>,
    pub(super) session: SessionReducer,
    /// Records and bytes of an interval, and of a block, at most.
    interval: (u64, u64),
    block_size: (u64, u64),
    pub(super) header: Header,
    pub(super) intervals: Vec<Interval>,
    current: Option<Current>,
    pub(super) replies: Vec<Reply>,
    pub(super) numbers: HashMap<(Option<AgentPath>, ReplyId), usize>,
    last: usize,
    pub(super) ids: Vec<(u64, u64)>,
    pub(super) bad: u64,
    /// Types that are not known, before the first one that is.
    pub(super) unknown: Vec<Box<str>>,
    pub(super) knows: bool,
    /// Where the segments begin.
    starts: Vec<u64>,
    /// What knows the ids before, if the index goes on with another.
    pub(super) earlier: Option<Earlier>,
}

/// Reads the log to its end and writes its index; `mark` tells the log's mark once its length is known.
pub(super) fn build<W: Write + Seek>(
    mut reader: LogReader,
    options: &IndexOptions,
    out: W,
    mark: impl FnOnce(u64) -> Result<Mark, IndexError>,
    mut progress: impl FnMut(u64) -> bool,
) -> Result<(W, u64), IndexError> {
    let builder = Builder::new(options, out)?;
    go_on(builder, &mut reader, options, mark, &mut progress)
}

/// Goes on with an index to the end of the log.
pub(super) fn go_on<W: Write + Seek>(
    mut builder: Builder<W>,
    reader: &mut LogReader,
    options: &IndexOptions,
    mark: impl FnOnce(u64) -> Result<Mark, IndexError>,
    progress: &mut dyn FnMut(u64) -> bool,
) -> Result<(W, u64), IndexError> {
    let (mut end, mut is_torn) = (0, false);
    let mut version = reader.version();
    loop {
        if builder.header.records.is_multiple_of(4096) && !progress(reader.bytes_read()) {
            return Err(IndexError::stopped());
        }
        let Some(record) = reader.next_with_text() else { break };
        let record = record?;
        let WithText { record, text, start } = record;
        (end, is_torn) = (start + record.place.offset + text.len() as u64, record.bad().is_some_and(|bad| bad.is_torn()));
        builder.take(record, text, start)?;
        let before = std::mem::replace(&mut version, reader.version());
        if before != version {
            builder.is_telling();
        }
        if let Some(format) = reader.format().filter(|format| *format != Format::Jsonl) {
            return Err(Kind::Form(format).into());
        }
        if reader.is_packed() {
            return Err(Kind::Packed.into());
        }
    }
    if let Some(format) = reader.format().filter(|format| *format != Format::Jsonl) {
        return Err(Kind::Form(format).into());
    }
    let length = reader.offset();
    builder.starts = reader.starts().to_vec();
    // What comes behind it may go on with a record that has no end, and make a cut one a bad one.
    builder.header.stable = builder.header.records - u64::from(builder.header.records > 0 && (is_torn || end >= length));
    builder.header.mark = mark(length)?;
    let records = builder.header.records;
    Ok((builder.finish(&Told::new(options))?, records))
}

impl<W: Write + Seek> Builder<W> {
    pub(super) fn new(options: &IndexOptions, out: W) -> Result<Self, IndexError> {
        Ok(Self {
            pages: PageWriter::new(out)?,
            session: SessionReducer::with_options(options.reduce.with_check_duplicates(true)),
            interval: (options.interval, INTERVAL),
            block_size: (options.block, BLOCK),
            header: Header { first_lack: NEVER, first_other: NEVER, ..Header::default() },
            intervals: Vec::new(),
            current: None,
            replies: Vec::new(),
            numbers: HashMap::new(),
            last: 0,
            ids: Vec::new(),
            bad: 0,
            unknown: Vec::new(),
            knows: false,
            starts: Vec::new(),
            earlier: None,
        })
    }

    /// The last record says something of those that come.
    fn is_telling(&mut self) {
        if let Some(current) = &mut self.current {
            current.detail.telling.push(self.header.records - 1);
        }
    }

    /// Takes a record of the segment that begins at `start`.
    fn take(&mut self, record: RecordRef<'_>, text: &[u8], start: u64) -> Result<(), IndexError> {
        let offset = start + record.place.offset;
        self.make_room(record, start)?;
        let Some(current) = &mut self.current else { return Ok(()) };
        current.block.update(text);
        current.block.update(b"\n");
        self.header.records = record.position + 1;
        match record.outcome {
            OutcomeRef::Bad(bad) => {
                current.detail.patch(None, &mut current.patches);
                current.detail.bad.push(Bad {
                    position: record.position,
                    offset,
                    line: record.place.line,
                    length: text.len() as u64,
                    checksum: crc32fast::hash(text),
                    is_torn: bad.is_torn(),
                    reason: bad.reason.clone(),
                });
                self.bad += 1;
            }
            OutcomeRef::Event(read) => self.event(record.position, read, text)?,
        }
        Ok(())
    }

    /// Ends the interval and the block that have enough.
    fn make_room(&mut self, record: RecordRef<'_>, start: u64) -> Result<(), IndexError> {
        let (position, line, here) = (record.position, record.place.line, start + record.place.offset);
        let has_enough = |first: u64, offset: u64, (records, bytes)| position - first >= records || here - offset >= bytes;
        if self.current.as_ref().is_some_and(|Current { entry, .. }| {
            // What is read at once is of one segment.
            entry.offset < start || has_enough(entry.position, entry.offset, self.interval)
        }) {
            self.end_interval()?;
        }
        let bad_before = self.bad;
        let current = self.current.get_or_insert_with(|| Current {
            entry: Interval { position, offset: here, line, bad_before, detail: Span::default(), chunks: Span::default() },
            detail: Detail::default(),
            patches: Patches::default(),
            chunks: BTreeMap::new(),
            block: Hasher::new(),
        });
        let is_full = current.detail.blocks.last().is_none_or(|block| has_enough(block.position, block.offset, self.block_size));
        if is_full {
            current.end_block();
            current.detail.blocks.push(Block { position, offset: here, line, checksum: 0 });
        }
        Ok(())
    }

    fn event(&mut self, position: u64, read: ReadEventRef<'_>, text: &[u8]) -> Result<(), IndexError> {
        let event = read.event;
        let applied = match &mut self.earlier {
            Some(earlier) => earlier.apply(&mut self.session, position, event)?,
            None => self.session.apply_at(position, event),
        };
        self.remember_notes(position, applied);
        if let Some(id) = event.id()
            && !applied.duplicate
        {
            self.ids.push((hash(id), position));
        }
        // Every lent event is one of both.
        let base = event.piece().map(|(base, _)| base).or(event.as_event());
        self.look_at_type(base);
        let given = |base: &AgentEvent| !base.residue.is_empty() || !read.notes.is_empty();
        let patch = base.filter(|base| given(base)).map(|_| Patch {
            reply: event.reply_id().cloned(),
            block: event.block_id().cloned(),
            notes: read.notes.to_vec(),
        });
        let reply = event.reply_id().map(|reply| self.reply(event.source(), reply));
        if let Some(reply) = reply.and_then(|number| self.replies.get_mut(number)) {
            (reply.first, reply.last) = (reply.first.min(position), position);
            if applied.opened {
                reply.opened = position;
            }
        }
        let Some(current) = &mut self.current else { return Ok(()) };
        if applied.duplicate {
            current.detail.repeats.push(position);
        }
        // Of the events without a reply only the exposed sub-agents leave something behind.
        let is_kept = reply.is_some() || base.is_some_and(|base| matches!(base.payload, Payload::SubagentExposed(_)));
        if is_kept {
            let chunk = current.chunks.entry(reply.map_or(0, |number| number as u64 + 1)).or_default();
            chunk.push(current.entry.position, position, event, patch.as_ref(), text, applied);
        }
        current.detail.patch(patch, &mut current.patches);
        Ok(())
    }

    fn remember_notes(&mut self, position: u64, applied: Applied) {
        if !applied.noted {
            return;
        }
        for note in self.session.last_notes() {
            match note.kind {
                NoteKind::DeltaWithoutStart(_) => self.header.first_lack = self.header.first_lack.min(position),
                NoteKind::HeadMissing | NoteKind::EndWithoutStart(_) => {}
                _ => self.header.first_other = self.header.first_other.min(position),
            }
        }
    }

    fn look_at_type(&mut self, base: Option<&AgentEvent>) {
        if self.knows {
            return;
        }
        match base.map(|base| &base.payload) {
            Some(Payload::Unknown(unknown)) if self.unknown.len() < UNKNOWN => {
                if !self.unknown.contains(&unknown.event_type) {
                    self.unknown.push(unknown.event_type.clone());
                }
            }
            Some(Payload::Unknown(_)) => {}
            _ => self.knows = true,
        }
    }

    /// The number of the reply.
    fn reply(&mut self, source: Option<&AgentPath>, id: &ReplyId) -> usize {
        if self.replies.get(self.last).is_some_and(|reply| reply.id == *id && reply.source.as_ref() == source) {
            return self.last;
        }
        let new = self.replies.len();
        self.last = *self.numbers.entry((source.cloned(), id.clone())).or_insert(new);
        if self.last == new {
            let reply = Reply { source: source.cloned(), id: id.clone(), first: NEVER, last: 0, opened: NEVER, chunks: Vec::new() };
            self.replies.push(reply);
        }
        self.last
    }

    fn end_interval(&mut self) -> Result<(), IndexError> {
        let Some(mut current) = self.current.take() else { return Ok(()) };
        current.end_block();
        let start = current.entry.position;
        current.entry.detail = self.write(&packed(|out| current.detail.encode(start, out)))?;
        // Those that open a message here come in the order in which they do, behind those that are open already.
        let opened = |number: u64| {
            let reply = number.checked_sub(1).and_then(|at| self.replies.get(usize::try_from(at).ok()?));
            reply.map(|reply| reply.opened).filter(|opened| (start..NEVER).contains(opened))
        };
        let mut chunks: Vec<(Option<u64>, u64, ChunkWriter)> =
            current.chunks.into_iter().map(|(number, chunk)| (opened(number), number, chunk)).collect();
        chunks.sort_by_key(|(opened, number, _)| (*opened, *number));
        let mut table = Vec::new();
        for (_, number, chunk) in chunks {
            let span = self.write(&packed(|out| out.0 = chunk.finish()))?;
            if let Some(reply) = number.checked_sub(1).and_then(|at| self.replies.get_mut(usize::try_from(at).ok()?)) {
                reply.chunks.push(ChunkEntry { of: start, span });
            }
            table.push(ChunkEntry { of: number, span });
        }
        current.entry.chunks = self.table(&table)?;
        self.intervals.push(current.entry);
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<Span, IndexError> {
        Ok(Span { start: self.pages.write(bytes)?, length: bytes.len() as u64 })
    }

    fn table<T: Entry>(&mut self, entries: &[T]) -> Result<Span, IndexError> {
        let bytes: Vec<u8> = entries.iter().flat_map(Entry::encode).collect();
        self.write(&bytes)
    }

    fn finish(mut self, told: &Told) -> Result<W, IndexError> {
        self.end_interval()?;
        let intervals = std::mem::take(&mut self.intervals);
        self.header.intervals = self.table(&intervals)?;
        let (mut entries, mut names) = (Vec::new(), Vec::new());
        for (number, reply) in (0..).zip(std::mem::take(&mut self.replies)) {
            names.push((hash(reply.id.as_str()), number));
            let name = packed(|out| {
                out.optional(reply.source.as_ref().map(AgentPath::as_str));
                out.bytes(reply.id.as_str().as_bytes());
            });
            let (name, chunks) = (self.write(&name)?, self.table(&reply.chunks)?);
            entries.push(ReplyEntry { first: reply.first, last: reply.last, opened: reply.opened, name, chunks });
        }
        self.header.replies = self.table(&entries)?;
        let unknown = std::mem::take(&mut self.unknown);
        let (knows, starts) = (self.knows, std::mem::take(&mut self.starts));
        self.header.told = self.write(&packed(|out| {
            told.encode(out);
            out.flag(knows);
            out.number(unknown.len() as u64);
            unknown.iter().for_each(|name| out.bytes(name.as_bytes()));
            out.number(starts.len() as u64);
            starts.iter().for_each(|start| out.number(*start));
        }))?;
        self.header.names = Lookup::write(names, &mut self.pages)?;
        self.header.ids = Lookup::write(std::mem::take(&mut self.ids), &mut self.pages)?;
        self.header.length = self.pages.position();
        let header = self.header.encode();
        Ok(self.pages.finish(header)?)
    }
}

impl Current {
    fn end_block(&mut self) {
        let sum = std::mem::take(&mut self.block).finalize();
        if let Some(block) = self.detail.blocks.last_mut() {
            block.checksum = sum;
        }
    }
}
