//! A snapshot never hides a difference.

use crate::messages::msg;
use proptest::prelude::*;
use replyfold_message::json::{JsonObject, JsonText};
use replyfold_message::{
    Block, DataBlock, DataSource, Failure, FinishedReason, Hint, HintBlock, Media, Msg, PermissionBehavior, PermissionRule, Role,
    TextBlock, ThinkingBlock, Timestamp, ToolCallBlock, ToolCallState, ToolResultBlock, ToolResultState, Usage,
};
use replyfold_snapshot::{SnapshotOptions, msg_snapshot};

fn kept(msg: &Msg) -> String {
    msg_snapshot(SnapshotOptions::new().with_ids(false).with_times(false).of(msg))
}

/// What insta compares of two texts: line ends and the end of the text do not count.
fn compared(text: &str) -> String {
    text.replace("\r\n", "\n").trim_end().trim_start_matches(['\r', '\n']).to_owned()
}

/// Texts that are near each other, and that could be taken for what stands around them.
fn text() -> BoxedStrategy<String> {
    let odd = prop_oneof![
        Just("".to_owned()),
        Just("a\nb".to_owned()),
        Just("a\nb\n".to_owned()),
        Just("a\nb\n\n".to_owned()),
        Just("a \nb".to_owned()),
        Just("\"a\"".to_owned()),
        Just("[call-1]".to_owned()),
        Just("[=call-1]".to_owned()),
        Just("c1".to_owned()),
        Just("+0.000s".to_owned()),
        Just("a\n- text: \"b\"".to_owned()),
        Just("-".to_owned()),
        Just("!json \"{}\"".to_owned()),
    ];
    prop_oneof![odd, "[ab\\\\\"\n\r\t \u{85}\u{2028}é:.\\[\\]-]{0,5}"].boxed()
}

fn object() -> BoxedStrategy<JsonObject> {
    let texts = [
        "{}",
        r#"{"a":1}"#,
        r#"{ "a" : 1 }"#,
        r#"{"a":1.0}"#,
        r#"{"a":"c1"}"#,
        r#"{"a":"[call-1]"}"#,
        r#"{"a":"\u0085"}"#,
        "{\"a\":\"\u{85}\"}",
    ];
    let known = proptest::sample::select(texts.to_vec()).prop_map(|text| JsonObject::parse(text).unwrap());
    let drawn = text().prop_map(|text| JsonObject::parse(&serde_json::json!({ "k": text }).to_string()).unwrap());
    prop_oneof![known, drawn].boxed()
}

fn time() -> BoxedStrategy<Timestamp> {
    let texts =
        ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000000001Z", "T1", "", "a..b", "2026-01-01 00:00:00"];
    proptest::sample::select(texts.to_vec()).prop_map(Timestamp::new).boxed()
}

fn arguments() -> BoxedStrategy<String> {
    prop_oneof![
        proptest::sample::select(vec!["", "{}", r#"{"a":1}"#, r#"{"a": 1}"#, "{\"a\":\n1}", r#"{"a""#, " {} "]).prop_map(str::to_owned),
        text()
    ]
    .boxed()
}

fn source() -> BoxedStrategy<DataSource> {
    let media = prop_oneof![
        proptest::collection::vec(0..3_u8, 0..3).prop_map(|bytes| Media::from(bytes.as_slice())),
        (0..40_usize, 0..2_u8).prop_map(|(at, byte)| Media::from([vec![0; at], vec![byte], vec![0; 40]].concat().as_slice())),
        Just(Media::from_base64("***")),
    ];
    prop_oneof![
        (text(), media).prop_map(|(media_type, data)| DataSource::base64(media_type, data)),
        (text(), proptest::option::of(text())).prop_map(|(url, media_type)| DataSource::url(url, media_type)),
    ]
    .boxed()
}

fn part() -> BoxedStrategy<Block> {
    let id = || proptest::option::of(text());
    prop_oneof![
        (id(), text()).prop_map(|(id, text)| {
            let mut block = TextBlock::new(text);
            block.id = id.map(Into::into);
            block.into()
        }),
        (id(), source(), proptest::option::of(text())).prop_map(|(id, source, name)| {
            let mut block = DataBlock::new(source);
            (block.id, block.name) = (id.map(Into::into), name);
            block.into()
        }),
    ]
    .boxed()
}

fn rule() -> BoxedStrategy<PermissionRule> {
    (text(), proptest::option::of(text()), proptest::sample::select(PermissionBehavior::ALL), text())
        .prop_map(|(tool, content, behavior, source)| {
            let mut rule = PermissionRule::new(tool, behavior, source);
            rule.rule_content = content;
            rule
        })
        .boxed()
}

fn block() -> BoxedStrategy<Block> {
    let times = || (proptest::option::of(time()), proptest::option::of(time()));
    let call =
        (text(), text(), arguments(), object(), proptest::sample::select(ToolCallState::ALL), proptest::collection::vec(rule(), 0..2));
    prop_oneof![
        part(),
        (text(), object(), times()).prop_map(|(thinking, metadata, (from, to))| {
            let mut block = ThinkingBlock::new(thinking).with_metadata(metadata);
            (block.created_at, block.finished_at) = (from, to);
            block.into()
        }),
        (call, any::<bool>(), times()).prop_map(|((id, name, content, input, state, rules), parsed, (from, to))| {
            let call = ToolCallBlock::new(id, name).with_content(content).with_state(state).with_suggested_rules(rules);
            let mut call = if parsed { call } else { call.with_input(input) };
            (call.created_at, call.finished_at) = (from, to);
            call.into()
        }),
        (text(), text(), proptest::collection::vec(part(), 0..3), proptest::sample::select(ToolResultState::ALL), object()).prop_map(
            |(id, name, output, state, metadata)| ToolResultBlock::new(id, name)
                .with_output(output)
                .with_state(state)
                .with_metadata(metadata)
                .into()
        ),
        (
            prop_oneof![text().prop_map(Hint::from), proptest::collection::vec(part(), 0..2).prop_map(Hint::from)],
            proptest::option::of(text())
        )
            .prop_map(|(hint, source)| {
                let mut block = HintBlock::new(hint);
                block.source = source;
                block.into()
            }),
    ]
    .boxed()
}

/// A change of one field of a message or of one of its blocks.
#[derive(Clone, Debug)]
enum Mutation {
    Id(String),
    Name(String),
    Role(&'static str),
    CreatedAt(Option<Timestamp>),
    FinishedAt(Option<Timestamp>),
    Reason(Option<FinishedReason>),
    Usage(Option<Usage>),
    Error(Option<Failure>),
    Metadata(JsonObject),
    Output(Option<JsonText>),
    Push(Block),
    Pop,
    Replace(usize, Block),
    Swap(usize, usize),
}

fn mutation() -> BoxedStrategy<Mutation> {
    use proptest::option::of;
    let usage = (0..2_u64, 0..2_u64, 0..2_u64, 0..2_u64).prop_map(|(a, b, c, d)| Usage::new(a, b).with_cache(c, d));
    let error = (of(text()), of(text()), text(), of(text())).prop_map(|(kind, code, message, detail)| {
        let mut failure = Failure::new(message);
        (failure.kind, failure.code, failure.detail) = (kind, code, detail);
        failure
    });
    let output = prop_oneof![
        object().prop_map(|object| JsonText::parse(object.as_str()).unwrap()),
        text().prop_map(|text| JsonText::from(serde_json::Value::from(text))),
        Just(JsonText::parse("null").unwrap()),
    ];
    prop_oneof![
        text().prop_map(Mutation::Id),
        text().prop_map(Mutation::Name),
        proptest::sample::select(vec!["user", "assistant", "system", "tool", "a b", ""]).prop_map(Mutation::Role),
        of(time()).prop_map(Mutation::CreatedAt),
        of(time()).prop_map(Mutation::FinishedAt),
        of(proptest::sample::select(FinishedReason::ALL)).prop_map(Mutation::Reason),
        of(usage).prop_map(Mutation::Usage),
        of(error).prop_map(Mutation::Error),
        object().prop_map(Mutation::Metadata),
        of(output).prop_map(Mutation::Output),
        block().prop_map(Mutation::Push),
        Just(Mutation::Pop),
        (0..4_usize, block()).prop_map(|(at, block)| Mutation::Replace(at, block)),
        (0..4_usize, 0..4_usize).prop_map(|(a, b)| Mutation::Swap(a, b)),
    ]
    .boxed()
}

fn apply(mut msg: Msg, mutation: &Mutation) -> Msg {
    match mutation.clone() {
        Mutation::Id(id) => msg.id = id.into(),
        Mutation::Name(name) => msg.name = name,
        Mutation::Role(role) => msg.role = Role::from(role),
        Mutation::CreatedAt(time) => msg.created_at = time,
        Mutation::FinishedAt(time) => msg.finished_at = time,
        Mutation::Reason(reason) => msg.finished_reason = reason,
        Mutation::Usage(usage) => msg.usage = usage,
        Mutation::Error(error) => msg.error = error,
        Mutation::Metadata(metadata) => msg.metadata = metadata,
        Mutation::Output(output) => msg.structured_output = output,
        Mutation::Push(block) => msg.content.push(block),
        Mutation::Pop => drop(msg.content.pop()),
        Mutation::Replace(at, block) => {
            if let Some(place) = msg.content.get_mut(at) {
                *place = block;
            }
        }
        Mutation::Swap(a, b) => {
            let mut blocks: Vec<Block> = msg.content.iter().cloned().collect();
            if a < blocks.len() && b < blocks.len() {
                blocks.swap(a, b);
            }
            msg.content = blocks.into_iter().collect();
        }
    }
    msg
}

/// The message with all that the redactions take out made alike, so that what is left must show.
fn without_ids_and_times(msg: &Msg) -> Msg {
    let mut msg = msg.clone();
    msg.id = "r9".into();
    (msg.created_at, msg.finished_at) = (None, None);
    let blocks: Vec<Block> = msg.content.iter().cloned().map(anonymous).collect();
    msg.content = blocks.into_iter().collect();
    msg
}

fn anonymous(block: Block) -> Block {
    match block {
        Block::Text(mut text) => {
            (text.id, text.created_at, text.finished_at) = (None, None, None);
            text.into()
        }
        Block::Thinking(mut thinking) => {
            (thinking.id, thinking.created_at, thinking.finished_at) = (None, None, None);
            thinking.into()
        }
        Block::Data(mut data) => {
            (data.id, data.created_at, data.finished_at) = (None, None, None);
            data.into()
        }
        Block::ToolCall(mut call) => {
            (call.created_at, call.finished_at) = (None, None);
            call.id = "c9".into();
            call.into()
        }
        Block::ToolResult(mut result) => {
            (result.created_at, result.finished_at) = (None, None);
            result.id = "c9".into();
            result.output = result.output.into_iter().map(anonymous).collect();
            result.into()
        }
        Block::Hint(mut hint) => {
            (hint.id, hint.created_at, hint.finished_at) = (None, None, None);
            if let Hint::Blocks(blocks) = hint.hint {
                hint.hint = Hint::Blocks(blocks.into_iter().map(anonymous).collect());
            }
            hint.into()
        }
        other => panic!("no such block: {other:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// With nothing redacted: two texts are equal if and only if the messages are, whatever changes made the second of the first.
    #[test]
    fn a_message_that_differs_has_another_snapshot(
        made in proptest::collection::vec(mutation(), 0..6),
        changed in proptest::collection::vec(mutation(), 1..3),
    ) {
        let before = made.iter().fold(msg(), apply);
        let after = changed.iter().fold(before.clone(), apply);
        let (was, is) = (kept(&before), kept(&after));
        prop_assert_eq!(compared(&was) == compared(&is), before == after, "{}\n{}", was, is);
    }

    /// With the usual redactions: whatever is neither an id nor a time still shows.
    #[test]
    fn redactions_hide_ids_and_times_only(
        made in proptest::collection::vec(mutation(), 0..6),
        changed in proptest::collection::vec(mutation(), 1..3),
    ) {
        let before = made.iter().fold(msg(), apply);
        let after = changed.iter().fold(before.clone(), apply);
        // Ids are part of what is compared here as far as the same marks could stand for them: both have the same ones.
        let (before, after) = (without_ids_and_times(&before), without_ids_and_times(&after));
        let (was, is) = (msg_snapshot(&before), msg_snapshot(&after));
        prop_assert_eq!(compared(&was) == compared(&is), before == after, "{}\n{}", was, is);
    }

    /// Nothing of the input reaches a terminal as it is, and nothing is there that insta would trim.
    #[test]
    fn the_text_is_fit_for_terminals_and_for_insta(made in proptest::collection::vec(mutation(), 0..8)) {
        let text = msg_snapshot(made.iter().fold(msg(), apply));
        prop_assert!(text.ends_with('\n') && !text.starts_with(char::is_whitespace));
        prop_assert!(text.lines().all(|line| !line.ends_with(char::is_whitespace)), "{text:?}");
        prop_assert!(!text.chars().any(|c| c.is_control() && c != '\n' || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202e}')), "{text:?}");
    }
}
