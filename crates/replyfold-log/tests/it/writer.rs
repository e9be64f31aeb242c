//! Writing logs on a disk that works, and mending what others left. `src/writer/tests.rs` has the disks that do not.

mod dialects;
mod mending;

use replyfold_dialect::Dialect;
use replyfold_event::{AgentEvent, TextBlockDelta, UnknownEvent};
use replyfold_log::{Durability, LogReader, LogWriter, Packing, WriterOptions, segment_path, segments};
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

fn event(number: u64) -> AgentEvent {
    AgentEvent::new(TextBlockDelta::new("r", "b", format!("piece {number}"))).with_id(format!("e{number}"))
}

fn canonical() -> WriterOptions {
    WriterOptions::new(Dialect::Canonical)
}

/// The events of a log in which every record is one.
fn events(path: &Path) -> Vec<AgentEvent> {
    LogReader::open(path).unwrap().map(|record| record.unwrap().event().cloned().unwrap()).collect()
}

#[test]
fn what_was_appended_is_read_again_also_after_the_log_was_opened_again() {
    let dir = tempfile::tempdir().unwrap();
    for packing in [Packing::Plain, Packing::Zstd] {
        for durability in [Durability::EveryEvent, Durability::OnClose] {
            let path = dir.path().join(format!("{packing:?}-{durability:?}"));
            let options = canonical().with_packing(packing).with_durability(durability);
            for round in 0..4 {
                let mut writer = LogWriter::open(&path, options.clone()).unwrap();
                assert_eq!((writer.position(), writer.durable(), writer.repairs()), (round * 5, round * 5, &[][..]));
                assert_eq!(writer.append(&event(round * 5)).unwrap().positions, round * 5..round * 5 + 1);
                assert_eq!(writer.durable() == writer.position(), durability == Durability::EveryEvent);
                let batch: Vec<AgentEvent> = (1..5).map(|number| event(round * 5 + number)).collect();
                assert_eq!(writer.append_all(&batch).unwrap().positions, round * 5 + 1..round * 5 + 5);
                if durability == Durability::EveryEvent {
                    // Whoever reads now sees it.
                    assert_eq!(events(&path).len() as u64, writer.position());
                }
                // Dropped, it closes too.
                if round % 2 == 0 { writer.close().unwrap() } else { drop(writer) }
            }
            assert_eq!(events(&path), (0..20).map(event).collect::<Vec<_>>());
            let is_packed = fs::read(&path).unwrap().starts_with(&[0x28, 0xb5, 0x2f, 0xfd]);
            assert_eq!(is_packed, packing == Packing::Zstd);
        }
    }
}

#[test]
fn every_flush_is_a_frame_that_unpacks_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.jsonl.zst");
    let mut writer = LogWriter::open(&path, canonical().with_packing(Packing::Zstd)).unwrap();
    let mut ends = vec![0];
    for number in 0..5 {
        writer.append(&event(number)).unwrap();
        ends.push(fs::metadata(&path).unwrap().len() as usize);
    }
    let bytes = fs::read(&path).unwrap();
    for (pair, number) in ends.windows(2).zip(0..) {
        let line = zstd::decode_all(&bytes[pair[0]..pair[1]]).unwrap();
        assert_eq!(String::from_utf8(line).unwrap(), format!("{}\n", event(number).to_json()));
    }
}

#[test]
fn a_log_goes_on_in_segments_by_size() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.jsonl");
    let options = canonical().with_max_bytes(300);
    for round in 0..3 {
        let mut writer = LogWriter::open(&path, options.clone()).unwrap();
        (round * 10..round * 10 + 10).for_each(|number| assert_eq!(writer.append(&event(number)).unwrap().positions.start, number));
        let (number, file) = writer.segment();
        assert_eq!(file, segment_path(&path, number));
        writer.close().unwrap();
    }
    let files = segments(&path).unwrap();
    assert!(files.len() > 5, "{files:?}");
    for file in &files {
        // Full, but never by more than was allowed.
        let size = fs::metadata(file).unwrap().len();
        assert!((150..=300).contains(&size) || Some(file) == files.last(), "{}: {size}", file.display());
    }
    assert_eq!(events(&path), (0..30).map(event).collect::<Vec<_>>());

    // What does not fit in any file has one of its own.
    let mut writer = LogWriter::open(&path, canonical().with_max_bytes(10)).unwrap();
    for number in 30..33 {
        let before = writer.segment().0;
        writer.append(&event(number)).unwrap();
        assert_eq!(writer.segment().0, before + 1);
    }
}

#[test]
fn a_log_goes_on_in_segments_by_age_and_syncs_by_the_clock_that_it_is_given() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.jsonl");
    fs::write(&path, "").unwrap();
    // The system may know when the file was made; the clock goes on from there.
    let now = std::sync::Arc::new(Mutex::new(SystemTime::now()));
    let clock = {
        let now = now.clone();
        move || *now.lock().unwrap()
    };
    let later = |by| *now.lock().unwrap() += Duration::from_secs(by);
    let options =
        canonical().with_durability(Durability::Every(Duration::from_secs(5))).with_max_age(Duration::from_secs(3600)).with_clock(clock);
    let mut writer = LogWriter::open(&path, options).unwrap();
    writer.append(&event(0)).unwrap();
    later(4);
    writer.append(&event(1)).unwrap();
    assert_eq!((writer.position(), writer.durable()), (2, 0));
    later(1);
    // Nothing is appended for a while.
    writer.tick().unwrap();
    assert_eq!(writer.durable(), 2);
    writer.append(&event(2)).unwrap();
    *now.lock().unwrap() -= Duration::from_secs(2);
    writer.tick().unwrap();
    assert_eq!(writer.durable(), 3, "a clock that goes back makes nothing wait for longer");
    later(3600);
    writer.append(&event(3)).unwrap();
    assert_eq!(writer.segment().0, 1);
    writer.append(&event(4)).unwrap();
    writer.sync().unwrap();
    assert_eq!((writer.segment().0, writer.durable()), (1, 5));
    writer.close().unwrap();
    assert_eq!(events(&path), (0..5).map(event).collect::<Vec<_>>());
}

#[test]
fn a_time_without_a_clock_is_refused() {
    let path = Path::new("never/made.jsonl");
    for (options, option) in [
        (canonical().with_durability(Durability::Every(Duration::ZERO)), "`Durability::Every`"),
        (canonical().with_max_age(Duration::ZERO), "`with_max_age`"),
    ] {
        let told = LogWriter::open(path, options).unwrap_err().to_string();
        assert_eq!(told, format!("never/made.jsonl: {option} needs a clock: give one to `WriterOptions::with_clock`"));
    }
}

#[test]
fn a_second_writer_is_refused_and_nothing_is_touched() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.jsonl");
    let mut first = LogWriter::open(&path, canonical().with_max_bytes(1)).unwrap();
    (0..3).for_each(|number| _ = first.append(&event(number)).unwrap());
    let err = LogWriter::open(&path, canonical()).unwrap_err();
    assert!(err.is_locked(), "{err}");
    assert!(err.to_string().ends_with("run.jsonl: another writer has the log open: two would write into each other's records; close that one first, or write to another log"));
    // By another name it is the same log.
    #[cfg(unix)]
    {
        let link = dir.path().join("latest");
        std::os::unix::fs::symlink("run.jsonl", &link).unwrap();
        assert!(LogWriter::open(&link, canonical()).unwrap_err().is_locked());
        assert_eq!(events(&link).len(), 3, "all segments");
    }
    let err = LogWriter::open(segment_path(&path, 2), canonical()).unwrap_err();
    assert!(
        err.to_string().contains("run.00002.jsonl: the file is a segment of ")
            && err.to_string().contains("run.jsonl, by its name: open that one"),
        "{err}"
    );
    first.close().unwrap();
    assert_eq!(LogWriter::open(&path, canonical()).unwrap().position(), 3);
}

#[test]
fn what_cannot_be_opened_says_why_and_is_not_changed() {
    let dir = tempfile::tempdir().unwrap();
    let refused = |name: &str, bytes: &[u8], why: &str| {
        let path = dir.path().join(name);
        fs::write(&path, bytes).unwrap();
        let told = LogWriter::open(&path, canonical()).unwrap_err().to_string();
        assert!(told.starts_with(&path.display().to_string()) && told.contains(why), "{told}");
        assert_eq!(fs::read(&path).unwrap(), bytes);
    };
    refused("array.json", b"[\n{\"type\":\"OK\"}", "the log is a JSON array, and only JSONL can be appended to: convert it first");
    refused("capture.sse", b"data: {\"type\":\"OK\"}\n", "the log is a capture of server-sent events, and only JSONL");
    refused("run.gz", &[0x1f, 0x8b, 8, 0], "packed with gzip");
    let frame = zstd::encode_all(format!("{}\n", event(0).to_json()).as_bytes(), 1).unwrap();
    let damaged = [&frame[..], &frame[..9], &frame[..], b"torn"].concat();
    refused("run.zst", &damaged, &format!("the zstd data is damaged at byte {} and goes on behind it", frame.len()));

    let told = LogWriter::open(dir.path(), canonical()).unwrap_err().to_string();
    assert!(told.contains(": cannot open the log for writing: "), "{told}");
    fs::write(dir.path().join("lost.00002.jsonl"), "").unwrap();
    let told = LogWriter::open(dir.path().join("lost.jsonl"), canonical()).unwrap_err().to_string();
    assert!(told.contains("lost.jsonl: cannot open the log for writing: it is missing, and lost.00002.jsonl is there"), "{told}");
    assert!(!dir.path().join("lost.jsonl").exists());
    // A segment in the middle that cannot be unpacked hides what would be appended.
    let base = dir.path().join("cut.zst");
    fs::write(&base, &frame[..frame.len() - 1]).unwrap();
    fs::write(segment_path(&base, 1), "").unwrap();
    let told = LogWriter::open(&base, canonical()).unwrap_err().to_string();
    assert!(
        told.contains("cut.zst: cannot read on after byte ") && told.contains("; what is appended after that could not be read"),
        "{told}"
    );
}

#[test]
fn an_event_is_one_line_whatever_it_holds() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.jsonl");
    let mut writer = LogWriter::open(&path, canonical()).unwrap();
    let text = "{\"type\":\"MOOD\",\r\n \"x\":[1,\n2.50]}";
    let unknown = AgentEvent::from_json(text).unwrap();
    let lines = AgentEvent::new(TextBlockDelta::new("r", "b", "a\nb\r\n\u{2028}"));
    assert_eq!(writer.append_all([&unknown, &lines]).unwrap().positions, 0..2);
    writer.close().unwrap();
    let read = events(&path);
    assert_eq!(read[0].to_json(), text.replace(['\r', '\n'], " "));
    assert_eq!(read[1], lines);
    assert!(matches!(&read[0].payload, replyfold_event::Payload::Unknown(UnknownEvent { .. })));
}
