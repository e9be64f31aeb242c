//! Tool calls as the model writes them.

use crate::logs::{assert_content, fold, words};
use replyfold_reduce::MsgReducer;

fn after_start(lines: &str) -> MsgReducer {
    fold(&format!("{}\n{lines}", r#"{"type":"AGENT_START","replyId":"r1","role":"assistant"}"#))
}

/// The call `c1` with these pieces, closed at T2.
fn closed(pieces: &[&str]) -> MsgReducer {
    let mut log = r#"{"type":"TOOL_CALL_START","replyId":"r1","toolCallId":"c1","toolCallName":"f","createdAt":"T1"}"#.to_owned();
    for piece in pieces {
        let piece = serde_json::to_string(piece).unwrap();
        log += &format!("\n{{\"type\":\"TOOL_CALL_DELTA\",\"replyId\":\"r1\",\"toolCallId\":\"c1\",\"delta\":{piece}}}");
    }
    after_start(&format!("{log}\n{}", r#"{"type":"TOOL_CALL_END","replyId":"r1","toolCallId":"c1","createdAt":"T2"}"#))
}

#[test]
fn arguments_stream_as_text_and_become_the_input_at_the_end() {
    let log = r#"
        {"type":"TOOL_CALL_START","replyId":"r1","toolCallId":"c1","toolCallName":"f","createdAt":"T1"}
        {"type":"TOOL_CALL_DELTA","replyId":"r1","toolCallId":"c1","delta":"{\"a\":[1,"}"#;
    let open = after_start(log);
    assert_content(
        &open,
        r#"[{"type":"tool_use","id":"c1","name":"f","input":{},"content":"{\"a\":[1,","state":"pending","createdAt":"T1"}]"#,
    );
    assert_eq!(open.partial_input(0).unwrap().as_str(), r#"{"a":[1]}"#);

    let closed = closed(&[r#"{"a":[1,"#, "2]}"]);
    assert_content(
        &closed,
        r#"[{"type":"tool_use","id":"c1","name":"f","input":{"a":[1,2]},"content":"{\"a\":[1,2]}","state":"pending",
            "createdAt":"T1","finishedAt":"T2"}]"#,
    );
    assert_eq!(closed.partial_input(0).unwrap().as_str(), r#"{"a":[1,2]}"#);
}

#[test]
fn arguments_that_are_no_object_give_an_empty_input_and_keep_their_text() {
    for (text, notes) in [("", 0), ("  ", 0), ("[1]", 1), ("null", 1), (r#"{"q""#, 1), (r#"{"a":1}}"#, 1)] {
        let reducer = closed(&[text]);
        let content = serde_json::to_string(text).unwrap();
        let expected = format!(
            r#"[{{"type":"tool_use","id":"c1","name":"f","input":{{}},"content":{content},"state":"pending","createdAt":"T1","finishedAt":"T2"}}]"#
        );
        assert_content(&reducer, &expected);
        assert_eq!(words(&reducer), vec!["bad_arguments"; notes], "{text:?}");
    }
}

const ONE_CALL: &str = r#"
    {"type":"MODEL_CALL_START","replyId":"r1"}
    {"type":"TOOL_CALL_START","replyId":"r1","toolCallId":"c1","toolCallName":"f"}
    {"type":"TOOL_CALL_DELTA","replyId":"r1","toolCallId":"c1","delta":"{}"}
    {"type":"TOOL_CALL_END","replyId":"r1","toolCallId":"c1","createdAt":"T2"}"#;

#[test]
fn a_second_start_in_the_same_model_call_continues_the_call() {
    let again = r#"{"type":"TOOL_CALL_START","replyId":"r1","toolCallId":"c1","toolCallName":"f"}"#;
    let reducer = after_start(&format!("{ONE_CALL}\n{again}"));
    assert_content(&reducer, r#"[{"type":"tool_use","id":"c1","name":"f","input":{},"content":"{}","state":"pending"}]"#);
    assert!(reducer.is_open(0));
    assert!(reducer.notes().is_empty());
}

#[test]
fn a_continued_calls_input_is_empty_until_its_next_end() {
    let log = r#"
        {"type":"TOOL_CALL_START","replyId":"r1","toolCallId":"c1","toolCallName":"f"}
        {"type":"TOOL_CALL_DELTA","replyId":"r1","toolCallId":"c1","delta":"{\"a\":1}"}
        {"type":"TOOL_CALL_END","replyId":"r1","toolCallId":"c1"}
        {"type":"TOOL_CALL_START","replyId":"r1","toolCallId":"c1","toolCallName":"f"}"#;
    let closed = r#"{"type":"TOOL_CALL_END","replyId":"r1","toolCallId":"c1"}"#;
    for (log, input) in [(log.to_owned(), "{}"), (format!("{log}\n{closed}"), r#"{"a":1}"#)] {
        let expected = format!(r#"[{{"type":"tool_use","id":"c1","name":"f","input":{input},"content":"{{\"a\":1}}","state":"pending"}}]"#);
        assert_content(&after_start(&log), &expected);
    }
}

#[test]
fn a_second_start_in_a_later_model_call_is_a_new_call() {
    let log = format!(
        "{ONE_CALL}\n{}\n{}",
        r#"{"type":"MODEL_CALL_START","replyId":"r1"}"#,
        r#"{"type":"TOOL_CALL_START","replyId":"r1","toolCallId":"c1","toolCallName":"g"}"#
    );
    assert_content(
        &after_start(&log),
        r#"[{"type":"tool_use","id":"c1","name":"f","input":{},"content":"{}","state":"pending","finishedAt":"T2"},
            {"type":"tool_use","id":"c1","name":"g","input":{},"content":"","state":"pending"}]"#,
    );
}

#[test]
fn a_second_start_after_the_result_began_is_a_new_call() {
    let log = format!(
        "{ONE_CALL}\n{}\n{}",
        r#"{"type":"TOOL_RESULT_START","replyId":"r1","toolCallId":"c1","toolCallName":"f"}"#,
        r#"{"type":"TOOL_CALL_START","replyId":"r1","toolCallId":"c1","toolCallName":"f"}"#
    );
    let reducer = after_start(&log);
    let kinds: Vec<_> = reducer.message().content.iter().map(|block| block.type_name()).collect();
    assert_eq!(kinds, ["tool_use", "tool_result", "tool_use"]);
}
