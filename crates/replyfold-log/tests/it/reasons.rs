//! What records are that cannot be read, and what to do about it.

use replyfold_log::{LogReader, Record};
use std::io::Cursor;

fn reasons(log: impl AsRef<[u8]>) -> Vec<String> {
    let records = LogReader::new(Cursor::new(log.as_ref().to_vec())).map(|record| record.unwrap());
    records.map(|record: Record| record.bad().map(|bad| bad.reason.clone()).unwrap_or_default()).collect()
}

const START: &str = r#"{"type":"AGENT_START","id":"1","replyId":"r1"}"#;

#[test]
fn object_with_a_list_of_events_is_told_to_be_one() {
    let end = r#"{"type":"AGENT_END","id":"2","replyId":"r1"}"#;
    for log in [format!(r#"{{"events":[{START},{end}]}}"#), format!(r#"{{"count":2,"events":[{START},{end}],"ids":[1]}}"#)] {
        let reason = "no event but an object with a list of 2 in `events`: give the list alone, which is a log as it stands";
        assert_eq!(reasons(&log), [reason], "{log}");
    }
    assert_eq!(reasons(r#"{"ids":[1],"none":[]}"#), ["no event: missing field `type`"]);
}

#[test]
fn object_with_several_events_is_told_to_need_a_key() {
    let log = format!(r#"{{"a":{START},"n":1,"b":{START},"c":{START}}}"#);
    assert_eq!(reasons(log), ["no event but an object with events in `a`, `b` and `c`: only a key that is told chooses one"]);
}

#[test]
fn object_on_several_lines_is_told_to_be_one_on_each_of_them() {
    let value: serde_json::Value = serde_json::from_str(START).unwrap();
    let pretty = serde_json::to_string_pretty(&value).unwrap();
    let lists = format!("{{\n  \"events\": [\n    {START}\n  ]\n}}\n");
    for (log, pieces) in [(&pretty, 5), (&lists, 4)] {
        let told = reasons(log)
            .into_iter()
            .filter(|reason| reason.contains("; a JSON text on several lines is no record: write each event on one line"));
        assert_eq!(told.count(), pieces, "{log}");
    }
}

#[test]
fn torn_line_and_a_damaged_one_are_not_taken_for_pieces() {
    for log in [format!("{START}\n{{\"type\":\"A\","), format!("{START}\n{{\"type\":\"TEXT_BL\n{START}\n")] {
        assert!(!reasons(&log)[1].contains("several lines"), "{log}");
    }
}

#[test]
fn log_in_utf_16_is_told_on_each_record() {
    let log = format!("{START}\n{START}\n");
    for mark in ["\u{feff}", ""] {
        let units: Vec<u16> = format!("{mark}{log}").encode_utf16().collect();
        for bytes in [
            units.iter().flat_map(|unit| unit.to_le_bytes()).collect::<Vec<u8>>(),
            units.iter().flat_map(|unit| unit.to_be_bytes()).collect(),
        ] {
            let reasons = reasons(&bytes);
            assert!(reasons.len() > 1);
            for reason in reasons {
                assert_eq!(reason, "the log is UTF-16 and not UTF-8: convert it first, as `iconv -f UTF-16 -t UTF-8` does");
            }
        }
    }
    let zeros = [&[0_u8; 8][..], b"\n", START.as_bytes(), b"\n"].concat();
    assert_eq!(reasons(zeros), ["8 zero bytes, as a write leaves them that a crash cut off", ""]);
}
