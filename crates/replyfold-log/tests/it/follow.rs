//! A log is followed while it is written: every event comes once.

mod cut;
mod forms;
mod processes;
mod streams;
mod writers;

use replyfold_log::{Follow, Followed, Notice, Record};
use std::path::{Path, PathBuf};
use std::task::Poll;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A directory with the name of a log in it.
fn place() -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.jsonl");
    (dir, path)
}

fn line(id: usize) -> String {
    format!("{{\"type\":\"TEXT_BLOCK_DELTA\",\"id\":\"{id}\",\"replyId\":\"r\",\"blockId\":\"b\",\"delta\":\"{id}\"}}\n")
}

fn lines(ids: std::ops::Range<usize>) -> String {
    ids.map(line).collect()
}

fn append(path: &Path, bytes: impl AsRef<[u8]>) {
    use std::io::Write;
    std::fs::OpenOptions::new().append(true).create(true).open(path).unwrap().write_all(bytes.as_ref()).unwrap();
}

/// Everything that is at hand.
fn at_hand(follow: &mut Follow) -> (Vec<Record>, Vec<Notice>) {
    let (mut records, mut notices) = (Vec::new(), Vec::new());
    while let Poll::Ready(Some(item)) = follow.try_next() {
        match item.unwrap() {
            Followed::Record(record) => records.push(record),
            Followed::Notice(notice) => notices.push(notice),
        }
    }
    (records, notices)
}

fn id(record: &Record) -> usize {
    let event = record.event().unwrap_or_else(|| panic!("{record:?}"));
    event.id.as_ref().unwrap().as_str().parse().unwrap()
}

fn ids(records: &[Record]) -> Vec<usize> {
    records.iter().map(id).collect()
}

/// Looks until it has so many records, or time is up.
fn until(follow: &mut Follow, records: &mut Vec<Record>, notices: &mut Vec<Notice>, count: usize) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while records.len() < count {
        let (more, told) = at_hand(follow);
        assert!(!(more.is_empty() && Instant::now() > deadline), "{} of {count} records; {notices:?}", records.len());
        if more.is_empty() {
            std::thread::sleep(Duration::from_millis(1));
        }
        records.extend(more);
        notices.extend(told);
    }
}
