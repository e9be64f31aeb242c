//! Tool results as they stream.

use crate::logs::{assert_content, fold, words};
use replyfold_reduce::MsgReducer;

fn after_call(lines: &str) -> MsgReducer {
    fold(&format!(
        "{}\n{}\n{}\n{lines}",
        r#"{"type":"AGENT_START","replyId":"r1","role":"assistant"}"#,
        r#"{"type":"TOOL_CALL_START","replyId":"r1","toolCallId":"c1","toolCallName":"f"}"#,
        r#"{"type":"TOOL_CALL_END","replyId":"r1","toolCallId":"c1","createdAt":"T0"}"#
    ))
}

fn call(state: &str) -> String {
    format!(r#"{{"type":"tool_use","id":"c1","name":"f","input":{{}},"content":"","state":"{state}","finishedAt":"T0"}}"#)
}

#[track_caller]
fn assert_result(reducer: &MsgReducer, call_state: &str, result: &str) {
    assert_content(reducer, &format!("[{},{result}]", call(call_state)));
}

#[test]
fn a_result_starts_running_and_empty_with_the_calls_name_if_it_has_none() {
    for (told, name) in [("g", "g"), ("", "f")] {
        let reducer = after_call(&format!(
            r#"{{"type":"TOOL_RESULT_START","replyId":"r1","toolCallId":"c1","toolCallName":"{told}","createdAt":"T1"}}"#
        ));
        let result = format!(r#"{{"type":"tool_result","id":"c1","name":"{name}","output":[],"state":"running","createdAt":"T1"}}"#);
        assert_result(&reducer, "pending", &result);
        assert!(reducer.is_open(1));
    }
}

#[test]
fn text_continues_the_last_output_if_that_is_text() {
    let log = r#"
        {"type":"TOOL_RESULT_START","replyId":"r1","toolCallId":"c1","toolCallName":"f"}
        {"type":"TOOL_RESULT_TEXT_DELTA","replyId":"r1","toolCallId":"c1","delta":"a","createdAt":"T2"}
        {"type":"TOOL_RESULT_TEXT_DELTA","replyId":"r1","toolCallId":"c1","delta":"b","createdAt":"T3"}
        {"type":"TOOL_RESULT_DATA_DELTA","replyId":"r1","toolCallId":"c1","mediaType":"image/png","url":"u://x","createdAt":"T4"}
        {"type":"TOOL_RESULT_TEXT_DELTA","replyId":"r1","toolCallId":"c1","delta":"c","createdAt":"T5"}"#;
    assert_result(
        &after_call(log),
        "pending",
        r#"{"type":"tool_result","id":"c1","name":"f","state":"running","output":[
            {"type":"text","text":"ab","createdAt":"T2"},
            {"type":"data","source":{"type":"url","mediaType":"image/png","url":"u://x"},"createdAt":"T4"},
            {"type":"text","text":"c","createdAt":"T5"}]}"#,
    );
}

#[test]
fn media_of_one_id_is_joined_and_a_url_or_a_piece_without_id_never_merges() {
    let log = r#"
        {"type":"TOOL_RESULT_START","replyId":"r1","toolCallId":"c1","toolCallName":"f"}
        {"type":"TOOL_RESULT_DATA_DELTA","replyId":"r1","toolCallId":"c1","blockId":"d","mediaType":"image/png","data":"AQ=="}
        {"type":"TOOL_RESULT_DATA_DELTA","replyId":"r1","toolCallId":"c1","mediaType":"image/png","data":"AQ=="}
        {"type":"TOOL_RESULT_DATA_DELTA","replyId":"r1","toolCallId":"c1","blockId":null,"mediaType":"image/png","data":"AQ=="}
        {"type":"TOOL_RESULT_DATA_DELTA","replyId":"r1","toolCallId":"c1","blockId":"d","mediaType":"image/png","url":"u://x"}
        {"type":"TOOL_RESULT_DATA_DELTA","replyId":"r1","toolCallId":"c1","blockId":"d","mediaType":"image/png","data":"AgM="}"#;
    assert_result(
        &after_call(log),
        "pending",
        r#"{"type":"tool_result","id":"c1","name":"f","state":"running","output":[
            {"type":"data","id":"d","source":{"type":"base64","mediaType":"image/png","data":"AQID"}},
            {"type":"data","source":{"type":"base64","mediaType":"image/png","data":"AQ=="}},
            {"type":"data","source":{"type":"base64","mediaType":"image/png","data":"AQ=="}},
            {"type":"data","id":"d","source":{"type":"url","mediaType":"image/png","url":"u://x"}}]}"#,
    );
}

#[test]
fn bytes_after_a_url_of_the_same_id_are_a_block_of_their_own() {
    let log = r#"
        {"type":"TOOL_RESULT_START","replyId":"r1","toolCallId":"c1","toolCallName":"f"}
        {"type":"TOOL_RESULT_DATA_DELTA","replyId":"r1","toolCallId":"c1","blockId":"d","mediaType":"image/png","url":"u://x"}
        {"type":"TOOL_RESULT_DATA_DELTA","replyId":"r1","toolCallId":"c1","blockId":"d","mediaType":"image/png","data":"AQ=="}
        {"type":"TOOL_RESULT_DATA_DELTA","replyId":"r1","toolCallId":"c1","blockId":"d","mediaType":"image/png","data":"***"}
        {"type":"TOOL_RESULT_DATA_DELTA","replyId":"r1","toolCallId":"c1","blockId":"e","mediaType":"image/png","data":"***"}"#;
    let reducer = after_call(log);
    assert_result(
        &reducer,
        "pending",
        r#"{"type":"tool_result","id":"c1","name":"f","state":"running","output":[
            {"type":"data","id":"d","source":{"type":"url","mediaType":"image/png","url":"u://x"}},
            {"type":"data","id":"d","source":{"type":"base64","mediaType":"image/png","data":"AQ=="}}]}"#,
    );
    assert_eq!(words(&reducer), ["bad_base64", "bad_base64"]);
}

#[test]
fn an_end_sets_state_metadata_and_time_and_finishes_the_call() {
    let log = r#"
        {"type":"TOOL_RESULT_START","replyId":"r1","toolCallId":"c1","toolCallName":"f"}
        {"type":"TOOL_RESULT_END","replyId":"r1","toolCallId":"c1","state":"error","createdAt":"T2","metadata":{"code":7}}"#;
    assert_result(
        &after_call(log),
        "finished",
        r#"{"type":"tool_result","id":"c1","name":"f","output":[],"state":"error","metadata":{"code":7},"finishedAt":"T2"}"#,
    );
}

const SUSPENDED: &str = r#"
    {"type":"TOOL_RESULT_START","replyId":"r1","toolCallId":"c1","toolCallName":"f","createdAt":"T1"}
    {"type":"TOOL_RESULT_TEXT_DELTA","replyId":"r1","toolCallId":"c1","delta":"wait"}
    {"type":"TOOL_RESULT_DATA_DELTA","replyId":"r1","toolCallId":"c1","blockId":"d","mediaType":"image/png","data":"AQ=="}
    {"type":"TOOL_RESULT_END","replyId":"r1","toolCallId":"c1","state":"running","createdAt":"T2","metadata":{"code":7}}"#;

#[test]
fn an_end_that_says_running_leaves_the_calls_state() {
    assert_result(
        &after_call(SUSPENDED),
        "pending",
        r#"{"type":"tool_result","id":"c1","name":"f","state":"running","metadata":{"code":7},"createdAt":"T1","finishedAt":"T2","output":[
            {"type":"text","text":"wait"},
            {"type":"data","id":"d","source":{"type":"base64","mediaType":"image/png","data":"AQ=="}}]}"#,
    );
}

#[test]
fn a_suspended_result_is_taken_up_again_emptied() {
    let log = format!(
        "{SUSPENDED}\n{}\n{}",
        r#"{"type":"TOOL_RESULT_START","replyId":"r1","toolCallId":"c1","toolCallName":"f","createdAt":"T3"}"#,
        r#"{"type":"TOOL_RESULT_DATA_DELTA","replyId":"r1","toolCallId":"c1","blockId":"d","mediaType":"image/png","data":"Ag=="}"#
    );
    let reducer = after_call(&log);
    assert_result(
        &reducer,
        "pending",
        r#"{"type":"tool_result","id":"c1","name":"f","state":"running","createdAt":"T3","output":[
            {"type":"data","id":"d","source":{"type":"base64","mediaType":"image/png","data":"Ag=="}}]}"#,
    );
    assert!(reducer.is_open(1));
    assert!(reducer.notes().is_empty());
}

#[test]
fn a_suspended_result_before_a_newer_call_of_the_id_is_left_alone() {
    let log = format!(
        "{SUSPENDED}\n{}\n{}\n{}",
        r#"{"type":"MODEL_CALL_START","replyId":"r1"}"#,
        r#"{"type":"TOOL_CALL_START","replyId":"r1","toolCallId":"c1","toolCallName":"f"}"#,
        r#"{"type":"TOOL_RESULT_START","replyId":"r1","toolCallId":"c1","toolCallName":"f","createdAt":"T3"}"#
    );
    let reducer = after_call(&log);
    let kinds: Vec<_> = reducer.message().content.iter().map(|block| block.type_name()).collect();
    assert_eq!(kinds, ["tool_use", "tool_result", "tool_use", "tool_result"]);
}

#[test]
fn a_start_of_an_open_result_is_a_duplicate() {
    let start = r#"{"type":"TOOL_RESULT_START","replyId":"r1","toolCallId":"c1","toolCallName":"f"}"#;
    let reducer = after_call(&format!("{start}\n{start}"));
    assert_result(&reducer, "pending", r#"{"type":"tool_result","id":"c1","name":"f","output":[],"state":"running"}"#);
    assert_eq!(words(&reducer), ["duplicate_start"]);
}

#[test]
fn a_result_that_ended_well_is_followed_by_a_new_one() {
    let once = r#"
        {"type":"TOOL_RESULT_START","replyId":"r1","toolCallId":"c1","toolCallName":"f"}
        {"type":"TOOL_RESULT_END","replyId":"r1","toolCallId":"c1","state":"success"}"#;
    assert_eq!(after_call(&format!("{once}\n{once}")).message().content.len(), 3);
}
