//! The frames seen in the field (`field-frames.md`): every row and every rule.

use crate::corpus::{fixtures, lines, read};
use replyfold_dialect::{Dialect, ReadNote};
use replyfold_event::{AgentEvent, Payload};
use replyfold_log::{LogOptions, LogReader, Outcome, Record, replay_with};
use replyfold_message::Block;
use replyfold_reduce::{NoteKind, ReduceOptions, SessionReducer};

fn records(log: &str) -> Vec<Record> {
    LogReader::new(std::io::Cursor::new(log.to_owned())).map(|record| record.unwrap()).collect()
}

fn events(log: &str) -> Vec<AgentEvent> {
    records(log).iter().map(|record| record.event().unwrap_or_else(|| panic!("{record:?}")).clone()).collect()
}

fn text_delta(event: &AgentEvent) -> &str {
    match &event.payload {
        Payload::TextBlockDelta(delta) => &delta.delta,
        other => panic!("{other:?}"),
    }
}

#[test]
fn f1_sse_without_blanks_and_ids_reads_as_a_java_delta_without_ids() {
    let records = records("event:TEXT_BLOCK_DELTA\ndata:{\"type\":\"TEXT_BLOCK_DELTA\",\"delta\":\"ab\"}\n\n");
    let [record] = &records[..] else { panic!("{records:?}") };
    assert_eq!(record.frame.sse_event.as_deref(), Some("TEXT_BLOCK_DELTA"));
    let Outcome::Event(read) = &record.outcome else { panic!("{record:?}") };
    assert_eq!((read.dialect, text_delta(&read.event)), (Dialect::Java, "ab"));
    assert!(read.event.id.is_none() && read.event.absent.block_id && read.event.absent.reply_id);
}

#[test]
fn f2_an_event_under_a_key_is_the_event_and_the_rest_is_its_frame() {
    let log = "id: 7\nevent: agentscope\ndata: {\"event_id\":7,\"session_id\":\"s1\",\"run_id\":\"u1\",\"event\":{\"type\":\"TEXT_BLOCK_DELTA\",\"delta\":\"ok\"}}\n\n";
    let record = &records(log)[0];
    assert_eq!(text_delta(record.event().unwrap()), "ok");
    assert_eq!(record.frame.sse_id.as_deref(), Some("7"));
    let envelope = record.frame.envelope.as_ref().unwrap();
    assert_eq!((&*envelope.key, envelope.members.as_str()), ("event", r#"{"event_id":7,"session_id":"s1","run_id":"u1"}"#));
    assert_eq!(envelope.wrap("{\"x\":1}"), r#"{"event_id":7,"session_id":"s1","run_id":"u1","event":{"x":1}}"#);
}

#[test]
fn f3_host_frames_are_unknown_events_with_their_exact_text() {
    let frame = r#"{"type":"session_created","session_id":"s1"}"#;
    let log = format!(
        "data: {frame}\n\ndata: {{\"type\":\"waiting\"}}\n\ndata: {{\"type\":\"REPLY_START\",\"session_id\":\"s\",\"reply_id\":\"r1\",\"name\":\"n\"}}\n\n"
    );
    let events = events(&log);
    assert_eq!(events.iter().map(AgentEvent::type_name).collect::<Vec<_>>(), ["session_created", "waiting", "AGENT_START"]);
    assert_eq!(events[0].to_json(), frame);
}

#[test]
fn f4_comments_are_nothing() {
    for log in [
        ": heartbeat\n\n: ready\n\ndata: {\"type\":\"waiting\"}\n\n: keep-alive\n\n",
        ": ready\ndata: {\"type\":\"waiting\"}\n: in between\n\n",
    ] {
        assert_eq!(events(log).len(), 1, "{log}");
    }
}

#[test]
fn f5_one_text_over_two_data_lines_is_one_event() {
    let events = events("data: {\"type\":\"REPLY_START\",\"session_id\":\"s\",\"name\":\"n\",\ndata: \"reply_id\":\"r1\"}\n\n");
    assert_eq!(events[0].reply_id().map(|id| id.as_str()), Some("r1"));
}

#[test]
fn f6_extra_fields_are_ignored() {
    let events = events(r#"{"type":"TEXT_BLOCK_DELTA","reply_id":"r1","block_id":"b1","delta":"x","run_id":"u1"}"#);
    assert_eq!(text_delta(&events[0]), "x");
}

#[test]
fn f7_done_is_the_end_and_no_record() {
    assert_eq!(records("data: {\"type\":\"waiting\"}\n\ndata: [DONE]\n\n").len(), 1);
}

#[test]
fn f8_jsonl_with_events_under_any_key_reads_as_the_events() {
    let event = r#"{"type":"TEXT_BLOCK_DELTA","replyId":"r","blockId":"b","delta":"x"}"#;
    for (line, key) in [
        (format!(r#"{{"ts":"2026","event":{event}}}"#), "event"),
        (format!(r#"{{"seq":12,"data":{event}}}"#), "data"),
        (format!(r#"{{"kind":"ev","body":{}}}"#, serde_json::to_string(event).unwrap()), "body"),
    ] {
        let mut reader = LogReader::new(std::io::Cursor::new(line.clone()));
        let record = reader.next().unwrap().unwrap();
        assert_eq!(text_delta(record.event().unwrap()), "x", "{line}");
        assert_eq!(reader.envelope_path(), Some(key));
    }
}

#[test]
fn rule_1_missing_ids_are_demanded_of_canonical_and_python_lines_only() {
    for (line, reason) in [
        (r#"{"type":"TEXT_BLOCK_DELTA","replyId":"r","createdAt":"T","delta":"x"}"#, "event `TEXT_BLOCK_DELTA`: missing field `blockId`"),
        (r#"{"type":"TEXT_BLOCK_DELTA","reply_id":"r","delta":"x"}"#, "event `TEXT_BLOCK_DELTA`: missing field `block_id`"),
    ] {
        assert_eq!(records(line)[0].bad().map(|bad| bad.reason.as_str()), Some(reason));
    }
}

#[test]
fn rule_1_events_without_ids_go_to_the_enclosing_run_and_the_newest_open_block() {
    let log = [
        r#"{"type":"AGENT_START","id":"1","replyId":"r1","type":"AGENT_START"}"#,
        r#"{"type":"TEXT_BLOCK_START","type":"TEXT_BLOCK_START"}"#,
        r#"{"type":"TEXT_BLOCK_DELTA","delta":"a","type":"TEXT_BLOCK_DELTA"}"#,
        r#"{"type":"TEXT_BLOCK_DELTA","delta":"b","type":"TEXT_BLOCK_DELTA"}"#,
        r#"{"type":"TEXT_BLOCK_END","type":"TEXT_BLOCK_END"}"#,
        r#"{"type":"TEXT_BLOCK_DELTA","delta":"c","type":"TEXT_BLOCK_DELTA"}"#,
    ]
    .join("\n");
    let replay = replay_with(LogReader::new(std::io::Cursor::new(log)), ReduceOptions::new(), u64::MAX).unwrap();
    let reply = replay.session.reply("r1").unwrap();
    let texts = reply.message().content.iter().map(|block| match block {
        Block::Text(text) => text.text.as_str(),
        other => panic!("{other:?}"),
    });
    // The last piece found no open block and opened one.
    assert_eq!(texts.collect::<Vec<_>>(), ["ab", "c"]);
    let kinds: Vec<_> = reply.reducer().notes().iter().map(|note| note.kind.as_str()).collect();
    assert_eq!(kinds, ["newest_open", "newest_open", "newest_open", "opened_for_delta"]);
}

#[test]
fn rule_1_without_any_run_one_anonymous_reply_is_opened_with_a_note() {
    let log = "data:{\"type\":\"TEXT_BLOCK_DELTA\",\"delta\":\"ab\"}\n\ndata:{\"type\":\"TEXT_BLOCK_DELTA\",\"delta\":\"c\"}\n\n";
    let records = records(log);
    let notes = records.iter().flat_map(|record| match &record.outcome {
        Outcome::Event(read) => read.notes.clone(),
        Outcome::Bad(bad) => panic!("{bad:?}"),
    });
    assert_eq!(notes.collect::<Vec<_>>(), [ReadNote::AnonymousReply]);
    let mut session = SessionReducer::new();
    for record in &records {
        session.apply(record.event().unwrap());
    }
    let messages: Vec<_> = session.messages().map(|msg| (msg.id.as_str(), msg.content.len())).collect();
    assert_eq!(messages, [("anonymous", 1)]);
    assert!(matches!(&session.messages().next().unwrap().content[0], Block::Text(text) if text.text == "abc"));
}

#[test]
fn rule_2_a_key_that_was_told_is_used_and_records_without_it_are_read_as_they_are() {
    let event = r#"{"type":"TEXT_BLOCK_DELTA","replyId":"r","blockId":"b","delta":"x"}"#;
    let log = format!("{{\"a\":{event},\"b\":{event}}}\n{event}\n");
    let bad = records(&log);
    assert!(bad[0].bad().is_some_and(|bad| bad.reason.contains("events in `a` and `b`")), "two members hold events: {bad:?}");
    let options = LogOptions::new().with_path("b");
    let told: Vec<_> = LogReader::with_options(std::io::Cursor::new(log), options).map(|record| record.unwrap()).collect();
    assert!(told.iter().all(|record| record.event().is_some_and(|event| text_delta(event) == "x")));
    assert!(told[0].frame.envelope.is_some() && told[1].frame.envelope.is_none());
}

#[test]
fn rule_2_frames_of_the_agent_protocol_read_as_the_events_they_carry() {
    let folder = fixtures().join("conformance/java/remote");
    let frames = read(&folder.join("frames.jsonl"));
    let mut reader = LogReader::new(std::io::Cursor::new(frames.clone()));
    let read: Vec<Record> = reader.by_ref().map(|record| record.unwrap()).collect();
    assert_eq!((reader.envelope_path(), read.len()), (Some("payload"), lines(&frames).len()));
    for (record, line) in read.iter().zip(lines(&frames)) {
        let frame: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(record.event().map(AgentEvent::type_name), frame["eventType"].as_str());
        assert_eq!(
            record.frame.envelope.as_ref().unwrap().members.get("seq").map(|seq| seq.text().to_owned()),
            Some(frame["seq"].to_string())
        );
    }
    assert!(lines(&crate::corpus::read(&folder.join("forwarded.events.jsonl"))).len() >= read.len() - 1);
}

#[test]
fn rule_4_pieces_without_starts_are_notes_unless_blocks_are_to_be_opened() {
    let log = r#"{"type":"TEXT_BLOCK_DELTA","id":"1","replyId":"r1","blockId":"b1","delta":"a"}
{"type":"TEXT_BLOCK_DELTA","id":"2","replyId":"r1","blockId":"b1","delta":"b"}
{"type":"TEXT_BLOCK_END","id":"3","replyId":"r1","blockId":"b1"}
"#;
    let fold = |options| replay_with(LogReader::new(std::io::Cursor::new(log)), options, u64::MAX).unwrap().session;
    let closed = fold(ReduceOptions::new());
    assert_eq!((closed.messages().count(), closed.lacks_starts()), (0, true));
    let opened = fold(ReduceOptions::new().with_open_missing(true));
    assert!(matches!(&opened.messages().next().unwrap().content[0], Block::Text(text) if text.text == "ab"));
    let kinds: Vec<NoteKind> = opened.notes().iter().map(|(_, note)| note.kind).collect();
    assert_eq!(kinds.iter().map(|kind| kind.as_str()).collect::<Vec<_>>(), ["head_missing", "opened_for_delta"]);
}

#[test]
fn java_wraps_events_in_lists_maps_and_trees() {
    for line in lines(&read(&fixtures().join("conformance/java/wrapped.jsonl"))) {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let (how, log) = (case["how"].as_str().unwrap(), case["json"].as_str().unwrap());
        if how.contains("content block") || how.contains("message") {
            continue;
        }
        let events = events(log);
        assert_eq!(events.len(), 1, "{how}");
        assert_eq!(text_delta(&events[0]), "x", "{how}");
    }
}
