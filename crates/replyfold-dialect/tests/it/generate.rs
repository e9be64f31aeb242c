//! Events and messages of every kind, with every optional field and with hostile text, for proptest.

mod blocks;
mod events;

pub(crate) use events::{event, event_of, message, type_names};

use proptest::collection::vec;
use proptest::prelude::*;
use replyfold_message::json::JsonObject;
use replyfold_message::{Failure, FinishedReason, PermissionBehavior, PermissionRule, Timestamp, Usage};

/// Text that readers, writers and ids stumble over.
pub(crate) fn text() -> BoxedStrategy<String> {
    let hostile = [
        "",
        " ",
        "text",
        "thinking",
        "null",
        "anonymous",
        "5",
        "\"\\/\u{8}\u{c}\n\r\t\u{0}\u{1b}",
        "\u{7f}\u{85}\u{2028}\u{2029}\u{feff}\u{ffff}",
        "你好 🚀 שלום e\u{301}",
        r"\ud83d \u0000",
        "{\"type\":\"AGENT_END\"}",
        "an id of more characters than any that is kept in place, so that it has to be allocated",
    ];
    let chars = vec(any::<char>(), 0..8).prop_map(|chars| chars.into_iter().collect());
    prop_oneof![2 => proptest::sample::select(hostile.to_vec()).prop_map(str::to_owned), 2 => "[a-z0-9]{1,6}", 1 => chars].boxed()
}

/// A JSON object; with nulls, numbers that lose digits in a double, repeated and hostile keys.
pub(crate) fn object() -> BoxedStrategy<JsonObject> {
    let fixed = [
        "{}",
        r#"{"k":1.10,"big":123456789012345678901234567890}"#,
        r#"{"a":null}"#,
        r#"{"nested":{"a":[1,null,{"b":"\u2028"}]}}"#,
        r#"{"taskId":"t1","parentSessionId":"s"}"#,
        r#"{"agentscope_generate_reason":"PERMISSION_ASKING"}"#,
        r#"{ "spaced" : [ 1 , 2 ] }"#,
        r#"{"type":"x","reply_id":"r","":0}"#,
    ];
    let fixed = proptest::sample::select(fixed.to_vec()).prop_map(|text| JsonObject::parse(text).unwrap());
    let made = proptest::collection::btree_map(text(), text(), 0..3).prop_map(|map| {
        let map: serde_json::Map<String, serde_json::Value> = map.into_iter().map(|(key, text)| (key, text.into())).collect();
        JsonObject::from(map)
    });
    prop_oneof![fixed, made].boxed()
}

fn time() -> BoxedStrategy<Timestamp> {
    let times = ["2026-08-22T15:15:56.123456789Z", "2026-03-01T09:30:00.000138", "2026-08-22 23:15:56.123", "yesterday", ""];
    proptest::sample::select(times.to_vec()).prop_map(Timestamp::new).boxed()
}

fn usage() -> BoxedStrategy<Usage> {
    let count = || prop_oneof![Just(0), Just(u64::MAX), any::<u64>(), 1..1000_u64];
    (count(), count(), count(), count())
        .prop_map(|(input, output, read, created)| Usage::new(input, output).with_cache(read, created))
        .boxed()
}

fn failure() -> BoxedStrategy<Failure> {
    let kind = prop_oneof![Just("rate_limit".to_owned()), Just("unknown".to_owned()), text()];
    (text(), proptest::option::of(kind), proptest::option::of(text()), proptest::option::of(text()))
        .prop_map(|(message, kind, code, detail)| {
            let mut failure = Failure::new(message);
            (failure.kind, failure.code, failure.detail) = (kind, code, detail);
            failure
        })
        .boxed()
}

fn finished_reason() -> BoxedStrategy<FinishedReason> {
    proptest::sample::select(FinishedReason::ALL).boxed()
}

fn rules() -> BoxedStrategy<Vec<PermissionRule>> {
    let rule = (text(), proptest::option::of(text()), proptest::sample::select(PermissionBehavior::ALL), text()).prop_map(
        |(tool, content, behavior, source)| {
            let mut rule = PermissionRule::new(tool, behavior, source);
            rule.rule_content = content;
            rule
        },
    );
    vec(rule, 0..3).boxed()
}
