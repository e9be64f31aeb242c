//! Bytes to coarse bytes: read by serde's tagged enum, collapsed by ours, written by serde_json.

use super::tagged::{Form, for_each};
use replyfold::coarse::{CoarseEvent, SessionCollapser};
use replyfold::dialect::Dialect;
use serde::Serialize;

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
enum Written {
    Text { content: Option<String> },
    Thinking { content: Option<String> },
    ToolStart { tool_name: String, tool_call_id: String, arguments: Option<String> },
    ToolEnd { tool_name: String, tool_call_id: String, result: Option<String> },
    Error { code: Option<String>, message: Option<String>, detail: Option<String> },
    Complete,
}

/// Appends the coarse events of a log to a buffer, a line an event.
pub fn collapse(dialect: Dialect, log: &[u8], out: &mut Vec<u8>) {
    let mut session = SessionCollapser::new();
    for_each(dialect, Form::Tagged, log, |event| session.push(event).for_each(|shown| write(shown.event, out)));
    session.finish().for_each(|shown| write(shown.event, out));
}

fn write(event: CoarseEvent, out: &mut Vec<u8>) {
    let event = match event {
        CoarseEvent::Text { content } => Written::Text { content },
        CoarseEvent::Thinking { content } => Written::Thinking { content },
        CoarseEvent::ToolStart { tool_name, tool_call_id, arguments } => Written::ToolStart { tool_name, tool_call_id, arguments },
        CoarseEvent::ToolEnd { tool_name, tool_call_id, result } => Written::ToolEnd { tool_name, tool_call_id, result },
        CoarseEvent::Error { code, message, detail } => Written::Error { code, message, detail },
        CoarseEvent::Complete => Written::Complete,
        // A collapse makes none of the others.
        _ => return,
    };
    serde_json::to_writer(&mut *out, &event).expect("a vector takes every byte");
    out.push(b'\n');
}
