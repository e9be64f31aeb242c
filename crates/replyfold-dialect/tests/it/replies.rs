//! "Java: one reply id per reply" (`wire.md` section 5), rule by rule.

mod ids;
mod other_events;
mod parking;
mod starts;

use replyfold_dialect::{Dialect, EventReader, ReadEvent, ReadOptions};
use replyfold_event::AgentEvent;

/// Reads a log whose lines are told to be Java's.
fn read(lines: &[&str]) -> Vec<ReadEvent> {
    let mut reader = EventReader::new(ReadOptions::new().with_dialect(Dialect::Java));
    lines.iter().map(|line| reader.read(line).unwrap_or_else(|err| panic!("{line}: {err}"))).collect()
}

/// The reply of each event of a log; `-` for none.
fn replies(lines: &[&str]) -> Vec<String> {
    read(lines).iter().map(|read| reply(&read.event)).collect()
}

fn reply(event: &AgentEvent) -> String {
    event.reply_id().filter(|id| !id.is_empty()).map_or("-", |id| id.as_str()).to_owned()
}

/// The reply of the last event of a log.
fn last_reply(lines: &[&str]) -> String {
    replies(lines).pop().unwrap()
}
