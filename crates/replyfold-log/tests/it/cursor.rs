//! Cursors: every point is what a scan gives, in whatever order they are asked for.

use crate::corpus::{fixtures, read};
use crate::generate;
use crate::seeking::shown;
use proptest::prelude::*;
use replyfold_event::AgentEvent;
use replyfold_log::{Cursor, Direction, IndexOptions, LogOptions, LogReader, build_index};
use replyfold_reduce::{ReduceOptions, SessionReducer};
use std::fs;
use std::io;

/// A player may read on a thread of its own.
const _: fn() = || {
    fn is_send<T: Send>() {}
    is_send::<Cursor>();
    is_send::<replyfold_log::Index>();
};

/// The states of a scan, before any record and after each.
fn states(log: &str) -> Vec<String> {
    let mut session = SessionReducer::new();
    let mut states = vec![shown(&session)];
    for record in LogReader::new(io::Cursor::new(log.to_owned())) {
        let record = record.unwrap();
        record.event().map(|event| session.apply_at(record.position, event));
        states.push(shown(&session));
    }
    states
}

fn walk(cursor: &mut Cursor, states: &[String], points: impl IntoIterator<Item = usize>) {
    assert_eq!(cursor.records(), states.len() as u64 - 1);
    for point in points {
        assert_eq!(&shown(cursor.state(point as u64).unwrap()), &states[point.min(states.len() - 1)], "at {point}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_walk_meets_what_a_scan_gives(log in generate::log(), interval in 1..9_u64, points in proptest::collection::vec(any::<prop::sample::Index>(), 1..12)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        fs::write(&path, &log).unwrap();
        let states = states(&log);
        build_index(&path, &IndexOptions::new().with_sizes(interval, 2), |_, _| true).unwrap();
        let beside = Cursor::open(&path).unwrap();
        let loaded = Cursor::from_reader(LogReader::open(&path).unwrap(), ReduceOptions::new()).unwrap();
        fs::remove_file(replyfold_log::index_path(&path)).unwrap();
        for mut cursor in [beside, Cursor::open(&path).unwrap(), loaded] {
            let points: Vec<usize> = points.iter().map(|point| point.index(states.len() + 1)).collect();
            // Each point, and back and forth around it.
            walk(&mut cursor, &states, points.iter().flat_map(|point| [*point, point.saturating_sub(1), *point, point + 1]));
            walk(&mut cursor, &states, (0..states.len()).rev());
            for position in 0..cursor.records() {
                let before = cursor.state(position).unwrap().clone();
                let applied = cursor.step(position).unwrap();
                prop_assert_eq!(shown(cursor.state(position + 1).unwrap()), &states[position as usize + 1][..]);
                let record = cursor.record(position).unwrap().unwrap();
                prop_assert_eq!(applied.is_some(), record.event().is_some());
                let changes = before.messages().cloned().collect::<Vec<_>>() != cursor.state(position + 1).unwrap().messages().cloned().collect::<Vec<_>>();
                prop_assert!(!changes || applied.is_some_and(|applied| applied.is_change()));
            }
        }
    }
}

/// So many replies in intervals, each of some pieces.
fn events(records: usize) -> Vec<AgentEvent> {
    let event = |at: usize| {
        let (reply, kind) = (at / 500, at % 500);
        let body = match kind {
            0 => r#""type":"AGENT_START","role":"assistant""#.to_owned(),
            499 => r#""type":"AGENT_END""#.to_owned(),
            _ if kind % 20 == 1 => format!(r#""type":"TEXT_BLOCK_START","blockId":"b{kind}""#),
            _ => format!(r#""type":"TEXT_BLOCK_DELTA","blockId":"b{}","delta":"word ""#, (kind - 1) / 20 * 20 + 1),
        };
        // One of a hundred comes twice.
        let id = if at % 100 == 50 { at - 1 } else { at };
        AgentEvent::from_json(&format!(r#"{{{body},"id":"e{id}","replyId":"r{reply}"}}"#)).unwrap()
    };
    (0..records).map(event).collect()
}

#[test]
fn long_logs_are_walked_back_from_checkpoints() {
    let events = events(30_000);
    let log: String = events.iter().map(|event| event.to_json() + "\n").collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    fs::write(&path, &log).unwrap();
    let mut told = 0;
    let indexed = Cursor::open_with(&path, LogOptions::new(), ReduceOptions::new(), |read, all| {
        (told, ()) = (told + 1, assert!(read <= all));
        true
    });
    assert!(told > 5);
    let packed = folder.path().join("log.jsonl.zst");
    fs::write(&packed, zstd::encode_all(log.as_bytes(), 1).unwrap()).unwrap();
    let from_events = Cursor::from_events(events.clone(), ReduceOptions::new());
    for mut cursor in [indexed.unwrap(), Cursor::open(&packed).unwrap(), from_events] {
        let mut session = SessionReducer::new();
        let points = [29_999, 29_998, 28_671, 28_000, 12_345, 12_344, 11_263, 30_000, 15_000, 15_001, 3, 0, 29_000_u64];
        let mut sorted: Vec<u64> = points.to_vec();
        sorted.sort_unstable();
        let mut wanted = std::collections::BTreeMap::new();
        for at in 0..=30_000_u64 {
            if sorted.contains(&at) {
                wanted.insert(at, shown(&session));
            }
            events.get(at as usize).map(|event| session.apply_at(at, event));
        }
        for point in points {
            assert!(shown(cursor.state(point).unwrap()) == wanted[&point], "{point}");
        }
        assert_eq!(cursor.find_event("e12345").unwrap(), Some(12_345));
        assert_eq!(cursor.find_event("e50").unwrap(), None);
        let spans = cursor.replies().unwrap();
        assert_eq!((spans.len(), spans[7].reply.as_str(), spans[7].first, spans[7].last), (60, "r7", 3_500, 3_999));
        let is_end = |record: &replyfold_log::Record| record.event().is_some_and(|event| event.type_name() == "AGENT_END");
        assert_eq!(cursor.find(4_000, Direction::Forward, is_end).unwrap(), Some(4_499));
        assert_eq!(cursor.find(4_499, Direction::Backward, is_end).unwrap(), Some(3_999));
        assert_eq!(cursor.find(u64::MAX, Direction::Forward, is_end).unwrap(), None);
        assert_eq!(cursor.find(499, Direction::Backward, is_end).unwrap(), None);
        assert!(cursor.record(30_000).unwrap().is_none() && cursor.step(30_000).unwrap().is_none());
    }
}

#[test]
fn every_form_of_a_log_has_its_points() {
    let folder = fixtures().join("conformance/python/service");
    let (capture, lines) = (folder.join("svc_plain.sse"), read(&folder.join("svc_plain.events.jsonl")));
    let states = states(&lines);
    walk(&mut Cursor::open(&capture).unwrap(), &states, (0..states.len()).rev());
    assert!(Cursor::open(folder.join("none")).unwrap_err().log_error().is_some());
    let stopped = Cursor::open_with(&capture, LogOptions::new(), ReduceOptions::new(), |_, _| false).unwrap_err();
    assert!(stopped.to_string().ends_with("stopped"), "{stopped}");
}

#[test]
fn a_log_that_changes_under_a_cursor_is_an_error_and_the_cursor_stays_sound() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    let log: String = events(3_000).iter().map(|event| event.to_json() + "\n").collect();
    fs::write(&path, &log).unwrap();
    let mut cursor = Cursor::open(&path).unwrap();
    let before = shown(cursor.state(2_500).unwrap());
    fs::write(&path, log.replace("word", "WORD")).unwrap();
    assert!(cursor.state(1_500).unwrap_err().is_stale());
    fs::write(&path, &log).unwrap();
    assert_eq!(shown(cursor.state(2_500).unwrap()), before);
    // A damaged index beside a log is not used.
    let built = build_index(&path, &IndexOptions::new(), |_, _| true).unwrap();
    let mut bytes = fs::read(&built.path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&built.path, bytes).unwrap();
    assert_eq!(shown(Cursor::open(&path).unwrap().state(2_500).unwrap()), before);
}

/// Beyond what is remembered event by event, and where a reply is too long for that.
#[test]
fn every_step_back_over_a_long_way_is_what_a_scan_gives() {
    let block = |at: usize| {
        let line = |kind: &str, rest: &str| format!(r#"{{"type":"{kind}","id":"{at}{kind}","replyId":"r{}"{rest}}}"#, at / 700);
        let named = format!(r#","blockId":"b{at}""#);
        let delta = format!(r#"{named},"delta":"word""#);
        [line("TEXT_BLOCK_START", &named), line("TEXT_BLOCK_DELTA", &delta), line("TEXT_BLOCK_END", &named), "nonsense".to_owned()]
            .join("\n")
            + "\n"
    };
    let log: String = (0..1_000).map(block).collect();
    let ends = |session: &SessionReducer| -> Vec<(usize, Option<replyfold_message::Block>, bool)> {
        let end = |reply: replyfold_reduce::Reply<'_>| {
            let content = &reply.message().content;
            (content.len(), content.iter().last().cloned(), reply.reducer().is_open(content.len().saturating_sub(1)))
        };
        session.replies().map(end).collect()
    };
    let mut session = SessionReducer::new();
    let mut scanned = vec![ends(&session)];
    for record in LogReader::new(io::Cursor::new(log.clone())) {
        let record = record.unwrap();
        record.event().map(|event| session.apply_at(record.position, event));
        scanned.push(ends(&session));
    }
    let mut cursor = Cursor::from_reader(LogReader::new(io::Cursor::new(log)), ReduceOptions::new()).unwrap();
    // Over the beginning of a reply, through a reply of some blocks, and of many.
    for point in (2_750..=3_150).chain(1_000..1_400).chain(2_400..2_450).rev() {
        assert_eq!(ends(cursor.state(point).unwrap()), scanned[point as usize], "{point}");
    }
    for point in (0..4_000).step_by(37) {
        cursor.step(point).unwrap();
        assert_eq!(ends(cursor.state(point).unwrap()), scanned[point as usize], "{point}");
    }
}
