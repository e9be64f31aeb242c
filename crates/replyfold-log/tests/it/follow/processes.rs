//! The writer is another process.

use super::{at_hand, id, ids, lines, place, until};
use replyfold_log::{Follow, LogReader, Notice, Record};
use std::path::Path;
use std::process::{Child, Command};

/// Writes each line in four pieces, and calls `turn` after every 40 lines; `log` is the file, the numbers of the lines run up to 400.
const WRITER: &str = r#"
i=0
file=$log
turns=0
while [ $i -lt 400 ]; do
  printf '{"type":"TEXT_BLOCK' >> "$file"
  printf '_DELTA","id":"%s","replyId":"r",' $i >> "$file"
  printf '"blockId":"b","delta":"%s"}' $i >> "$file"
  printf '\n' >> "$file"
  i=$((i + 1))
  if [ $((i % 40)) = 0 ] && [ $i -lt 400 ]; then turns=$((turns + 1)); turn; fi
done
"#;

fn writer(log: &Path, turn: &str) -> Child {
    let script = format!("set -e\nturn() {{\n{turn}\n}}\n{WRITER}");
    Command::new("sh").args(["-c", &script]).env("log", log).spawn().unwrap()
}

/// Follows until all of the 400 came, and then finds nothing more.
fn all(follow: &mut Follow, mut writer: Child) -> (Vec<Record>, Vec<Notice>) {
    let (mut records, mut notices) = (Vec::new(), Vec::new());
    until(follow, &mut records, &mut notices, 400);
    assert!(writer.wait().unwrap().success());
    let (more, told) = at_hand(follow);
    records.extend(more);
    notices.extend(told);
    assert_eq!(ids(&records), (0..400).collect::<Vec<_>>());
    assert!(records.iter().enumerate().all(|(at, record)| record.position == at as u64));
    (records, notices)
}

#[test]
fn every_event_comes_once_in_torn_pieces() {
    let (_dir, log) = place();
    std::fs::write(&log, "").unwrap();
    let mut follow = Follow::open(&log).unwrap();
    let (_, notices) = all(&mut follow, writer(&log, ":"));
    assert_eq!(notices, []);
}

#[test]
fn every_event_comes_once_across_rotation_by_renaming() {
    let (_dir, log) = place();
    std::fs::write(&log, "").unwrap();
    let mut follow = Follow::open(&log).unwrap();
    let shift = r#"n=$turns
while [ $n -gt 1 ]; do mv "$log.$((n - 1))" "$log.$n"; n=$((n - 1)); done
mv "$log" "$log.1""#;
    let (records, notices) = all(&mut follow, writer(&log, shift));
    let replaced = notices.iter().filter(|notice| matches!(notice, Notice::Replaced { .. })).count();
    assert_eq!(replaced, 9);
    assert!(notices.iter().all(|notice| matches!(notice, Notice::Replaced { .. } | Notice::Missing { .. })), "{notices:?}");
    // Each file counts its own lines.
    assert!(records.iter().all(|record| record.place.line == id(record) as u64 % 40 + 1));
}

#[test]
fn files_that_were_renamed_before_anybody_looked_are_read_too() {
    let (_dir, log) = place();
    std::fs::write(&log, "").unwrap();
    let mut follow = Follow::open(&log).unwrap();
    let shift = r#"n=$turns
while [ $n -gt 1 ]; do mv "$log.$((n - 1))" "$log.$n"; n=$((n - 1)); done
mv "$log" "$log.1""#;
    assert!(writer(&log, shift).wait().unwrap().success());
    let (records, notices) = at_hand(&mut follow);
    assert_eq!((ids(&records), notices.len()), ((0..400).collect(), 9));
}

#[test]
fn every_event_comes_once_across_segments() {
    let (dir, log) = place();
    std::fs::write(&log, "").unwrap();
    let mut follow = Follow::open(&log).unwrap();
    let (records, notices) = all(&mut follow, writer(&log, r#"file="${log%.jsonl}.0000$turns.jsonl""#));
    let segments: Vec<Notice> =
        (1..10).map(|number| Notice::Segment { path: dir.path().join(format!("run.0000{number}.jsonl")) }).collect();
    assert_eq!(notices, segments);
    assert!(records.iter().all(|record| u64::from(record.place.segment) == record.position / 40));
    // The same log, read once it is there, has the same records in the same places.
    assert!(LogReader::open(&log).unwrap().map(Result::unwrap).eq(records));
}

#[test]
fn every_event_comes_once_across_truncation() {
    let (dir, log) = place();
    std::fs::write(&log, "").unwrap();
    let mut follow = Follow::open(&log).unwrap();
    // What is truncated before anybody saw it is nowhere, so the writer waits until the lines before were seen.
    let wait = r#"while [ ! -e "$log.seen$turns" ]; do sleep 0.005; done
: > "$log""#;
    let mut writer = writer(&log, wait);
    let (mut records, mut notices) = (Vec::new(), Vec::new());
    for turn in 1..10 {
        until(&mut follow, &mut records, &mut notices, turn * 40);
        std::fs::write(dir.path().join(format!("run.jsonl.seen{turn}")), "").unwrap();
    }
    until(&mut follow, &mut records, &mut notices, 400);
    assert!(writer.wait().unwrap().success());
    let (more, told) = at_hand(&mut follow);
    notices.extend(told);
    assert_eq!((ids(&records), more), ((0..400).collect(), Vec::new()));
    assert_eq!(notices.len(), 9);
    assert!(notices.iter().all(|notice| matches!(notice, Notice::Truncated { read, .. } if *read > 0)), "{notices:?}");
    assert_eq!(std::fs::read_to_string(&log).unwrap(), lines(360..400));
}

#[test]
fn a_writer_that_still_has_the_renamed_file_is_read_to_its_end() {
    let (dir, log) = place();
    let old = dir.path().join("run.jsonl.1");
    super::append(&log, lines(0..2));
    let mut follow = Follow::open(&log).unwrap();
    assert_eq!(at_hand(&mut follow).0.len(), 2);
    std::fs::rename(&log, &old).unwrap();
    assert_eq!(at_hand(&mut follow).1, [Notice::Missing { path: log.clone() }]);
    super::append(&old, lines(2..3));
    // The new file is there before the writer turns to it.
    std::fs::write(&log, "").unwrap();
    assert_eq!(ids(&at_hand(&mut follow).0), [2]);
    super::append(&old, lines(3..4));
    super::append(&log, lines(4..5));
    let (records, notices) = at_hand(&mut follow);
    assert_eq!((ids(&records), notices), (vec![3, 4], vec![Notice::Replaced { path: log }]));
}
