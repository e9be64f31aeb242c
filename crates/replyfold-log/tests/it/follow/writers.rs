//! A log that `LogWriter` writes is followed.

use super::{append, at_hand, id, ids, place};
use replyfold_dialect::Dialect;
use replyfold_event::{AgentEvent, TextBlockDelta};
use replyfold_log::{Durability, Follow, LogReader, LogWriter, Notice, Packing, Record, WriterOptions};

fn event(id: usize) -> AgentEvent {
    AgentEvent::new(TextBlockDelta::new("r", "b", format!("{id} ").repeat(20))).with_id(id.to_string())
}

#[test]
fn every_event_comes_once_as_it_is_written_in_segments_plain_and_packed() {
    for (packing, every) in [(Packing::Plain, 1), (Packing::Zstd, 1), (Packing::Plain, 7), (Packing::Zstd, 7)] {
        let (_dir, log) = place();
        let options =
            WriterOptions::new(Dialect::Canonical).with_durability(Durability::OnClose).with_packing(packing).with_max_bytes(4_000);
        let mut writer = LogWriter::open(&log, options).unwrap();
        let mut follow = Follow::open(&log).unwrap();
        let (mut records, mut notices) = (Vec::<Record>::new(), Vec::new());
        for number in 0..400 {
            writer.append(&event(number)).unwrap();
            if number % every == 0 {
                writer.sync().unwrap();
                let (more, told) = at_hand(&mut follow);
                records.extend(more);
                notices.extend(told);
                // What is on the disk was given.
                assert_eq!(records.len() as u64, writer.durable(), "{packing:?}");
            }
        }
        writer.close().unwrap();
        let (more, told) = at_hand(&mut follow);
        records.extend(more);
        notices.extend(told);
        assert_eq!(ids(&records), (0..400).collect::<Vec<_>>());
        assert!(notices.len() >= 2 && notices.iter().all(|notice| matches!(notice, Notice::Segment { .. })), "{notices:?}");
        assert!(LogReader::open(&log).unwrap().map(Result::unwrap).eq(records));
    }
}

#[test]
fn a_writer_that_mends_the_end_of_its_log_is_followed_over_it() {
    let (_dir, log) = place();
    let open = || LogWriter::open(&log, WriterOptions::new(Dialect::Canonical).with_durability(Durability::EveryEvent)).unwrap();
    let mut writer = open();
    let mut follow = Follow::open(&log).unwrap();
    let mut records = Vec::new();
    for turn in 0..6 {
        for number in 0..5 {
            writer.append(&event(turn * 5 + number)).unwrap();
        }
        drop(writer);
        records.extend(at_hand(&mut follow).0);
        // A crash left a piece of an event, or a whole one without its newline.
        let next = event(900 + turn).to_json();
        let is_whole = turn % 2 == 1;
        append(&log, if is_whole { &next[..] } else { &next[..30] });
        assert_eq!(at_hand(&mut follow), (vec![], vec![]));
        writer = open();
        let (more, notices) = at_hand(&mut follow);
        assert_eq!((ids(&more), notices.len()), if is_whole { (vec![900 + turn], 0) } else { (vec![], 1) });
        assert!(notices.iter().all(|notice| *notice == Notice::CutBack { bytes: 30, lines: 0 }), "{notices:?}");
    }
    assert_eq!(records.iter().map(id).collect::<Vec<_>>(), (0..30).collect::<Vec<_>>());
}
