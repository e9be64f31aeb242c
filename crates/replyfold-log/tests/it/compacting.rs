//! Compacted logs: the messages are the same at every point that still exists.

use crate::corpus::{fixtures, names, read};
use crate::generate;
use proptest::prelude::*;
use replyfold_dialect::{Dialect, LoneSurrogates};
use replyfold_log::{Compacted, Compactor, LogOptions, LogReader, compact, compact_to};
use replyfold_message::Msg;
use replyfold_reduce::{ReduceOptions, SessionReducer};
use std::io::Cursor;

fn reader(log: &str, options: &LogOptions) -> LogReader {
    LogReader::with_options(Cursor::new(log.to_owned()), options.clone())
}

/// Messages, and which of their blocks are open.
fn shown(session: &SessionReducer) -> Vec<(Msg, Vec<bool>)> {
    let open = |reply: replyfold_reduce::Reply<'_>| (0..reply.message().content.len()).map(|at| reply.reducer().is_open(at)).collect();
    session.replies().map(|reply| (reply.message().clone(), open(reply))).collect()
}

fn advance(reader: &mut LogReader, session: &mut SessionReducer, records: u64) {
    while let Some(record) = reader.next_ref() {
        let record = record.unwrap();
        record.event().map(|event| session.apply_at(record.position, event));
        if record.position + 1 == records {
            break;
        }
    }
}

/// Holds the compacted log to the law at one of `each` of its points; gives it.
fn check(log: &str, options: &LogOptions, reduce: ReduceOptions, each: usize) -> (String, Compacted) {
    let mut out = Vec::new();
    let compacted = compact_to(reader(log, options), &mut out).unwrap();
    let out = String::from_utf8(out).unwrap();
    assert_eq!((compacted.bytes_before, compacted.bytes_after), (log.len() as u64, out.len() as u64));
    assert_eq!(compacted.records_before - compacted.joined - compacted.duplicates, compacted.records_after);

    let points: Vec<u64> = Compactor::new(reader(log, options)).map(|line| line.unwrap().last + 1).collect();
    assert!(points.is_sorted_by(|a, b| a < b));
    let (mut before, mut after) = (reader(log, options), reader(&out, options));
    let (mut fold_before, mut fold_after) = (SessionReducer::with_options(reduce), SessionReducer::with_options(reduce));
    for (at, point) in points.iter().enumerate() {
        advance(&mut before, &mut fold_before, *point);
        advance(&mut after, &mut fold_after, at as u64 + 1);
        if at % each == 0 || at + 1 == points.len() {
            assert!(shown(&fold_before) == shown(&fold_after), "after {point} records, {} lines\n{log}\n---\n{out}", at + 1);
        }
    }
    advance(&mut before, &mut fold_before, u64::MAX);
    advance(&mut after, &mut fold_after, u64::MAX);
    assert!(shown(&fold_before) == shown(&fold_after), "at the end\n{log}\n---\n{out}");
    assert_eq!(after.next().map(|record| record.unwrap().position), None);
    (out, compacted)
}

/// The ids of the events and the records that cannot be read, in order.
fn kept(log: &str, options: &LogOptions) -> Vec<Result<Option<String>, Vec<u8>>> {
    reader(log, options)
        .map(|record| record.unwrap())
        .map(|record| match record.bad() {
            Some(bad) => Err(bad.text.clone()),
            None => Ok(record.event().and_then(|event| event.id.as_ref()).map(|id| id.as_str().to_owned())),
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn messages_are_the_same_at_every_point_that_still_exists(log in generate::log(), replaced in any::<bool>(), opened in any::<bool>(), told in proptest::option::of(proptest::sample::select(Dialect::ALL.to_vec()))) {
        let mut options = LogOptions::new();
        if replaced {
            options = options.with_lone_surrogates(LoneSurrogates::Replace);
        }
        if let Some(dialect) = told {
            options = options.with_dialect(dialect);
        }
        let reduce = ReduceOptions::new().with_open_missing(opened);
        let (out, first) = check(&log, &options, reduce, 1);
        // What is left keeps its order, and what cannot be read stands as it stood.
        let (before, after) = (kept(&log, &options), kept(&out, &options));
        let mut rest = before.iter();
        prop_assert!(after.iter().all(|item| rest.any(|other| other == item)));
        let bad = |list: &[Result<Option<String>, Vec<u8>>]| list.iter().filter(|item| item.is_err()).count();
        prop_assert_eq!(bad(&before), bad(&after));
        // There is nothing to be done twice.
        let (again, second) = check(&out, &options, reduce, 1);
        prop_assert_eq!((again.len(), second.joined), (out.len(), 0), "{} {}", first.joined, out);
    }
}

#[test]
fn recorded_logs_fold_the_same_and_are_smaller() {
    let (mut before, mut after) = (0, 0);
    for folder in ["python/runs", "python/service", "python/synthetic", "python/fuzz", "java/logs"] {
        let folder = fixtures().join("conformance").join(folder);
        for name in names(&folder, ".events.jsonl") {
            let log = read(&folder.join(format!("{name}.events.jsonl")));
            let (_, compacted) = check(&log, &LogOptions::new(), ReduceOptions::new(), 3 + log.len() / 10_000);
            assert!(compacted.bytes_after <= compacted.bytes_before, "{name}");
            (before, after) = (before + compacted.bytes_before, after + compacted.bytes_after);
        }
    }
    assert!(after * 10 < before * 6, "{before} bytes became {after}");
}

/// A client that came back got everything once more: what is told twice goes, and the reader of a camelCase log follows the runs as before.
#[test]
fn recorded_logs_that_were_replayed_fold_the_same() {
    for folder in ["python/service", "java/logs"] {
        let folder = fixtures().join("conformance").join(folder);
        for name in names(&folder, ".events.jsonl") {
            let log = read(&folder.join(format!("{name}.events.jsonl")));
            let lines: Vec<&str> = log.lines().collect();
            let twice = format!("{}\n{log}", lines[..lines.len() * 2 / 3].join("\n"));
            let (_, compacted) = check(&twice, &LogOptions::new(), ReduceOptions::new(), 1);
            let texts = log.lines().take(lines.len() * 2 / 3).filter(|line| line.contains("TEXT_BLOCK_DELTA")).count() as u64;
            assert!(compacted.duplicates >= texts, "{name}: {compacted:?}");
        }
    }
}

#[test]
fn stories_and_frames_fold_the_same() {
    for story in std::fs::read_dir(fixtures().join("stories")).unwrap() {
        let log = read(&story.unwrap().path().join("events.jsonl"));
        check(&log, &LogOptions::new(), ReduceOptions::new(), 1);
    }
    check(&read(&fixtures().join("conformance/java/remote/frames.jsonl")), &LogOptions::new(), ReduceOptions::new(), 1);
}

fn lines(log: &[&str]) -> String {
    log.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn pieces_join_as_the_line_of_the_first_and_media_as_its_bytes() {
    let log = lines(&[
        r#"{ "type":"DATA_BLOCK_START","id":"1","replyId":"r","blockId":"d","mediaType":"image/png"}"#,
        r#"{"type":"DATA_BLOCK_DELTA","id":"2","replyId":"r","blockId":"d","mediaType":"image/png","data":"AQ==" , "seq":7}"#,
        r#"{"type":"DATA_BLOCK_DELTA","id":"3","replyId":"r","blockId":"d","mediaType":"image/png","data":"AgM"}"#,
        r#"{"type":"DATA_BLOCK_DELTA","id":"4","replyId":"r","blockId":"d","mediaType":"image/gif","data":"BA=="}"#,
        r#"{"type":"DATA_BLOCK_DELTA","id":"5","replyId":"r","blockId":"d","mediaType":"image/gif","data":"***"}"#,
    ]);
    let (out, compacted) = check(&log, &LogOptions::new(), ReduceOptions::new(), 1);
    let joined = r#"{"type":"DATA_BLOCK_DELTA","id":"2","replyId":"r","blockId":"d","mediaType":"image/png","data":"AQID" , "seq":7}"#;
    assert_eq!(out.lines().nth(1), Some(joined));
    // Another type is another piece, and what is not base64 stays as it is.
    assert_eq!((compacted.joined, out.lines().count()), (1, 4));
}

#[test]
fn repeated_events_go_and_those_that_were_never_folded_stay() {
    let start = r#"{"type":"TEXT_BLOCK_START","id":"1","reply_id":"r","block_id":"b"}"#;
    let piece = |id, text| format!(r#"{{"type":"TEXT_BLOCK_DELTA","id":"{id}","reply_id":"r","block_id":"b","delta":"{text}"}}"#);
    let custom = r#"{"type":"CUSTOM","id":"9","created_at":"t","name":"n","value":{}}"#;
    // A reconnect replays from the start.
    let log = lines(&[start, &piece(2, "a"), &piece(3, "b"), custom, start, &piece(2, "a"), &piece(3, "b"), custom, &piece(4, "c")]);
    let (out, compacted) = check(&log, &LogOptions::new(), ReduceOptions::new(), 1);
    assert_eq!((compacted.duplicates, compacted.joined), (3, 1));
    assert_eq!(out, lines(&[start, &piece(2, "ab"), custom, custom, &piece(4, "c")]));
}

#[test]
fn a_log_that_was_cut_off_stays_cut_off() {
    let log = "{\"type\":\"AGENT_START\",\"id\":\"1\",\"replyId\":\"r\",\"role\":\"assistant\"}\r\n\r\n{\"type\":\"TEXT_BL";
    let mut out = Vec::new();
    compact_to(LogReader::new(log.as_bytes()), &mut out).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), log.replacen("\r\n\r\n", "\n", 1));
}

#[test]
fn a_long_run_becomes_several_lines_so_that_memory_stays_small() {
    let piece = "x".repeat(1000);
    let line = |at: usize| format!(r#"{{"type":"TEXT_BLOCK_DELTA","id":"{at}","replyId":"r","blockId":"b","delta":"{piece}"}}"#) + "\n";
    let log: String = (0..3000).map(line).collect();
    let (out, _) = check(&log, &LogOptions::new(), ReduceOptions::new().with_open_missing(true), 1);
    assert_eq!(out.lines().count(), 3);
    assert!(out.lines().all(|line| line.len() < 1_100_000));
}

/// The same message from a handful of events, whose ids keep their order. A client that stopped within pieces that were joined goes on in the
/// log that was compacted, which is left alone.
#[test]
fn b089_a_reply_of_ten_thousand_pieces_comes_back_from_a_handful_of_events() {
    let event = |number: usize, body: &str| format!("{{\"type\":{body},\"id\":\"e{number:05}\",\"replyId\":\"r1\"}}\n");
    let mut log = event(0, r#""AGENT_START","role":"assistant""#) + &event(1, r#""TEXT_BLOCK_START","blockId":"b1""#);
    for number in 0..10_000 {
        log.push_str(&event(number + 2, &format!(r#""TEXT_BLOCK_DELTA","blockId":"b1","delta":"{number:03}""#)));
    }
    log += &(event(10_002, r#""TEXT_BLOCK_END","blockId":"b1""#) + &event(10_003, r#""AGENT_END","finishedReason":"completed""#));
    let (out, compacted) = check(&log, &LogOptions::new(), ReduceOptions::new(), 1);
    assert!(compacted.records_after < 10 && compacted.bytes_after < 60_000, "{compacted:?}");
    let ids: Vec<String> = kept(&out, &LogOptions::new()).into_iter().map(|id| id.unwrap().unwrap()).collect();
    assert!(ids.is_sorted() && ids.first().is_some_and(|id| id == "e00000") && ids.last().is_some_and(|id| id == "e10003"), "{ids:?}");
}

#[test]
fn a_file_is_written_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let (log, out) = (folder.path().join("log.jsonl"), folder.path().join("out.jsonl"));
    let text = lines(&[r#"{"type":"AGENT_START","id":"1","replyId":"r","role":"assistant"}"#, "nonsense"]);
    std::fs::write(&log, &text).unwrap();
    let files = || std::fs::read_dir(folder.path()).unwrap().count();

    let strict = LogOptions::new().with_strictness(replyfold_log::Strictness::Strict);
    let plain = || LogReader::open(&log).unwrap();
    let err = compact(LogReader::open_with(&log, strict).unwrap(), &out, false).unwrap_err();
    assert!(err.log_error().is_some() && err.to_string().contains("line 2"), "{err}");
    assert_eq!(files(), 1);

    compact(plain(), &out, false).unwrap();
    assert_eq!(std::fs::read_to_string(&out).unwrap(), text);
    let err = compact(plain(), &out, false).unwrap_err();
    assert!(err.is_existing() && err.to_string().contains("out.jsonl: the file is there already"), "{err}");
    compact(plain(), &out, true).unwrap();
    let err = compact(plain(), &log, true).unwrap_err();
    assert!(err.to_string().contains("never compacted in place"), "{err}");
    assert_eq!((std::fs::read_to_string(&log).unwrap(), files()), (text, 2));
}

#[test]
fn other_forms_are_refused_with_what_to_do() {
    for (log, form) in [("data: {}\n\n", "server-sent events"), ("[{}]", "JSON array")] {
        let err = compact_to(LogReader::new(log.as_bytes()), Vec::new()).unwrap_err();
        assert!(err.to_string().contains(form) && err.to_string().contains("replyfold convert"), "{err}");
    }
    let log = lines(&[r#"{"type":"AGENT_START","id":"1","replyId":"r","role":"assistant"}"#]);
    let (mut out, packed) = (Vec::new(), zstd::encode_all(log.as_bytes(), 1).unwrap());
    compact_to(LogReader::new(Cursor::new(packed)), &mut out).unwrap();
    assert_eq!(out, log.as_bytes());
}
