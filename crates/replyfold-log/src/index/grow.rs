//! Going on with the index of a log that has grown: what it knows of all intervals but the last is taken over.

use super::build::{Builder, Reply, go_on};
use super::error::IndexError;
use super::layout::{ChunkEntry, Interval, NEVER, entries};
use super::{Index, IndexBuilt, IndexOptions, build_index, each, index_path, length, marked};
use crate::index::Item;
use crate::reader::Resume;
use crate::segments::Rest;
use crate::{LogReader, envelope, reasons, sidecar};
use replyfold_dialect::EventReader;
use replyfold_event::EventRef;
use replyfold_message::{AgentPath, EventId, ReplyId};
use replyfold_reduce::{Applied, SessionReducer};
use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

/// Bytes that are copied at once.
const PIECE: u64 = 64 * 1024;

/// Makes the index of a log fit: one that fits stays, one of a log that has only grown is gone on with, any other is built anew.
///
/// # Errors
///
/// As [`build_index`].
pub fn update_index(
    log: impl AsRef<Path>,
    options: &IndexOptions,
    mut progress: impl FnMut(u64, u64) -> bool,
) -> Result<IndexBuilt, IndexError> {
    let log = log.as_ref();
    let open = || {
        let mut index = Index::open(log, options)?;
        index.verify()?;
        Ok::<_, IndexError>(index)
    };
    match open() {
        Ok(index) if !index.is_grown() => {
            let (path, records) = (index_path(log), index.records());
            let bytes = std::fs::metadata(&path).map_err(|err| IndexError::from(err).at(&path))?.len();
            return Ok(IndexBuilt { path, bytes, records });
        }
        Ok(index) if index.intervals() > 1 => match grow(log, index, options, &mut progress) {
            // The log is another one after all.
            Err(err) if err.is_stale() || err.is_unfit() => {}
            built => return built.map_err(|err| err.at(log)),
        },
        _ => {}
    }
    build_index(log, options, progress)
}

fn grow(
    log: &Path,
    mut index: Index,
    options: &IndexOptions,
    progress: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<IndexBuilt, IndexError> {
    let path = index_path(log);
    let last = index.interval(index.intervals() - 1)?;
    let length = length(log)?;
    let place = index.log.place(last.line, last.offset);
    let starts: Vec<u64> = index.log.starts().iter().take(1 + place.segment as usize).copied().collect();
    let rest = Rest::after(log, place.segment);
    let mut file = File::open(rest.path())?;
    file.seek(SeekFrom::Start(place.offset))?;
    let from = Resume {
        place,
        starts,
        rest: Some(rest),
        position: last.position,
        events: events_before(&mut index, options)?,
        is_utf16: index.record(0)?.is_some_and(|first| first.bad().is_some_and(|bad| bad.reason.starts_with(reasons::UTF16))),
    };
    let mut reader = LogReader::resume(file, options.log.clone(), from);
    let mut out = sidecar::create(&path)?;
    let builder = taken_over(index, last, options, &mut out)?;
    let mark = |length| marked(log, length);
    let (_, records) = go_on(builder, &mut reader, options, mark, &mut |read| progress(last.offset + read, length))?;
    let bytes = out.as_file().metadata()?.len();
    sidecar::keep(out, &path, true)?;
    Ok(IndexBuilt { path, bytes, records })
}

/// A reader of events that has read what says something of the events of the last interval.
fn events_before(index: &mut Index, options: &IndexOptions) -> Result<EventReader, IndexError> {
    let mut events = EventReader::new(options.log.read);
    let mut keys = envelope::Path::told(options.log.path.clone());
    for number in 0..index.intervals() - 1 {
        let (interval, detail) = (index.interval(number)?, index.detail(number)?);
        // Most of them stand in the chunks.
        let mut texts: BTreeMap<u64, Vec<u8>> = BTreeMap::new();
        for chunk in index.chunks(interval.chunks)? {
            let bytes = index.unpack(chunk.span)?;
            let take = |item: Item<'_>| {
                if let Item::Line { position, text, .. } = item
                    && detail.telling.binary_search(&position).is_ok()
                {
                    texts.insert(position, text.to_vec());
                }
                Ok::<_, IndexError>(())
            };
            each(&bytes, interval.position, take).ok_or_else(|| IndexError::damaged("a chunk"))??;
        }
        for position in &detail.telling {
            let text = match texts.remove(position) {
                Some(text) => text,
                None => index.text(*position)?,
            };
            let wrong = || IndexError::stale("a line is no event");
            let text = std::str::from_utf8(&text).map_err(|_| wrong())?;
            let found = keys.find(text, options.log.read.lone_surrogates);
            events.read(found.as_ref().map_or(text, |found| &found.event)).map_err(|_| wrong())?;
        }
    }
    Ok(events)
}

/// A builder that has read the log up to the last interval.
fn taken_over<W: Write + Seek>(mut index: Index, last: Interval, options: &IndexOptions, out: W) -> Result<Builder<W>, IndexError> {
    let start = last.position;
    let mut builder = Builder::new(options, out)?;
    // What stands before what is known of the last interval is of the others.
    let mut copied = 0;
    while copied < last.detail.start {
        let length = PIECE.min(last.detail.start - copied);
        builder.pages.write(&index.pages.read(copied, length)?)?;
        copied += length;
    }
    let mut session = index.fresh();
    for number in 0..index.intervals() - 1 {
        builder.intervals.push(index.interval(number)?);
        index.apply_interval(&mut session, number)?;
    }
    builder.session = session;
    for number in 0..index.replies_in_all() {
        let entry = index.reply_entry(number)?;
        if entry.first >= start {
            // So are all that come: they stand in the order of their first events.
            break;
        }
        let (source, id) = index.reply_name(number)?;
        let mut chunks: Vec<ChunkEntry> = entries(entry.chunks, &mut index.pages)?;
        chunks.retain(|chunk| chunk.of < start);
        builder.numbers.insert((source.clone(), id.clone()), builder.replies.len());
        // What is not before the last interval is met again.
        let opened = if entry.opened < start { entry.opened } else { NEVER };
        builder.replies.push(Reply { source, id, first: entry.first, last: entry.last, opened, chunks });
    }
    builder.ids = index.header.ids.all(&mut index.pages)?;
    builder.ids.retain(|(_, position)| *position < start);
    builder.bad = last.bad_before;
    let before = |position: u64| if position < start { position } else { NEVER };
    builder.header.first_lack = before(index.header.first_lack);
    builder.header.first_other = before(index.header.first_other);
    builder.header.records = start;
    (builder.unknown, builder.knows) = (index.unknown.clone(), index.knows);
    builder.earlier = Some(Earlier { index, start, since: HashSet::new() });
    Ok(builder)
}

/// Knows which events their reply had already, those before by the earlier index.
pub(super) struct Earlier {
    index: Index,
    /// Where the last interval of the earlier index begins: what is behind it is read again.
    start: u64,
    since: HashSet<(Option<AgentPath>, ReplyId, EventId)>,
}

impl Earlier {
    /// Folds the event.
    pub(super) fn apply(&mut self, session: &mut SessionReducer, position: u64, event: EventRef<'_>) -> Result<Applied, IndexError> {
        if let (Some(reply), Some(id)) = (event.reply_id().filter(|reply| !reply.is_empty()), event.id()) {
            let key = (event.source().cloned(), reply.clone(), EventId::new(id));
            if self.since.contains(&key) || self.had(&key)? {
                return Ok(session.note_repeat(position, event.source(), reply, id));
            }
            self.since.insert(key);
        }
        Ok(session.apply_at(position, event))
    }

    fn had(&mut self, (source, reply, id): &(Option<AgentPath>, ReplyId, EventId)) -> Result<bool, IndexError> {
        let mut positions = Vec::new();
        self.index.may_have(id.as_str(), |position| {
            positions.extend((position < self.start).then_some(position));
            true
        })?;
        for position in positions {
            let record = self.index.record(position)?;
            let is_same = record
                .as_ref()
                .and_then(|record| record.event())
                .is_some_and(|event| event.id.as_ref() == Some(id) && event.reply_id() == Some(reply) && event.source == *source);
            if is_same {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
