//! Step 1: starts.

use super::{last_reply, replies};

#[test]
fn start_names_its_reply_by_its_own_id_else_by_its_event_id_else_by_its_number() {
    assert_eq!(replies(&[r#"{"type":"AGENT_START","id":"e1","replyId":"run"}"#]), ["run"]);
    assert_eq!(replies(&[r#"{"type":"AGENT_START","id":"e1"}"#]), ["e1"]);
    assert_eq!(replies(&[r#"{"type":"AGENT_START","id":"e1","replyId":""}"#]), ["e1"], "an empty id counts as absent");
    let child = r#"{"type":"AGENT_START","source":"main/child"}"#;
    let other = r#"{"type":"AGENT_START","source":"main/other"}"#;
    assert_eq!(replies(&[child, other, child]), ["main/child#1", "main/other#1", "main/child#2"]);
    assert_eq!(replies(&[r#"{"type":"AGENT_START"}"#, r#"{"type":"AGENT_START"}"#]), ["#1", "#2"]);
}

#[test]
fn start_whose_own_id_was_met_has_the_reply_it_had_then() {
    assert_eq!(
        replies(&[
            r#"{"type":"AGENT_START","replyId":"run1"}"#,
            r#"{"type":"MODEL_CALL_START","replyId":"call"}"#,
            r#"{"type":"AGENT_END","replyId":"run1"}"#,
            r#"{"type":"AGENT_START","replyId":"run2"}"#,
            r#"{"type":"AGENT_END","replyId":"run2"}"#,
            r#"{"type":"AGENT_START","replyId":"call"}"#,
            r#"{"type":"AGENT_START","replyId":"run2"}"#,
        ]),
        ["run1", "run1", "run1", "run2", "run2", "run1", "run2"]
    );
}

#[test]
fn top_level_start_closes_the_open_runs_of_all_speakers() {
    let log = [
        r#"{"type":"AGENT_START","replyId":"run1"}"#,
        r#"{"type":"AGENT_START","replyId":"child1","source":"main/child"}"#,
        r#"{"type":"AGENT_START","replyId":"run2"}"#,
        // Neither run 1 nor the child's run takes what comes now.
        r#"{"type":"MODEL_CALL_START","replyId":"call"}"#,
        r#"{"type":"MODEL_CALL_START","replyId":"stray","source":"main/child"}"#,
        r#"{"type":"MODEL_CALL_END","source":"main/child"}"#,
    ];
    assert_eq!(replies(&log), ["run1", "child1", "run2", "run2", "stray", "-"]);
}

#[test]
fn start_of_a_sub_agent_closes_no_run() {
    let log = [
        r#"{"type":"AGENT_START","replyId":"run"}"#,
        r#"{"type":"AGENT_START","replyId":"child1","source":"main/child"}"#,
        r#"{"type":"MODEL_CALL_START","replyId":"call1","source":"main/child"}"#,
        r#"{"type":"AGENT_START","replyId":"child2","source":"main/child"}"#,
        r#"{"type":"TEXT_BLOCK_DELTA","replyId":"call1","blockId":"text","delta":"x","source":"main/child"}"#,
        r#"{"type":"AGENT_END","replyId":"child2","source":"main/child"}"#,
        r#"{"type":"MODEL_CALL_END","source":"main/child"}"#,
        r#"{"type":"MODEL_CALL_START","replyId":"call"}"#,
    ];
    assert_eq!(replies(&log), ["run", "child1", "child1", "child2", "child1", "child2", "child1", "run"]);
}

#[test]
fn speakers_are_told_apart_by_source_and_task() {
    let task = |task: &str, kind: &str| {
        format!(r#"{{"type":"{kind}","source":"main/child","metadata":{{"taskId":"{task}"}},"id":"{task}-start"}}"#)
    };
    let log = [
        task("t1", "AGENT_START"),
        task("t2", "AGENT_START"),
        task("t1", "MODEL_CALL_START"),
        task("t2", "MODEL_CALL_START"),
        task("t1", "AGENT_END"),
        task("t2", "AGENT_END"),
    ];
    let log: Vec<_> = log.iter().map(String::as_str).collect();
    assert_eq!(replies(&log), ["t1-start", "t2-start", "t1-start", "t2-start", "t1-start", "t2-start"]);
}

#[test]
fn run_that_failed_without_an_end_does_not_take_the_next_runs_events() {
    let log = [
        r#"{"type":"AGENT_START","replyId":"run1"}"#,
        r#"{"type":"MODEL_CALL_START","replyId":"call1"}"#,
        r#"{"type":"AGENT_START","replyId":"run2"}"#,
        r#"{"type":"AGENT_RESULT"}"#,
        r#"{"type":"EXCEED_MAX_ITERS","replyId":""}"#,
    ];
    assert_eq!(last_reply(&log), "run2");
}
