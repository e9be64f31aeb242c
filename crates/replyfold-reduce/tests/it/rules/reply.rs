//! The reply itself, model calls, hints, and events that change nothing.

use crate::logs::{assert_content, events, fold, fold_events, message, words};
use replyfold_message::{Role, Usage};
use replyfold_reduce::MsgReducer;

const START: &str = r#"{"type":"AGENT_START","replyId":"r1","name":"Friday","role":"user","createdAt":"T1"}"#;

#[test]
fn a_start_makes_the_message_with_its_name_role_and_time() {
    let reducer = fold(START);
    assert_eq!(*reducer.message(), message(r#"{"id":"r1","name":"Friday","role":"user","createdAt":"T1","content":[]}"#));
    assert!(reducer.is_opened());
    assert!(reducer.notes().is_empty());
}

#[test]
fn a_start_that_comes_again_changes_nothing_and_makes_what_follows_timely() {
    let again = r#"{"type":"AGENT_START","replyId":"r1","name":"Other","role":"assistant","createdAt":"T3"}"#;
    let end = r#"{"type":"AGENT_END","replyId":"r1","createdAt":"T2","finishedReason":"interrupted"}"#;
    let text = r#"{"type":"TEXT_BLOCK_START","replyId":"r1","blockId":"b1"}"#;
    let before = fold(&format!("{START}\n{end}"));
    let continued = fold(&format!("{START}\n{end}\n{again}"));
    assert_eq!(continued.message(), before.message());
    assert!(before.is_ended() && !continued.is_ended());
    let end_again = r#"{"type":"TEXT_BLOCK_END","replyId":"r1","blockId":"b1"}"#;
    assert!(words(&fold(&format!("{START}\n{end}\n{again}\n{text}\n{end_again}"))).is_empty());
}

#[test]
fn a_start_that_comes_late_fills_in_name_and_role_and_keeps_the_time() {
    let reducer = fold(&format!(r#"{{"type":"TEXT_BLOCK_START","replyId":"r1","blockId":"b1","createdAt":"T0"}}{}{START}"#, '\n'));
    let expected =
        r#"{"id":"r1","name":"Friday","role":"user","createdAt":"T0","content":[{"type":"text","id":"b1","text":"","createdAt":"T0"}]}"#;
    assert_eq!(*reducer.message(), message(expected));
    assert_eq!(words(&reducer), ["head_missing"]);
}

#[test]
fn each_opening_event_opens_the_message_with_what_is_known() {
    for line in [
        r#"{"type":"TEXT_BLOCK_START","replyId":"r1","blockId":"b","createdAt":"T1"}"#,
        r#"{"type":"THINKING_BLOCK_START","replyId":"r1","blockId":"b","createdAt":"T1"}"#,
        r#"{"type":"DATA_BLOCK_START","replyId":"r1","blockId":"b","mediaType":"image/png","createdAt":"T1"}"#,
        r#"{"type":"TOOL_CALL_START","replyId":"r1","toolCallId":"c","toolCallName":"f","createdAt":"T1"}"#,
        r#"{"type":"TOOL_RESULT_START","replyId":"r1","toolCallId":"c","toolCallName":"f","createdAt":"T1"}"#,
        r#"{"type":"HINT_BLOCK","replyId":"r1","blockId":"b","hint":"h","createdAt":"T1"}"#,
        r#"{"type":"MODEL_CALL_END","replyId":"r1","inputTokens":1,"outputTokens":1,"createdAt":"T1"}"#,
        r#"{"type":"EXTERNAL_EXECUTION_RESULT","replyId":"r1","toolResults":[],"createdAt":"T1"}"#,
        r#"{"type":"AGENT_END","replyId":"r1","createdAt":"T1"}"#,
    ] {
        let reducer = fold(line);
        let msg = reducer.message();
        assert!(reducer.is_opened(), "{line}");
        assert_eq!((msg.name.as_str(), &msg.role, msg.created_at.as_ref().unwrap().as_str()), ("", &Role::Assistant, "T1"), "{line}");
        assert_eq!(words(&reducer), ["head_missing"], "{line}");
    }
}

#[test]
fn no_other_event_opens_the_message() {
    for line in [
        r#"{"type":"MODEL_CALL_START","replyId":"r1"}"#,
        r#"{"type":"TEXT_BLOCK_DELTA","replyId":"r1","blockId":"b","delta":"x"}"#,
        r#"{"type":"TEXT_BLOCK_END","replyId":"r1","blockId":"b"}"#,
        r#"{"type":"THINKING_BLOCK_DELTA","replyId":"r1","blockId":"b","delta":"x"}"#,
        r#"{"type":"THINKING_BLOCK_END","replyId":"r1","blockId":"b"}"#,
        r#"{"type":"DATA_BLOCK_DELTA","replyId":"r1","blockId":"b","mediaType":"image/png","data":"YQ=="}"#,
        r#"{"type":"DATA_BLOCK_END","replyId":"r1","blockId":"b"}"#,
        r#"{"type":"TOOL_CALL_DELTA","replyId":"r1","toolCallId":"c","delta":"{"}"#,
        r#"{"type":"TOOL_CALL_END","replyId":"r1","toolCallId":"c"}"#,
        r#"{"type":"TOOL_RESULT_TEXT_DELTA","replyId":"r1","toolCallId":"c","delta":"x"}"#,
        r#"{"type":"TOOL_RESULT_DATA_DELTA","replyId":"r1","toolCallId":"c","mediaType":"image/png","data":"YQ=="}"#,
        r#"{"type":"TOOL_RESULT_END","replyId":"r1","toolCallId":"c","state":"success"}"#,
        r#"{"type":"REQUIRE_USER_CONFIRM","replyId":"r1","toolCalls":[{"type":"tool_use","id":"c","name":"f","input":{}}]}"#,
        r#"{"type":"REQUIRE_EXTERNAL_EXECUTION","replyId":"r1","toolCalls":[{"type":"tool_use","id":"c","name":"f","input":{}}]}"#,
        r#"{"type":"REQUEST_STOP","replyId":"r1","generateReason":"INTERRUPTED"}"#,
        r#"{"type":"USER_INTERRUPT","replyId":"r1"}"#,
        r#"{"type":"FROM_THE_FUTURE","replyId":"r1"}"#,
    ] {
        let reducer = fold(line);
        assert!(!reducer.is_opened(), "{line}");
        assert_eq!(*reducer.message(), message(r#"{"id":"r1","role":"assistant","content":[]}"#), "{line}");
    }
}

#[test]
fn an_empty_reply_id_never_opens_a_message() {
    let start = events(r#"{"type":"AGENT_START","replyId":"","role":"assistant"}"#);
    let reducer = fold_events(MsgReducer::new(""), &start);
    assert!(!reducer.is_opened());
    assert_eq!(words(&reducer), ["empty_reply_id"]);
}

#[test]
fn an_end_sets_time_reason_and_error_and_a_later_one_replaces_them() {
    let failed =
        r#"{"type":"AGENT_END","replyId":"r1","createdAt":"T2","finishedReason":"error","error":{"message":"no","kind":"rate_limit"}}"#;
    let reducer = fold(&format!("{START}\n{failed}"));
    let expected = r#"{"id":"r1","name":"Friday","role":"user","createdAt":"T1","content":[],"finishedAt":"T2","finishedReason":"error","error":{"message":"no","kind":"rate_limit"}}"#;
    assert_eq!(*reducer.message(), message(expected));

    let reducer =
        fold(&format!("{START}\n{failed}\n{}", r#"{"type":"AGENT_END","replyId":"r1","createdAt":"T3","finishedReason":"completed"}"#));
    let expected =
        r#"{"id":"r1","name":"Friday","role":"user","createdAt":"T1","content":[],"finishedAt":"T3","finishedReason":"completed"}"#;
    assert_eq!(*reducer.message(), message(expected));
}

#[test]
fn an_end_leaves_open_blocks_open_and_notes_them() {
    let log = r#"
        {"type":"AGENT_START","replyId":"r1","role":"assistant"}
        {"type":"TEXT_BLOCK_START","replyId":"r1","blockId":"b1"}
        {"type":"AGENT_END","replyId":"r1","createdAt":"T3"}"#;
    let reducer = fold(log);
    assert!(reducer.is_open(0));
    assert_content(&reducer, r#"[{"type":"text","id":"b1","text":""}]"#);
    assert_eq!(words(&reducer), ["open_at_reply_end"]);
}

#[test]
fn an_event_after_the_end_applies_with_a_note() {
    let log = r#"
        {"type":"AGENT_START","replyId":"r1","role":"assistant"}
        {"type":"AGENT_END","replyId":"r1"}
        {"type":"TEXT_BLOCK_START","replyId":"r1","blockId":"b1"}"#;
    let reducer = fold(log);
    assert_content(&reducer, r#"[{"type":"text","id":"b1","text":""}]"#);
    assert_eq!(words(&reducer), ["after_reply_end"]);
}

#[test]
fn usage_is_added_field_by_field_and_saturates() {
    let log = r#"
        {"type":"AGENT_START","replyId":"r1","role":"assistant"}
        {"type":"MODEL_CALL_END","replyId":"r1","inputTokens":5,"outputTokens":18446744073709551615,"cacheInputTokens":3}
        {"type":"MODEL_CALL_END","replyId":"r1","inputTokens":7,"outputTokens":2,"cacheCreationInputTokens":4}"#;
    assert_eq!(fold(log).message().usage, Some(Usage::new(12, u64::MAX).with_cache(3, 4)));
}

#[test]
fn a_model_call_without_counts_adds_none() {
    let mut reducer = MsgReducer::new("r1");
    reducer.apply(&replyfold_event::AgentEvent::new(replyfold_event::ModelCallEnd::new("r1", None)));
    assert_eq!(reducer.message().usage, None);
}

const RETRIED: &str = r#"
    {"type":"AGENT_START","replyId":"r1","role":"assistant"}
    {"type":"MODEL_CALL_START","replyId":"r1"}
    {"type":"TEXT_BLOCK_START","replyId":"r1","blockId":"b1"}
    {"type":"TEXT_BLOCK_DELTA","replyId":"r1","blockId":"b1","delta":"old"}
    {"type":"MODEL_CALL_END","replyId":"r1","inputTokens":1,"outputTokens":1}
    {"type":"MODEL_CALL_START","replyId":"r1"}
    {"type":"TEXT_BLOCK_END","replyId":"r1","blockId":"b1"}
    {"type":"TEXT_BLOCK_START","replyId":"r1","blockId":"b1"}
    {"type":"THINKING_BLOCK_START","replyId":"r1","blockId":"k1"}
    {"type":"HINT_BLOCK","replyId":"r1","blockId":"h1","hint":"stay"}
    {"type":"DATA_BLOCK_START","replyId":"r1","blockId":"d1","mediaType":"image/png"}
    {"type":"TOOL_CALL_START","replyId":"r1","toolCallId":"c1","toolCallName":"f"}
    {"type":"TOOL_RESULT_START","replyId":"r1","toolCallId":"c1","toolCallName":"f"}
    {"type":"TOOL_RESULT_DATA_DELTA","replyId":"r1","toolCallId":"c1","blockId":"m","mediaType":"image/png","data":"YQ=="}
    {"type":"MODEL_CALL_END","replyId":"r1","inputTokens":2,"outputTokens":2,"retry":{"attempt":1,"maxRetries":3,"delayMs":10}}"#;

#[test]
fn a_retry_withdraws_what_the_call_wrote_and_keeps_results_hints_and_usage() {
    let reducer = fold(RETRIED);
    assert_content(
        &reducer,
        r#"[{"type":"text","id":"b1","text":"old"},{"type":"hint","id":"h1","hint":"stay"},
            {"type":"tool_result","id":"c1","name":"f","state":"running","output":[
                {"type":"data","id":"m","source":{"type":"base64","mediaType":"image/png","data":"YQ=="}}]}]"#,
    );
    assert_eq!(reducer.message().usage, Some(Usage::new(3, 3)));
    assert_eq!([0, 1, 2, 3].map(|index| reducer.is_open(index)), [false, false, true, false]);
}

#[test]
fn after_a_retry_an_older_block_with_the_id_and_the_results_media_are_addressed_again() {
    let log = format!(
        "{RETRIED}\n{}\n{}",
        r#"{"type":"TEXT_BLOCK_DELTA","replyId":"r1","blockId":"b1","delta":"er"}"#,
        r#"{"type":"TOOL_RESULT_DATA_DELTA","replyId":"r1","toolCallId":"c1","blockId":"m","mediaType":"image/png","data":"Yg=="}"#
    );
    assert_content(
        &fold(&log),
        r#"[{"type":"text","id":"b1","text":"older"},{"type":"hint","id":"h1","hint":"stay"},
            {"type":"tool_result","id":"c1","name":"f","state":"running","output":[
                {"type":"data","id":"m","source":{"type":"base64","mediaType":"image/png","data":"YWI="}}]}]"#,
    );
}

#[test]
fn a_retry_withdraws_nothing_that_an_earlier_model_call_wrote() {
    let log = r#"
        {"type":"AGENT_START","replyId":"r1","role":"assistant"}
        {"type":"MODEL_CALL_START","replyId":"r1"}
        {"type":"TEXT_BLOCK_START","replyId":"r1","blockId":"b1"}
        {"type":"MODEL_CALL_START","replyId":"r1"}
        {"type":"MODEL_CALL_END","replyId":"r1","inputTokens":1,"outputTokens":1,"retry":{"attempt":1,"maxRetries":3,"delayMs":10}}"#;
    assert_content(&fold(log), r#"[{"type":"text","id":"b1","text":""}]"#);
}

#[test]
fn a_retry_withdraws_nothing_of_a_model_call_that_has_ended_well() {
    let log = r#"
        {"type":"AGENT_START","replyId":"r1","role":"assistant"}
        {"type":"MODEL_CALL_START","replyId":"r1"}
        {"type":"TEXT_BLOCK_START","replyId":"r1","blockId":"b1"}
        {"type":"MODEL_CALL_END","replyId":"r1","inputTokens":1,"outputTokens":1}
        {"type":"TEXT_BLOCK_START","replyId":"r1","blockId":"b2"}
        {"type":"MODEL_CALL_END","replyId":"r1","inputTokens":1,"outputTokens":1,"retry":{"attempt":1,"maxRetries":3,"delayMs":10}}"#;
    assert_content(&fold(log), r#"[{"type":"text","id":"b1","text":""}]"#);
}

#[test]
fn a_hint_is_appended_and_closed_at_once() {
    let log = r#"{"type":"HINT_BLOCK","replyId":"r1","blockId":"h1","hint":"be short","hintSource":"host","createdAt":"T1"}"#;
    let reducer = fold(log);
    assert_content(&reducer, r#"[{"type":"hint","id":"h1","hint":"be short","source":"host","createdAt":"T1","finishedAt":"T1"}]"#);
    assert!(!reducer.is_open(0));
}

#[test]
fn events_beside_the_message_leave_it_as_it_is() {
    for line in [
        r#"{"type":"EXCEED_MAX_ITERS","replyId":"r1","maxIters":3,"currentIter":3}"#,
        r#"{"type":"MODEL_CALL_START","replyId":"r1"}"#,
        r#"{"type":"REQUEST_STOP","replyId":"r1","generateReason":"INTERRUPTED"}"#,
        r#"{"type":"AGENT_RESULT"}"#,
        r#"{"type":"CUSTOM","name":"n","value":{}}"#,
        r#"{"type":"USER_INTERRUPT","replyId":"r1"}"#,
        r#"{"type":"FROM_THE_FUTURE","replyId":"r1","text":"x"}"#,
    ] {
        let reducer = fold(&format!("{START}\n{line}"));
        assert_eq!(reducer.message(), fold(START).message(), "{line}");
        assert!(reducer.notes().is_empty(), "{line}");
    }
}

#[test]
fn the_reason_of_a_stop_can_be_asked_for_until_the_run_goes_on() {
    let stop = r#"{"type":"REQUEST_STOP","replyId":"r1","generateReason":"INTERRUPTED"}"#;
    let reducer = fold(&format!("{START}\n{stop}"));
    assert_eq!(reducer.stop_reason().map(|reason| reason.as_str()), Some("INTERRUPTED"));
    let reducer = fold(&format!("{START}\n{stop}\n{START}"));
    assert_eq!(reducer.stop_reason(), None);
}
