//! Every form of a log that can be followed gives what the reader of logs gives.

use super::{append, at_hand, id, ids, line, lines, place};
use allocation_counter::measure;
use proptest::prelude::*;
use replyfold_dialect::Dialect;
use replyfold_log::{Follow, LogOptions, LogReader, Notice, Record, Strictness};
use std::path::{Path, PathBuf};
use std::task::Poll;

fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/conformance").join(path)
}

fn read(bytes: &[u8]) -> Vec<Record> {
    LogReader::new(std::io::Cursor::new(bytes.to_vec())).map(Result::unwrap).collect()
}

/// The records of a log that is written in pieces of these lengths, over and over, and looked at after each.
fn followed(bytes: &[u8], lengths: &[usize]) -> Vec<Record> {
    let (_dir, log) = place();
    std::fs::write(&log, "").unwrap();
    let mut follow = Follow::open(&log).unwrap();
    let (mut records, mut rest, mut turn) = (Vec::new(), bytes, 0);
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(lengths[turn % lengths.len()].clamp(1, rest.len()));
        append(&log, piece);
        records.extend(at_hand(&mut follow).0);
        (rest, turn) = (after, turn + 1);
    }
    follow.close();
    records.extend(at_hand(&mut follow).0);
    records
}

#[test]
fn logs_and_captures_come_as_they_are_read() {
    for path in
        ["java/logs/confirm-partial.events.jsonl", "python/service/svc_tools_two_rounds.sse", "python/service/svc_plain.events.jsonl"]
    {
        let bytes = std::fs::read(fixture(path)).unwrap();
        let records = read(&bytes);
        assert!(records.len() > 5);
        for lengths in [&[usize::MAX][..], &[7], &[1, 4096, 300]] {
            assert_eq!(followed(&bytes, lengths), records, "{path} {lengths:?}");
        }
    }
}

#[test]
fn an_event_of_a_capture_waits_for_its_blank_line() {
    let (_dir, log) = place();
    append(&log, ": hello\n\nid: 1\n");
    let mut follow = Follow::open(&log).unwrap();
    for piece in ["data: {\"type\":\"AGENT_START\",\"replyId\":\"r1\",\n", "data: \"createdAt\":\"T\"}\n"] {
        assert_eq!(at_hand(&mut follow), (vec![], vec![]));
        append(&log, piece);
    }
    assert_eq!(at_hand(&mut follow), (vec![], vec![]));
    append(&log, "\n");
    let (records, _) = at_hand(&mut follow);
    assert_eq!(records.iter().map(|record| record.frame.sse_id.as_deref()).collect::<Vec<_>>(), [Some("1")]);
    assert!(records[0].event().is_some());
}

#[test]
fn the_dialect_carries_on_over_files() {
    // Java gives model calls ids of their own: only the start in the first file tells the reply of what is in the second.
    let text = std::fs::read_to_string(fixture("java/logs/confirm-partial.events.jsonl")).unwrap();
    let whole = read(text.as_bytes());
    for at in 1..whole.len() {
        let cut = usize::try_from(whole[at].place.offset).unwrap();
        let (_dir, log) = place();
        append(&log, &text[..cut]);
        let mut follow = Follow::open_with(&log, LogOptions::new().with_dialect(Dialect::Java)).unwrap();
        let mut records = at_hand(&mut follow).0;
        std::fs::rename(&log, log.with_extension("old")).unwrap();
        append(&log, &text[cut..]);
        records.extend(at_hand(&mut follow).0);
        let replies = |records: &[Record]| records.iter().map(|record| record.event().unwrap().reply_id().cloned()).collect::<Vec<_>>();
        assert_eq!(replies(&records), replies(&whole));
    }
}

#[test]
fn frames_of_zstd_come_when_they_are_whole() {
    let (dir, _) = place();
    let log = dir.path().join("run.jsonl.zst");
    let frame = |ids| zstd::encode_all(lines(ids).as_bytes(), 3).unwrap();
    append(&log, "");
    let mut follow = Follow::open(&log).unwrap();
    for turn in 0..3 {
        let frame = frame(turn * 50..turn * 50 + 50);
        let (last, most) = frame.split_last().unwrap();
        for byte in most {
            append(&log, [*byte]);
            assert_eq!(at_hand(&mut follow), (vec![], vec![]));
        }
        append(&log, [*last]);
        assert_eq!(ids(&at_hand(&mut follow).0), (turn * 50..turn * 50 + 50).collect::<Vec<_>>());
    }
    // A frame that was cut off is taken back, and the next one follows; then a whole one is taken back too.
    append(&log, &frame(900..950)[..40]);
    assert_eq!(at_hand(&mut follow), (vec![], vec![]));
    let mut length = std::fs::metadata(&log).unwrap().len() - 40;
    for ids_after in [150..160, 160..170] {
        std::fs::OpenOptions::new().write(true).open(&log).unwrap().set_len(length).unwrap();
        append(&log, frame(ids_after.clone()));
        let (records, notices) = at_hand(&mut follow);
        assert_eq!(ids(&records), ids_after.collect::<Vec<_>>());
        assert!(matches!(notices[..], [Notice::CutBack { .. }]), "{notices:?}");
        length = std::fs::metadata(&log).unwrap().len() - frame(150..160).len() as u64;
    }
    // The log goes on in a segment that is packed too.
    append(&dir.path().join("run.00001.jsonl.zst"), frame(170..171));
    let (records, notices) = at_hand(&mut follow);
    assert_eq!((ids(&records), notices), (vec![170], vec![Notice::Segment { path: dir.path().join("run.00001.jsonl.zst") }]));
}

#[test]
fn what_shows_nothing_before_it_is_whole_is_refused_with_the_reason() {
    use std::io::Write;
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(lines(0..9).as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    for (bytes, reason) in [
        (packed, "it is packed with gzip, which shows nothing before it is whole"),
        (format!("\n [{},\n", line(0).trim_end()).into_bytes(), "it is a JSON array, which is read once it is whole"),
    ] {
        let (_dir, log) = place();
        append(&log, bytes);
        let mut follow = Follow::open(&log).unwrap();
        let Poll::Ready(Some(Err(err))) = follow.try_next() else { panic!("no error") };
        assert!(err.to_string().starts_with(&format!("{}: cannot follow the log: {reason}", log.display())), "{err}");
        assert!(matches!(follow.try_next(), Poll::Ready(None)));
    }
}

#[test]
fn damaged_frames_and_missing_segments_end_it_with_the_place() {
    let (dir, log) = place();
    let mut frame = zstd::encode_all(lines(0..50).as_bytes(), 3).unwrap();
    append(&log, &frame);
    frame[3] = 0;
    append(&log, frame);
    let mut follow = Follow::open(&log).unwrap();
    for at in 0..50 {
        assert!(matches!(follow.try_next(), Poll::Ready(Some(Ok(replyfold_log::Followed::Record(record)))) if id(&record) == at));
    }
    let Poll::Ready(Some(Err(err))) = follow.try_next() else { panic!("no error") };
    assert!(err.to_string().contains("of the unpacked log: the zstd data is damaged"), "{err}");

    append(&dir.path().join("b.jsonl"), lines(0..1));
    append(&dir.path().join("b.00002.jsonl"), lines(2..3));
    let mut follow = Follow::open(dir.path().join("b.jsonl")).unwrap();
    assert!(matches!(follow.try_next(), Poll::Ready(Some(Ok(_)))));
    let Poll::Ready(Some(Err(err))) = follow.try_next() else { panic!("no error") };
    assert!(err.to_string().contains("b.00001.jsonl: it is missing, and b.00002.jsonl is there"), "{err}");
}

#[test]
fn a_strict_follower_stops_at_a_bad_record() {
    let (_dir, log) = place();
    append(&log, format!("{}nonsense\n{}", line(0), line(1)));
    let mut follow = Follow::open_with(&log, LogOptions::new().with_strictness(Strictness::Strict)).unwrap();
    assert!(matches!(follow.try_next(), Poll::Ready(Some(Ok(_)))));
    assert!(
        matches!(follow.try_next(), Poll::Ready(Some(Err(err))) if err.is_bad_record() && err.place().is_some_and(|place| place.line == 2))
    );
    assert!(matches!(follow.try_next(), Poll::Ready(None)));
    assert!(Follow::open(log.with_extension("none")).unwrap_err().to_string().contains("cannot open the log"));
}

#[test]
fn memory_does_not_grow_with_the_log() {
    let (_dir, log) = place();
    append(&log, lines(0..40_000));
    let mut follow = Follow::open(&log).unwrap();
    let mut count = 0;
    let memory = measure(|| {
        while let Poll::Ready(Some(Ok(_))) = follow.try_next() {
            count += 1;
        }
    });
    assert_eq!(count, 40_000);
    assert!(std::fs::metadata(&log).unwrap().len() > 3_000_000);
    assert!(memory.bytes_max < 700_000, "{} bytes", memory.bytes_max);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_log_comes_as_it_is_read_however_it_is_written(
        parts in prop::collection::vec(prop_oneof![
            (0_usize..1000).prop_map(line),
            Just("\n".to_owned()),
            Just("nonsense\n".to_owned()),
            Just("\0\0\0".to_owned()),
            Just("{\"type\":\"TEXT".to_owned()),
            Just("  \r\n".to_owned()),
        ], 0..12),
        lengths in prop::collection::vec(1_usize..120, 1..6),
    ) {
        let bytes = parts.concat().into_bytes();
        let records = followed(&bytes, &lengths);
        let expected = read(&bytes);
        // A whole line that ends in the middle is known to be damage only by what comes after it.
        let torn_line = |record: &Record| record.bad().is_some_and(|bad| bad.is_torn()) && bytes.ends_with(b"\n");
        prop_assert_eq!(records.len(), expected.len());
        for (is, should) in records.iter().zip(&expected) {
            if !torn_line(should) {
                prop_assert_eq!(is, should);
            }
            prop_assert_eq!((is.position, is.place, is.bad().map(|bad| &bad.text)), (should.position, should.place, should.bad().map(|bad| &bad.text)));
        }
    }
}
