//! Files that get shorter, or are written anew.

use super::{append, at_hand, ids, line, lines, place};
use replyfold_log::{Follow, Notice};
use std::fs::OpenOptions;
use std::path::Path;

fn shorten(path: &Path, by: usize) {
    let file = OpenOptions::new().write(true).open(path).unwrap();
    file.set_len(file.metadata().unwrap().len() - by as u64).unwrap();
}

#[test]
fn a_torn_tail_waits_for_its_rest() {
    let (_dir, log) = place();
    append(&log, lines(0..1));
    let mut follow = Follow::open(&log).unwrap();
    assert_eq!(at_hand(&mut follow).0.len(), 1);
    for byte in line(1).trim_end().bytes() {
        append(&log, [byte]);
        assert_eq!(at_hand(&mut follow), (vec![], vec![]));
    }
    append(&log, "\n");
    let (records, _) = at_hand(&mut follow);
    assert_eq!((ids(&records), records[0].place.line), (vec![1], 2));
}

#[test]
fn a_torn_tail_that_is_taken_back_is_forgotten() {
    let (_dir, log) = place();
    // What is written anew as it was needs no word.
    for (torn, is_told) in [(&line(3)[..20], false), ("{\"half", true), ("\0\0\0", true), (&"x".repeat(5_000), true)] {
        append(&log, lines(0..3));
        let mut follow = Follow::open(&log).unwrap();
        append(&log, torn);
        assert_eq!(at_hand(&mut follow).0.len(), 3);
        shorten(&log, torn.len());
        // Also where other bytes stand in the same place by the time somebody looks.
        append(&log, lines(3..200));
        let (records, notices) = at_hand(&mut follow);
        assert_eq!(ids(&records), (3..200).collect::<Vec<_>>());
        let told = Notice::CutBack { bytes: torn.len() as u64, lines: 0 };
        assert_eq!(notices, if is_told { vec![told] } else { vec![] });
        assert_eq!((records[0].place.line, records[0].place.offset), (4, lines(0..3).len() as u64));
        std::fs::remove_file(&log).unwrap();
    }
}

#[test]
fn lines_that_are_taken_back_are_told_and_nothing_is_given_twice() {
    let (_dir, log) = place();
    append(&log, lines(0..2_000));
    let mut follow = Follow::open(&log).unwrap();
    assert_eq!(at_hand(&mut follow).0.len(), 2_000);
    let gone = lines(1_990..2_000);
    shorten(&log, gone.len());
    append(&log, lines(3_000..3_100));
    let (records, notices) = at_hand(&mut follow);
    assert_eq!(ids(&records), (3_000..3_100).collect::<Vec<_>>());
    assert_eq!(notices, [Notice::CutBack { bytes: gone.len() as u64, lines: 10 }]);
    assert_eq!((records[0].place.line, records[0].place.offset), (1_991, lines(0..1_990).len() as u64));
    assert_eq!(records[0].position, 2_000);
}

#[test]
fn a_file_that_is_written_anew_in_place_is_read_from_its_start() {
    // Shorter than it was, of the same length, and longer.
    for count in [1, 3, 900] {
        let (_dir, log) = place();
        append(&log, lines(100..103));
        let mut follow = Follow::open(&log).unwrap();
        assert_eq!(at_hand(&mut follow).0.len(), 3);
        append(&log, "{\"type\":");
        assert_eq!(at_hand(&mut follow), (vec![], vec![]));
        std::fs::write(&log, lines(200..200 + count)).unwrap();
        let (records, notices) = at_hand(&mut follow);
        let length = lines(200..200 + count).len() as u64;
        assert_eq!(notices, [Notice::Truncated { read: lines(100..103).len() as u64 + 8, length }]);
        // What was torn then is a record that cannot be read; nothing is lost.
        assert!(records[0].bad().is_some_and(|bad| bad.is_torn() && bad.text == b"{\"type\":"));
        assert_eq!((ids(&records[1..]), records[1].place.line), ((200..200 + count).collect(), 1));
    }
}

#[test]
fn a_last_line_without_its_end_comes_when_the_log_is_closed() {
    let (_dir, log) = place();
    append(&log, format!("{}{}", line(0), line(1).trim_end()));
    let mut follow = Follow::open(&log).unwrap();
    assert_eq!(ids(&at_hand(&mut follow).0), [0]);
    follow.close();
    assert_eq!(ids(&at_hand(&mut follow).0), [1]);
    assert!(matches!(follow.try_next(), std::task::Poll::Ready(None)));
}

#[test]
fn a_line_that_ends_in_the_middle_is_damage_and_not_torn() {
    let (_dir, log) = place();
    append(&log, format!("{{\"type\":\"TEXT\n{}", line(0)));
    let mut follow = Follow::open(&log).unwrap();
    let (records, _) = at_hand(&mut follow);
    assert!(records[0].bad().is_some_and(|bad| !bad.is_torn()));
    assert_eq!(ids(&records[1..]), [0]);
}
