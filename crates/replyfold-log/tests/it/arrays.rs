//! Damaged elements of a JSON array: they hide nothing after them.

use replyfold_event::AgentEvent;
use replyfold_log::{LogOptions, LogReader, Record, Strictness};
use std::io::Cursor;
use std::time::{Duration, Instant};

const E1: &str = r#"{"type":"AGENT_START","id":"1","replyId":"r1"}"#;
const E2: &str = r#"{"type":"MOOD","x":[1,{"y":"]"}],"z":{}}"#;
const E3: &str = r#"{"type":"AGENT_END","id":"3","replyId":"r1"}"#;

fn records(log: &str) -> Vec<Record> {
    LogReader::new(Cursor::new(log.to_owned())).map(|record| record.unwrap()).collect()
}

/// The type of each event, or the text of a bad record in brackets.
fn names(log: &str) -> Vec<String> {
    let name = |record: &Record| match record.bad() {
        Some(bad) => format!("({})", String::from_utf8_lossy(&bad.text)),
        None => record.event().map(AgentEvent::type_name).unwrap_or_default().to_owned(),
    };
    records(log).iter().map(name).collect()
}

#[test]
fn damaged_element_hides_no_element_after_it() {
    for damaged in [
        r#"{"a":[}"#,
        r#"{"a":[1,2}"#,
        r#"{"a":{"b":[{"c":1]}}"#,
        r#"{"a":1}}"#,
        r#"{"a":tru}"#,
        r#"{"a":"x"y"}"#,
        r#"{"a":"x}"#,
        r#"{"a":"x} "#,
        "{\"a\":\"x}\n",
        r#"{"a":{"b":1}"#,
        r#"{"a":"#,
        r#"{"a""#,
        r#"{"a":{"b":[{"c":"#,
        r#"{"a"}"#,
    ] {
        for space in ["", " ", "\n  "] {
            let log = format!("[{E1},{space}{damaged},{space}{E2},{space}{E3}]");
            let names = names(&log);
            assert_eq!(names.len(), 4, "{log}: {names:?}");
            assert_eq!([&names[0], &names[2], &names[3]], ["AGENT_START", "MOOD", "AGENT_END"], "{log}");
            assert!(names[1].trim_end_matches([')', ',']).contains(damaged.trim()), "{log}: {names:?}");
        }
    }
}

#[test]
fn damaged_last_element_hides_no_array_after_it() {
    for damaged in [r#"{"a":[}"#, r#"{"a":{"b":1}"#, r#"{"a":1"#] {
        let log = format!("[{E1},{damaged}]\n[{E3}]\n");
        assert_eq!(names(&log), ["AGENT_START", &format!("({damaged})"), "AGENT_END"], "{log}");
    }
}

#[test]
fn list_that_is_not_closed_gives_back_the_events_that_it_swallowed() {
    let python = r#"{"id": "5", "created_at": "T", "type": "REPLY_END", "reply_id": "r1", "session_id": "s"}"#;
    let envelope = format!(r#"{{"seq":1,"event":{E3}}}"#);
    for next in [E3, python, &envelope] {
        let log = format!(r#"[{E1},{{"a":[1,{next},{E2},{E3}]"#);
        assert_eq!(names(&log), ["AGENT_START", "({\"a\":[1,)", "AGENT_END", "MOOD", "AGENT_END"], "{log}");
    }
    let within = format!(r#"[{E1},{{"a":[1,{E3},{E2}],{E3}]"#);
    assert_eq!(names(&within), ["AGENT_START", "({\"a\":[1,)", "AGENT_END", "MOOD", "AGENT_END"]);
}

#[test]
fn lists_in_a_damaged_element_are_no_events() {
    let damaged = r#"{"type":"X","bad":oops,"list":[{"type":"text"},{"type":"text","text":"b"}],"z":1}"#;
    assert_eq!(names(&format!("[{damaged},{E3}]")), [&format!("({damaged})"), "AGENT_END"]);
    let unclosed = r#"{"type":"X","list":[{"type":"text"},{"type":"text"}}"#;
    let records = records(&format!("[{unclosed},\n{E3}]"));
    assert_eq!((records.len(), records[1].event().map(AgentEvent::type_name)), (2, Some("AGENT_END")));
    let reason = &records[0].bad().unwrap().reason;
    assert!(
        reason.ends_with("the brackets do not match: 52 bytes on 1 line are taken to be this element, with 1 object in its lists that may be elements too"),
        "{reason}"
    );
}

#[test]
fn reason_says_how_much_is_taken_to_be_the_element() {
    let records = records(&format!("[{E1},\n{{\n  \"a\":[\n}},\n{E3}]"));
    assert_eq!(records[1].place.line, 2);
    let reason = &records[1].bad().unwrap().reason;
    assert_eq!(
        reason,
        "no event: not JSON: expected value at byte 10; the brackets do not match: 11 bytes on 3 lines are taken to be this element"
    );
}

#[test]
fn array_that_is_cut_is_torn_and_what_it_holds_is_no_event() {
    let cut = format!(r#"[{E1},{{"type":"history","all":[{E1},{E3},{{"type":"AG"#);
    let records = records(&cut);
    assert_eq!(records.len(), 2);
    assert!(records[1].bad().is_some_and(|bad| bad.is_torn() && !bad.reason.contains("brackets")));
}

#[test]
fn array_is_torn_at_every_cut_and_whole_where_nothing_is_missing() {
    let one = format!("[{E1}]");
    for (log, whole) in [
        (format!("[{E1},\n  {E2}, {E3}\n]"), vec![]),
        (format!("[[{E1}],[{E2}]]"), vec![]),
        ("[]".to_owned(), vec![]),
        (format!("{one}\n[{E3},12,true]"), vec![one.len(), one.len() + 1]),
    ] {
        for cut in 1..=log.len() {
            let shown = &log[..cut];
            let torn = records(shown).iter().filter(|record| record.bad().is_some_and(|bad| bad.is_torn())).count();
            assert_eq!(torn, usize::from(cut < log.len() && !whole.contains(&cut)), "{shown}");
        }
    }
}

#[test]
fn array_that_is_cut_between_elements_says_where_and_what_is_missing() {
    let options = || LogOptions::new().with_strictness(Strictness::Strict);
    for (log, before, line, offset) in
        [("\n[", 0, 2, 2), ("[[ ", 0, 1, 3), (&*format!("[\n{E1},\n"), 1, 3, 50), (&*format!("[{E1}"), 1, 1, 47)]
    {
        let records = records(log);
        assert_eq!(records.len(), before + 1, "{log}");
        let (place, bad) = (records[before].place, records[before].bad().unwrap());
        assert_eq!((place.line, place.offset, bad.is_torn(), bad.text.len()), (line, offset, true, 0), "{log}");
        let start = if log.starts_with('\n') { 2 } else { 1 };
        assert_eq!(bad.reason, format!("an empty record; the array that begins on line {start} is not closed"), "{log}");
        let strict = LogReader::with_options(Cursor::new(log.to_owned()), options()).last().unwrap().unwrap_err();
        assert_eq!(strict.bad_record().map(|(place, bad)| (place.offset, bad.is_torn())), Some((offset, true)), "{log}");
    }
}

#[test]
fn two_texts_are_told_by_what_should_stand_between_them() {
    let reason = |log: &str| records(log)[0].bad().map(|bad| bad.reason.clone());
    assert_eq!(
        reason(&format!("[\n{E1}\n{E3}\n]")).as_deref(),
        Some("two JSON texts in one array element, the second at byte 47; there is no comma between them")
    );
    assert_eq!(
        reason(&format!("data: {E1}\ndata: {E3}\n\n")).as_deref(),
        Some("two JSON texts in one event, the second at byte 47; each needs an event of its own")
    );
}

#[test]
fn damage_upon_damage_costs_time_in_proportion() {
    for piece in [r#"{"a":[0,{"type":"AGENT_END","x":[0,"#, "[[{", ",{\"", "}]", r#"{"type":"AGENT_END","a":["#] {
        let start = Instant::now();
        let log = format!("[{}]", piece.repeat(300_000 / piece.len()));
        assert!(LogReader::new(Cursor::new(log)).all(|record| record.is_ok()));
        assert!(start.elapsed() < Duration::from_secs(20), "{piece}: {:?}", start.elapsed());
    }
}
