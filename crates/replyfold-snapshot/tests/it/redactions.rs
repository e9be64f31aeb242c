//! Ids as marks, times as distances, and the switches.

use crate::messages::msg;
use replyfold_coarse::CoarseEvent;
use replyfold_message::json::JsonObject;
use replyfold_message::{Msg, Role, TextBlock, Timestamp, ToolCallBlock};
use replyfold_snapshot::{SnapshotOptions, assert_coarse_snapshot, assert_msg_snapshot, msg_snapshot, story, timeline_snapshot};

fn with_metadata(metadata: &str) -> Msg {
    let mut msg = Msg::new("r1", Role::Assistant);
    msg.metadata = JsonObject::parse(metadata).unwrap();
    msg.content.push(ToolCallBlock::new("call_1", "f"));
    msg.content.push(TextBlock::new("call_1 and text").with_id("text"));
    msg.content.push(ToolCallBlock::new("10", "f"));
    msg
}

#[test]
fn ids_are_marked_in_the_structure_as_whole_words_and_never_in_what_was_said() {
    let metadata = r#"{"call_1": "call_1", "of": ["run r1/call_1.", "call_10", "my-call_1", "text", "10", 10]}"#;
    assert_msg_snapshot!(with_metadata(metadata), @r#"
    message: [reply-1]
    role: assistant
    metadata: {"[call-1]":"[call-1]","of":["run [reply-1]/[call-1].","call_10","my-call_1","text","10",10]}
    content:
    - tool_use: f
      id: [call-1]
      state: pending
    - text: "call_1 and text"
      id: [block-1]
    - tool_use: f
      id: [call-2]
      state: pending
    "#);
}

#[test]
fn what_only_looks_like_a_mark_is_told_from_one() {
    let [mark, same, twice] =
        [r#"{"a":"call_1"}"#, r#"{"a":"[call-1]"}"#, r#"{"a":"[=call-1]"}"#].map(|text| msg_snapshot(with_metadata(text)));
    assert!(mark.contains(r#"{"a":"[call-1]"}"#) && same.contains(r#"{"a":"[=call-1]"}"#) && twice.contains(r#"{"a":"[==call-1]"}"#));
}

#[test]
fn a_mark_follows_the_order_of_appearance_and_not_the_id() {
    let story = |first: &str, second: &str| {
        let story = story().reply("r1").id(first).tool("a", "{}").id(second).tool("b", "{}");
        msg_snapshot(story.result_of(second, "2").result_of(first, "1"))
    };
    assert_eq!(story("c1", "c2"), story("z9", "a1"));
    // The same id twice is another thing than two ids.
    assert_ne!(msg_snapshot(with_ids("b1", "b1")), msg_snapshot(with_ids("b1", "b2")));
}

/// `c1` is the beginning of `c10` and of `c1-a`; one id is that of a reply, a block and a call; a block's is empty.
#[test]
fn ids_that_begin_alike_or_are_equal_or_empty_are_told_apart() {
    let mut msg = Msg::new("x1", Role::Assistant);
    msg.metadata = JsonObject::parse(r#"{"of":"c1, c10, c1-a, c100 and x1", "lines":"\nc1\\c1\u000Ac1\"c1"}"#).unwrap();
    ["c1", "c10", "c1-a", "x1"].into_iter().for_each(|id| msg.content.push(ToolCallBlock::new(id, "f")));
    ["x1", ""].into_iter().for_each(|id| msg.content.push(TextBlock::new("").with_id(id)));
    assert_msg_snapshot!(msg, @r#"
    message: [reply-1]
    role: assistant
    metadata: {"of":"[call-1], [call-2], [call-3], c100 and [reply-1]","lines":"\n[call-1]\\[call-1]\u000A[call-1]\"[call-1]"}
    content:
    - tool_use: f
      id: [call-1]
      state: pending
    - tool_use: f
      id: [call-2]
      state: pending
    - tool_use: f
      id: [call-3]
      state: pending
    - tool_use: f
      id: [call-4]
      state: pending
    - text: ""
      id: [block-1]
    - text: ""
      id: ""
    "#);
}

#[test]
fn an_error_of_a_coarse_stream_may_name_a_later_call() {
    let events = [CoarseEvent::error("E", "before c1", None), CoarseEvent::tool_start("f", "c1", None)];
    assert_coarse_snapshot!(events, @r#"
    error E "before [call-1]" -
    tool_start f [call-1] -
    "#);
    assert!(timeline_snapshot(events).contains("error: \"before [call-1]\""));
}

fn with_ids(first: &str, second: &str) -> Msg {
    let blocks = [TextBlock::new("a").with_id(first), TextBlock::new("b").with_id(second)];
    Msg::new("r1", Role::Assistant).with_content(blocks.into_iter().collect::<replyfold_message::Content>())
}

#[test]
fn times_are_exact_distances_in_any_zone_and_text_that_is_no_time_stays() {
    let times = [
        "2026-01-01T01:00:00+01:00",
        "2026-01-01T00:00:00.12",
        "2026-01-01 00:01:00.000001",
        "2026-01-01T00:00:00.000000001Z",
        "2025-12-31T23:59:59.5Z",
        "yesterday",
        "9999-01-01T00:00:00Z",
    ];
    let blocks = times.map(|time| TextBlock::new("").with_finished_at(Timestamp::new(time)));
    assert_msg_snapshot!(Msg::new("r1", Role::Assistant).with_content(blocks.into_iter().collect::<replyfold_message::Content>()), @r#"
    message: [reply-1]
    role: assistant
    content:
    - text: ""
      at: ..+0.000s
    - text: ""
      at: ..+0.120s
    - text: ""
      at: ..+60.000001s
    - text: ""
      at: ..+0.000000001s
    - text: ""
      at: ..-0.500s
    - text: ""
      at: .."yesterday"
    - text: ""
      at: ..9999-01-01T00:00:00Z
    "#);
}

#[test]
fn each_redaction_can_be_switched_off() {
    let shown = |options: SnapshotOptions| msg_snapshot(options.of(&msg()));
    let (usual, ids) = (shown(SnapshotOptions::new()), shown(SnapshotOptions::new().with_ids(false)));
    let (times, texts) = (shown(SnapshotOptions::new().with_times(false)), shown(SnapshotOptions::new().with_texts(false)));
    assert!(
        usual.contains("message: [reply-1]")
            && usual.contains("detail: \"in [reply-1], by [call-1]\"")
            && usual.contains("+0.010s..+0.020s")
    );
    assert!(ids.contains("message: r1") && ids.contains("detail: \"in r1, by c1\"") && ids.contains("+0.010s..+0.020s"));
    assert!(times.contains("at: 2026-01-01T00:00:00.010Z..2026-01-01T00:00:00.020Z") && times.contains("message: [reply-1]"));
    assert!(texts.contains("message: [reply-1]") && texts.contains("detail: \"in r1, by c1\""));
}

#[test]
fn a_coarse_stream_names_its_replies_when_there_are_several_or_ids_are_kept() {
    let log = story().reply("r1").text("one").reply("r2").text("two").in_reply("r1").end();
    assert_coarse_snapshot!(log, @r#"
    [reply-1] text "one"
    [reply-2] text "two"
    [reply-1] complete
    "#);
    assert_coarse_snapshot!(SnapshotOptions::new().with_ids(false).of(&story().reply("r7").text("one")), @r#"r7 text "one""#);
}
