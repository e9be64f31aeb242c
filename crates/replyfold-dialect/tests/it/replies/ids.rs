//! Step 4, and what becomes of the ids that the log had.

use super::read;
use allocation_counter::measure;
use proptest::collection::vec;
use proptest::prelude::*;
use replyfold_dialect::{Dialect, EventReader, write_event};
use replyfold_message::json::JsonObject;

fn written(event: &replyfold_event::AgentEvent, dialect: Dialect) -> String {
    let mut out = Vec::new();
    assert_eq!(write_event(event, dialect, &mut out), []);
    String::from_utf8(out).unwrap()
}

#[test]
fn constant_block_ids_become_unique_where_the_own_id_is_not_the_replys() {
    let log = [
        r#"{"type":"AGENT_START","replyId":"run"}"#,
        r#"{"type":"TEXT_BLOCK_START","replyId":"call","blockId":"text"}"#,
        r#"{"type":"TEXT_BLOCK_DELTA","replyId":"call","blockId":"text","delta":"x"}"#,
        r#"{"type":"THINKING_BLOCK_START","replyId":"call","blockId":"thinking"}"#,
        r#"{"type":"THINKING_BLOCK_DELTA","replyId":"call","blockId":"thinking","delta":"x"}"#,
        r#"{"type":"THINKING_BLOCK_END","replyId":"call","blockId":"thinking"}"#,
        r#"{"type":"TEXT_BLOCK_END","replyId":"call","blockId":"text"}"#,
        r#"{"type":"TEXT_BLOCK_START","replyId":"call2","blockId":"text"}"#,
        r#"{"type":"TEXT_BLOCK_START","replyId":"run","blockId":"text"}"#,
        r#"{"type":"TEXT_BLOCK_START","replyId":"call","blockId":"b1"}"#,
        r#"{"type":"DATA_BLOCK_START","replyId":"call","blockId":"text"}"#,
    ];
    let blocks: Vec<_> = read(&log)[1..].iter().map(|read| read.event.block_id().unwrap().as_str().to_owned()).collect();
    assert_eq!(
        blocks,
        ["call:text", "call:text", "call:thinking", "call:thinking", "call:thinking", "call:text", "call2:text", "text", "b1", "text"]
    );
}

#[test]
fn ids_of_the_log_come_back_when_it_is_written_as_java() {
    let log = [
        r#"{"type":"AGENT_START","id":"e1","role":"assistant","source":"main/child"}"#,
        r#"{"type":"MODEL_CALL_START","replyId":"call","source":"main/child"}"#,
        r#"{"type":"TEXT_BLOCK_DELTA","replyId":"call","blockId":"text","delta":"x","source":"main/child"}"#,
        r#"{"type":"TEXT_BLOCK_DELTA","replyId":"call","blockId":"text","delta":"y","source":"main/child"}"#,
        r#"{"type":"TOOL_CALL_DELTA","replyId":"call","toolCallId":"c","toolCallName":"__fragment__","delta":"x","source":"main/child"}"#,
        r#"{"type":"EXCEED_MAX_ITERS","replyId":"","maxIters":0,"currentIter":0,"source":"main/child"}"#,
        r#"{"type":"REQUEST_STOP","reason":"x","generateReason":"PERMISSION_ASKING","source":"main/child"}"#,
        r#"{"type":"SUBAGENT_EXPOSED","subagentId":"a","agentId":"b","sessionId":"s","source":"main/child"}"#,
        r#"{"type":"MODEL_CALL_END","source":"main/child"}"#,
        r#"{"type":"AGENT_END","source":"main/child"}"#,
    ];
    for (line, read) in log.iter().zip(read(&log)) {
        assert_eq!(read.event.reply_id().unwrap().as_str(), "e1", "{line}");
        assert_eq!(written(&read.event, Dialect::Java), *line);
    }
}

#[test]
fn changed_id_is_written_instead_of_the_one_of_the_log_in_every_other_dialect() {
    let log = [r#"{"type":"AGENT_START","replyId":"run"}"#, r#"{"type":"TEXT_BLOCK_DELTA","replyId":"call","blockId":"text","delta":"x"}"#];
    let event = &read(&log)[1].event;
    assert_eq!(written(event, Dialect::Canonical), r#"{"type":"TEXT_BLOCK_DELTA","replyId":"run","blockId":"call:text","delta":"x"}"#);
    assert!(written(event, Dialect::Python).contains(r#""reply_id": "run", "block_id": "call:text""#));
}

#[test]
fn piece_of_a_run_of_pieces_allocates_for_its_text_alone_and_not_at_all_when_it_is_lent() {
    let mut reader = EventReader::default();
    let line = |kind: &str, more: &str| {
        format!(
            r#"{{"type":"{kind}","id":"0123456789abcdef0123456789abcdef","createdAt":"2026-08-22T15:15:56.123456789Z","replyId":"{more},"type":"{kind}"}}"#
        )
    };
    reader.read(&line("AGENT_START", r#"00000000000000000000000000000001","role":"assistant""#)).unwrap();
    let delta = line("TEXT_BLOCK_DELTA", r#"00000000000000000000000000000002","blockId":"text","delta":"Hello""#);
    reader.read(&delta).unwrap();
    reader.read(&delta).unwrap();
    let read = measure(|| assert!(reader.read(&delta).is_ok()));
    assert_eq!(read.count_total, 1);
    let lent = measure(|| assert!(reader.read_ref(&delta).is_ok()));
    assert_eq!(lent.count_total, 0);
}

/// A log in which every event names its reply, as the taxonomy has it: replies begin with a start, pause, go on and alternate.
fn log_with_one_id_per_reply() -> impl Strategy<Value = Vec<String>> {
    vec((0..4_usize, 0..10_usize), 1..60).prop_map(|steps| {
        let mut started = [false; 4];
        steps
            .into_iter()
            .enumerate()
            .map(|(at, (reply, kind))| line(at, reply, if std::mem::replace(&mut started[reply], true) { kind } else { 0 }))
            .collect()
    })
}

/// One canonical line of a reply; kind 0 is its start.
fn line(at: usize, reply: usize, kind: usize) -> String {
    let (name, fields) = [
        ("AGENT_START", r#","role":"assistant","sessionId":"s""#),
        ("AGENT_END", ""),
        ("MODEL_CALL_START", ""),
        ("MODEL_CALL_END", ""),
        ("TEXT_BLOCK_DELTA", r#","blockId":"text","delta":"x""#),
        ("THINKING_BLOCK_START", r#","blockId":"thinking""#),
        ("TOOL_RESULT_TEXT_DELTA", r#","toolCallId":"c","delta":"x""#),
        ("REQUIRE_USER_CONFIRM", r#","toolCalls":[]"#),
        ("USER_CONFIRM_RESULT", r#","confirmResults":[]"#),
        ("HINT_BLOCK", r#","blockId":"h","hint":"x""#),
    ][kind];
    let source = if reply == 3 { r#","source":"main/child""# } else { "" };
    format!(r#"{{"type":"{name}","id":"e{at}","replyId":"r{reply}"{fields}{source}}}"#)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn log_with_one_id_per_reply_comes_out_unchanged(log in log_with_one_id_per_reply()) {
        let mut reader = EventReader::default();
        for line in &log {
            let read = reader.read(line).unwrap();
            prop_assert_eq!(&written(&read.event, Dialect::Canonical), line);
            prop_assert!(read.event.residue.is_empty() && read.notes.is_empty(), "{:?}", read);
        }
    }

    /// Whatever the ids, the original ones come back.
    #[test]
    fn own_ids_come_back_from_any_log(steps in vec((0..5_usize, 0..10_usize, 0..2_usize), 1..60)) {
        let mut reader = EventReader::default();
        for (at, (reply, kind, source)) in steps.into_iter().enumerate() {
            let line = line(at, if source == 1 { 3 } else { 0 }, kind).replace("\"r0\"", &format!("\"r{reply}\"")).replace("\"r3\"", &format!("\"r{reply}\""));
            let read = reader.read(&line).unwrap();
            let same = JsonObject::parse(&written(&read.event, Dialect::Java)).unwrap().is_same_value(&JsonObject::parse(&line).unwrap());
            prop_assert!(same, "{}\n{}", line, written(&read.event, Dialect::Java));
        }
    }
}
