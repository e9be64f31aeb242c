//! The same story in every dialect.

use replyfold_dialect::Dialect;
use replyfold_event::message::{FinishedReason, Usage};
use replyfold_snapshot::{
    SnapshotOptions, Story, assert_msg_snapshot, chopped, coarse_snapshot, given, json, msg_snapshot, prefix_snapshots, story,
    timeline_snapshot,
};

/// A story that uses what both field dialects can carry of a reply.
fn long() -> Story {
    story()
        .agent("Friday")
        .session("s1")
        .reply("r1")
        .model_call("m")
        .thinking(["look ", "it up"])
        .text("One moment.")
        .tool("search", chopped(json!({ "q": "x", "n": 3 }), 4))
        .tool("rm", json!({ "path": "/tmp/x" }))
        .model_call_end(Usage::new(10, 5))
        .require_confirm()
        .confirm()
        .result(["one hit\n", "two hits"])
        .result_with(replyfold_event::message::ToolResultState::Error, "no such file")
        .hint_from("host", "Be brief.")
        .tool("mail", "{}")
        .require_external()
        .external_result("sent")
        .model_call("m")
        .text(["Done", "."])
        .model_call_end(Usage::new(20, 4))
}

/// What is filled in or left out without any effect on a message.
const HARMLESS: [&str; 8] = ["modelName", "model_name", "finished_reason", "finishedReason", "session_id", "name", "createdAt", "id"];

#[test]
fn every_prefix_of_a_story_has_the_same_snapshot_in_java_and_python() {
    let story = long();
    let written = [Dialect::Canonical, Dialect::Java, Dialect::Python].map(|dialect| story.to_jsonl(dialect));
    for log in &written {
        let lost: Vec<String> = log.losses.iter().map(ToString::to_string).collect();
        assert!(log.losses.iter().all(|loss| HARMLESS.iter().any(|what| *loss.what == **what)), "{lost:#?}");
        assert_eq!(given(log).len(), story.events().len());
    }
    for log in &written {
        assert_eq!(prefix_snapshots(log), prefix_snapshots(&story), "{}", log.text);
    }
    let [canonical, java, python] = written;
    assert!(java.text.contains("\"usage\"") && python.text.contains("REPLY_START"), "they are three dialects");
    for k in 0..=story.events().len() {
        let expected = msg_snapshot(given(&story).at(k));
        for log in [&canonical, &java, &python] {
            assert_eq!(msg_snapshot(given(log).at(k)), expected, "k = {k}\n{}", log.text);
            assert_eq!(coarse_snapshot(given(log).at(k)), coarse_snapshot(given(&story).at(k)));
            assert_eq!(timeline_snapshot(given(log).at(k)), timeline_snapshot(given(&story).at(k)));
        }
    }
    assert_msg_snapshot!(java, @r#"
    message: [reply-1]
    name: Friday
    role: assistant
    at: +0.000s..
    usage: 30 in, 9 out
    content:
    - thinking: "look it up"
      id: [block-1]
      at: +0.020s..+0.050s
    - text: "One moment."
      id: [block-2]
      at: +0.060s..+0.080s
    - tool_use: search
      id: [call-1]
      input: {"n":3,"q":"x"}
      state: finished
      at: +0.090s..+0.140s
    - tool_use: rm
      id: [call-2]
      input: {"path":"/tmp/x"}
      state: finished
      at: +0.150s..+0.170s
    - tool_result: search
      id: [call-1]
      output:
      - text: |-
          one hit
          two hits
        at: +0.220s..
      state: success
      at: +0.210s..+0.240s
    - tool_result: rm
      id: [call-2]
      output:
      - text: "no such file"
        at: +0.260s..
      state: error
      at: +0.250s..+0.270s
    - hint: "Be brief."
      source: host
      id: [block-3]
      at: +0.280s..+0.280s
    - tool_use: mail
      id: [call-3]
      input: {}
      state: finished
      at: +0.290s..+0.310s
    - tool_result: mail
      id: [call-3]
      output:
      - text: "sent"
      state: success
      at: +0.330s..+0.330s
    - text: "Done."
      id: [block-4]
      at: +0.350s..+0.380s
    "#);
}

/// Java never says why a reply ended, Python always does: that shows, unless one asks for what both can say.
#[test]
fn the_end_of_a_reply_differs_by_its_reason_only() {
    let story = long().end_with(FinishedReason::Completed);
    let [java, python] = [Dialect::Java, Dialect::Python].map(|dialect| story.to_jsonl(dialect));
    let reasons = |text: String| text.lines().filter(|line| line.starts_with("finishedReason")).count();
    assert_eq!([&java, &python].map(|log| reasons(msg_snapshot(log))), [0, 1]);
    let across = SnapshotOptions::new().with_across_dialects(true);
    assert_eq!(msg_snapshot(across.clone().of(&java)), msg_snapshot(across.of(&python)));
    // Any other reason shows all the same.
    let interrupted = long().interrupt();
    let across = SnapshotOptions::new().with_across_dialects(true);
    assert_eq!(reasons(msg_snapshot(across.of(&interrupted))), 1);
}
