//! The type of an event that does not say it.

use super::TYPES;
use super::read::{Demand, read_payload};
use replyfold_event::Payload;
use replyfold_message::json::Fields;

/// Python's reader tries all types and takes the one that uses most of the keys, the first of equals.
pub(super) fn guess(fields: &Fields<'_>) -> Option<(&'static str, Payload)> {
    let mut best: Option<(usize, &'static str, Payload)> = None;
    for name in TYPES {
        let used = own_fields(name).iter().filter(|key| fields.get(key).is_some()).count();
        if best.as_ref().is_some_and(|(most, _, _)| *most >= used) {
            continue;
        }
        if let Ok(Some(payload)) = read_payload(name, fields, Demand::Pydantic) {
            best = Some((used, name, payload));
        }
    }
    best.map(|(_, name, payload)| (name, payload))
}

/// The event's own fields in Python's model.
fn own_fields(name: &str) -> &'static [&'static str] {
    match name {
        "REPLY_START" => &["session_id", "reply_id", "name", "role"],
        "REPLY_END" => &["session_id", "reply_id", "finished_reason", "error"],
        "EXCEED_MAX_ITERS" => &["reply_id", "name"],
        "REQUIRE_USER_CONFIRM" | "REQUIRE_EXTERNAL_EXECUTION" => &["reply_id", "tool_calls"],
        "MODEL_CALL_START" => &["reply_id", "model_name"],
        "MODEL_CALL_END" => {
            &["reply_id", "input_tokens", "output_tokens", "cache_input_tokens", "cache_creation_input_tokens", "finished_reason"]
        }
        "TEXT_BLOCK_START" | "DATA_BLOCK_END" | "THINKING_BLOCK_START" | "THINKING_BLOCK_END" => &["reply_id", "block_id"],
        "TEXT_BLOCK_DELTA" | "THINKING_BLOCK_DELTA" => &["reply_id", "block_id", "delta"],
        "TEXT_BLOCK_END" => &["reply_id", "block_id", "text"],
        "DATA_BLOCK_START" => &["reply_id", "block_id", "media_type", "name"],
        "DATA_BLOCK_DELTA" => &["reply_id", "block_id", "media_type", "data", "url"],
        "HINT_BLOCK" => &["reply_id", "block_id", "source", "hint"],
        "TOOL_CALL_START" | "TOOL_RESULT_START" => &["reply_id", "tool_call_id", "tool_call_name"],
        "TOOL_CALL_DELTA" | "TOOL_RESULT_TEXT_DELTA" => &["reply_id", "tool_call_id", "delta"],
        "TOOL_CALL_END" => &["reply_id", "tool_call_id"],
        "TOOL_RESULT_DATA_DELTA" => &["reply_id", "tool_call_id", "block_id", "media_type", "data", "url"],
        "TOOL_RESULT_END" => &["reply_id", "tool_call_id", "state"],
        "USER_CONFIRM_RESULT" => &["reply_id", "confirm_results"],
        "USER_INTERRUPT" => &["reply_id"],
        "EXTERNAL_EXECUTION_RESULT" => &["reply_id", "execution_results"],
        "CUSTOM" => &["name", "value"],
        _ => &[],
    }
}
