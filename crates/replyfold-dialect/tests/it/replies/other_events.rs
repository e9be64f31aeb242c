//! Step 2: every event that is no start.

use super::{last_reply, read, replies};
use replyfold_dialect::ReadNote;

#[test]
fn events_of_an_open_run_have_its_reply_whatever_their_own_id() {
    let log = [
        r#"{"type":"AGENT_START","replyId":"run"}"#,
        r#"{"type":"MODEL_CALL_START","replyId":"call1"}"#,
        r#"{"type":"TOOL_RESULT_START","replyId":"acting","toolCallId":"c"}"#,
        r#"{"type":"EXCEED_MAX_ITERS","replyId":"","maxIters":1,"currentIter":1}"#,
        r#"{"type":"REQUEST_STOP","reason":"x"}"#,
        r#"{"type":"SUBAGENT_EXPOSED","subagentId":"a","agentId":"b","sessionId":"s"}"#,
        r#"{"type":"AGENT_END","replyId":"run"}"#,
    ];
    assert_eq!(replies(&log), ["run"; 7]);
}

#[test]
fn late_result_of_an_asynchronous_tool_goes_to_the_reply_that_its_id_had() {
    let log = [
        r#"{"type":"AGENT_START","replyId":"run1"}"#,
        r#"{"type":"TOOL_RESULT_START","replyId":"acting","toolCallId":"c"}"#,
        r#"{"type":"AGENT_END","replyId":"run1"}"#,
        r#"{"type":"AGENT_START","replyId":"run2"}"#,
        r#"{"type":"TOOL_RESULT_TEXT_DELTA","replyId":"acting","toolCallId":"c","delta":"late"}"#,
        r#"{"type":"TOOL_RESULT_END","replyId":"acting","toolCallId":"c","state":"success"}"#,
    ];
    assert_eq!(replies(&log)[4..], ["run1", "run1"]);
}

#[test]
fn answer_has_the_reply_of_the_request_that_its_id_names() {
    for (request, answer) in [("REQUIRE_USER_CONFIRM", "USER_CONFIRM_RESULT"), ("REQUIRE_EXTERNAL_EXECUTION", "EXTERNAL_EXECUTION_RESULT")]
    {
        let log = [
            r#"{"type":"AGENT_START","replyId":"run1","sessionId":"s1"}"#,
            &format!(r#"{{"type":"{request}","replyId":"request","toolCalls":[]}}"#),
            r#"{"type":"AGENT_END","replyId":"run1"}"#,
            // Another session: the run does not go on with the reply, and still the answer is at home there.
            r#"{"type":"AGENT_START","replyId":"run2","sessionId":"s2"}"#,
            &format!(r#"{{"type":"{answer}","replyId":"request"}}"#),
        ];
        assert_eq!(replies(&log), ["run1", "run1", "run1", "run2", "run1"], "{answer}");
    }
}

/// Two runs of one child side by side; the first is in a model call and started a tool call.
const SIDE_BY_SIDE: [&str; 5] = [
    r#"{"type":"AGENT_START","replyId":"child1","source":"main/child"}"#,
    r#"{"type":"MODEL_CALL_START","replyId":"call1","source":"main/child"}"#,
    r#"{"type":"TOOL_CALL_START","replyId":"call1","toolCallId":"c1","toolCallName":"n","source":"main/child"}"#,
    r#"{"type":"AGENT_START","replyId":"child2","source":"main/child"}"#,
    r#"{"type":"AGENT_START","replyId":"child3","source":"main/child"}"#,
];

#[test]
fn of_several_open_runs_the_one_that_started_the_call_takes_the_event() {
    let mut log = SIDE_BY_SIDE.to_vec();
    log.push(r#"{"type":"TOOL_RESULT_START","replyId":"new","toolCallId":"c1","toolCallName":"n","source":"main/child"}"#);
    let last = read(&log).pop().unwrap();
    assert_eq!((last.event.reply_id().unwrap().as_str(), last.notes), ("child1", vec![]));
}

#[test]
fn of_several_open_runs_the_oldest_without_an_open_model_call_takes_the_event() {
    let mut log = SIDE_BY_SIDE.to_vec();
    log.push(r#"{"type":"MODEL_CALL_START","replyId":"new","source":"main/child"}"#);
    assert_eq!(last_reply(&log), "child2");
    log.push(r#"{"type":"MODEL_CALL_START","replyId":"newer","source":"main/child"}"#);
    assert_eq!(last_reply(&log), "child3");
    // The first run's call ends, so it is the oldest again.
    log.push(r#"{"type":"MODEL_CALL_END","replyId":"call1","source":"main/child"}"#);
    log.push(r#"{"type":"TOOL_RESULT_START","replyId":"newest","toolCallId":"unknown","toolCallName":"n","source":"main/child"}"#);
    let last = read(&log).pop().unwrap();
    assert_eq!((last.event.reply_id().unwrap().as_str(), last.notes), ("child1", vec![]));
}

#[test]
fn of_several_open_runs_that_all_are_in_a_model_call_the_newest_takes_the_event_and_that_is_noted() {
    let mut log = SIDE_BY_SIDE.to_vec();
    log.push(r#"{"type":"MODEL_CALL_START","replyId":"call2","source":"main/child"}"#);
    log.push(r#"{"type":"MODEL_CALL_START","replyId":"call3","source":"main/child"}"#);
    log.push(r#"{"type":"CUSTOM","name":"n","value":{},"source":"main/child"}"#);
    log.push(r#"{"type":"REQUEST_STOP","reason":"x","source":"main/child"}"#);
    let last = read(&log).pop().unwrap();
    assert_eq!((last.event.reply_id().unwrap().as_str(), last.notes), ("child3", vec![ReadNote::GuessedRun]));
}

#[test]
fn first_own_id_opens_a_run_before_any_start() {
    let log = [
        r#"{"type":"MODEL_CALL_START","replyId":"call1"}"#,
        r#"{"type":"TOOL_RESULT_START","replyId":"acting","toolCallId":"c"}"#,
        r#"{"type":"REQUEST_STOP","reason":"x"}"#,
        r#"{"type":"AGENT_END","replyId":"call1"}"#,
        // The speaker has started: own ids stand as they are, and open nothing.
        r#"{"type":"MODEL_CALL_START","replyId":"call2"}"#,
        r#"{"type":"MODEL_CALL_START","replyId":"call3"}"#,
    ];
    assert_eq!(replies(&log), ["call1", "call1", "call1", "call1", "call2", "call3"]);
}

#[test]
fn hint_and_end_open_no_run() {
    let calls = [r#"{"type":"MODEL_CALL_START","replyId":"call1"}"#, r#"{"type":"MODEL_CALL_START","replyId":"call2"}"#];
    for opener in [r#"{"type":"HINT_BLOCK","replyId":"first","blockId":"h","hint":"x"}"#, r#"{"type":"AGENT_END","replyId":"first"}"#] {
        assert_eq!(replies(&[opener, calls[0], calls[1]]), ["first", "call1", "call1"], "{opener}");
    }
}

#[test]
fn event_without_own_id_and_without_an_open_run_has_no_reply() {
    let end = r#"{"type":"AGENT_END","replyId":"run"}"#;
    let start = r#"{"type":"AGENT_START","replyId":"run"}"#;
    let last = |line| last_reply(&[start, end, line]);
    assert_eq!(last(r#"{"type":"REQUEST_STOP","reason":"x"}"#), "-");
    assert_eq!(last(r#"{"type":"EXCEED_MAX_ITERS","replyId":""}"#), "-");
    assert_eq!(last(r#"{"type":"MODEL_CALL_END"}"#), "-");
    assert_eq!(last(r#"{"type":"CUSTOM","name":"n","value":{}}"#), "-");
}

#[test]
fn content_without_any_id_opens_the_anonymous_reply_and_that_is_noted() {
    let log = [r#"{"type":"TEXT_BLOCK_DELTA","delta":"a"}"#, r#"{"type":"TEXT_BLOCK_DELTA","delta":"b"}"#];
    let read = read(&log);
    assert_eq!(replies(&log), ["anonymous", "anonymous"]);
    assert_eq!((&*read[0].notes, &*read[1].notes), (&[ReadNote::AnonymousReply][..], &[][..]));
}

#[test]
fn id_of_a_hint_is_not_remembered() {
    let hint = r#"{"type":"HINT_BLOCK","replyId":"session","blockId":"h","hint":"x"}"#;
    let log = [
        r#"{"type":"AGENT_START","replyId":"run1"}"#,
        hint,
        r#"{"type":"AGENT_END","replyId":"run1"}"#,
        r#"{"type":"AGENT_START","replyId":"run2"}"#,
        hint,
    ];
    assert_eq!(replies(&log), ["run1", "run1", "run1", "run2", "run2"]);
}

#[test]
fn pieces_with_one_own_id_go_to_the_run_of_their_speaker() {
    let start = |run: &str, speaker: &str| format!(r#"{{"type":"AGENT_START","replyId":"{run}"{speaker}}}"#);
    let piece = |speaker: &str| format!(r#"{{"type":"TEXT_BLOCK_DELTA","replyId":"call","blockId":"text","delta":"x"{speaker}}}"#);
    let (child, task) = (r#","source":"main/child""#, r#","source":"main/child","metadata":{"taskId":"t"}"#);
    let log = [
        start("run", ""),
        start("child", child),
        start("task", task),
        piece(""),
        piece(child),
        piece(task),
        piece(child),
        piece(""),
        piece(""),
    ];
    let log: Vec<_> = log.iter().map(String::as_str).collect();
    assert_eq!(replies(&log)[3..], ["run", "child", "task", "child", "run", "run"]);
}

#[test]
fn unknown_events_are_left_alone() {
    let log = [r#"{"type":"AGENT_START","replyId":"run"}"#, r#"{"type":"MOOD","replyId":"x"}"#];
    assert_eq!(read(&log)[1].event.to_json(), log[1]);
}
