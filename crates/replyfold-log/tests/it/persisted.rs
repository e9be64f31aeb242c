//! The fourth guarantee of `reduction.md` section 1, on a recorded runtime: the message that it keeps is the one folded from what it emitted.

use crate::corpus::{fixtures, names};
use replyfold_dialect::{Dialect, write_msg};
use replyfold_log::replay;
use serde_json::Value;

/// The value without what the runtime mints for its blocks and the fold takes from the events (D7 of `reduction.md` section 3): times, and
/// the ids of blocks that no event addresses.
fn without_minted(value: &Value, is_message: bool) -> Value {
    match value {
        Value::Array(items) => items.iter().map(|item| without_minted(item, false)).collect(),
        Value::Object(fields) => {
            let is_block = matches!(fields.get("type").and_then(Value::as_str), Some("text" | "thinking" | "data" | "hint"));
            let is_minted = |key: &str| matches!(key, "created_at" | "finished_at") || (key == "id" && is_block && !is_message);
            let kept = fields.iter().filter(|(key, _)| !is_minted(key));
            Value::Object(kept.map(|(key, value)| (key.clone(), without_minted(value, false))).collect())
        }
        other => other.clone(),
    }
}

#[test]
fn messages_that_a_service_stored_are_those_folded_from_its_events() {
    let folder = fixtures().join("conformance/python/service");
    let mut compared = 0;
    for name in names(&folder, ".persisted.json") {
        let stored: Value = serde_json::from_str(&std::fs::read_to_string(folder.join(format!("{name}.persisted.json"))).unwrap()).unwrap();
        let stored = stored.as_array().unwrap().iter().filter(|msg| msg["role"] == "assistant");
        let replay = replay(folder.join(format!("{name}.events.jsonl"))).unwrap();
        let folded: Vec<Value> = replay
            .session
            .messages()
            .map(|msg| {
                let mut out = Vec::new();
                write_msg(msg, Dialect::Python, &mut out);
                without_minted(&serde_json::from_slice(&out).unwrap(), true)
            })
            .collect();
        let stored: Vec<Value> = stored.map(|msg| without_minted(msg, true)).collect();
        assert_eq!(folded, stored, "{name}");
        compared += stored.len();
    }
    assert_eq!(compared, 7);
}
