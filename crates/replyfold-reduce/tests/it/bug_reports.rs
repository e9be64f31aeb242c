//! Reports from users of other reducers, each as a log and the message it has to give.

use crate::logs::{assert_content, fold, fold_session, words};
use replyfold_message::Usage;

/// Reports on events and the reducer that are tested elsewhere, or need a part that is not in this crate: id and the place.
const ELSEWHERE: &[(&str, &str)] = &[
    ("b025", "partial_json of this crate"),
    ("b085", "replyfold-event and replyfold-log"),
    ("b086", "replyfold-event and replyfold-log"),
    ("b110", "the counting tests of this crate"),
    ("b088", "the runtime, which closes calls before the reply's end"),
    ("b008", "the store, which merges snapshots"),
];

/// Every report that names events or the reducer.
const REPORTS: &[&str] = &[
    "b001", "b002", "b004", "b005", "b007", "b008", "b010", "b011", "b013", "b014", "b016", "b022", "b023", "b025", "b028", "b029", "b032",
    "b085", "b086", "b088", "b095", "b110",
];

#[test]
fn every_report_is_tested_here_or_listed_with_its_place() {
    let source = include_str!("bug_reports.rs");
    for report in REPORTS {
        let tested = source.contains(&format!("\nfn {report}_"));
        let listed = ELSEWHERE.iter().any(|(id, _)| id == report);
        assert!(tested != listed, "{report}: tested {tested}, listed {listed}");
    }
}

const TEXT_A: &str = r#"
    {"type":"TEXT_BLOCK_START","replyId":"r1","blockId":"x1"}
    {"type":"TEXT_BLOCK_DELTA","replyId":"r1","blockId":"x1","delta":"A"}
    {"type":"TEXT_BLOCK_END","replyId":"r1","blockId":"x1"}"#;
const CALL: &str = r#"
    {"type":"TOOL_CALL_START","replyId":"r1","toolCallId":"t1","toolCallName":"f"}
    {"type":"TOOL_CALL_END","replyId":"r1","toolCallId":"t1"}"#;

#[test]
fn b001_a_call_whose_pieces_are_missing_shows_the_input_it_is_asked_about_with() {
    let ask =
        r#"{"type":"REQUIRE_USER_CONFIRM","replyId":"r1","toolCalls":[{"type":"tool_use","id":"t1","name":"f","input":{"city":"Lyon"}}]}"#;
    assert_content(
        &fold(&format!("{CALL}\n{ask}")),
        r#"[{"type":"tool_use","id":"t1","name":"f","input":{"city":"Lyon"},"content":"{\"city\":\"Lyon\"}","state":"asking"}]"#,
    );
}

#[test]
fn b002_media_of_one_id_in_several_pieces_is_one_block() {
    let log = r#"
        {"type":"TOOL_RESULT_START","replyId":"r1","toolCallId":"t1","toolCallName":"draw"}
        {"type":"TOOL_RESULT_DATA_DELTA","replyId":"r1","toolCallId":"t1","blockId":"d1","mediaType":"image/png","data":"AQ=="}
        {"type":"TOOL_RESULT_DATA_DELTA","replyId":"r1","toolCallId":"t1","blockId":"d1","mediaType":"image/png","data":"AgM="}
        {"type":"TOOL_RESULT_DATA_DELTA","replyId":"r1","toolCallId":"t1","blockId":"d2","mediaType":"image/png","url":"u://x"}
        {"type":"TOOL_RESULT_END","replyId":"r1","toolCallId":"t1","state":"success"}"#;
    assert_content(
        &fold(log),
        r#"[{"type":"tool_result","id":"t1","name":"draw","state":"success","output":[
            {"type":"data","id":"d1","source":{"type":"base64","mediaType":"image/png","data":"AQID"}},
            {"type":"data","id":"d2","source":{"type":"url","mediaType":"image/png","url":"u://x"}}]}]"#,
    );
}

#[test]
fn b004_text_inside_thinking_goes_to_its_own_block() {
    let log = r#"
        {"type":"THINKING_BLOCK_START","replyId":"r1","blockId":"k1"}
        {"type":"THINKING_BLOCK_DELTA","replyId":"r1","blockId":"k1","delta":"2+2"}
        {"type":"TEXT_BLOCK_START","replyId":"r1","blockId":"x1"}
        {"type":"TEXT_BLOCK_DELTA","replyId":"r1","blockId":"x1","delta":"4"}
        {"type":"THINKING_BLOCK_END","replyId":"r1","blockId":"k1"}
        {"type":"TEXT_BLOCK_DELTA","replyId":"r1","blockId":"x1","delta":" is the answer"}"#;
    let blocks = r#"[{"type":"thinking","id":"k1","thinking":"2+2"},{"type":"text","id":"x1","text":"4 is the answer"}]"#;
    assert_content(&fold(log), blocks);
}

#[test]
fn b005_a_new_reply_starts_empty_and_leaves_the_old_one() {
    let log = format!("{TEXT_A}\n{}", r#"{"type":"TEXT_BLOCK_START","replyId":"r2","blockId":"x1"}"#);
    let session = fold_session(&log);
    assert_content(session.reply("r1").unwrap().reducer(), r#"[{"type":"text","id":"x1","text":"A"}]"#);
    assert_content(session.reply("r2").unwrap().reducer(), r#"[{"type":"text","id":"x1","text":""}]"#);
}

#[test]
fn b007_text_after_a_call_stays_after_it_even_with_an_id_used_before() {
    let kinds: Vec<_> = fold(&format!("{TEXT_A}{CALL}{TEXT_A}")).message().content.iter().map(|block| block.type_name()).collect();
    assert_eq!(kinds, ["text", "tool_use", "text"]);
}

#[test]
fn b010_usage_is_added_across_calls_and_an_event_delivered_twice_counts_once() {
    let log = r#"
        {"type":"MODEL_CALL_END","id":"e1","replyId":"r1","inputTokens":25,"outputTokens":15}
        {"type":"MODEL_CALL_END","id":"e1","replyId":"r1","inputTokens":25,"outputTokens":15}
        {"type":"MODEL_CALL_END","id":"e2","replyId":"r1","inputTokens":40,"outputTokens":7}"#;
    assert_eq!(fold(log).message().usage, Some(Usage::new(65, 22)));
}

#[test]
fn b011_a_block_without_pieces_is_a_block() {
    let log = r#"
        {"type":"THINKING_BLOCK_START","replyId":"r1","blockId":"k1"}
        {"type":"THINKING_BLOCK_END","replyId":"r1","blockId":"k1","metadata":{"signature":"SIG"}}"#;
    assert_content(&fold(log), r#"[{"type":"thinking","id":"k1","thinking":"","metadata":{"signature":"SIG"}}]"#);
}

#[test]
fn b013_every_block_stays_over_model_calls() {
    let next = r#"{"type":"MODEL_CALL_START","replyId":"r1"}"#;
    assert_eq!(fold(&format!("{TEXT_A}{CALL}\n{next}{TEXT_A}\n{next}{CALL}")).message().content.len(), 4);
}

#[test]
fn b014_results_that_end_in_another_order_belong_to_their_calls() {
    let log = format!(
        "{CALL}{}{}",
        CALL.replace("t1", "t2"),
        r#"
        {"type":"TOOL_RESULT_START","replyId":"r1","toolCallId":"t2","toolCallName":"f"}
        {"type":"TOOL_RESULT_TEXT_DELTA","replyId":"r1","toolCallId":"t2","delta":"two"}
        {"type":"TOOL_RESULT_END","replyId":"r1","toolCallId":"t2","state":"success"}
        {"type":"TOOL_RESULT_START","replyId":"r1","toolCallId":"t1","toolCallName":"f"}
        {"type":"TOOL_RESULT_TEXT_DELTA","replyId":"r1","toolCallId":"t1","delta":"one"}
        {"type":"TOOL_RESULT_END","replyId":"r1","toolCallId":"t1","state":"success"}"#
    );
    assert_content(
        &fold(&log),
        r#"[{"type":"tool_use","id":"t1","name":"f","input":{},"content":"","state":"finished"},
            {"type":"tool_use","id":"t2","name":"f","input":{},"content":"","state":"finished"},
            {"type":"tool_result","id":"t2","name":"f","state":"success","output":[{"type":"text","text":"two"}]},
            {"type":"tool_result","id":"t1","name":"f","state":"success","output":[{"type":"text","text":"one"}]}]"#,
    );
}

#[test]
fn b016_a_piece_of_a_block_that_never_started_is_noted_and_skipped() {
    let log = r#"
        {"type":"AGENT_START","replyId":"r1","role":"assistant"}
        {"type":"TEXT_BLOCK_DELTA","replyId":"r1","blockId":"x9","delta":"hi"}
        {"type":"TEXT_BLOCK_END","replyId":"r1","blockId":"x9"}
        {"type":"TOOL_RESULT_TEXT_DELTA","replyId":"r1","toolCallId":"t7","delta":"zz"}"#;
    let reducer = fold(log);
    assert_content(&reducer, "[]");
    assert_eq!(words(&reducer), ["delta_without_start", "end_without_start", "delta_without_start"]);
}

/// Two calls that stream at once: the inputs of `t1` and `t2`.
fn two_calls(first: &str, second: &str) -> Vec<String> {
    let first = serde_json::to_string(first).unwrap();
    let second = serde_json::to_string(second).unwrap();
    let log = [
        r#""type":"TOOL_CALL_START","toolCallId":"t1","toolCallName":"f""#.to_owned(),
        r#""type":"TOOL_CALL_START","toolCallId":"t2","toolCallName":"g""#.to_owned(),
        format!(r#""type":"TOOL_CALL_DELTA","toolCallId":"t1","delta":{first}"#),
        format!(r#""type":"TOOL_CALL_DELTA","toolCallId":"t2","delta":{second}"#),
        r#""type":"TOOL_CALL_END","toolCallId":"t2""#.to_owned(),
        r#""type":"TOOL_CALL_END","toolCallId":"t1""#.to_owned(),
    ];
    let reducer = fold(&log.map(|body| format!(r#"{{"replyId":"r1",{body}}}"#)).join("\n"));
    [0, 1].map(|index| reducer.partial_input(index).unwrap().as_str().to_owned()).into()
}

#[test]
fn b022_pieces_of_parallel_calls_never_land_in_the_last_call() {
    assert_eq!(two_calls(r#"{"p":1}"#, r#"{"q":2}"#), [r#"{"p":1}"#, r#"{"q":2}"#]);
}

#[test]
fn b023_a_call_without_arguments_has_the_empty_object() {
    assert_eq!(two_calls("", "  "), ["{}", "{}"]);
}

#[test]
fn b028_two_calls_of_one_id_lose_no_text() {
    let piece = r#"{"type":"TOOL_CALL_DELTA","replyId":"r1","toolCallId":"t1","delta":"{\"n\":1}"}"#;
    let (start, end) = CALL.trim().split_once('\n').unwrap();
    let once = format!("{start}\n{piece}\n{end}");
    let json = fold(&format!("{once}\n{once}")).message().to_json();
    assert_eq!(json.matches(r#"{\"n\":1}"#).count(), 2);
}

#[test]
fn b029_a_stray_piece_after_the_end_leaves_the_input_and_is_noted() {
    let stray = r#"{"type":"TOOL_CALL_DELTA","replyId":"r1","toolCallId":"t1","delta":"}"}"#;
    let (start, end) = CALL.trim().split_once('\n').unwrap();
    let piece = |delta: &str| stray.replace(r#""}""#, &format!("{delta:?}"));
    let reducer = fold(&[start, &piece(r#"{"a":"#), &piece("1}"), end, stray].join("\n"));
    assert_content(&reducer, r#"[{"type":"tool_use","id":"t1","name":"f","input":{"a":1},"content":"{\"a\":1}}","state":"pending"}]"#);
    assert_eq!(words(&reducer), ["head_missing", "delta_after_end"]);
}

#[test]
fn b032_a_piece_goes_to_the_call_it_names() {
    assert_eq!(two_calls(r#"{"a":1}"#, r#"{"b":2}"#), [r#"{"a":1}"#, r#"{"b":2}"#]);
    // The end of one closes only that one: a piece of the other is no piece after the end.
    let ended = |id: &str| {
        let start = CALL.trim().lines().next().unwrap();
        let end = r#"{"type":"TOOL_CALL_END","replyId":"r1","toolCallId":"t2"}"#;
        let piece = format!(r#"{{"type":"TOOL_CALL_DELTA","replyId":"r1","toolCallId":"{id}","delta":" "}}"#);
        words(&fold(&[start, &start.replace("t1", "t2"), end, &piece].join("\n")))
    };
    assert_eq!(ended("t1"), ["head_missing"]);
    assert_eq!(ended("t2"), ["head_missing", "delta_after_end"]);
}

#[test]
fn b095_two_runs_of_one_sub_agent_are_two_messages() {
    let log = r#"
        {"type":"TEXT_BLOCK_START","replyId":"r2","blockId":"x1","source":"main/helper"}
        {"type":"TEXT_BLOCK_START","replyId":"r3","blockId":"x1","source":"main/helper"}"#;
    assert_eq!(fold_session(log).messages().map(|msg| msg.id.as_str()).collect::<Vec<_>>(), ["r2", "r3"]);
}
