//! Section 8, row by row.

use crate::script::{closed, lines, lines_with, session};
use replyfold_coarse::{CollapseOptions, ConfirmPolicy, Language, SubagentPolicy, ThinkOptions};

const COMPLETE: &str = r#"{"type":"complete"}"#;

fn start(id: &str) -> String {
    format!(r#"{{"type":"tool_start","toolName":"t","toolCallId":"{id}","arguments":null}}"#)
}

fn end(id: &str, result: &str) -> String {
    format!(r#"{{"type":"tool_end","toolName":"t","toolCallId":"{id}","result":"{result}"}}"#)
}

fn failed(id: &str, reason: &str) -> String {
    end(id, &format!(r#"{{ \"error\": \"{reason}\" }}"#))
}

fn text(content: &str) -> String {
    format!(r#"{{"type":"text","content":"{content}"}}"#)
}

#[test]
fn parallel_tools_end_in_the_order_of_completion() {
    let script = "run c1 t\nrun c2 t\nout c1 a\nout c2 b\nout c1 c\nran c2 success\nran c1 success";
    assert_eq!(lines(script), [start("c1"), start("c2"), end("c2", "b"), end("c1", "ac")]);
}

#[test]
fn text_before_the_call_is_shown_and_after_it_not_until_the_next_model_call() {
    let script = "call\ntext a\ntool c1 t\ntext b\nthink c\ncalled\ncall\ntext d";
    assert_eq!(lines(script), [text("a"), text("d")]);
}

#[test]
fn denied_failed_and_declined_tools_start_and_end_with_an_error_object() {
    for state in ["denied", "error"] {
        let script = format!("run c1 t\nout c1 no\nran c1 {state}");
        assert_eq!(lines(&script), [start("c1"), failed("c1", "工具执行失败：no")]);
    }
}

const ASKED: &str = r#"
    start
    call
    tool c1 t
    args c1 {"a":1}
    tool-end c1
    called
    {"type":"REQUIRE_USER_CONFIRM","replyId":"r1","toolCalls":[{"type":"tool_use","id":"c1","name":"t","input":{"a":1},"content":"{\"a\":1}","state":"asking"}]}
    {"type":"REQUEST_STOP","replyId":"r1","generateReason":"PERMISSION_ASKING"}
    end
"#;

#[test]
fn waiting_for_a_person_shows_nothing_and_an_approved_call_goes_on_in_the_same_stream() {
    let none: [String; 0] = [];
    assert_eq!(lines(ASKED), none);
    let resumed = format!("{ASKED}\nstart\nrun c1 t\nout c1 ok\nran c1 success\ncall\ntext done\ncalled\nend");
    let started = r#"{"type":"tool_start","toolName":"t","toolCallId":"c1","arguments":"{\"a\":1}"}"#.to_owned();
    assert_eq!(lines(&resumed), [started, end("c1", "ok"), text("done"), COMPLETE.to_owned()]);
}

#[test]
fn a_host_that_must_close_tells_that_a_confirmation_is_required() {
    let error = r#"{"type":"error","code":"CONFIRMATION_REQUIRED","message":"工具调用需要用户确认","detail":"[{\"toolName\":\"t\",\"toolCallId\":\"c1\",\"arguments\":\"{\\\"a\\\":1}\"}]"}"#;
    assert_eq!(closed(ASKED), [error, COMPLETE]);
    let options = CollapseOptions::new().with_confirm(ConfirmPolicy::Error);
    assert_eq!(lines_with(&format!("{ASKED}\nstart\nrun c1 t"), options), [error, COMPLETE]);
}

#[test]
fn an_external_tool_runs_until_its_pieces_end() {
    let pause = r#"{"type":"REQUIRE_EXTERNAL_EXECUTION","replyId":"r1","toolCalls":[]}"#;
    let script = format!("run c1 t\n{pause}\nend\nstart\nout c1 ok\nran c1 success");
    assert_eq!(lines(&script), [start("c1"), end("c1", "ok")]);
}

#[test]
fn an_interruption_in_text_is_complete_only() {
    assert_eq!(lines("call\ntext a\ncalled\nend interrupted"), [text("a"), COMPLETE.to_owned()]);
}

#[test]
fn an_interruption_in_a_tool_ends_it_with_what_came() {
    let script = "run c1 t\nout c1 half\nran c1 interrupted\nend interrupted";
    assert_eq!(lines(script), [start("c1"), failed("c1", "工具执行失败：half"), COMPLETE.to_owned()]);
}

#[test]
fn a_stream_that_raises_is_closed_with_the_failure() {
    let script = "call\ntext a\nrun c1 t\nout c1 half\nrun c2 t";
    let error = r#"{"type":"error","code":"LLM_CALL_FAILED","message":"LLM 调用失败","detail":"事件流提前结束"}"#.to_owned();
    assert_eq!(
        closed(script),
        [text("a"), start("c1"), start("c2"), failed("c1", "工具执行失败：half"), failed("c2", "工具响应丢失"), error, COMPLETE.to_owned()]
    );
}

#[test]
fn an_end_with_an_error_tells_it_once() {
    let error = r#"{"type":"error","code":"LLM_CALL_FAILED","message":"LLM 调用失败","detail":"boom"}"#;
    assert_eq!(lines("call\nend error boom"), [error, COMPLETE]);
    assert_eq!(lines("call\ncalled boom\nend error boom"), [error, COMPLETE]);
    assert_eq!(closed("call\ncalled boom"), [error, COMPLETE]);
}

#[test]
fn announced_retries_become_notices_without_an_end() {
    let custom = r#"{"type":"CUSTOM","name":"retry","value":{"attempt":2,"limit":5,"detail":"timeout"}}"#;
    let notice = r#"{"type":"error","code":"LLM_CALL_FAILED","message":"LLM 调用失败，正在重试 (2/5)","detail":"timeout"}"#;
    assert_eq!(lines(custom), [notice]);
}

const WITH_SUBAGENT: &str = r#"
    start
    call
    tool c1 t
    called
    run c1 t
    {"type":"AGENT_START","replyId":"w1","source":"main/worker"}
    {"type":"THINKING_BLOCK_DELTA","replyId":"w1","blockId":"k","delta":"hm","source":"main/worker"}
    {"type":"TEXT_BLOCK_DELTA","replyId":"w1","blockId":"x","delta":"a","source":"main/worker"}
    {"type":"TEXT_BLOCK_DELTA","replyId":"w1","blockId":"x","delta":"b","source":"main/worker"}
    {"type":"AGENT_END","replyId":"w1","source":"main/worker"}
    ran c1 success
    end
"#;

#[test]
fn events_of_sub_agents_are_dropped_with_their_ends() {
    assert_eq!(lines(WITH_SUBAGENT), [start("c1"), end("c1", ""), COMPLETE.to_owned()]);
}

#[test]
fn events_of_sub_agents_become_thinking_behind_their_path_on_request() {
    let options = CollapseOptions::new().with_subagents(SubagentPolicy::Thinking);
    let thinking = |content: &str| format!(r#"{{"type":"thinking","content":"{content}"}}"#);
    let expected =
        [start("c1"), thinking("[main/worker] hm"), thinking(r"\n[main/worker] a"), thinking("b"), end("c1", ""), COMPLETE.to_owned()];
    assert_eq!(lines_with(WITH_SUBAGENT, options.clone()), expected);
    assert_eq!(session(WITH_SUBAGENT, options), expected.map(|line| format!("r1 {line}")));
}

#[test]
fn several_replies_in_one_stream_have_a_coarse_stream_each() {
    let other = |name: &str, more: &str| format!(r#"{{"type":"{name}","replyId":"r2"{more}}}"#);
    let delta = other("TEXT_BLOCK_DELTA", r#","blockId":"x1","delta":"two""#);
    let script = format!("start\ntext one\n{}\n{delta}\nend\n{}", other("AGENT_START", ""), other("AGENT_END", ""));
    assert_eq!(
        session(&script, CollapseOptions::new()),
        [format!("r1 {}", text("one")), format!("r2 {}", text("two")), format!("r1 {COMPLETE}"), format!("r2 {COMPLETE}")]
    );
}

#[test]
fn a_continuation_start_keeps_the_state_and_events_after_the_end_are_ignored() {
    assert_eq!(lines("start\ncall\ntool c1 t\nstart\ntext a\nend\ntext b\nend\nstart"), [COMPLETE]);
}

#[test]
fn a_result_without_a_start_gives_both() {
    assert_eq!(lines("tool c1 t\nout c1 x\nran c1 success"), [start("c1"), end("c1", "x")]);
}

#[test]
fn an_id_that_is_used_again_is_made_unique() {
    let once = "tool c1 t\ntool-end c1\nrun c1 t\nran c1 success\ncall\n";
    let script = format!("{once}{once}run c1#2 t\nran c1#2 success");
    let twice = ["c1", "c1#2", "c1#2#2"].map(|id| [start(id), end(id, "")]).concat();
    assert_eq!(lines(&script), twice);
}

#[test]
fn an_end_that_comes_twice_counts_once() {
    assert_eq!(lines("run c1 t\nrun c1 t\nran c1 success\nran c1 error\nout c1 late"), [start("c1"), end("c1", "")]);
}

#[test]
fn an_empty_reply_is_complete() {
    assert_eq!(lines("start\nend"), [COMPLETE]);
}

#[test]
fn think_tags_in_text_are_split_per_block_on_request() {
    let options = CollapseOptions::new().with_think_tags(ThinkOptions::new());
    let script = "call\ntext <thi\ntext nk>a</think>b<\ntext-end\ntext c<th\ntool c1 t\ntext d";
    let thinking = r#"{"type":"thinking","content":"a"}"#.to_owned();
    assert_eq!(lines_with(script, options), [thinking, text("b"), text("<"), text("c"), text("<th")]);
    assert_eq!(lines("text <think>a"), [text("<think>a")]);
}

#[test]
fn messages_come_in_english_on_request() {
    let options = CollapseOptions::new().with_language(Language::English);
    let lines = lines_with("call\ncalled retry 1/3 timeout\ncall\ncalled timeout\nend error timeout", options);
    assert_eq!(
        lines,
        [
            r#"{"type":"error","code":"LLM_CALL_FAILED","message":"LLM call failed, retrying (1/3)","detail":"timeout"}"#,
            r#"{"type":"error","code":"LLM_CALL_FAILED","message":"LLM call failed (after 1 retry)","detail":"timeout"}"#,
            COMPLETE,
        ]
    );
}
