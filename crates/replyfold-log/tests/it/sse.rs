//! Captures of server-sent events whose lines are not what the standard has.

use replyfold_event::AgentEvent;
use replyfold_log::{Format, LogReader, Record};
use std::io::Cursor;

const OK: &str = r#"{"type":"OK"}"#;

fn records(log: &str) -> Vec<Record> {
    LogReader::new(Cursor::new(log.to_owned())).map(|record| record.unwrap()).collect()
}

/// The text of each event, or that of a bad record after its mark.
fn texts(records: &[Record]) -> Vec<String> {
    let text = |record: &Record| match record.bad() {
        Some(bad) => format!("bad: {}", String::from_utf8_lossy(&bad.text)),
        None => record.event().map(AgentEvent::to_json).unwrap_or_default(),
    };
    records.iter().map(text).collect()
}

#[test]
fn line_that_is_no_field_is_a_bad_record_that_says_so() {
    for line in [OK, "  {\"a\":1}", "\"delta\":\"x\"}", " data: {\"a\":1}", "data : {}", "[1,2]", "* Connection closed", "é: 1"] {
        let records = records(&format!("data: {OK}\n\n{line}\ndata: {OK}\n\n"));
        assert_eq!(texts(&records), [OK, &format!("bad: {line}"), OK], "{line}");
        let reason = &records[1].bad().unwrap().reason;
        assert!(reason.starts_with("no field of server-sent events: "), "{reason}");
        assert_eq!((records[1].place.line, records[1].place.offset), (3, 21), "{line}");
        assert!(!records[1].bad().unwrap().is_torn());
    }
}

#[test]
fn line_that_is_no_field_is_told_at_the_end_and_within_an_event_too() {
    assert_eq!(texts(&records(&format!("data: {OK}\n\n{OK}"))), [OK, &format!("bad: {OK}")]);
    let within = records(&format!("id: 7\ndata: {OK}\n{{\"a\":1}}\n\n"));
    assert_eq!(texts(&within), ["bad: {\"a\":1}", OK]);
    assert_eq!(within[1].frame.sse_id.as_deref(), Some("7"));
}

#[test]
fn lines_that_the_standard_has_a_reader_ignore_are_nothing() {
    for line in [": comment", ":", "retry: 10", "x-trace: 1", "unknown_field", "id", "date:{}", "   "] {
        assert_eq!(texts(&records(&format!("data: {OK}\n{line}\n\ndata: {OK}\n\n"))), [OK, OK], "{line}");
    }
}

#[test]
fn capture_whose_lines_are_moved_in_reads_as_one_that_is_not() {
    let plain = format!(": ready\n\nid: 7\nevent: x\ndata: {OK}\n\ndata: {{\"type\":\ndata: \"B\"}}\n\ndata: [DONE]\n");
    for indent in [" ", "    ", "\t"] {
        for blank in ["", indent] {
            let moved: String =
                plain.lines().map(|line| if line.is_empty() { format!("{blank}\n") } else { format!("{indent}{line}\n") }).collect();
            let mut reader = LogReader::new(Cursor::new(moved));
            let records: Vec<Record> = reader.by_ref().map(|record| record.unwrap()).collect();
            assert_eq!(reader.format(), Some(Format::Sse));
            assert_eq!(texts(&records), [OK, "{\"type\":\n\"B\"}"], "{indent:?} {blank:?}");
            assert_eq!(records[0].frame.sse_id.as_deref(), Some("7"));
            assert_eq!(records[0].place.line, 5);
        }
    }
    let first_only = records(&format!("  data: {OK}\n\ndata: {OK}\n\n"));
    assert_eq!(texts(&first_only), [OK, OK], "what is moved in less is read as well");
}
