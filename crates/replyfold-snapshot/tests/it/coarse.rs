//! Coarse streams and timelines.

use replyfold_coarse::{CoarseEvent, CollapseOptions, Language, SubagentPolicy};
use replyfold_event::Retry;
use replyfold_snapshot::{
    SnapshotOptions, assert_coarse_snapshot, assert_timeline_snapshot, coarse_snapshot, json, story, timeline_snapshot,
};

#[test]
fn errors_that_recover_keep_the_timeline_open() {
    let log =
        story().reply("r1").model_call("m").model_call_retried(Retry::new(1, 3, 10), "timeout of r1").model_call("m").text("Hi").end();
    assert_coarse_snapshot!(log, @r#"
    error LLM_CALL_FAILED "LLM 调用失败，正在重试 (1/3)" "timeout of [reply-1]"
    text "Hi"
    complete
    "#);
    assert_timeline_snapshot!(log, @r#"
    content: "Hi"
    timeline:
    - error: "LLM 调用失败，正在重试 (1/3)"
    expanded: yes
    complete: yes
    "#);
}

#[test]
fn a_stream_is_collapsed_with_the_options_that_are_given() {
    let log = story()
        .reply("r1")
        .subagent("main/helper", |helper| helper.reply("r2").text("psst").end())
        .model_call_failed("timeout")
        .fail("timeout");
    let options = CollapseOptions::new().with_language(Language::English).with_subagents(SubagentPolicy::Thinking);
    assert_coarse_snapshot!(SnapshotOptions::new().with_collapse(options).of(&log), @r#"
    thinking "[main/helper] psst"
    error LLM_CALL_FAILED "LLM call failed" "timeout"
    complete
    "#);
}

#[test]
fn several_replies_have_a_timeline_each() {
    let log = story().reply("r1").text("one").end().reply("r2").tool("f", json!({})).result("x");
    assert_timeline_snapshot!(log, @r#"
    reply: [reply-1]
    content: "one"
    timeline: []
    expanded: no
    complete: yes
    ---
    reply: [reply-2]
    content: ""
    timeline:
    - tool: f
      id: [call-1]
      status: completed
    expanded: yes
    complete: no
    "#);
    assert_eq!(timeline_snapshot(story()), "no timeline\n");
    assert_eq!(coarse_snapshot(story()), "no event\n");
}

#[test]
fn every_field_of_a_coarse_event_shows() {
    let lines = [
        r#"{"type":"text","content":null}"#,
        r#"{"type":"text","content":""}"#,
        r#"{"type":"text","content":"-"}"#,
        r#"{"type":"thinking","content":"-"}"#,
        r#"{"type":"tool_start","toolName":"a b","toolCallId":"c1","arguments":null}"#,
        r#"{"type":"tool_start","toolName":"a","toolCallId":"c2","arguments":""}"#,
        r#"{"type":"tool_end","toolName":"a","toolCallId":"c1","result":null}"#,
        r#"{"type":"error","code":null,"message":null,"detail":null}"#,
        r#"{"type":"error","code":"-","message":"","detail":"of c1"}"#,
        r#"{"type":"complete"}"#,
        r#"{"type":"reference","content":[{"n": 1.10}]}"#,
    ];
    let events = lines.map(|line| CoarseEvent::from_json(line).unwrap());
    assert_coarse_snapshot!(events, @r#"
    text -
    text ""
    text "-"
    thinking "-"
    tool_start "a b" [call-1] -
    tool_start a [call-2] ""
    tool_end a [call-1] -
    error - - -
    error "-" "" "of [call-1]"
    complete
    other {"type":"reference","content":[{"n": 1.10}]}
    "#);
    let shown: Vec<String> = events.iter().map(|event| coarse_snapshot([event.clone()])).collect();
    assert!((1..shown.len()).all(|at| !shown[..at].contains(&shown[at])), "{shown:#?}");
}
