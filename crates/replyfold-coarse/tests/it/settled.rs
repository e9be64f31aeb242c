//! Section 11: the rows that neither the examples nor the other tables hold.

use crate::lifting::{collapse_again, lift};
use crate::script::{closed, fine, lines};
use replyfold_coarse::{CoarseEvent, ErrorCode, Language, Timeline};
use replyfold_reduce::SessionReducer;

const COMPLETE: &str = r#"{"type":"complete"}"#;

#[test]
fn an_unknown_tool_is_a_pair_with_its_text_in_the_error_object() {
    assert_eq!(
        lines("run c1 nope\nout c1 工具未找到：nope\nran c1 error"),
        [
            r#"{"type":"tool_start","toolName":"nope","toolCallId":"c1","arguments":null}"#,
            r#"{"type":"tool_end","toolName":"nope","toolCallId":"c1","result":"{ \"error\": \"工具执行失败：工具未找到：nope\" }"}"#,
        ]
    );
}

#[test]
fn the_counter_of_retries_starts_again_in_a_round_that_follows_a_good_one() {
    let script = "call\ncalled retry 1/3 x\ncall\ntool c1 t\ncalled\nrun c1 t\nran c1 success\ncall\ncalled x\nend error x";
    assert!(lines(script).contains(&r#"{"type":"error","code":"LLM_CALL_FAILED","message":"LLM 调用失败","detail":"x"}"#.to_owned()));
}

#[test]
fn the_limit_of_rounds_is_an_error_only_without_a_last_answer() {
    let error = r#"{"type":"error","code":"MAX_ROUNDS_EXCEEDED","message":"已达到最大轮数","detail":null}"#;
    let exceed = r#"{"type":"EXCEED_MAX_ITERS","replyId":"r1","maxIters":2}"#;
    assert_eq!(lines(&format!("call\ntext a\ncalled\n{exceed}\nend exceed_max_iters"))[1..], [COMPLETE]);
    assert_eq!(lines(&format!("{exceed}\ncall\ntext a\ncalled\nend"))[1..], [COMPLETE]);
    assert_eq!(lines(&format!("call\ntext a\ncalled\ncall\ncalled\n{exceed}\nend"))[1..], [error, COMPLETE]);
    assert_eq!(lines(&format!("call\nthink a\ncalled\n{exceed}\nend exceed_max_iters"))[1..], [error, COMPLETE]);
}

#[test]
fn the_end_of_a_run_that_waits_shows_nothing() {
    let none: [&str; 0] = [];
    let stop = r#"{"type":"REQUEST_STOP","replyId":"r1","generateReason":"ACTING_STOP_REQUESTED"}"#;
    assert_eq!(lines(&format!("call\n{stop}\nend")), none);
    assert_eq!(lines(&format!("call\n{stop}\nend\nstart\ncall\ncalled\nend")), [COMPLETE]);
    assert_eq!(lines(&format!("call\n{stop}\nend interrupted")), [COMPLETE]);
    let result = |reason| {
        format!(
            r#"{{"type":"AGENT_RESULT","result":{{"id":"m","role":"assistant","content":[],"metadata":{{"agentscope_generate_reason":"{reason}"}}}}}}"#
        )
    };
    assert_eq!(lines(&format!("call\n{}\nend", result("TOOL_SUSPENDED"))), none);
    assert_eq!(lines(&format!("call\n{stop}\n{}\nend", result("MODEL_STOP"))), [COMPLETE]);
}

const SUSPENDED: &str = "run c1 t\nout c1 [waiting]\nran c1 running\nend\nstart\n";
const STARTED: &str = r#"{"type":"tool_start","toolName":"t","toolCallId":"c1","arguments":null}"#;

fn external(state: &str, text: &str) -> String {
    format!(
        r#"{{"type":"EXTERNAL_EXECUTION_RESULT","replyId":"r1","toolResults":[{{"type":"tool_result","id":"c1","name":"t","output":[{{"type":"text","text":"{text}"}}],"state":"{state}"}}]}}"#
    )
}

#[test]
fn a_suspended_tool_ends_with_the_result_from_outside() {
    let suspended = format!(r#"{{"type":"REQUIRE_EXTERNAL_EXECUTION","replyId":"r1","toolCalls":[]}}{}"#, "\n");
    let script = format!("{suspended}{SUSPENDED}{}", external("success", "ok"));
    assert_eq!(lines(&script), [STARTED, r#"{"type":"tool_end","toolName":"t","toolCallId":"c1","result":"ok"}"#]);
    let script = format!("{suspended}{SUSPENDED}{}", external("error", "no"));
    assert_eq!(
        lines(&script)[1..],
        [r#"{"type":"tool_end","toolName":"t","toolCallId":"c1","result":"{ \"error\": \"工具执行失败：no\" }"}"#]
    );
    let script = format!("{suspended}{SUSPENDED}{}", external("running", "later"));
    // Java leaves the state as it was.
    assert_eq!(lines(&script)[1..], [r#"{"type":"tool_end","toolName":"t","toolCallId":"c1","result":"later"}"#]);
}

#[test]
fn a_suspended_tool_ends_with_the_pieces_that_follow() {
    let suspended = format!(r#"{{"type":"REQUIRE_EXTERNAL_EXECUTION","replyId":"r1","toolCalls":[]}}{}"#, "\n");
    let script = format!("{suspended}{SUSPENDED}out c1 ok\nran c1 success");
    assert_eq!(lines(&script), [STARTED, r#"{"type":"tool_end","toolName":"t","toolCallId":"c1","result":"ok"}"#]);
}

#[test]
fn pieces_after_a_result_from_outside_say_nothing_again() {
    let script = format!("run c1 t\n{}\nrun c1 t\nout c1 ok\nran c1 success", external("success", "ok"));
    assert_eq!(lines(&script), [STARTED, r#"{"type":"tool_end","toolName":"t","toolCallId":"c1","result":"ok"}"#]);
}

#[test]
fn a_stream_closed_while_a_tool_is_outside_tells_so() {
    let script = r#"{"type":"REQUIRE_EXTERNAL_EXECUTION","replyId":"r1","toolCalls":[]}"#;
    let error = r#"{"type":"error","code":"EXTERNAL_EXECUTION_REQUIRED","message":"工具需要在外部执行","detail":null}"#;
    assert_eq!(closed(script), [error, COMPLETE]);
}

#[test]
fn arguments_are_those_after_the_edit_of_the_person() {
    let confirm = |input: &str, content: &str| {
        let content = serde_json::to_string(content).unwrap();
        format!(
            r#"{{"type":"USER_CONFIRM_RESULT","replyId":"r1","confirmResults":[{{"confirmed":true,"toolCall":{{"type":"tool_use","id":"c1","name":"t2","input":{input},"content":{content},"state":"asking"}}}}]}}"#
        )
    };
    let shown = |confirm: &str| lines(&format!("tool c1 t\nargs c1 {{\"a\": 1}}\ntool-end c1\n{confirm}\nrun c1 t2"));
    let started = |arguments: &str| {
        let arguments = serde_json::to_string(arguments).unwrap();
        [format!(r#"{{"type":"tool_start","toolName":"t2","toolCallId":"c1","arguments":{arguments}}}"#)]
    };
    assert_eq!(shown(&confirm(r#"{"a":1}"#, r#"{"a": 1}"#)), started(r#"{"a": 1}"#));
    assert_eq!(shown(&confirm(r#"{"a":2}"#, r#"{"a": 2}"#)), started(r#"{"a": 2}"#));
    // The front end left the old text behind.
    assert_eq!(shown(&confirm(r#"{"b":3,"a":2}"#, r#"{"a": 1}"#)), started(r#"{"a":2,"b":3}"#));
    // The log begins with the answer, whatever it is.
    for confirm in [confirm(r#"{"a":2}"#, ""), confirm(r#"{"a":2}"#, r#"{"a":2}"#)] {
        assert_eq!(lines(&format!("{confirm}\nrun c1 t2")), started(r#"{"a":2}"#));
        let declined = confirm.replace("\"confirmed\":true", "\"confirmed\":false");
        assert_eq!(lines(&format!("{declined}\nrun c1 t2")), started(r#"{"a":2}"#));
    }
}

#[test]
fn the_arguments_of_an_attempt_that_failed_are_forgotten() {
    let script = "call\ntool c1 t\nargs c1 {\"a\"\ncalled retry 1/3 x\ncall\ntool c1 t\nargs c1 {}\ntool-end c1\ncalled\nrun c1 t";
    assert_eq!(lines(script)[1..], [r#"{"type":"tool_start","toolName":"t","toolCallId":"c1","arguments":"{}"}"#]);
}

/// Row "what is retried": in mid-stream, and in the last round that the limit forces. Row "shown text of the failed attempt".
#[test]
fn a_failure_in_mid_stream_and_in_the_forced_last_round_is_told_and_the_shown_text_stays() {
    let retry =
        |n: u64| format!(r#"{{"type":"error","code":"LLM_CALL_FAILED","message":"LLM 调用失败，正在重试 ({n}/3)","detail":"cut"}}"#);
    let text = |content: &str| format!(r#"{{"type":"text","content":"{content}"}}"#);
    let exceed = r#"{"type":"EXCEED_MAX_ITERS","replyId":"r1","maxIters":2}"#;
    let script = format!(
        "call\ntext half\ncalled retry 1/3 cut\ncall\ntext whole\ncalled\n{exceed}\ncall\ntext las\ncalled retry 1/3 cut\ncall\ntext last\ncalled\nend"
    );
    assert_eq!(lines(&script), [text("half"), retry(1), text("whole"), text("las"), retry(1), text("last"), COMPLETE.to_owned()]);
    // What cannot be taken back here is withdrawn from a message.
    let mut session = SessionReducer::new();
    let starts = |block: &str| format!("{{\"type\":\"TEXT_BLOCK_START\",\"replyId\":\"r1\",\"blockId\":\"{block}\"}}");
    let attempt =
        format!("start\ncall\n{}\ntext half\ncalled retry 1/3 cut\ncall\n{}\ntext whole\ncalled\nend", starts("x1"), starts("x1"));
    fine(&attempt).iter().for_each(|event| _ = session.apply(event));
    let message = session.messages().next().unwrap();
    assert_eq!(message.content.len(), 1);
    assert!(message.to_json().contains(r#""text":"whole""#));
}

/// Row "history of a round with tool calls": the message has the text and the calls of the round.
#[test]
fn a_round_with_calls_is_one_message_with_its_text_and_its_calls() {
    let stream = [
        r#"{"type":"text","content":"I look"}"#,
        r#"{"type":"tool_start","toolName":"f","toolCallId":"c1","arguments":"{\"q\":1}"}"#,
        r#"{"type":"tool_end","toolName":"f","toolCallId":"c1","result":"ok"}"#,
        COMPLETE,
    ]
    .map(|line| CoarseEvent::from_json(line).unwrap());
    let mut session = SessionReducer::new();
    lift(&stream, Language::Chinese).iter().for_each(|event| _ = session.apply(event));
    assert_eq!(session.messages().count(), 1);
    let json = session.messages().next().unwrap().to_json();
    let place = |part: &str| json.find(part).unwrap_or_else(|| panic!("{part} in {json}"));
    assert!(place(r#""text":"I look""#) < place(r#""type":"tool_use""#));
    assert!(place(r#""input":{"q":1}"#) < place(r#""type":"tool_result""#));
}

/// Row "run already active": a host refuses with an error and closes; the stream is shown and lifted like all others.
#[test]
fn a_refused_run_is_an_error_and_complete() {
    for (language, message) in [(Language::Chinese, "该会话正在运行"), (Language::English, "The conversation is busy")] {
        let code = ErrorCode::ConversationBusy;
        let refused = [CoarseEvent::error(code.as_str(), language.message(code), None), CoarseEvent::Complete];
        assert_eq!(
            refused.clone().map(|event| event.to_json()),
            [format!(r#"{{"type":"error","code":"CONVERSATION_BUSY","message":"{message}","detail":null}}"#), COMPLETE.to_owned()]
        );
        assert_eq!(collapse_again(&lift(&refused, language), language), refused);
        let mut timeline = Timeline::new();
        refused.iter().for_each(|event| timeline.apply(event));
        assert!(timeline.is_settled() && timeline.is_expanded());
    }
}

/// AgentScope Python refuses a wrong answer by ending the run with an error; the call still waits, in the same reply.
#[test]
fn an_end_with_an_error_or_a_reason_while_a_call_waits_does_not_end_the_stream() {
    let none: [&str; 0] = [];
    let call = r#"{"type":"tool_use","id":"c1","name":"t","input":{},"content":"{}","state":"asking"}"#;
    let ask = format!(r#"{{"type":"REQUIRE_USER_CONFIRM","replyId":"r1","toolCalls":[{call}]}}"#);
    let outside = format!(r#"{{"type":"REQUIRE_EXTERNAL_EXECUTION","replyId":"r1","toolCalls":[{call}]}}"#);
    let before = "start\ncall\ntool c1 t\ntool-end c1\ncalled\n";
    for request in [&ask, &outside] {
        for end in ["end error refused", "end completed", "end exceed_max_iters"] {
            let held = format!("{before}{request}\n{end}");
            assert_eq!(lines(&held), none);
            let after = format!("{held}\nstart\nout c1 ok\nran c1 success\ncall\ntext done\ncalled\nend completed");
            assert_eq!(lines(&after).len(), 4, "{:?}", lines(&after));
            assert_eq!(lines(&after)[2..], [r#"{"type":"text","content":"done"}"#, COMPLETE]);
        }
        // The answer was refused.
        let refused = format!("{before}{request}\n{}\nstart\nend error refused", external("success", "no"));
        assert_eq!(lines(&refused).len(), 2, "{:?}", lines(&refused));
        assert_eq!(lines(&format!("{refused}\nstart\ncall\ntext done\ncalled\nend"))[3..], [COMPLETE]);
        // A person wanted the end.
        assert_eq!(lines(&format!("{before}{request}\nend interrupted")), [COMPLETE]);
        // Nothing waits any more: the reply went on, or the call was answered.
        assert_eq!(lines(&format!("{before}{request}\ncall\ncalled\nend completed")), [COMPLETE]);
        assert_eq!(lines(&format!("{before}{request}\nout c1 ok\nran c1 success\nend completed"))[2..], [COMPLETE]);
    }
}

#[test]
fn a_stream_closed_after_a_held_end_ends_as_that_end_said() {
    let outside = r#"{"type":"REQUIRE_EXTERNAL_EXECUTION","replyId":"r1","toolCalls":[{"type":"tool_use","id":"c1","name":"t","input":{},"content":"{}","state":"submitted"}]}"#;
    let before = format!("start\ncall\ntool c1 t\ntool-end c1\ncalled\n{outside}\n");
    let failed = r#"{"type":"error","code":"LLM_CALL_FAILED","message":"LLM 调用失败","detail":"refused"}"#;
    assert_eq!(closed(&format!("{before}end error refused")), [failed, COMPLETE]);
    assert_eq!(closed(&format!("{before}end completed")), [COMPLETE]);
    // The run that failed is over: the next one only stopped.
    let required = r#"{"type":"error","code":"EXTERNAL_EXECUTION_REQUIRED","message":"工具需要在外部执行","detail":null}"#;
    assert_eq!(closed(&format!("{before}end error refused\nstart")), [required, COMPLETE]);
}
