//! Telling the dialects apart, and knowing a type by any of its names.

use crate::Dialect;
use replyfold_event::{EventType, ExtensionType, GenerateReason};
use replyfold_message::json::{Fields, Value};

/// Keys that only Python writes.
const PYTHON_KEYS: [&str; 4] = ["reply_id", "created_at", "tool_call_id", "block_id"];
/// Keys that the camelCase dialects write and that mark an event as one of theirs.
const CAMEL_KEYS: [&str; 4] = ["replyId", "createdAt", "toolCallId", "blockId"];

/// The canonical name of a type under any name that is accepted on reading; `None` for an unknown type.
pub(crate) fn canonical_name(name: &str) -> Option<&'static str> {
    let event = match name {
        "REPLY_START" | "RUN_STARTED" => EventType::AgentStart,
        "REPLY_END" | "RUN_FINISHED" => EventType::AgentEnd,
        "MODEL_CALL_STARTED" => EventType::ModelCallStart,
        "MODEL_CALL_ENDED" => EventType::ModelCallEnd,
        "BINARY_BLOCK_START" => EventType::DataBlockStart,
        "BINARY_BLOCK_DELTA" => EventType::DataBlockDelta,
        "BINARY_BLOCK_END" => EventType::DataBlockEnd,
        "TOOL_RESULT_BINARY_DELTA" => EventType::ToolResultDataDelta,
        "THREAD_EXPOSED" => EventType::SubagentExposed,
        _ => match EventType::from_wire(name) {
            Some(event) => event,
            None => return ExtensionType::from_wire(name).map(ExtensionType::as_str),
        },
    };
    Some(event.as_str())
}

/// Whether an event type is known under this name, in any dialect, legacy names included.
#[must_use]
pub fn is_known_type(name: &str) -> bool {
    canonical_name(name).is_some()
}

/// How a line presents itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) dialect: Dialect,
    /// Whether the line is marked as Java and read as Java's reader does: its gaps read as empty.
    pub(crate) marked: bool,
}

/// The dialect of one line (`wire.md` section 5): by a `REPLY_*` type or a key of Python's, else camelCase; marked as Java when `type`
/// stands twice or last, or when the line has no key that would tell (then it has no ids either, which only Java allows).
pub(crate) fn look(fields: &Fields<'_>) -> Look {
    let (mut types, mut python, mut camel, mut last_is_type, mut newer) = (0, false, false, false, false);
    for (key, value) in fields.iter() {
        last_is_type = key == "type";
        types += usize::from(last_is_type);
        python |= PYTHON_KEYS.contains(&key) || (last_is_type && value.text().starts_with("\"REPLY_"));
        camel |= CAMEL_KEYS.contains(&key);
        newer |= key == "generateReason" && is_unknown_reason(value);
    }
    if python {
        return Look { dialect: Dialect::Python, marked: false };
    }
    let marked = types > 1 || last_is_type || !camel;
    Look { dialect: if marked { Dialect::Java } else { Dialect::Canonical }, marked: marked && !(newer && is_stop(fields)) }
}

fn is_stop(fields: &Fields<'_>) -> bool {
    fields.tag().is_ok_and(|name| name == EventType::RequestStop.as_str())
}

/// Whether a reason is a word that the known Java does not have. Its reader refuses the line, so a newer one wrote it: nobody told us which,
/// and the word is kept as text (`wire.md` section 2). Digits are the number of a reason, a known one or a wrong one.
fn is_unknown_reason(value: Value<'_>) -> bool {
    let Ok(word) = value.string() else { return false };
    let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    !is_number && matches!(GenerateReason::from(&*word), GenerateReason::Other(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_shows_its_dialect_by_its_keys() {
        for (text, dialect) in [
            (r#"{"type":"REPLY_START"}"#, Dialect::Python),
            (r#"{"type":"TEXT_BLOCK_DELTA","reply_id":"r"}"#, Dialect::Python),
            (r#"{"type":"CUSTOM","created_at":"t"}"#, Dialect::Python),
            (r#"{"type":"AGENT_START","replyId":"r"}"#, Dialect::Canonical),
            (r#"{"type":"AGENT_START","replyId":"r","type":"AGENT_START"}"#, Dialect::Java),
            (r#"{"replyId":"r","type":"AGENT_START"}"#, Dialect::Java),
            (r#"{"type":"TEXT_BLOCK_DELTA","delta":"ab"}"#, Dialect::Java),
        ] {
            assert_eq!(look(&Fields::parse(text).unwrap()).dialect, dialect, "{text}");
        }
    }

    #[test]
    fn types_are_known_by_every_name_of_the_field() {
        assert_eq!(canonical_name("RUN_STARTED"), Some("AGENT_START"));
        assert_eq!(canonical_name("BINARY_BLOCK_DELTA"), Some("DATA_BLOCK_DELTA"));
        assert_eq!(canonical_name("HINT_BLOCK"), Some("HINT_BLOCK"));
        assert!(!is_known_type("session_created") && !is_known_type("AGENT_EVENT"));
    }
}
