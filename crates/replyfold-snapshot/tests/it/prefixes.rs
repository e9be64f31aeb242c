//! How messages grow.

use replyfold_event::message::{Msg, ToolResultState};
use replyfold_event::{AgentEnd, Retry, TextBlockDelta};
use replyfold_message::Failure;
use replyfold_snapshot::{SnapshotOptions, assert_prefix_snapshots, given, json, msg_snapshot, prefix_snapshots, story};

#[test]
fn a_failed_attempt_is_withdrawn() {
    let log = story()
        .reply("r1")
        .model_call("m")
        .text("old")
        .model_call_retried(Retry::new(1, 3, 10), "timeout")
        .model_call("m")
        .text("new")
        .end();
    assert_prefix_snapshots!(log, @r#"
    1 AGENT_START  + {message: [reply-1], role: assistant, at: +0.000s.., content: []}
    2 MODEL_CALL_START
    3 TEXT_BLOCK_START  + content[0] {text: "", id: [block-1], at: +0.020s..}
    4 TEXT_BLOCK_DELTA  content[0].text += "old"
    5 TEXT_BLOCK_END  content[0].at = +0.020s..+0.040s
    6 MODEL_CALL_END  - content[0]
    7 MODEL_CALL_START
    8 TEXT_BLOCK_START  + content[0] {text: "", id: [block-2], at: +0.070s..}
    9 TEXT_BLOCK_DELTA  content[0].text += "new"
    10 TEXT_BLOCK_END  content[0].at = +0.070s..+0.090s
    11 AGENT_END  at = +0.000s..+0.100s
    "#);
}

#[test]
fn replies_side_by_side_are_told_apart() {
    let log = story()
        .reply("r1")
        .open_text("one")
        .subagent("main/helper", |helper| helper.reply("r1").text("inner"))
        .reply("r2")
        .in_reply("r1")
        .more("!");
    assert_prefix_snapshots!(log, @r#"
    1 AGENT_START  + {message: [reply-1], role: assistant, at: +0.000s.., content: []}
    2 TEXT_BLOCK_START  + [reply-1].content[0] {text: "", id: [block-1], at: +0.010s..}
    3 TEXT_BLOCK_DELTA  [reply-1].content[0].text += "one"
    4 AGENT_START  + {message: [reply-1], source: main/helper, role: assistant, at: +0.030s.., content: []}
    5 TEXT_BLOCK_START  + [reply-1]@main/helper.content[0] {text: "", id: [block-2], at: +0.040s..}
    6 TEXT_BLOCK_DELTA  [reply-1]@main/helper.content[0].text += "inner"
    7 TEXT_BLOCK_END  [reply-1]@main/helper.content[0].at = +0.040s..+0.060s
    8 AGENT_START  + {message: [reply-2], role: assistant, at: +0.070s.., content: []}
    9 TEXT_BLOCK_DELTA  [reply-1].content[0].text += "!"
    "#);
}

#[test]
fn notes_and_records_that_cannot_be_read_are_shown_where_they_are() {
    let mut text = story().reply("r1").event(TextBlockDelta::new("r1", "b9", "lost")).to_jsonl(replyfold_dialect::Dialect::Canonical).text;
    text.push_str("nonsense\n");
    text.push_str(text.lines().next().unwrap().to_owned().as_str());
    text.push_str("\n{\"type\":\"FROM THE FUTURE\",\"replyId\":\"r1\"}\n");
    assert_prefix_snapshots!(text, @r#"
    1 AGENT_START  + {message: [reply-1], role: assistant, at: +0.000s.., content: []}
    2 TEXT_BLOCK_DELTA  ! delta_without_start [block-1]
    3 bad record: "no event: not JSON: expected ident at byte 1"
    4 AGENT_START  ! duplicate_event [event-1]
    5 "FROM THE FUTURE"
    "#);
}

#[test]
fn an_answer_in_text_and_media_with_its_end() {
    let log = story().reply("r1").tool("draw", json!({})).result_with(
        ToolResultState::Error,
        [replyfold_snapshot::Part::from("no "), "ink".into(), replyfold_snapshot::Part::data("image/png", b"abc")],
    );
    assert_prefix_snapshots!(log, @r#"
    1 AGENT_START  + {message: [reply-1], role: assistant, at: +0.000s.., content: []}
    2 TOOL_CALL_START  + content[0] {tool_use: draw, id: [call-1], state: pending, at: +0.010s..}
    3 TOOL_CALL_DELTA  + content[0].input {}
    4 TOOL_CALL_END  content[0].at = +0.010s..+0.030s
    5 TOOL_RESULT_START  + content[1] {tool_result: draw, id: [call-1], output: [], state: running, at: +0.040s..}
    6 TOOL_RESULT_TEXT_DELTA  + content[1].output[0] {text: "no ", at: +0.050s..}
    7 TOOL_RESULT_TEXT_DELTA  content[1].output[0].text += "ink"
    8 TOOL_RESULT_DATA_DELTA  + content[1].output[1] {data: image/png, 3 bytes, base64 YWJj, id: [block-1], at: +0.070s..}
    9 TOOL_RESULT_END
      content[0].state = finished
      content[1].state = error
      content[1].at = +0.040s..+0.080s
    "#);
}

/// Two logs whose messages differ at some prefix have different snapshots, also if they end alike.
#[test]
fn pieces_that_are_cut_otherwise_are_other_prefixes() {
    let [one, two] = [["Hel", "lo"], ["He", "llo"]].map(|pieces| story().reply("r1").text(pieces).end());
    assert_eq!(msg_snapshot(&one), msg_snapshot(&two));
    assert_ne!(prefix_snapshots(&one), prefix_snapshots(&two));
}

/// A record changes what it changes: a block that was withdrawn is gone, and those after it only move up.
#[test]
fn a_withdrawal_shows_what_is_gone_and_not_what_moved_up() {
    let log =
        story().reply("r1").model_call("m").text("one").hint("brief").open_text("two").model_call_retried(Retry::new(1, 3, 10), "timeout");
    let text = prefix_snapshots(log);
    assert!(text.ends_with("\n9 MODEL_CALL_END\n  - content[0]\n  - content[2]\n"), "{text}");
}

/// What a text names is marked from the start, though it appears later: no raw id that changes from run to run, and no change afterwards.
#[test]
fn a_text_that_names_a_later_id_is_marked_at_once_and_does_not_change() {
    let log = story().reply("r1").event(AgentEnd::new("r1").with_error(Failure::new("lost [call-1], call_7 of r2")));
    let log = log.id("call_7").tool("f", json!({})).reply("r2");
    assert_prefix_snapshots!(log, @r#"
    1 AGENT_START  + {message: [reply-1], role: assistant, at: +0.000s.., content: []}
    2 AGENT_END
      [reply-1].at = +0.000s..+0.010s
      + [reply-1].error {message: "lost [=call-1], [call-1] of [reply-2]"}
    3 TOOL_CALL_START
      + [reply-1].content[0] {tool_use: f, id: [call-1], state: pending, at: +0.020s..}
      ! after_reply_end
    4 TOOL_CALL_DELTA
      + [reply-1].content[0].input {}
      ! after_reply_end
    5 TOOL_CALL_END
      [reply-1].content[0].at = +0.020s..+0.040s
      ! after_reply_end
    6 AGENT_START  + {message: [reply-2], role: assistant, at: +0.050s.., content: []}
    "#);
    assert!(msg_snapshot(&log).contains(r#"message: "lost [=call-1], [call-1] of [reply-2]""#));
}

#[test]
fn a_log_without_records_says_so() {
    assert_prefix_snapshots!(story(), @"no record");
    assert_eq!(prefix_snapshots(""), "no record\n");
}

/// Ids, paths, names, types and reasons of a log that is after the reader's terminal.
#[test]
fn nothing_of_a_log_reaches_a_terminal_raw() {
    let esc = '\u{1b}';
    let log = [
        r#"{"type":"AGENT_START","replyId":"r\u001b[2J","source":"a\u001b[2J/b","role":"x\u001b","name":"\u0007\u202e"}"#.to_owned(),
        r#"{"type":"AGENT_START","replyId":"r2\r\n9 AGENT_END"}"#.to_owned(),
        r#"{"type":"TEXT_BLOCK_DELTA","replyId":"r2\r\n9 AGENT_END","blockId":"b\u001b","delta":"x"}"#.to_owned(),
        r#"{"type":"\u001b[31m","replyId":"r2"}"#.to_owned(),
        format!("nonsense {esc}[31m"),
    ]
    .join("\n");
    for ids in [true, false] {
        let options = SnapshotOptions::new().with_ids(ids);
        let text = prefix_snapshots(options.clone().of(&log));
        assert_eq!(text.lines().filter(|line| !line.starts_with(' ')).count(), 5, "{text}");
        assert!(text.chars().all(|c| c == '\n' || !c.is_control() && c != '\u{202e}'), "{text:?}");
        let text = msg_snapshot(options.of(&log));
        assert!(text.chars().all(|c| c == '\n' || !c.is_control() && c != '\u{202e}'), "{text:?}");
    }
}

/// The text of a prefix is the beginning of the text of every longer one, as long as there is one reply and no text names a later id.
#[test]
fn a_prefix_of_a_log_has_a_prefix_of_its_snapshot() {
    let log = given(
        story().reply("r1").thinking("hm").tool("f", json!({ "a": 1 })).require_confirm().confirm().result("x").text(["a", "b"]).end(),
    );
    let whole = prefix_snapshots(&log);
    for k in 1..=log.len() {
        assert!(whole.starts_with(&prefix_snapshots(log.at(k))), "k = {k}");
        assert_eq!(log.at(k).position(), k);
    }
    let messages: Vec<Msg> = (1..=log.len()).map(|k| log.at(k).message().clone()).collect();
    assert_eq!(messages.last(), Some(log.end().message()));
}
