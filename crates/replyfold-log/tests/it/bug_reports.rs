//! Reports from the field about reading stores and streams, each with the right behaviour.

use replyfold_event::AgentEvent;
use replyfold_log::{LogReader, Record};
use std::io::Cursor;

fn records(bytes: impl AsRef<[u8]>) -> Vec<Record> {
    LogReader::new(Cursor::new(bytes.as_ref().to_vec())).map(|record| record.unwrap()).collect()
}

/// Unknown events keep their text, which makes them a window on the framing.
fn texts(bytes: impl AsRef<[u8]>) -> Vec<String> {
    records(bytes).iter().map(|record| record.event().map_or_else(|| format!("bad: {record:?}"), AgentEvent::to_json)).collect()
}

const OK: &str = r#"{"type":"OK"}"#;

#[test]
fn b044_cr_and_lf_of_one_line_end_do_not_cut_an_event() {
    let log = "data: {\"type\":\"A\",\r\ndata: \"b\":\r\ndata: 1}\r\n\r\n";
    assert_eq!(texts(log), ["{\"type\":\"A\",\n\"b\":\n1}"]);
}

#[test]
fn b046_one_leading_mark_is_dropped_and_a_later_one_is_content() {
    let log = format!("\u{feff}data: {OK}\n\ndata: {{\"type\":\"B\",\"x\":\"\u{feff}\"}}\n\n");
    assert_eq!(texts(log), [OK.to_owned(), "{\"type\":\"B\",\"x\":\"\u{feff}\"}".to_owned()]);
}

#[test]
fn b047_characters_over_two_pieces_stay_whole_and_bytes_that_are_none_are_an_error() {
    assert_eq!(texts("data: {\"type\":\"t\",\"x\":\"你好🦀\"}\n\n"), ["{\"type\":\"t\",\"x\":\"你好🦀\"}"]);
    let bad = records(b"data: {\"type\":\"t\xff\"}\n\n");
    assert_eq!(bad[0].bad().map(|bad| bad.reason.as_str()), Some("not UTF-8 at byte 10 of the record"));
}

#[test]
fn b049_all_data_lines_count_and_one_blank_is_dropped() {
    assert_eq!(texts("data:{\"type\":\ndata: \"a\"\ndata:  }\ndata\n\n"), ["{\"type\":\n\"a\"\n }\n"]);
}

#[test]
fn b050_unusual_separators_do_not_end_a_line() {
    let line = "{\"type\":\"t\",\"x\":\"before\u{2028}middle\u{2029}after \u{85} end\"}";
    assert_eq!(texts(format!("{line}\n{OK}\n")), [line, OK]);
    assert_eq!(texts(format!("data: {line}\n\n")), [line]);
}

#[test]
fn b082_a_bad_line_hides_nothing_after_it() {
    let cut = records(format!("{OK}\n{{\"type\":\"TEXT_BL\n{OK}\n"));
    assert_eq!(cut.iter().map(|record| record.event().is_some()).collect::<Vec<_>>(), [true, false, true]);
    let bad = cut[1].bad().unwrap();
    assert!(!bad.is_torn() && bad.text == b"{\"type\":\"TEXT_BL");
    assert_eq!((cut[1].place.line, cut[1].place.offset, cut[1].position), (2, 14, 1));

    let zeros = [OK.as_bytes(), b"\n", &[0; 300], b"\n", OK.as_bytes(), b"\n"].concat();
    let zeros = records(zeros);
    assert_eq!(zeros[1].bad().map(|bad| bad.reason.as_str()), Some("300 zero bytes, as a write leaves them that a crash cut off"));
    assert!(zeros[2].event().is_some());
}

#[test]
fn b082_two_records_on_one_line_are_told_as_such() {
    let both = records(format!("{OK}{OK}\n"));
    assert_eq!(
        both[0].bad().map(|bad| bad.reason.as_str()),
        Some("two JSON texts on one line, the second at byte 13; each needs a line of its own")
    );
}

#[test]
fn b083_a_torn_tail_is_known_also_with_blank_lines_after_it() {
    for (log, events, torn) in [
        (format!("{OK}\n{{\"type\":\"TEXT\n\n"), 1, true),
        (format!("{OK}\n{{\"type\":\"TEXT"), 1, true),
        (format!("{OK}\n\n"), 1, false),
        (String::new(), 0, false),
        (format!("{OK}\n{{\"type\":\"\u{e9}").trim_end().to_owned(), 1, true),
    ] {
        let records = records(&log);
        assert_eq!(records.iter().filter(|record| record.event().is_some()).count(), events, "{log:?}");
        assert_eq!(records.last().and_then(Record::bad).is_some_and(|bad| bad.is_torn()), torn, "{log:?}");
    }
    // A character that is cut is torn too.
    let cut = [OK.as_bytes(), b"\n{\"type\":\"\xc3"].concat();
    assert!(records(cut)[1].bad().is_some_and(|bad| bad.is_torn()));
}

#[test]
fn b085_logs_with_old_names_and_without_optional_fields_load() {
    let log = r#"{"type":"MODEL_CALL_END","replyId":"r1"}
{"type":"REPLY_START","session_id":"s","reply_id":"r1","name":"n"}
{"type":"BINARY_BLOCK_DELTA","id":"1","replyId":"r1","blockId":"b","delta":"AA=="}
{"type":"RUN_STARTED","id":"2","replyId":"r2"}
"#;
    let names: Vec<_> = records(log).iter().map(|record| record.event().map(|event| event.type_name().to_owned())).collect();
    assert_eq!(names, ["MODEL_CALL_END", "AGENT_START", "DATA_BLOCK_DELTA", "AGENT_START"].map(|name| Some(name.to_owned())));
}

#[test]
fn b086_unknown_types_pass_and_damaged_known_ones_do_not() {
    let mood = r#"{"type":"MOOD_CHANGED","replyId":"r1","x":{"deep":[1,2.50]}}"#;
    let records = records(format!("{mood}\n{{\"type\":\"TEXT_BLOCK_DELTA\",\"replyId\":\"r1\"}}\n"));
    assert_eq!(records[0].event().map(AgentEvent::to_json).as_deref(), Some(mood));
    assert_eq!(records[1].bad().map(|bad| bad.reason.as_str()), Some("event `TEXT_BLOCK_DELTA`: missing field `blockId`"));
}

#[test]
fn b112_a_record_of_four_megabytes_with_many_lines_is_read_in_one_pass() {
    let log: String = (0..16_000).map(|n| format!("data: {{\"type\":\"t\",\"n\":{n},\"x\":\"{}\"}}\n\n", "y".repeat(200))).collect();
    assert_eq!(records(&log).len(), 16_000);
}
