//! Every call into replyfold that is measured: when a faster entry point lands, it is called here and nowhere else.

use replyfold::coarse::SessionCollapser;
use replyfold::dialect::{Dialect, read_event, write_event};
use replyfold::event::{AgentEvent, EventRef};
use replyfold::log::{LogReader, OutcomeRef};
use replyfold::reduce::{ReduceOptions, SessionReducer};
use std::hint::black_box;
use std::io::Cursor;
use std::sync::Arc;

const VALID: &str = "generated logs are valid";

/// Calls `take` with every event of a log that lies in memory as its reader lends it, the dialect not told.
fn for_each(log: &Arc<[u8]>, mut take: impl FnMut(EventRef<'_>)) {
    let mut reader = LogReader::new(Cursor::new(Arc::clone(log)));
    while let Some(record) = reader.next_ref() {
        match record.expect(VALID).outcome {
            OutcomeRef::Event(read) => take(read.event),
            OutcomeRef::Bad(bad) => panic!("{VALID}: {}", bad.reason),
        }
    }
}

/// Reads every event and drops it.
pub fn parse(log: &Arc<[u8]>) {
    for_each(log, |event| {
        black_box(event);
    });
}

/// Reads every event into a value of its own and drops it.
pub fn parse_owned(log: &Arc<[u8]>) {
    for record in LogReader::new(Cursor::new(Arc::clone(log))) {
        black_box(record.expect(VALID));
    }
}

/// Reads every event and keeps it.
#[must_use]
pub fn events(log: &Arc<[u8]>) -> Vec<AgentEvent> {
    let mut events = Vec::new();
    for_each(log, |event| events.push(event.to_event()));
    events
}

/// Reads one event into a value of its own, without the log around it.
#[must_use]
pub fn read_one(dialect: Dialect, line: &[u8]) -> AgentEvent {
    match dialect {
        Dialect::Canonical => AgentEvent::from_slice(line).expect(VALID),
        // Other dialects are read from text.
        _ => read_event(std::str::from_utf8(line).expect(VALID), dialect).expect(VALID),
    }
}

/// Folds events that were read before.
#[must_use]
pub fn fold(events: &[AgentEvent], check_duplicates: bool) -> SessionReducer {
    let mut session = SessionReducer::with_options(ReduceOptions::new().with_check_duplicates(check_duplicates));
    for event in events {
        session.apply(event);
    }
    session
}

/// Reads a log and folds it, duplicates checked.
#[must_use]
pub fn parse_and_fold(log: &Arc<[u8]>) -> SessionReducer {
    let mut session = SessionReducer::new();
    for_each(log, |event| {
        session.apply(event);
    });
    session
}

/// Appends events to a buffer, a line an event.
pub fn write(dialect: Dialect, events: &[AgentEvent], out: &mut Vec<u8>) {
    for event in events {
        black_box(write_event(event, dialect, out));
        out.push(b'\n');
    }
}

/// Appends the coarse events of a log to a buffer, a line an event.
pub fn collapse(log: &Arc<[u8]>, out: &mut Vec<u8>) {
    let mut session = SessionCollapser::new();
    for_each(log, |event| {
        for shown in session.push(event) {
            shown.event.write_json(out);
            out.push(b'\n');
        }
    });
    for shown in session.finish() {
        shown.event.write_json(out);
        out.push(b'\n');
    }
}
