//! What the fold says about a log.

use crate::logs::{events, fold_events};
use replyfold_event::{MediaDelta, Payload};
use replyfold_reduce::{MsgReducer, NoteKind};
use std::collections::BTreeSet;

/// The word of the note, what it is about, its sentence, and a log whose last event makes it as its last note.
const CASES: &[(&str, Option<&str>, &str, &str)] = &[
    (
        "head_missing",
        None,
        "the reply's start is missing; the message was opened with what is known",
        r#"{"type":"AGENT_END","id":"e","replyId":"r1"}"#,
    ),
    (
        "empty_reply_id",
        None,
        "the reply id is empty; such an event belongs to no message",
        r#"{"type":"AGENT_START","id":"e","replyId":"","role":"assistant"}"#,
    ),
    (
        "foreign_reply",
        Some("r2"),
        "the event belongs to another reply",
        r#"{"type":"AGENT_START","id":"e","replyId":"r2","role":"assistant"}"#,
    ),
    (
        "duplicate_event",
        Some("e"),
        "an event with this id was folded already; it has no effect again",
        r#"{"type":"AGENT_START","id":"e","replyId":"r1","role":"assistant"}
           {"type":"AGENT_START","id":"e","replyId":"r1","role":"assistant"}"#,
    ),
    (
        "duplicate_start",
        Some("b"),
        "a data block with this id is open already",
        r#"{"type":"DATA_BLOCK_START","replyId":"r1","blockId":"b","mediaType":"image/png"}
           {"type":"DATA_BLOCK_START","id":"e","replyId":"r1","blockId":"b","mediaType":"image/png"}"#,
    ),
    (
        "delta_without_start",
        Some("c"),
        "a piece of a tool call block that was never started",
        r#"{"type":"TOOL_CALL_DELTA","id":"e","replyId":"r1","toolCallId":"c","delta":"{"}"#,
    ),
    (
        "end_without_start",
        Some("b"),
        "the end of a thinking block that was never started",
        r#"{"type":"THINKING_BLOCK_END","id":"e","replyId":"r1","blockId":"b"}"#,
    ),
    (
        "delta_after_end",
        Some("b"),
        "a piece came after the end of its text block; it was appended",
        r#"{"type":"TEXT_BLOCK_START","replyId":"r1","blockId":"b"}
           {"type":"TEXT_BLOCK_END","replyId":"r1","blockId":"b"}
           {"type":"TEXT_BLOCK_DELTA","id":"e","replyId":"r1","blockId":"b","delta":"x"}"#,
    ),
    (
        "end_after_end",
        Some("c"),
        "the tool result block had ended already; the later end counts",
        r#"{"type":"TOOL_RESULT_START","replyId":"r1","toolCallId":"c","toolCallName":"f"}
           {"type":"TOOL_RESULT_END","replyId":"r1","toolCallId":"c","state":"success"}
           {"type":"TOOL_RESULT_END","id":"e","replyId":"r1","toolCallId":"c","state":"success"}"#,
    ),
    (
        "after_reply_end",
        None,
        "the reply had ended already; the event was applied all the same",
        r#"{"type":"AGENT_END","replyId":"r1"}
           {"type":"TEXT_BLOCK_START","id":"e","replyId":"r1","blockId":"b"}"#,
    ),
    (
        "open_at_reply_end",
        Some("b"),
        "the text block was still open when the reply ended",
        r#"{"type":"TEXT_BLOCK_START","replyId":"r1","blockId":"b"}
           {"type":"AGENT_END","id":"e","replyId":"r1"}"#,
    ),
    (
        "bad_base64",
        Some("b"),
        "the piece is not base64; it was dropped, and the bytes so far stay good",
        r#"{"type":"DATA_BLOCK_START","replyId":"r1","blockId":"b","mediaType":"image/png"}
           {"type":"DATA_BLOCK_DELTA","id":"e","replyId":"r1","blockId":"b","mediaType":"image/png","data":"*"}"#,
    ),
    (
        "base64_after_url",
        Some("b"),
        "bytes came for a data block that is a URL; they were dropped",
        r#"{"type":"DATA_BLOCK_START","replyId":"r1","blockId":"b","mediaType":"image/png"}
           {"type":"DATA_BLOCK_DELTA","replyId":"r1","blockId":"b","mediaType":"image/png","url":"u"}
           {"type":"DATA_BLOCK_DELTA","id":"e","replyId":"r1","blockId":"b","mediaType":"image/png","data":"YQ=="}"#,
    ),
    (
        "no_media",
        Some("c"),
        "the piece of a result is of a kind that has no effect on the message",
        r#"{"type":"TOOL_RESULT_START","replyId":"r1","toolCallId":"c","toolCallName":"f"}
           {"type":"TOOL_RESULT_DATA_DELTA","id":"e","replyId":"r1","toolCallId":"c","mediaType":"image/png","data":"none"}"#,
    ),
    (
        "call_finished",
        Some("c"),
        "the call is finished; it stays so",
        r#"{"type":"TOOL_CALL_START","replyId":"r1","toolCallId":"c","toolCallName":"f"}
           {"type":"TOOL_RESULT_START","replyId":"r1","toolCallId":"c","toolCallName":"f"}
           {"type":"TOOL_RESULT_END","replyId":"r1","toolCallId":"c","state":"success"}
           {"type":"REQUIRE_USER_CONFIRM","id":"e","replyId":"r1","toolCalls":[{"type":"tool_use","id":"c","name":"f","input":{}}]}"#,
    ),
    (
        "unknown_call",
        Some("c"),
        "the message has no call with this id",
        r#"{"type":"REQUIRE_EXTERNAL_EXECUTION","id":"e","replyId":"r1","toolCalls":[{"type":"tool_use","id":"c","name":"f","input":{}}]}"#,
    ),
    (
        "not_asking",
        Some("c"),
        "nobody is asked about this call; the answer has no effect",
        r#"{"type":"TOOL_CALL_START","replyId":"r1","toolCallId":"c","toolCallName":"f"}
           {"type":"USER_CONFIRM_RESULT","id":"e","replyId":"r1","confirmResults":[{"confirmed":true,"toolCall":{"type":"tool_use","id":"c","name":"f","input":{}}}]}"#,
    ),
    (
        "result_present",
        Some("c"),
        "the call has its result already; this one has no effect",
        r#"{"type":"TOOL_RESULT_START","replyId":"r1","toolCallId":"c","toolCallName":"f"}
           {"type":"TOOL_RESULT_END","replyId":"r1","toolCallId":"c","state":"success"}
           {"type":"EXTERNAL_EXECUTION_RESULT","id":"e","replyId":"r1","toolResults":[{"type":"tool_result","id":"c","name":"f","output":[],"state":"success"}]}"#,
    ),
    (
        "bad_arguments",
        Some("c"),
        "the arguments are no JSON object; the input is {}",
        r#"{"type":"TOOL_CALL_START","replyId":"r1","toolCallId":"c","toolCallName":"f"}
           {"type":"TOOL_CALL_DELTA","replyId":"r1","toolCallId":"c","delta":"{"}
           {"type":"TOOL_CALL_END","id":"e","replyId":"r1","toolCallId":"c"}"#,
    ),
    (
        "newest_open",
        None,
        "the log gives no id here; the newest open text block was taken",
        r#"{"type":"TEXT_BLOCK_START","replyId":"r1","blockId":"b"}
           {"type":"TEXT_BLOCK_DELTA","id":"e","replyId":"r1","blockId":"","delta":"x"}"#,
    ),
    (
        "opened_for_delta",
        Some(""),
        "a thinking block was opened for a piece that came without a start",
        r#"{"type":"THINKING_BLOCK_DELTA","id":"e","replyId":"r1","blockId":"","delta":"x"}"#,
    ),
];

/// The fold of a case. What the canonical wire has no form for is made here: an id that is left out, and a piece without media.
fn fold(log: &str) -> MsgReducer {
    let mut events = events(log);
    for event in &mut events {
        event.absent.block_id = event.block_id().is_some_and(|id| id.is_empty());
        if let Payload::ToolResultDataDelta(delta) = &mut event.payload
            && delta.media == MediaDelta::Base64("none".to_owned())
        {
            delta.media = MediaDelta::None;
        }
    }
    let reply = if log.contains(r#""replyId":"""#) { "" } else { "r1" };
    fold_events(MsgReducer::new(reply), &events)
}

#[test]
fn every_kind_of_note_tells_where_it_was_made_by_which_event_and_about_what() {
    for (word, subject, sentence, log) in CASES {
        let reducer = fold(log);
        let note = reducer.notes().iter().find(|note| note.kind.as_str() == *word).unwrap();
        assert_eq!(note.position, log.lines().count() as u64 - 1, "{word}");
        assert_eq!(note.event.as_ref().map(|id| id.as_str()), Some("e"), "{word}");
        assert_eq!(note.subject.as_deref(), *subject, "{word}");
        let told = note.kind.to_string();
        assert_eq!(told, *sentence);
        assert!(told.starts_with(char::is_lowercase) && !told.ends_with('.'), "{told}");
    }
}

#[test]
fn the_cases_show_every_kind_of_note() {
    let shown: BTreeSet<_> = CASES.iter().map(|(word, ..)| *word).collect();
    assert_eq!(shown, NoteKind::WORDS.iter().copied().collect());
}

#[test]
fn an_event_after_the_end_that_changes_nothing_is_no_note_of_its_own() {
    let log = r#"
        {"type":"AGENT_START","replyId":"r1","role":"assistant"}
        {"type":"AGENT_END","replyId":"r1"}
        {"type":"MODEL_CALL_START","replyId":"r1"}"#;
    assert!(fold(log).notes().is_empty());
}
