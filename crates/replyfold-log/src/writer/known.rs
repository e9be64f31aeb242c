//! What the log that is opened holds already.

use super::error::Kind;
use super::files::Files;
use super::{WriteError, WriterOptions};
use crate::buffer::Buffer;
use crate::framing::Framing;
use crate::segments::{self, Rest};
use crate::{Format, LogOptions, LogReader};
use replyfold_dialect::{Dialect, EventReader, write_event};
use replyfold_event::Payload;
use replyfold_message::json::JsonObject;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Records that are looked at to tell the dialect of a log.
const LOOKED_AT: usize = 1000;

/// Refuses a log that is no JSONL, or of another dialect than the one that is to be written.
pub(crate) fn check(files: &dyn Files, base: &Path, told: Dialect) -> Result<(), WriteError> {
    let input = files.input(base).map_err(|err| WriteError::failed(base, "read the log", err))?;
    let Some(input) = input else { return Ok(()) };
    let mut buffer = Buffer::new(input, 0);
    let mut framing = Framing::detect(&mut buffer, told == Dialect::Java);
    if framing.format != Format::Jsonl {
        return Err(WriteError::new(base, Kind::Format(framing.format)));
    }
    for _ in 0..LOOKED_AT {
        let Some(raw) = framing.next(&mut buffer) else { break };
        let found = std::str::from_utf8(&raw.text).ok().and_then(|text| dialect_of(text, told));
        match found {
            Some(found) if found != told => return Err(WriteError::new(base, Kind::Dialect { found, told })),
            Some(_) => break,
            None => {}
        }
    }
    Ok(())
}

/// The dialect of a line, if it shows one: Python's lines always do, by their keys; many lines of the camelCase dialects are the same in both,
/// which matters only where one of these is told.
fn dialect_of(text: &str, told: Dialect) -> Option<Dialect> {
    // By itself: what a reader knows of earlier lines may give the event the id of another reply.
    let read = EventReader::default().read(text).ok()?;
    // Frames of a host say nothing of the log.
    if matches!(read.event.payload, Payload::Unknown(_)) {
        return None;
    }
    if told == Dialect::Python || read.dialect == Dialect::Python {
        return Some(read.dialect);
    }
    let line = JsonObject::parse(text).ok()?;
    if line.fields().iter().filter(|(key, _)| *key == "type").count() > 1 {
        // As Jackson writes it, and nobody else.
        return Some(Dialect::Java);
    }
    let writes = |dialect| {
        let mut written = Vec::new();
        write_event(&read.event, dialect, &mut written);
        // Fields may stand in any order: who writes them otherwise says the same.
        std::str::from_utf8(&written).is_ok_and(|written| JsonObject::parse(written).is_ok_and(|written| written.is_same_value(&line)))
    };
    match (writes(Dialect::Canonical), writes(Dialect::Java)) {
        (true, false) => Some(Dialect::Canonical),
        (false, true) => Some(Dialect::Java),
        _ => None,
    }
}

/// Reads the whole log: how many records it has, and what a reader knows after them.
pub(crate) fn read(files: &Arc<dyn Files>, base: &Path, options: &WriterOptions) -> Result<(u64, EventReader), WriteError> {
    let input = files.input(base).and_then(|input| input.ok_or_else(|| io::ErrorKind::NotFound.into()));
    let input = input.map_err(|err| WriteError::failed(base, "read the log", err))?;
    let others = Arc::clone(files);
    let rest = Rest::new(base, segments::last(base, &files.names(base)), move |path| others.input(path));
    let mut reader = LogReader::over(input, rest, LogOptions::new().with_dialect(options.dialect));
    let mut records = 0;
    while let Some(record) = reader.next_ref() {
        record.map_err(|err| WriteError::new(base, Kind::Unreadable(err)))?;
        records += 1;
    }
    Ok((records, reader.into_events()))
}
