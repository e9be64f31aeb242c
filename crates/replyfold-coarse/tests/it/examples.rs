//! Section 9: the worked examples.

use crate::script::{fine, lines};
use replyfold_coarse::{Collapser, Timeline};

fn timeline(script: &str) -> Timeline {
    let (mut collapser, mut timeline) = (Collapser::new(), Timeline::new());
    for event in fine(script) {
        collapser.push(&event).for_each(|event| timeline.apply(&event));
    }
    timeline
}

#[test]
fn one_tool_then_the_answer() {
    let script = r#"
        start
        call
        think look it up
        text One moment
        tool c1 search
        args c1 {"q":"x"}
        text …
        tool-end c1
        called
        run c1 search
        out c1 [1]
        out c1 [2]
        ran c1 success
        call
        text Found
        text  two.
        called
        end completed
    "#;
    assert_eq!(
        lines(script),
        [
            r#"{"type":"thinking","content":"look it up"}"#,
            r#"{"type":"text","content":"One moment"}"#,
            r#"{"type":"tool_start","toolName":"search","toolCallId":"c1","arguments":"{\"q\":\"x\"}"}"#,
            r#"{"type":"tool_end","toolName":"search","toolCallId":"c1","result":"[1][2]"}"#,
            r#"{"type":"text","content":"Found"}"#,
            r#"{"type":"text","content":" two."}"#,
            r#"{"type":"complete"}"#,
        ]
    );
    let timeline = timeline(script);
    assert_eq!(timeline.content(), "One momentFound two.");
    assert_eq!(
        serde_json::to_string(timeline.entries()).unwrap(),
        r#"[{"type":"thinking","content":"look it up"},{"type":"tool","toolName":"search","toolCallId":"c1","status":"completed"}]"#
    );
    assert!(!timeline.is_expanded());
}

#[test]
fn retries_that_all_fail_end_in_the_final_message() {
    let script = "
        start
        call
        called retry 1/3 timeout
        call
        called retry 2/3 timeout
        call
        called retry 3/3 timeout
        call
        called timeout
        end error timeout
    ";
    let error = |message| format!(r#"{{"type":"error","code":"LLM_CALL_FAILED","message":"{message}","detail":"timeout"}}"#);
    assert_eq!(
        lines(script),
        [
            error("LLM 调用失败，正在重试 (1/3)"),
            error("LLM 调用失败，正在重试 (2/3)"),
            error("LLM 调用失败，正在重试 (3/3)"),
            error("LLM 调用失败（已重试 3 次）"),
            r#"{"type":"complete"}"#.to_owned(),
        ]
    );
    let timeline = timeline(script);
    assert_eq!((timeline.entries().len(), timeline.is_expanded(), timeline.content()), (4, true, ""));
}

#[test]
fn a_run_that_recovered_stays_expanded() {
    let script = "
        start
        call
        called retry 1/3 timeout
        call
        text Hello
        called
        end completed
    ";
    let timeline = timeline(script);
    assert_eq!((timeline.entries().len(), timeline.is_expanded(), timeline.content()), (1, true, "Hello"));
}

#[test]
fn a_failing_tool_is_completed_and_no_error_entry() {
    let script = "
        start
        call
        tool c1 bash
        tool-end c1
        called
        run c1 bash
        out c1 exit 127
        ran c1 error
        call
        text It failed.
        called
        end completed
    ";
    assert_eq!(
        lines(script)[..2],
        [
            r#"{"type":"tool_start","toolName":"bash","toolCallId":"c1","arguments":null}"#,
            r#"{"type":"tool_end","toolName":"bash","toolCallId":"c1","result":"{ \"error\": \"工具执行失败：exit 127\" }"}"#,
        ]
    );
    let timeline = timeline(script);
    assert!(!timeline.is_expanded() && timeline.is_settled());
}

#[test]
fn two_tools_one_denied_end_in_the_order_of_their_ends() {
    let script = "
        start
        call
        tool c1 a
        tool-end c1
        tool c2 b
        tool-end c2
        called
        run c1 a
        run c2 b
        out c2 denied by rule
        ran c2 denied
        out c1 ok
        ran c1 success
    ";
    assert_eq!(
        lines(script),
        [
            r#"{"type":"tool_start","toolName":"a","toolCallId":"c1","arguments":null}"#,
            r#"{"type":"tool_start","toolName":"b","toolCallId":"c2","arguments":null}"#,
            r#"{"type":"tool_end","toolName":"b","toolCallId":"c2","result":"{ \"error\": \"工具执行失败：denied by rule\" }"}"#,
            r#"{"type":"tool_end","toolName":"a","toolCallId":"c1","result":"ok"}"#,
        ]
    );
}
