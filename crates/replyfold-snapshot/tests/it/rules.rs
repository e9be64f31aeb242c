//! Rules of the fold, each as a story and what it changes, record by record.

use replyfold_event::message::Usage;
use replyfold_event::{ModelCallEnd, Retry, ToolResultStart};
use replyfold_snapshot::{Part, Story, assert_msg_snapshot, assert_prefix_snapshots, given, json, story};

fn retry(story: Story) -> Story {
    story.event(ModelCallEnd::new("r1", Usage::new(1, 1)).with_retry(Retry::new(1, 3, 10)))
}

#[test]
fn a_retry_withdraws_nothing_that_an_earlier_model_call_wrote() {
    let log = retry(story().reply("r1").model_call("m").open_text("kept").model_call("m"));
    assert_prefix_snapshots!(log, @r#"
    1 AGENT_START  + {message: [reply-1], role: assistant, at: +0.000s.., content: []}
    2 MODEL_CALL_START
    3 TEXT_BLOCK_START  + content[0] {text: "", id: [block-1], at: +0.020s..}
    4 TEXT_BLOCK_DELTA  content[0].text += "kept"
    5 MODEL_CALL_START
    6 MODEL_CALL_END  + usage 1 in, 1 out
    "#);
}

#[test]
fn a_retry_withdraws_nothing_of_a_model_call_that_has_ended_well() {
    let log = retry(story().reply("r1").model_call("m").text("kept").model_call_end(Usage::new(1, 1)).open_text("withdrawn"));
    assert_prefix_snapshots!(log, @r#"
    1 AGENT_START  + {message: [reply-1], role: assistant, at: +0.000s.., content: []}
    2 MODEL_CALL_START
    3 TEXT_BLOCK_START  + content[0] {text: "", id: [block-1], at: +0.020s..}
    4 TEXT_BLOCK_DELTA  content[0].text += "kept"
    5 TEXT_BLOCK_END  content[0].at = +0.020s..+0.040s
    6 MODEL_CALL_END  + usage 1 in, 1 out
    7 TEXT_BLOCK_START  + content[1] {text: "", id: [block-2], at: +0.060s..}
    8 TEXT_BLOCK_DELTA  content[1].text += "withdrawn"
    9 MODEL_CALL_END
      usage = 2 in, 2 out
      - content[1]
    "#);
}

#[test]
fn text_continues_the_last_output_if_that_is_text() {
    let log = story().reply("r1").tool("draw", json!({})).result(["a".into(), "b".into(), Part::url("image/png", "u://x"), "c".into()]);
    assert_msg_snapshot!(given(&log).end(), @r#"
    message: [reply-1]
    role: assistant
    at: +0.000s..
    content:
    - tool_use: draw
      id: [call-1]
      input: {}
      state: finished
      at: +0.010s..+0.030s
    - tool_result: draw
      id: [call-1]
      output:
      - text: "ab"
        at: +0.050s..
      - data: image/png, url "u://x"
        id: [block-1]
        at: +0.070s..
      - text: "c"
        at: +0.080s..
      state: success
      at: +0.040s..+0.090s
    "#);
}

#[test]
fn a_start_of_an_open_result_is_a_duplicate() {
    let log =
        story().reply("r1").tool("f", json!({})).open_result("a").event(ToolResultStart::new("r1", "c1", "f")).more("b").close().end();
    assert_prefix_snapshots!(log, @r#"
    1 AGENT_START  + {message: [reply-1], role: assistant, at: +0.000s.., content: []}
    2 TOOL_CALL_START  + content[0] {tool_use: f, id: [call-1], state: pending, at: +0.010s..}
    3 TOOL_CALL_DELTA  + content[0].input {}
    4 TOOL_CALL_END  content[0].at = +0.010s..+0.030s
    5 TOOL_RESULT_START  + content[1] {tool_result: f, id: [call-1], output: [], state: running, at: +0.040s..}
    6 TOOL_RESULT_TEXT_DELTA  + content[1].output[0] {text: "a", at: +0.050s..}
    7 TOOL_RESULT_START  ! duplicate_start [call-1]
    8 TOOL_RESULT_TEXT_DELTA  content[1].output[0].text += "b"
    9 TOOL_RESULT_END
      content[0].state = finished
      content[1].state = success
      content[1].at = +0.040s..+0.080s
    10 AGENT_END  at = +0.000s..+0.090s
    "#);
}
