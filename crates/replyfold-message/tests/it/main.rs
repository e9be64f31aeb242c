//! The canonical JSON of messages: literal bytes out, the same value back, and clear refusals.
#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

use replyfold_message::json::JsonObject;
use replyfold_message::*;

fn full() -> (Msg, &'static str) {
    let mut msg = Msg::new("r1", Role::Assistant).with_name("Friday").with_created_at("T1").with_finished_at("T9").with_content(
        [
            Block::from(TextBlock::new("Hi \"é\u{1}").with_id("b1").with_created_at("T2").with_finished_at("T3")),
            ThinkingBlock::new("hm").with_id("k1").with_metadata(JsonObject::parse(r#"{"signature":"SIG"}"#).unwrap()).into(),
            DataBlock::new(DataSource::url("https://a.test/x", Some("image/png".into()))).into(),
            DataBlock::new(DataSource::base64("image/png", &[255, 254][..])).with_id("d1").with_name("a.png").into(),
            ToolCallBlock::new("c1", "rm")
                .with_content(r#"{"q":1.0}"#)
                .with_state(ToolCallState::Finished)
                .with_suggested_rules(vec![PermissionRule::new("rm", PermissionBehavior::Deny, "user")])
                .into(),
            ToolCallBlock::new("c2", "now").into(),
            ToolResultBlock::new("c1", "rm").with_output(vec![TextBlock::new("ok").into()]).with_state(ToolResultState::Denied).into(),
            HintBlock::new("remember").with_id("h1").with_source("alice").into(),
            HintBlock::new(vec![TextBlock::new("x").into()]).into(),
        ]
        .into_iter()
        .collect::<Content>(),
    );
    msg.finished_reason = Some(FinishedReason::Interrupted);
    msg.usage = Some(Usage::new(u64::MAX, 2).with_cache(3, 0));
    msg.error = Some(Failure::new("stopped"));
    msg.structured_output = Some(json::JsonText::parse("[1.10]").unwrap());
    msg.metadata = JsonObject::parse(r#"{"k":{"z":1,"a":2}}"#).unwrap();
    let text = concat!(
        r#"{"id":"r1","name":"Friday","role":"assistant","content":["#,
        r#"{"type":"text","id":"b1","text":"Hi \"é\u0001","createdAt":"T2","finishedAt":"T3"},"#,
        r#"{"type":"thinking","id":"k1","thinking":"hm","metadata":{"signature":"SIG"}},"#,
        r#"{"type":"data","source":{"type":"url","url":"https://a.test/x","mediaType":"image/png"}},"#,
        r#"{"type":"data","id":"d1","source":{"type":"base64","mediaType":"image/png","data":"//4="},"name":"a.png"},"#,
        r#"{"type":"tool_use","id":"c1","name":"rm","input":{"q":1.0},"content":"{\"q\":1.0}","state":"finished","#,
        r#""suggestedRules":[{"toolName":"rm","behavior":"deny","source":"user"}]},"#,
        r#"{"type":"tool_use","id":"c2","name":"now","input":{},"content":"","state":"pending"},"#,
        r#"{"type":"tool_result","id":"c1","name":"rm","output":[{"type":"text","text":"ok"}],"state":"denied"},"#,
        r#"{"type":"hint","id":"h1","hint":"remember","source":"alice"},"#,
        r#"{"type":"hint","hint":[{"type":"text","text":"x"}]}],"#,
        r#""metadata":{"k":{"z":1,"a":2}},"createdAt":"T1","finishedAt":"T9","finishedReason":"interrupted","#,
        r#""usage":{"inputTokens":18446744073709551615,"outputTokens":2,"cacheInputTokens":3,"cacheCreationInputTokens":0},"#,
        r#""error":{"message":"stopped"},"structuredOutput":[1.10]}"#
    );
    (msg, text)
}

#[test]
fn full_message_gives_its_bytes_and_reads_back_as_itself() {
    let (msg, text) = full();
    assert_eq!(msg.to_json(), text);
    assert_eq!(Msg::from_json(text).unwrap(), msg);
    assert_eq!(serde_json::to_string(&msg).unwrap(), text);
    assert_eq!(serde_json::from_str::<Msg>(text).unwrap(), msg);
}

#[test]
fn defaults_fill_what_a_writer_may_leave_out() {
    let msg =
        Msg::from_json(r#"{"id":"m1","content":[{"type":"tool_use","id":"c","name":"n"},{"type":"tool_result","id":"c","name":"n"}]}"#)
            .unwrap();
    assert_eq!((msg.name.as_str(), &msg.role), ("", &Role::Assistant));
    assert_eq!(msg.content[0], ToolCallBlock::new("c", "n").into());
    assert_eq!(msg.content[1], ToolResultBlock::new("c", "n").into());
}

#[test]
fn refusals_name_the_path() {
    for (text, message) in [
        (r#"{"content":[]}"#, "missing field `id`"),
        (
            r#"{"id":"m","content":[{"type":"text","text":"a"},{"type":"image"}]}"#,
            "field `content[1].type`: expected one of `text` `thinking` `data` `tool_use` `tool_result` `hint`, found `image`",
        ),
        (
            r#"{"id":"m","content":[{"type":"data","source":{"type":"base64","data":"AA=="}}]}"#,
            "missing field `content[0].source.mediaType`",
        ),
        (
            r#"{"id":"m","content":[{"type":"tool_use","id":"c","name":"n","input":[]}]}"#,
            "field `content[0].input`: expected an object, found an array",
        ),
        (r#"{"id":"m","content":[{"type":"hint","hint":3}]}"#, "field `content[0].hint`: expected a string or an array, found a number"),
        (
            r#"{"id":"m","usage":{"inputTokens":1.5}}"#,
            "field `usage.inputTokens`: expected a whole number from 0 to 18446744073709551615, found 1.5",
        ),
        (r#"{"id":"m","content":"hi"}"#, "field `content`: expected an array, found a string"),
    ] {
        assert_eq!(Msg::from_json(text).unwrap_err().to_string(), message, "{text}");
    }
}

#[test]
fn signature_of_thinking_is_found_among_the_provider_fields() {
    let (msg, _) = full();
    let Block::Thinking(thinking) = &msg.content[1] else { panic!("{:?}", msg.content[1]) };
    assert_eq!(thinking.signature().as_deref(), Some("SIG"));
    assert_eq!(ThinkingBlock::new("x").signature(), None);
}

#[test]
fn usage_stops_at_its_largest_value() {
    let sum = Usage::new(u64::MAX, 1).saturating_add(Usage::new(1, 2).with_cache(3, 4));
    assert_eq!(sum, Usage::new(u64::MAX, 3).with_cache(3, 4));
}

#[test]
fn residue_and_origin_are_no_part_of_equality() {
    let mut with = TextBlock::new("a");
    with.residue = Residue::new("java", JsonObject::parse(r#"{"time":1.5}"#).unwrap());
    with.origin = Origin::new(Some("e1".into()));
    assert_eq!(with, TextBlock::new("a"));
    assert_eq!(with.residue.get("java", "time").map(|v| v.text().to_owned()).as_deref(), Some("1.5"));
    assert!(with.residue.get("python", "time").is_none());
}
