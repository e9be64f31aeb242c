//! A log in several files reads as one.

use replyfold_dialect::{Dialect, EventWriter};
use replyfold_event::AgentEvent;
use replyfold_log::{LogReader, Place, Record, replay, segment_path, segments};
use std::fs;
use std::path::{Path, PathBuf};

const OK: &str = r#"{"type":"OK"}"#;

fn records(path: &Path) -> Vec<Record> {
    LogReader::open(path).unwrap().map(|record| record.unwrap()).collect()
}

fn place(segment: u32, line: u64, offset: u64) -> Place {
    let mut place = Place::default();
    (place.segment, place.line, place.offset) = (segment, line, offset);
    place
}

/// Writes the parts of a log as its segments; gives the base.
fn written(dir: &Path, parts: &[&[u8]]) -> PathBuf {
    let base = dir.join("run.jsonl");
    for (part, number) in parts.iter().zip(0..) {
        fs::write(segment_path(&base, number), part).unwrap();
    }
    base
}

#[test]
fn positions_run_on_and_places_are_of_the_segment() {
    let dir = tempfile::tempdir().unwrap();
    let line = format!("{OK}\n");
    let packed = zstd::encode_all(line.as_bytes(), 1).unwrap();
    // A record without its newline ends with its file, an empty segment is nothing, and each is packed on its own.
    let base = written(dir.path(), &[format!("{line}{OK}").as_bytes(), b"", format!("\n{line}nonsense\n").as_bytes(), &packed]);
    let all = records(&base);
    let places: Vec<_> = all.iter().map(|record| (record.position, record.place)).collect();
    let wanted = [place(0, 1, 0), place(0, 2, 14), place(2, 2, 1), place(2, 3, 15), place(3, 1, 0)];
    assert_eq!(places, (0..).zip(wanted).collect::<Vec<_>>());
    assert_eq!(all[1].place.to_string(), "line 2 (byte 14)");
    assert_eq!(all[3].place.to_string(), "segment 2, line 3 (byte 15)");
    assert_eq!(segments(&base).unwrap().len(), 4);
    // Alone, a segment is a log as any other.
    assert_eq!(records(&segment_path(&base, 2)).iter().map(|record| record.place).collect::<Vec<_>>(), [place(0, 2, 1), place(0, 3, 15)]);

    let mut reader = LogReader::open(&base).unwrap();
    assert_eq!(reader.by_ref().count(), 5);
    let size: u64 = segments(&base).unwrap().iter().map(|file| fs::metadata(file).unwrap().len()).sum();
    assert_eq!(reader.bytes_read(), size);
}

#[test]
fn a_log_that_goes_on_in_a_new_segment_while_it_is_read_is_read_on_there() {
    let dir = tempfile::tempdir().unwrap();
    let line = format!("{OK}\n");
    let base = written(dir.path(), &[line.as_bytes()]);
    let mut reader = LogReader::open(&base).unwrap();
    assert!(reader.next().is_some());
    fs::write(segment_path(&base, 1), &line).unwrap();
    assert_eq!(reader.next().unwrap().unwrap().place, place(1, 1, 0));
    assert!(reader.next().is_none());
}

#[test]
fn a_record_that_is_cut_before_another_segment_is_damage_and_at_the_end_torn() {
    let dir = tempfile::tempdir().unwrap();
    let cut = b"{\"type\":\"TEXT_BL";
    let base = written(dir.path(), &[cut, OK.as_bytes(), cut]);
    let torn: Vec<_> = records(&base).iter().map(|record| record.bad().map(|bad| bad.is_torn())).collect();
    assert_eq!(torn, [Some(false), None, Some(true)]);
}

#[test]
fn a_segment_that_is_missing_is_an_error_and_no_end() {
    let dir = tempfile::tempdir().unwrap();
    let line = format!("{OK}\n");
    let base = written(dir.path(), &[line.as_bytes(); 4]);
    fs::remove_file(segment_path(&base, 2)).unwrap();
    let mut reader = LogReader::open(&base).unwrap();
    assert_eq!(reader.by_ref().take(2).filter(Result::is_ok).count(), 2);
    let told = reader.next().unwrap().unwrap_err().to_string();
    assert!(told.contains("run.00002.jsonl: cannot open the log: it is missing, and run.00003.jsonl is there"), "{told}");
    assert!(reader.next().is_none());
    assert_eq!(segments(&base).unwrap_err().to_string(), told);

    fs::remove_file(&base).unwrap();
    let told = LogReader::open(&base).unwrap_err().to_string();
    assert!(told.contains("run.jsonl: cannot open the log: it is missing, and run.00003.jsonl is there"), "{told}");
}

#[test]
fn errors_name_the_segment() {
    let dir = tempfile::tempdir().unwrap();
    let packed = zstd::encode_all(format!("{OK}\n").as_bytes(), 1).unwrap();
    let base = written(dir.path(), &[&packed, &packed[..packed.len() - 2]]);
    let told = LogReader::open(&base).unwrap().find_map(Result::err).unwrap().to_string();
    assert!(told.contains("run.00001.jsonl: cannot read on after byte ") && told.ends_with("the zstd data ends in the middle"), "{told}");
}

/// What the reader knows of a log, of the ids of its replies above all, it knows in every segment.
#[test]
fn every_split_of_a_log_folds_to_the_same() {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/conformance/java/logs/confirm-partial.events.jsonl");
    let whole = fs::read(&fixture).unwrap();
    let wanted = replay(&fixture).unwrap();
    let events: Vec<AgentEvent> = records(&fixture).iter().map(|record| record.event().unwrap().clone()).collect();
    let ends: Vec<usize> = whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
    for pair in ends.windows(2) {
        let dir = tempfile::tempdir().unwrap();
        let base = written(dir.path(), &[&whole[..pair[0]], &whole[pair[0]..pair[1]], &whole[pair[1]..]]);
        let split = replay(&base).unwrap();
        assert_eq!(split.session.messages().collect::<Vec<_>>(), wanted.session.messages().collect::<Vec<_>>());
        assert_eq!(records(&base).iter().map(|record| record.event().unwrap().clone()).collect::<Vec<_>>(), events);
    }
    // The events as they were written are those that were read: the ids of Java's model calls are not those of the replies.
    let mut written = Vec::new();
    EventWriter::new(Dialect::Canonical).write(&events[1], &mut written);
    assert!(!whole.windows(written.len()).any(|window| window == written));
}
