//! How a message is shown.

use replyfold_event::message::Usage;
use replyfold_message::json::JsonObject;
use replyfold_message::{
    Block, DataBlock, DataSource, Failure, FinishedReason, HintBlock, Media, Msg, PermissionBehavior, PermissionRule, Role, TextBlock,
    ThinkingBlock, Timestamp, ToolCallBlock, ToolCallState, ToolResultBlock, ToolResultState,
};
use replyfold_snapshot::assert_msg_snapshot;

fn at(milliseconds: u32) -> Timestamp {
    Timestamp::new(&format!("2026-01-01T00:00:00.{milliseconds:03}Z"))
}

/// A message with a block of each kind and each field set.
pub(crate) fn msg() -> Msg {
    let mut msg = Msg::new("r1", Role::Assistant).with_name("Friday").with_created_at(at(0)).with_finished_at(at(900));
    msg.finished_reason = Some(FinishedReason::Error);
    msg.usage = Some(Usage::new(10, 5).with_cache(3, 4));
    msg.error = Some(Failure::new("call c1 failed").with_kind("rate_limit").with_code("429").with_detail("in r1, by c1"));
    msg.metadata = JsonObject::parse(r#"{"call": "c1", "cost": 1.10}"#).unwrap();
    let thinking = ThinkingBlock::new("hm").with_id("b1").with_metadata(JsonObject::parse(r#"{"signature":"s"}"#).unwrap());
    let call = ToolCallBlock::new("c1", "search")
        .with_content(r#"{"q": "c1"}"#)
        .with_state(ToolCallState::Asking)
        .with_suggested_rules(vec![PermissionRule::new("search", PermissionBehavior::Allow, "suggested")]);
    let result = ToolResultBlock::new("c1", "search")
        .with_output(vec![TextBlock::new("c1 has two hits").into(), DataBlock::new(DataSource::url("https://e.org/c1", None)).into()])
        .with_state(ToolResultState::Success);
    let image = DataBlock::new(DataSource::base64("image/png", &[1_u8, 2, 3][..])).with_id("b2").with_name("a.png");
    let blocks: Vec<Block> = vec![
        thinking.with_created_at(at(10)).with_finished_at(at(20)).into(),
        call.with_created_at(at(30)).with_finished_at(at(40)).into(),
        result.with_created_at(at(50)).into(),
        image.into(),
        HintBlock::new("Be brief.").with_id("b3").with_source("host of r1").into(),
        TextBlock::new("Two lines:\n  and c1").with_id("b4").with_created_at(at(60)).into(),
    ];
    msg.content = blocks.into_iter().collect();
    msg
}

#[test]
fn every_field_and_every_kind_of_block() {
    assert_msg_snapshot!(msg(), @r#"
    message: [reply-1]
    name: Friday
    role: assistant
    at: +0.000s..+0.900s
    finishedReason: error
    usage: 10 in, 5 out, 3 from the cache, 4 to the cache
    error:
      type: rate_limit
      code: 429
      message: "call [call-1] failed"
      detail: "in [reply-1], by [call-1]"
    metadata: {"call":"[call-1]","cost":1.10}
    content:
    - thinking: "hm"
      id: [block-1]
      metadata: {"signature":"s"}
      at: +0.010s..+0.020s
    - tool_use: search
      id: [call-1]
      input: {"q": "c1"}
      state: asking
      suggestedRules:
      - {"toolName":"search","behavior":"allow","source":"suggested"}
      at: +0.030s..+0.040s
    - tool_result: search
      id: [call-1]
      output:
      - text: "c1 has two hits"
      - data: url "https://e.org/c1"
      state: success
      at: +0.050s..
    - data: image/png, 3 bytes, base64 AQID
      name: a.png
      id: [block-2]
    - hint: "Be brief."
      source: "host of [reply-1]"
      id: [block-3]
    - text: |-
        Two lines:
          and c1
      id: [block-4]
      at: +0.060s..
    "#);
}

#[test]
fn arguments_are_input_content_or_both() {
    let call = || ToolCallBlock::new("c1", "f");
    let other = JsonObject::parse(r#"{"a":2}"#).unwrap();
    let blocks: Vec<Block> = vec![
        call().into(),
        call().with_content("{\"a\"").into(),
        call().with_content(r#"{"a": 1}"#).into(),
        call().with_content(r#"{"a": 1}"#).with_input(other.clone()).into(),
        call().with_input(other).into(),
        // As a model that writes lines sends them.
        call().with_content("{\n  \"a\": 1\n}").into(),
    ];
    assert_msg_snapshot!(Msg::new("r1", Role::Assistant).with_content(blocks.into_iter().collect::<replyfold_message::Content>()), @r#"
    message: [reply-1]
    role: assistant
    content:
    - tool_use: f
      id: [call-1]
      state: pending
    - tool_use: f
      id: [call-1]
      content: "{\"a\""
      state: pending
    - tool_use: f
      id: [call-1]
      input: {"a": 1}
      state: pending
    - tool_use: f
      id: [call-1]
      input: {"a":2}
      content: "{\"a\": 1}"
      state: pending
    - tool_use: f
      id: [call-1]
      input: {"a":2}
      state: pending
    - tool_use: f
      id: [call-1]
      input: !json "{\n  \"a\": 1\n}"
      state: pending
    "#);
}

#[test]
fn texts_are_lines_where_nothing_can_be_lost_and_quoted_elsewhere() {
    let texts =
        ["", "a", "a\nb", "a\n\nb\n", "a\nb\n\n", "a \nb", "  a\nb", "tab\there", "a\r\nb", "a\nb\t", "\u{1b}[31mred\u{202e}", "中文\n✓"];
    let msg = Msg::new("r1", Role::Assistant).with_content(texts.map(TextBlock::new).into_iter().collect::<replyfold_message::Content>());
    assert_msg_snapshot!(msg, @r#"
    message: [reply-1]
    role: assistant
    content:
    - text: ""
    - text: "a"
    - text: |-
        a
        b
    - text: |
        a

        b
    - text: "a\nb\n\n"
    - text: "a \nb"
    - text: "  a\nb"
    - text: "tab\there"
    - text: "a\r\nb"
    - text: "a\nb\t"
    - text: "\u{1b}[31mred\u{202e}"
    - text: |-
        中文
        ✓
    "#);
}

#[test]
fn media_are_shown_as_long_as_they_are_short() {
    let media = |data: Media| DataBlock::new(DataSource::base64("image/png", data));
    let blocks =
        [media(Media::from(&[0; 36][..])), media(Media::from(&[0; 37][..])), media(Media::from_base64("*")), media(Media::default())];
    assert_msg_snapshot!(Msg::new("r1", Role::Assistant).with_content(blocks.into_iter().collect::<replyfold_message::Content>()), @r#"
    message: [reply-1]
    role: assistant
    content:
    - data: image/png, 36 bytes, base64 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
    - data: image/png, 37 bytes, sha256 ab24a95f44ceca5d2aed4b6d056adddd8539f44c6cd6ca506534e830c82ea8a8
    - data: image/png, no base64 "*"
    - data: image/png, 0 bytes
    "#);
}

#[test]
fn a_person_and_an_agent_share_the_marks_of_their_conversation() {
    let question = Msg::new("m1", Role::User)
        .with_created_at(at(0))
        .with_content([TextBlock::new("Hi?")].into_iter().collect::<replyfold_message::Content>());
    let answer = Msg::new("r1", Role::Assistant).with_created_at(at(120));
    assert_msg_snapshot!([question, answer], @r#"
    message: [reply-1]
    role: user
    at: +0.000s..
    content:
    - text: "Hi?"
    ---
    message: [reply-2]
    role: assistant
    at: +0.120s..
    content: []
    "#);
}
