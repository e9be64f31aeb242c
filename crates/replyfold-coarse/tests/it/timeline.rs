//! Section 6: the client.

use replyfold_coarse::{CoarseEvent, Timeline};

fn timeline(lines: &[&str]) -> Timeline {
    let mut timeline = Timeline::new();
    lines.iter().for_each(|line| timeline.apply(&CoarseEvent::from_json(line).unwrap()));
    timeline
}

fn entries(timeline: &Timeline) -> String {
    serde_json::to_string(timeline.entries()).unwrap()
}

#[test]
fn a_new_message_is_empty_and_expanded() {
    assert_eq!(
        Timeline::new().to_json(),
        r#"{"content":"","thinking":[],"timeline":[],"reference":[],"recommend":[],"showTimeline":true,"hasThinking":false}"#
    );
}

#[test]
fn a_run_of_thinking_is_one_entry_and_text_is_none() {
    let timeline = timeline(&[
        r#"{"type":"thinking","content":"a"}"#,
        r#"{"type":"text","content":"x"}"#,
        r#"{"type":"thinking","content":"b"}"#,
        r#"{"type":"tool_start","toolName":"t","toolCallId":"c1"}"#,
        r#"{"type":"thinking","content":"c"}"#,
        r#"{"type":"thinking","content":null}"#,
    ]);
    assert_eq!(
        timeline.to_json(),
        concat!(
            r#"{"content":"x","thinking":["a","b","c"],"timeline":[{"type":"thinking","content":"ab"},"#,
            r#"{"type":"tool","toolName":"t","toolCallId":"c1","status":"running"},{"type":"thinking","content":"c"}],"#,
            r#""reference":[],"recommend":[],"showTimeline":true,"hasThinking":true}"#
        )
    );
}

#[test]
fn a_failed_tool_is_completed_a_double_start_and_a_foreign_end_change_nothing() {
    let timeline = timeline(&[
        r#"{"type":"tool_start","toolName":"t","toolCallId":"c1"}"#,
        r#"{"type":"tool_start","toolName":"t","toolCallId":"c1"}"#,
        r#"{"type":"tool_end","toolName":"t","toolCallId":"other","result":"x"}"#,
        r#"{"type":"tool_end","toolName":"t","toolCallId":"c1","result":"{ \"error\": \"工具执行失败：x\" }"}"#,
        r#"{"type":"complete"}"#,
    ]);
    assert_eq!(entries(&timeline), r#"[{"type":"tool","toolName":"t","toolCallId":"c1","status":"completed"}]"#);
    assert!(!timeline.is_expanded() && timeline.is_settled());
}

#[test]
fn an_error_keeps_the_timeline_expanded_after_the_end() {
    let timeline = timeline(&[r#"{"type":"error","code":"X","message":"m","detail":null}"#, r#"{"type":"complete"}"#]);
    assert_eq!(entries(&timeline), r#"[{"type":"error","message":"m"}]"#);
    assert!(timeline.is_expanded() && timeline.is_settled());
}

#[test]
fn a_tool_that_runs_at_the_end_stays_running_and_the_message_is_not_settled() {
    let timeline = timeline(&[r#"{"type":"tool_start","toolName":"t","toolCallId":"c1"}"#, r#"{"type":"complete"}"#]);
    assert!(entries(&timeline).contains("running"));
    assert!(timeline.is_complete() && !timeline.is_settled() && !timeline.is_expanded());
}

#[test]
fn references_of_older_agents_are_kept_as_a_list_or_as_text_of_one() {
    let timeline = timeline(&[
        r#"{"type":"reference","content":[{"n":1.10}]}"#,
        r#"{"type":"reference","content":"[{\"n\":2}]"}"#,
        r#"{"type":"recommend","content":"what next?"}"#,
        r#"{"type":"weather","content":1}"#,
    ]);
    assert_eq!(timeline.reference().collect::<Vec<_>>(), [r#"{"n":1.10}"#, r#"{"n":2}"#]);
    assert_eq!(timeline.recommend().collect::<Vec<_>>(), [r#""what next?""#]);
    assert!(timeline.to_json().contains(r#""reference":[{"n":1.10},{"n":2}]"#));
}
