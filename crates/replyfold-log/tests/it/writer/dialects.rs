//! A log is of one dialect, and goes on in it.

use super::canonical;
use replyfold_dialect::{Dialect, LossKind};
use replyfold_event::message::Role;
use replyfold_event::{AgentEvent, AgentStart, TextBlockDelta};
use replyfold_log::{LogReader, LogWriter, WriterOptions, replay};
use std::fs;
use std::path::{Path, PathBuf};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/conformance")
}

/// All recorded logs of single events.
fn logs(under: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(under).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            logs(&path, found);
        } else if path.to_str().unwrap().ends_with(".events.jsonl") {
            found.push(path);
        }
    }
}

fn copy_of(fixture: &str, dir: &Path) -> PathBuf {
    let copy = dir.join("run.jsonl");
    fs::copy(fixtures().join(fixture), &copy).unwrap();
    copy
}

#[test]
fn a_log_of_another_dialect_is_refused_and_left_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    for (fixture, found) in [("java/logs/text-single.events.jsonl", Dialect::Java), ("python/runs/one_tool.events.jsonl", Dialect::Python)]
    {
        let log = copy_of(fixture, dir.path());
        let before = fs::read(&log).unwrap();
        for told in Dialect::ALL.into_iter().filter(|told| *told != found) {
            let err = LogWriter::open(&log, WriterOptions::new(told)).unwrap_err();
            assert!(err.is_other_dialect(), "{err}");
            let wanted = format!(
                "{}: the log is of the {found} dialect, and {told} was to be appended: write {found}, or convert the log to {told} first (`replyfold convert --to {told}`)",
                log.display()
            );
            assert_eq!(err.to_string(), wanted);
            assert_eq!(fs::read(&log).unwrap(), before);
        }
        LogWriter::open(&log, WriterOptions::new(found)).unwrap();
    }
}

/// Every recorded log, written in each dialect: it can be opened again in that one after every few events, and Python's is never taken for
/// another one, nor another for Python's.
#[test]
fn what_was_written_in_a_dialect_goes_on_in_it() {
    let mut found = Vec::new();
    logs(&fixtures(), &mut found);
    assert!(found.len() > 50);
    let dir = tempfile::tempdir().unwrap();
    let (mut told_apart, mut pairs) = (0, 0);
    for (log, number) in found.iter().step_by(3).zip(0..) {
        let events: Vec<AgentEvent> =
            LogReader::open(log).unwrap().filter_map(|record| record.unwrap().event().cloned()).take(60).collect();
        for dialect in Dialect::ALL {
            let path = dir.path().join(format!("{number}-{dialect}"));
            let options = WriterOptions::new(dialect);
            for part in events.chunks(13) {
                let mut writer = LogWriter::open(&path, options.clone()).unwrap_or_else(|err| panic!("{}: {err}", log.display()));
                writer.append_all(part).unwrap();
            }
            for other in Dialect::ALL.into_iter().filter(|other| *other != dialect) {
                let refused = LogWriter::open(&path, WriterOptions::new(other)).err();
                assert!(refused.as_ref().is_none_or(|err| err.is_other_dialect()), "{refused:?}");
                if other == Dialect::Python || dialect == Dialect::Python {
                    let knows = events.iter().any(|event| !matches!(event.payload, replyfold_event::Payload::Unknown(_)));
                    assert_eq!(refused.is_some(), knows, "{}: {dialect}, {other}", log.display());
                } else {
                    pairs += 1;
                    told_apart += usize::from(refused.is_some());
                }
            }
        }
    }
    // Short logs in Java's and the canonical dialect may be the same.
    assert!(told_apart * 3 > pairs, "{told_apart} of {pairs}");
}

/// The writer knows the replies that the log has: what would be read as another one's is told.
#[test]
fn the_replies_of_a_log_are_known_when_it_is_opened_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.jsonl");
    let options = canonical().with_max_bytes(1);
    LogWriter::open(&path, options.clone()).unwrap().append(&AgentEvent::new(AgentStart::new("r1", Role::Assistant))).unwrap();
    let mut writer = LogWriter::open(&path, options).unwrap();
    let delta = |reply| AgentEvent::new(TextBlockDelta::new(reply, "b", "x"));
    assert_eq!(writer.append(&delta("r1")).unwrap().losses, []);
    let losses = writer.append(&delta("ghost")).unwrap().losses;
    assert_eq!(losses.iter().map(|loss| loss.kind).collect::<Vec<_>>(), [LossKind::ReadOtherwise]);
}

/// What a dialect cannot carry at all is no record, and positions stay those of the log.
#[test]
fn an_event_that_the_dialect_cannot_carry_is_told_and_has_no_position() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.jsonl");
    let mut writer = LogWriter::open(&path, WriterOptions::new(Dialect::Java)).unwrap();
    let left_out =
        AgentEvent::from_json(r#"{"type":"DATA_BLOCK_DELTA","replyId":"r","blockId":"b","mediaType":"image/png","url":"http://x"}"#)
            .unwrap();
    let appended = writer.append(&left_out).unwrap();
    assert_eq!((appended.positions, appended.losses.len()), (0..0, 1));
    assert_eq!(writer.append_all([&left_out, &AgentEvent::new(TextBlockDelta::new("r", "b", "x")), &left_out]).unwrap().positions, 0..1);
    writer.close().unwrap();
    assert_eq!(replay(&path).unwrap().records, 1);
}
