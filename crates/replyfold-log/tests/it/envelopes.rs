//! Envelopes: found whatever else is wrong with the line, and by what each object shows on its own.

use replyfold_dialect::{Dialect, LoneSurrogates, ReadEvent, ReadNote};
use replyfold_event::{AgentEvent, Payload};
use replyfold_log::{LogOptions, LogReader, Outcome, Record};
use std::io::Cursor;

fn records_with(log: &str, options: LogOptions) -> Vec<Record> {
    LogReader::with_options(Cursor::new(log.to_owned()), options).map(|record| record.unwrap()).collect()
}

fn records(log: &str) -> Vec<Record> {
    records_with(log, LogOptions::new())
}

fn replaced(log: &str) -> Vec<Record> {
    records_with(log, LogOptions::new().with_lone_surrogates(LoneSurrogates::Replace))
}

fn read(record: &Record) -> &ReadEvent {
    match &record.outcome {
        Outcome::Event(read) => read,
        Outcome::Bad(bad) => panic!("{bad:?}"),
    }
}

fn members(record: &Record) -> &str {
    record.frame.envelope.as_ref().unwrap().members.as_str()
}

fn delta(record: &Record) -> &str {
    match &read(record).event.payload {
        Payload::TextBlockDelta(delta) => &delta.delta,
        other => panic!("{other:?}"),
    }
}

const HALF: &str = r#"{"type":"TEXT_BLOCK_DELTA","replyId":"r","blockId":"b","delta":"A\ud83dB"}"#;

#[test]
fn half_pair_in_an_enveloped_event_is_replaced_and_noted_like_one_in_a_bare_event() {
    let text = serde_json::to_string(HALF).unwrap();
    for log in [
        HALF.to_owned(),
        format!(r#"{{"seq":3,"event":{HALF}}}"#),
        format!(r#"{{"type":"frame","event":{HALF}}}"#),
        format!(r#"{{"type":"frame","event":{text}}}"#),
        format!("data: {{\"seq\":3,\"event\":{HALF}}}\n\n"),
    ] {
        let records = replaced(&log);
        assert_eq!((records.len(), delta(&records[0])), (1, "A\u{fffd}B"), "{log}");
        assert_eq!(read(&records[0]).notes, [ReadNote::ReplacedSurrogate], "{log}");
    }
    assert_eq!(members(&replaced(&format!(r#"{{"seq":3,"event":{HALF}}}"#))[0]), r#"{"seq":3}"#);
}

#[test]
fn half_pair_in_an_enveloped_event_is_the_reason_by_default_and_not_an_unknown_event() {
    let text = serde_json::to_string(HALF).unwrap();
    for log in [
        format!(r#"{{"seq":3,"event":{HALF}}}"#),
        format!(r#"{{"type":"frame","event":{HALF}}}"#),
        format!(r#"{{"type":"frame","event":{text}}}"#),
    ] {
        let records = records(&log);
        let reason = &records[0].bad().unwrap_or_else(|| panic!("{log}")).reason;
        assert!(reason.starts_with("no event: half of a surrogate pair at byte "), "{log}: {reason}");
    }
}

#[test]
fn half_pair_around_the_event_counts_for_the_line_too() {
    let log = r#"{"who":"\ud83d","event":{"type":"TEXT_BLOCK_DELTA","replyId":"r","blockId":"b","delta":"x"}}"#;
    assert_eq!(records(log)[0].bad().map(|bad| bad.reason.contains("half of a surrogate pair at byte 8")), Some(true));
    let records = replaced(log);
    assert_eq!((delta(&records[0]), members(&records[0])), ("x", r#"{"who":"\ufffd"}"#));
    assert_eq!(read(&records[0]).notes, [ReadNote::ReplacedSurrogate]);
}

#[test]
fn numbers_that_are_no_json_read_the_same_in_an_envelope_and_bare() {
    let event = r#"{"type":"CUSTOM","id":"a","created_at":"T","name":"n","value":{"a":NaN,"b":[-Infinity,1]}}"#;
    let bare = records(event);
    assert_eq!(read(&bare[0]).dialect, Dialect::Python);
    let text = serde_json::to_string(event).unwrap();
    for log in [
        format!(r#"{{"seq":1,"event":{event}}}"#),
        format!(r#"{{"seq":1,"event":{text}}}"#),
        format!(r#"{{"took":Infinity,"event":{event},"seq":NaN}}"#),
    ] {
        let records = records(&log);
        assert_eq!(read(&records[0]), read(&bare[0]), "{log}");
    }
    let framed = records(&format!(r#"{{"took":Infinity,"event":{event}}}"#));
    assert_eq!(members(&framed[0]), r#"{"took":null}"#);
    let wrapped = framed[0].frame.envelope.as_ref().map(|envelope| envelope.wrap("{}"));
    assert_eq!(wrapped.as_deref(), Some(r#"{"took":null,"event":{}}"#));
}

#[test]
fn numbers_that_are_no_json_stay_an_error_of_a_camel_case_log() {
    let start = r#"{"seq":0,"event":{"type":"AGENT_START","id":"1","replyId":"r"}}"#;
    let custom = r#"{"seq":1,"event":{"type":"CUSTOM","id":"2","name":"n","value":{"a":NaN}}}"#;
    let records = records(&format!("{start}\n{custom}\n"));
    assert_eq!(records[0].event().map(AgentEvent::type_name), Some("AGENT_START"));
    assert_eq!(records[1].bad().map(|bad| bad.reason.starts_with("no event: not JSON: expected value at byte ")), Some(true));
}
