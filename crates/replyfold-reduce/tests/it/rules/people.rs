//! Pauses for people and for the outside.

use crate::logs::{assert_content, fold, words};
use replyfold_reduce::MsgReducer;

const CALL: &str = r#"
    {"type":"AGENT_START","replyId":"r1","role":"assistant"}
    {"type":"TOOL_CALL_START","replyId":"r1","toolCallId":"c1","toolCallName":"f"}
    {"type":"TOOL_CALL_DELTA","replyId":"r1","toolCallId":"c1","delta":"{\"a\":1}"}
    {"type":"TOOL_CALL_END","replyId":"r1","toolCallId":"c1"}"#;
const ASK: &str = r#"
    {"type":"REQUIRE_USER_CONFIRM","replyId":"r1","toolCalls":[{"type":"tool_use","id":"c1","name":"f","input":{"a":1},"content":"{\"a\":1}"}]}"#;
const FINISHED: &str = r#"
    {"type":"TOOL_RESULT_START","replyId":"r1","toolCallId":"c1","toolCallName":"f"}
    {"type":"TOOL_RESULT_END","replyId":"r1","toolCallId":"c1","state":"success"}"#;

fn call(name: &str, input: &str, content: &str, state: &str) -> String {
    let content = serde_json::to_string(content).unwrap();
    format!(r#"{{"type":"tool_use","id":"c1","name":"{name}","input":{input},"content":{content},"state":"{state}"}}"#)
}

fn answer(confirmed: bool, name: &str, input: &str, content: &str) -> MsgReducer {
    let told = call(name, input, content, "asking");
    let confirm = format!(r#"{{"confirmed":{confirmed},"toolCall":{told}}}"#);
    fold(&format!(r#"{CALL}{ASK}{}{{"type":"USER_CONFIRM_RESULT","replyId":"r1","confirmResults":[{confirm}]}}"#, '\n'))
}

#[test]
fn a_question_sets_the_call_asking_with_its_suggestions() {
    let ask = r#"{"type":"REQUIRE_USER_CONFIRM","replyId":"r1","toolCalls":[{"type":"tool_use","id":"c1","name":"other","input":{"a":2},"content":"{\"a\":2}",
        "suggestedRules":[{"toolName":"f","behavior":"allow","source":"user"}]}]}"#
        .replace('\n', " ");
    let reducer = fold(&format!("{CALL}\n{ask}"));
    assert_content(
        &reducer,
        r#"[{"type":"tool_use","id":"c1","name":"f","input":{"a":1},"content":"{\"a\":1}","state":"asking",
            "suggestedRules":[{"toolName":"f","behavior":"allow","source":"user"}]}]"#,
    );
    assert_eq!(reducer.awaited().map(|call| call.id.as_str()).collect::<Vec<_>>(), ["c1"]);
}

#[test]
fn a_closed_call_without_arguments_takes_those_of_the_question() {
    let empty = r#"
        {"type":"TOOL_CALL_START","replyId":"r1","toolCallId":"c1","toolCallName":"f"}
        {"type":"TOOL_CALL_END","replyId":"r1","toolCallId":"c1"}"#;
    for (input, content, expected) in [
        (r#"{"b":1,"a":2}"#, r#"{"b": 1, "a": 2}"#, call("f", r#"{"b":1,"a":2}"#, r#"{"b": 1, "a": 2}"#, "asking")),
        (r#"{"b": 1, "a": [2]}"#, "", call("f", r#"{"b":1,"a":[2]}"#, r#"{"a":[2],"b":1}"#, "asking")),
        ("{}", "", call("f", "{}", "", "asking")),
    ] {
        let told = call("f", input, content, "pending");
        let reducer = fold(&format!(r#"{empty}{}{{"type":"REQUIRE_USER_CONFIRM","replyId":"r1","toolCalls":[{told}]}}"#, '\n'));
        let json: serde_json::Value = serde_json::from_str(&reducer.message().to_json()).unwrap();
        assert_eq!(json["content"][0], serde_json::from_str::<serde_json::Value>(&expected).unwrap());
    }
}

#[test]
fn an_open_call_keeps_its_own_arguments_when_it_is_asked_about() {
    let open = r#"{"type":"TOOL_CALL_START","replyId":"r1","toolCallId":"c1","toolCallName":"f"}"#;
    assert_content(&fold(&format!("{open}{ASK}")), &format!("[{}]", call("f", "{}", "", "asking")));
}

#[test]
fn a_confirmed_call_is_allowed() {
    assert_content(&answer(true, "f", r#"{"a":1}"#, r#"{"a":1}"#), &format!("[{}]", call("f", r#"{"a":1}"#, r#"{"a":1}"#, "allowed")));
}

#[test]
fn an_edit_of_the_raw_text_and_the_name_is_taken_as_it_is() {
    let reducer = answer(true, "g", r#"{"b":2,"a":3}"#, r#"{ "b": 2, "a": 3 }"#);
    assert_content(&reducer, &format!("[{}]", call("g", r#"{"b":2,"a":3}"#, r#"{ "b": 2, "a": 3 }"#, "allowed")));
}

#[test]
fn an_edit_of_the_input_alone_gives_its_compact_sorted_text() {
    let reducer = answer(true, "f", r#"{"b":2,"a":3}"#, r#"{"a":1}"#);
    assert_content(&reducer, &format!("[{}]", call("f", r#"{"b":2,"a":3}"#, r#"{"a":3,"b":2}"#, "allowed")));
}

#[test]
fn a_confirmation_whose_text_does_not_parse_and_whose_input_is_the_same_changes_no_argument() {
    let reducer = answer(true, "f", r#"{"a":1}"#, "{");
    assert_content(&reducer, &format!("[{}]", call("f", r#"{"a":1}"#, r#"{"a":1}"#, "allowed")));
}

/// The recorded logs show it: a text that does not parse stands for no arguments, as it does at the end of a call.
#[test]
fn a_text_that_does_not_parse_is_taken_with_an_empty_input() {
    assert_content(&answer(true, "f", "{}", "[bad"), &format!("[{}]", call("f", "{}", "[bad", "allowed")));
}

#[test]
fn a_call_that_starts_again_after_an_edit_keeps_the_edited_input() {
    let again = CALL.lines().filter(|line| !line.contains("AGENT_START")).collect::<Vec<_>>();
    let (start, end) = (again[1], again[3]);
    let told = call("f", r#"{"b":2}"#, "", "asking");
    let confirm = format!(r#"{{"type":"USER_CONFIRM_RESULT","replyId":"r1","confirmResults":[{{"confirmed":true,"toolCall":{told}}}]}}"#);
    let reducer = fold(&format!("{CALL}\n{start}{ASK}\n{confirm}\n{end}"));
    assert_content(&reducer, &format!("[{}]", call("f", r#"{"b":2}"#, r#"{"b":2}"#, "allowed")));
}

#[test]
fn an_end_that_comes_after_an_edit_keeps_the_edited_input() {
    let told = call("f", r#"{"b":2}"#, r#"{"a":1}"#, "asking");
    let log = format!(
        r#"{CALL}{ASK}{}{{"type":"USER_CONFIRM_RESULT","replyId":"r1","confirmResults":[{{"confirmed":true,"toolCall":{told}}}]}}{}{{"type":"TOOL_CALL_END","replyId":"r1","toolCallId":"c1"}}"#,
        '\n', '\n'
    );
    assert_content(&fold(&log), &format!("[{}]", call("f", r#"{"b":2}"#, r#"{"b":2}"#, "allowed")));
}

#[test]
fn a_declined_call_is_finished_and_keeps_its_arguments() {
    let reducer = answer(false, "g", r#"{"b":2}"#, r#"{"b":2}"#);
    assert_content(&reducer, &format!("[{}]", call("f", r#"{"a":1}"#, r#"{"a":1}"#, "finished")));
}

#[test]
fn an_answer_nobody_asked_for_has_no_effect() {
    let told = call("g", r#"{"b":2}"#, r#"{"b":2}"#, "asking");
    let log = format!(
        r#"{CALL}{}{{"type":"USER_CONFIRM_RESULT","replyId":"r1","confirmResults":[{{"confirmed":true,"toolCall":{told}}}]}}"#,
        '\n'
    );
    let reducer = fold(&log);
    assert_content(&reducer, &format!("[{}]", call("f", r#"{"a":1}"#, r#"{"a":1}"#, "pending")));
    assert_eq!(words(&reducer), ["not_asking"]);
}

#[test]
fn a_call_to_be_run_outside_is_submitted() {
    let submit = ASK.replace("REQUIRE_USER_CONFIRM", "REQUIRE_EXTERNAL_EXECUTION");
    assert_content(&fold(&format!("{CALL}{submit}")), &format!("[{}]", call("f", r#"{"a":1}"#, r#"{"a":1}"#, "submitted")));
}

#[test]
fn a_finished_call_stays_finished() {
    for word in ["REQUIRE_USER_CONFIRM", "REQUIRE_EXTERNAL_EXECUTION"] {
        let before = fold(&format!("{CALL}{FINISHED}"));
        let reducer = fold(&format!("{CALL}{FINISHED}{}", ASK.replace("REQUIRE_USER_CONFIRM", word)));
        assert_eq!(reducer.message(), before.message());
        assert_eq!(words(&reducer), ["call_finished"]);
    }
}

const RESULT: &str = r#"
    {"type":"EXTERNAL_EXECUTION_RESULT","replyId":"r1","createdAt":"T5","toolResults":[{"type":"tool_result","id":"c1","name":"f","output":[{"type":"text","text":"out"}],"state":"success"}]}"#;

#[test]
fn an_external_result_is_appended_closed_and_finishes_the_call() {
    let reducer = fold(&format!("{CALL}{RESULT}"));
    let result = r#"{"type":"tool_result","id":"c1","name":"f","output":[{"type":"text","text":"out"}],"state":"success","createdAt":"T5","finishedAt":"T5"}"#;
    assert_content(&reducer, &format!("[{},{result}]", call("f", r#"{"a":1}"#, r#"{"a":1}"#, "finished")));
    assert!(!reducer.is_open(1));
}

#[test]
fn an_external_result_keeps_its_own_end() {
    let own = RESULT.replace(r#""state":"success""#, r#""state":"success","createdAt":"T3","finishedAt":"T4""#);
    let result = r#"{"type":"tool_result","id":"c1","name":"f","output":[{"type":"text","text":"out"}],"state":"success","createdAt":"T3","finishedAt":"T4"}"#;
    assert_content(&fold(&format!("{CALL}{own}")), &format!("[{},{result}]", call("f", r#"{"a":1}"#, r#"{"a":1}"#, "finished")));
}

#[test]
fn an_external_result_replaces_a_suspended_placeholder_which_keeps_its_beginning() {
    let suspended = r#"
        {"type":"TOOL_RESULT_START","replyId":"r1","toolCallId":"c1","toolCallName":"f","createdAt":"T1"}
        {"type":"TOOL_RESULT_TEXT_DELTA","replyId":"r1","toolCallId":"c1","delta":"wait"}
        {"type":"TOOL_RESULT_END","replyId":"r1","toolCallId":"c1","state":"running","createdAt":"T2","metadata":{"agentscope_suspended":true}}"#;
    let reducer = fold(&format!("{CALL}{suspended}{RESULT}"));
    let result = r#"{"type":"tool_result","id":"c1","name":"f","output":[{"type":"text","text":"out"}],"state":"success","createdAt":"T1","finishedAt":"T5"}"#;
    assert_content(&reducer, &format!("[{},{result}]", call("f", r#"{"a":1}"#, r#"{"a":1}"#, "finished")));
}

#[test]
fn an_external_result_of_a_call_that_has_its_own_is_ignored() {
    let before = fold(&format!("{CALL}{FINISHED}"));
    let reducer = fold(&format!("{CALL}{FINISHED}{RESULT}"));
    assert_eq!(reducer.message(), before.message());
    assert_eq!(words(&reducer), ["result_present"]);
}

#[test]
fn an_external_result_of_a_call_whose_own_still_streams_is_ignored_and_finishes_nothing() {
    let open = FINISHED.lines().take(2).collect::<Vec<_>>().join("\n");
    assert_eq!(fold(&format!("{CALL}{open}{RESULT}")).message(), fold(&format!("{CALL}{open}")).message());
}
