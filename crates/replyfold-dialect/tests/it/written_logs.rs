//! Logs that are written in another dialect, and read again: an event of another reply than before is reported.

use crate::corpus;
use replyfold_dialect::{Dialect, EventReader, EventWriter, Loss, LossKind, ReadOptions};
use replyfold_event::AgentEvent;

/// The events of a log, as far as they can be read.
fn events(text: &str, dialect: Option<Dialect>) -> Vec<AgentEvent> {
    let mut options = ReadOptions::new();
    options.dialect = dialect;
    let mut reader = EventReader::new(options);
    corpus::lines(text).filter_map(|line| reader.read(line).ok()).map(|read| read.event).collect()
}

/// Each event with what was written of it and with what was reported.
fn written(events: &[AgentEvent], dialect: Dialect) -> Vec<(String, Vec<Loss>)> {
    let mut writer = EventWriter::new(dialect);
    let write = |event| {
        let mut out = Vec::new();
        let losses = writer.write(event, &mut out);
        (String::from_utf8(out).unwrap(), losses)
    };
    events.iter().map(write).collect()
}

fn is_read_otherwise(losses: &[Loss]) -> bool {
    losses.iter().any(|loss| loss.kind == LossKind::ReadOtherwise && &*loss.what == "replyId")
}

/// Number of events that become another reply's; each of them is reported, and no other is.
fn reported(name: &str, events: &[AgentEvent], dialect: Dialect) -> usize {
    let mut reader = EventReader::default();
    let mut count = 0;
    for (event, (line, losses)) in events.iter().zip(written(events, dialect)) {
        let Ok(read) = reader.read(&line) else { continue };
        let becomes_another = event.reply_id().is_some_and(|id| read.event.reply_id() != Some(id));
        assert_eq!(becomes_another, is_read_otherwise(&losses), "{name} as {dialect}: {line} {losses:?}");
        count += usize::from(becomes_another);
    }
    count
}

#[test]
fn event_of_a_python_log_that_would_become_another_replys_is_reported() {
    let log = [
        r#"{"type":"REPLY_START","id":"a","reply_id":"r1","session_id":"s","name":"n"}"#,
        r#"{"type":"TEXT_BLOCK_START","id":"b","reply_id":"r1","block_id":"x"}"#,
        r#"{"type":"TEXT_BLOCK_DELTA","id":"c","reply_id":"ghost","block_id":"x","delta":"STRAY"}"#,
        r#"{"type":"TEXT_BLOCK_DELTA","id":"d","reply_id":"","block_id":"x","delta":"STRAY"}"#,
        r#"{"type":"TEXT_BLOCK_DELTA","id":"e","reply_id":"r1","block_id":"x","delta":"ok"}"#,
    ]
    .join("\n");
    let events = events(&log, None);
    for dialect in [Dialect::Canonical, Dialect::Java] {
        let told: Vec<bool> = written(&events, dialect).iter().map(|(_, losses)| is_read_otherwise(losses)).collect();
        assert_eq!(told, [false, false, true, true, false], "{dialect}");
        assert_eq!(reported("the log", &events, dialect), 2);
        let loss = written(&events, dialect).remove(2).1.remove(0);
        assert_eq!(
            loss.to_string(),
            format!(
                "TEXT_BLOCK_DELTA: `replyId` names a reply that was not started; in the {dialect} dialect the event reads as another reply's"
            )
        );
    }
    // Python lines take no step, so nothing is lost on the way back.
    assert!(written(&events, Dialect::Python).iter().all(|(_, losses)| losses.is_empty()));
}

#[test]
fn recorded_logs_are_read_again_as_they_were_where_nothing_is_reported() {
    let mut of_python = 0;
    for folder in ["runs", "service", "synthetic", "fuzz"] {
        for (stem, text) in corpus::files(&format!("python/{folder}"), ".events.jsonl") {
            let events = events(&text, Some(Dialect::Python));
            let counts = [Dialect::Canonical, Dialect::Java].map(|dialect| reported(&stem, &events, dialect));
            assert!(folder != "runs" || counts == [0, 0], "{stem}: a real agent's log starts its replies");
            of_python += counts[0];
        }
    }
    assert!(of_python > 0, "some made log has an event of a reply without a start");
    for (stem, text) in corpus::files("java/logs", ".events.jsonl") {
        let events = events(&text, Some(Dialect::Java));
        for dialect in [Dialect::Canonical, Dialect::Java] {
            assert_eq!(reported(&stem, &events, dialect), 0, "{stem} as {dialect}");
        }
    }
}
