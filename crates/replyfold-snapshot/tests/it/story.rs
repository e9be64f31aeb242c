//! What each step of a story is.

use replyfold_event::message::{FinishedReason, Msg, ToolResultState, Usage};
use replyfold_event::{AgentEvent, EventType, ExtensionType, GenerateReason, Retry};
use replyfold_snapshot::{Part, SnapshotOptions, Story, assert_msg_snapshot, chopped, given, json, msg_snapshot, story};
use std::collections::BTreeSet;

/// Every step once.
fn all() -> Story {
    story()
        .agent("Friday")
        .session("s1")
        .reply("r1")
        .model_call("m")
        .model_call_retried(Retry::new(1, 3, 10), "timeout")
        .model_call("m")
        .thinking(["a", "b"])
        .text(String::from("c"))
        .data("image/png", [b"ab", b"cd"])
        .data_url("image/png", "https://e.org/a.png")
        .tool("f", json!({ "a": 1 }))
        .tool("g", chopped(json!({ "b": 2 }), 3))
        .tool("h", "{")
        .model_call_end(Usage::new(1, 2))
        .require_confirm()
        .confirm_with(&json!({ "a": 3 }))
        .result_with(ToolResultState::Denied, [Part::from("no"), Part::data("image/png", "?")])
        .require_external()
        .external_result([Part::from("x"), Part::url("image/png", "u")])
        .external_result(Part::data("image/png", [1]))
        .request_stop(GenerateReason::ToolSuspended)
        .later(5_000)
        .reply("r1")
        .hint("brief")
        .hint_from("host", "briefer")
        .custom("n", &json!({ "k": 1 }))
        .expose("s", "a", "x")
        .subagent("main/helper", |helper| helper.reply("r2").text("inner").end_with(FinishedReason::Completed))
        .exceed_max_iters(3)
        .interrupt()
}

#[test]
fn a_story_can_say_everything_that_an_agent_sends() {
    let log = all();
    let said: BTreeSet<&str> = log.events().iter().map(AgentEvent::type_name).collect();
    let mut lacks: Vec<&str> = EventType::ALL.iter().map(|t| t.as_str()).chain(ExtensionType::ALL.iter().map(|t| t.as_str())).collect();
    lacks.retain(|name| !said.contains(name));
    // Java's two say again what other events say.
    assert_eq!(lacks, ["AGENT_RESULT", "ALL_TOOLS_DENIED"]);
    let notes = given(&log).end().notes().iter().map(|note| note.kind.as_str().to_owned()).collect::<Vec<_>>();
    assert_eq!(notes, ["bad_arguments"], "the arguments of `h`, as told");
    assert_msg_snapshot!(log, @r#"
    message: [reply-1]
    name: Friday
    role: assistant
    at: +0.000s..+5.520s
    finishedReason: interrupted
    usage: 1 in, 2 out
    content:
    - thinking: "ab"
      id: [block-1]
      at: +0.040s..+0.070s
    - text: "c"
      id: [block-2]
      at: +0.080s..+0.100s
    - data: image/png, 4 bytes, base64 YWJjZA==
      id: [block-3]
      at: +0.110s..+0.140s
    - data: image/png, url "https://e.org/a.png"
      id: [block-4]
      at: +0.150s..+0.170s
    - tool_use: f
      id: [call-1]
      input: {"a":3}
      state: finished
      at: +0.180s..+0.200s
    - tool_use: g
      id: [call-2]
      input: {"a":3}
      state: finished
      at: +0.210s..+0.250s
    - tool_use: h
      id: [call-3]
      input: {"a":3}
      state: finished
      at: +0.260s..+0.280s
    - tool_result: f
      id: [call-1]
      output:
      - text: "no"
        at: +0.330s..
      - data: image/png, 1 bytes, base64 Pw==
        id: [block-5]
        at: +0.340s..
      state: denied
      at: +0.320s..+0.350s
    - tool_result: g
      id: [call-2]
      output:
      - text: "x"
      - data: image/png, url "u"
      state: success
      at: +0.370s..+0.370s
    - tool_result: h
      id: [call-3]
      output:
      - data: image/png, 1 bytes, base64 AQ==
      state: success
      at: +0.380s..+0.380s
    - hint: "brief"
      id: [block-6]
      at: +5.410s..+5.410s
    - hint: "briefer"
      source: host
      id: [block-7]
      at: +5.420s..+5.420s
    ---
    message: [reply-2]
    source: main/helper
    name: Friday
    role: assistant
    at: +5.450s..+5.490s
    finishedReason: completed
    content:
    - text: "inner"
      id: [block-8]
      at: +5.460s..+5.480s
    "#);
}

#[test]
fn the_same_story_is_the_same_log() {
    assert_eq!(all().into_events(), all().into_events());
    let ids: Vec<String> = all().events().iter().map(|event| event.id.as_ref().unwrap().to_string()).collect();
    assert_eq!(ids, (1..=ids.len()).map(|n| format!("e{n}")).collect::<Vec<_>>());
    let times: Vec<_> = all().events().iter().map(|event| event.created_at.as_ref().unwrap().to_datetime().unwrap()).collect();
    assert!(times.is_sorted() && times.windows(2).all(|pair| pair[0] < pair[1]));
}

#[test]
fn what_is_left_open_goes_on_where_it_was_and_answers_find_their_calls() {
    let log = story()
        .reply("r1")
        .open_tool("f", ["{\"a\"", ":"])
        .more("1}")
        .close()
        .id("call_9")
        .tool("g", json!({}))
        .result_of("call_9", "second")
        .open_result(["fir", "st"])
        .close_result(ToolResultState::Running)
        .open_thinking("hm")
        .open_text("one")
        .more(vec![" two"])
        .close()
        .more("!");
    assert_msg_snapshot!(log, @r#"
    message: [reply-1]
    role: assistant
    at: +0.000s..
    content:
    - tool_use: f
      id: [call-1]
      input: {"a":1}
      state: pending
      at: +0.010s..+0.050s
    - tool_use: g
      id: [call-2]
      input: {}
      state: finished
      at: +0.060s..+0.080s
    - tool_result: g
      id: [call-2]
      output:
      - text: "second"
        at: +0.100s..
      state: success
      at: +0.090s..+0.110s
    - tool_result: f
      id: [call-1]
      output:
      - text: "first"
        at: +0.130s..
      state: running
      at: +0.120s..+0.150s
    - thinking: "hm!"
      id: [block-1]
      at: +0.160s..
    - text: "one two"
      id: [block-2]
      at: +0.180s..+0.210s
    "#);
}

#[test]
fn replies_side_by_side_go_on_with_their_own_blocks_and_calls() {
    let log = story()
        .reply("r1")
        .tool("f", json!({}))
        .open_text("a")
        .subagent("main/helper", |helper| helper.agent("Helper").reply("r1").tool("g", json!({})).open_text("c"))
        .reply("r2")
        .open_text("b")
        .in_reply("r1")
        .more("A")
        .result("of f")
        .subagent("main/helper", |helper| helper.result("of g").more("C").close())
        .in_reply("r2")
        .more("B")
        .close()
        .in_reply("r1")
        .close();
    assert!(given(&log).end().notes().is_empty(), "{:?}", given(&log).end().notes());
    let texts = |msg: &Msg| msg_snapshot(SnapshotOptions::new().with_ids(false).with_times(false).of(msg));
    let shown: Vec<String> = given(&log).end().messages().into_iter().map(texts).collect();
    assert!(shown[0].contains(r#"text: "aA""#) && shown[0].contains(r#"text: "of f""#), "{}", shown[0]);
    assert!(
        shown[1].contains(r#"text: "cC""#) && shown[1].contains(r#"text: "of g""#) && shown[1].contains("name: Helper"),
        "{}",
        shown[1]
    );
    assert!(shown[2].contains(r#"text: "bB""#) && !shown[2].contains("Helper"), "{}", shown[2]);
    assert!(log.events().last().is_some_and(|event| event.block_id().is_some_and(|id| id.as_str() == "b1")));
}

#[test]
fn a_log_may_begin_in_the_middle() {
    let log = story().in_reply("r9").text("Hello").end();
    assert_eq!(log.events()[0].type_name(), "TEXT_BLOCK_START");
    assert_eq!(given(&log).end().notes()[0].kind.as_str(), "head_missing");
}

#[test]
fn declined_calls_are_finished() {
    assert_msg_snapshot!(story().reply("r1").tool("rm", json!({ "path": "/" })).require_confirm().decline(), @r#"
    message: [reply-1]
    role: assistant
    at: +0.000s..
    content:
    - tool_use: rm
      id: [call-1]
      input: {"path":"/"}
      state: finished
      at: +0.010s..+0.030s
    "#);
}

#[test]
fn steps_that_cannot_be_fail_with_a_sentence() {
    let failure = |run: fn() -> Story| {
        let payload = std::panic::catch_unwind(run).err().unwrap();
        payload.downcast_ref::<String>().cloned().or_else(|| payload.downcast_ref::<&str>().map(ToString::to_string)).unwrap()
    };
    assert_eq!(failure(|| story().more("x")), "nothing of the reply r1 is open that could have more pieces: begin it with an `open_` step");
    assert_eq!(failure(|| story().close()), "nothing of the reply r1 is open that could end: begin it with an `open_` step");
    assert_eq!(failure(|| story().result("x")), "the reply r1 has no call that lacks its answer: make one with `tool`");
    assert_eq!(failure(|| story().result_of("c1", "x")), "the reply r1 has no call \"c1\": make it with `id(\"c1\").tool(…)`");
    assert_eq!(
        failure(|| story().open_text("x").close_result(ToolResultState::Success)),
        "no answer of a tool is open in the reply r1: begin it with `open_result`"
    );
    assert_eq!(
        failure(|| story().external_result("x")),
        "no call was handed out that lacks its result: hand it out with `require_external`"
    );
    let told = failure(|| story().custom("n", &json!([])));
    assert!(told.starts_with("the value of the custom event \"n\" is wrong: expected an object"), "{told}");
}
