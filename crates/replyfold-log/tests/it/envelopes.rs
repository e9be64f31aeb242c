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

const START: &str = r#"{"type":"AGENT_START","id":"1","replyId":"r1"}"#;
const END: &str = r#"{"type":"AGENT_END","id":"2","replyId":"r1"}"#;

fn names(records: &[Record]) -> Vec<&str> {
    records.iter().map(|record| record.event().unwrap_or_else(|| panic!("{record:?}")).type_name()).collect()
}

#[test]
fn frame_of_a_host_does_not_spoil_the_key_of_the_log() {
    let log = format!("{{\"type\":\"history\",\"last\":{START}}}\n{{\"seq\":1,\"event\":{START}}}\n{{\"seq\":2,\"event\":{END}}}\n");
    let mut reader = LogReader::new(Cursor::new(log));
    let records: Vec<Record> = reader.by_ref().map(|record| record.unwrap()).collect();
    assert_eq!(names(&records), ["AGENT_START", "AGENT_START", "AGENT_END"]);
    assert_eq!(members(&records[1]), r#"{"seq":1}"#);
    assert_eq!(reader.envelope_path(), Some("event"), "the key that most records have");
}

#[test]
fn keys_may_differ_from_record_to_record() {
    let log = format!("{{\"seq\":1,\"event\":{START}}}\n{{\"seq\":2,\"data\":{END}}}\n{{\"seq\":3,\"event\":{START}}}\n{START}\n");
    let records = records(&log);
    assert_eq!(names(&records), ["AGENT_START", "AGENT_END", "AGENT_START", "AGENT_START"]);
    let keys: Vec<_> = records.iter().map(|record| record.frame.envelope.as_ref().map(|envelope| &*envelope.key)).collect();
    assert_eq!(keys, [Some("event"), Some("data"), Some("event"), None]);
}

#[test]
fn two_members_with_events_are_no_envelope_whatever_came_before() {
    let log = format!("{{\"seq\":1,\"event\":{START}}}\n{{\"type\":\"history\",\"event\":{START},\"last\":{END}}}\n");
    assert_eq!(names(&records(&log)), ["AGENT_START", "history"]);
}

#[test]
fn event_that_has_an_event_in_a_field_is_no_envelope() {
    let custom = format!(r#"{{"type":"CUSTOM","id":"3","replyId":"r1","name":"n","value":{END}}}"#);
    let log = format!("{{\"seq\":1,\"value\":{START}}}\n{custom}\n");
    let records = records(&log);
    assert_eq!(names(&records), ["AGENT_START", "CUSTOM"]);
    assert!(records[1].frame.envelope.is_none());
}

#[test]
fn frame_of_the_agent_protocol_is_known_by_its_event_type_also_as_the_first_record() {
    let call = r#"{\"type\":\"TOOL_CALL_END\",\"id\":\"4\",\"replyId\":\"r1\",\"toolCallId\":\"c\",\"type\":\"TOOL_CALL_END\"}"#;
    let frame = |mark: &str| format!(r#"{{"seq":8,"type":"TOOL_CALL_END","replyId":"r1","toolCallId":"frame"{mark},"payload":"{call}"}}"#);
    let call_id = |log: &str| records(log)[0].event().and_then(AgentEvent::tool_call_id).map(|id| id.as_str().to_owned());
    assert_eq!(call_id(&frame(r#","eventType":"TOOL_CALL_END""#)).as_deref(), Some("c"));
    assert_eq!(call_id(&frame("")).as_deref(), Some("frame"));
    assert_eq!(call_id(&frame(r#","eventType":"TOOL_CALL_START""#)).as_deref(), Some("frame"));
}
