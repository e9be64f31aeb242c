//! Step 3: replies that wait for somebody, and the run that goes on with them.

use super::{last_reply, replies};

const START: &str = r#"{"type":"AGENT_START","replyId":"run1","sessionId":"s"}"#;
const CALL: &str = r#"{"type":"MODEL_CALL_START","replyId":"call1"}"#;
const CONFIRM: &str = r#"{"type":"REQUIRE_USER_CONFIRM","replyId":"acting1","toolCalls":[]}"#;
const END: &str = r#"{"type":"AGENT_END","replyId":"run1"}"#;
const RESUME: &str = r#"{"type":"AGENT_START","replyId":"run2","sessionId":"s"}"#;

fn result(reason: &str) -> String {
    format!(
        r#"{{"type":"AGENT_RESULT","result":{{"id":"m","role":"ASSISTANT","content":[],"metadata":{{"agentscope_generate_reason":"{reason}"}}}}}}"#
    )
}

#[test]
fn paused_run_its_answer_and_what_follows_are_one_reply() {
    let log = [
        START,
        CALL,
        CONFIRM,
        r#"{"type":"REQUEST_STOP","generateReason":"PERMISSION_ASKING"}"#,
        &result("PERMISSION_ASKING"),
        END,
        RESUME,
        r#"{"type":"USER_CONFIRM_RESULT","replyId":"acting1","confirmResults":[]}"#,
        r#"{"type":"TOOL_RESULT_START","replyId":"acting2","toolCallId":"c"}"#,
        r#"{"type":"MODEL_CALL_START","replyId":"call2"}"#,
        r#"{"type":"AGENT_END","replyId":"run2"}"#,
    ];
    let found = replies(&log);
    assert!(found.iter().enumerate().all(|(at, reply)| reply == if at == 4 { "-" } else { "run1" }), "{found:?}");
}

#[test]
fn each_request_and_each_reason_that_parks_parks() {
    let stop = r#"{"type":"REQUEST_STOP","reason":"x"}"#.to_owned();
    let external = r#"{"type":"REQUIRE_EXTERNAL_EXECUTION","replyId":"acting1","toolCalls":[]}"#.to_owned();
    let reasons = ["PERMISSION_ASKING", "TOOL_SUSPENDED", "MIDDLEWARE_STOP_REQUESTED", "REASONING_STOP_REQUESTED", "ACTING_STOP_REQUESTED"];
    for event in [CONFIRM.to_owned(), external, stop].into_iter().chain(reasons.map(result)) {
        assert_eq!(last_reply(&[START, CALL, &event, END, RESUME]), "run1", "{event}");
    }
}

#[test]
fn reply_that_nothing_parked_is_over() {
    assert_eq!(last_reply(&[START, CALL, END, RESUME]), "run2");
    for reason in ["MODEL_STOP", "TOOL_CALLS", "STRUCTURED_OUTPUT", "ALL_TOOLS_DENIED", "INTERRUPTED", "MAX_ITERATIONS", "A_NEW_WORD"] {
        assert_eq!(last_reply(&[START, CALL, &result(reason), END, RESUME]), "run2", "{reason}");
    }
}

#[test]
fn result_with_another_reason_ends_parking() {
    for reason in ["MODEL_STOP", "INTERRUPTED", "ALL_TOOLS_DENIED"] {
        assert_eq!(last_reply(&[START, CALL, CONFIRM, &result(reason), END, RESUME]), "run2", "{reason}");
    }
    assert_eq!(last_reply(&[START, CALL, CONFIRM, r#"{"type":"AGENT_RESULT"}"#, END, RESUME]), "run2", "no result, no reason");
}

#[test]
fn model_call_in_the_open_run_ends_parking() {
    let call = r#"{"type":"MODEL_CALL_START","replyId":"call2"}"#;
    assert_eq!(last_reply(&[START, CALL, CONFIRM, call, END, RESUME]), "run2");
    // After the run's end it is no call of that run.
    assert_eq!(last_reply(&[START, CALL, CONFIRM, END, CALL, RESUME]), "run1");
}

#[test]
fn run_goes_on_with_a_parked_reply_of_the_same_session_only() {
    let start = |session: &str| format!(r#"{{"type":"AGENT_START","replyId":"run2"{session}}}"#);
    assert_eq!(last_reply(&[START, CALL, CONFIRM, END, &start(r#","sessionId":"other""#)]), "run2");
    assert_eq!(last_reply(&[START, CALL, CONFIRM, END, &start("")]), "run2");
    let without = r#"{"type":"AGENT_START","replyId":"run1"}"#;
    assert_eq!(last_reply(&[without, CALL, CONFIRM, END, &start("")]), "run1", "absent equals absent");
    assert_eq!(last_reply(&[without, CALL, CONFIRM, END, RESUME]), "run2");
}

#[test]
fn partial_answer_parks_the_same_reply_again() {
    let second = r#"{"type":"REQUIRE_USER_CONFIRM","replyId":"acting2","toolCalls":[]}"#;
    let third = r#"{"type":"AGENT_START","replyId":"run3","sessionId":"s"}"#;
    let end = r#"{"type":"AGENT_END","replyId":"run2"}"#;
    assert_eq!(last_reply(&[START, CALL, CONFIRM, END, RESUME, second, end, third]), "run1");
}

#[test]
fn parking_does_not_count_in_a_log_with_one_id_per_reply() {
    let confirm = r#"{"type":"REQUIRE_USER_CONFIRM","replyId":"run1","toolCalls":[]}"#;
    let call = r#"{"type":"MODEL_CALL_START","replyId":"run1"}"#;
    assert_eq!(replies(&[START, call, confirm, END, RESUME]), ["run1", "run1", "run1", "run1", "run2"]);
}
