//! A message as a tree: every field that is part of its equality, each in one form only.

use crate::marks::{IdKind, Marks};
use crate::node::Node;
use crate::quote::{json, quoted, word};
use replyfold_message::json::{FieldValue, JsonObject, Style, Writer};
use replyfold_message::{Block, DataSource, Failure, FinishedReason, Hint, Media, Msg, Timestamp, ToolCallBlock, Usage};
use sha2::{Digest as _, Sha256};

/// Bytes of media that are shown; of more, their digest.
const SHOWN: usize = 36;

type Entries = Vec<(&'static str, Node)>;

fn plain(text: impl Into<String>) -> Node {
    Node::Plain(text.into())
}

/// The message, and the path of the agent that spoke.
pub(crate) fn message(msg: &Msg, source: Option<&str>, marks: &mut Marks) -> Node {
    marks.begin_at(msg.created_at.as_ref());
    meet_ids(msg, marks);
    let id = marks.id(IdKind::Reply, msg.id.as_str());
    let mut entries: Entries = vec![("message", plain(id))];
    if let Some(source) = source {
        entries.push(("source", plain(word(&marks.within(source)))));
    }
    if !msg.name.is_empty() {
        entries.push(("name", plain(word(&msg.name))));
    }
    entries.push(("role", plain(word(msg.role.as_str()))));
    push_times(msg.created_at.as_ref(), msg.finished_at.as_ref(), marks, &mut entries);
    let hides = marks.options().across_dialects;
    if let Some(reason) = msg.finished_reason.filter(|reason| !(hides && *reason == FinishedReason::Completed)) {
        entries.push(("finishedReason", plain(reason.as_str())));
    }
    if let Some(usage) = &msg.usage {
        entries.push(("usage", plain(tokens(usage))));
    }
    if let Some(error) = &msg.error {
        entries.push(("error", Node::Map(failure(error, marks))));
    }
    push_object("metadata", &msg.metadata, marks, &mut entries);
    if let Some(output) = &msg.structured_output {
        entries.push(("structuredOutput", plain(json(&compact(output.as_str())))));
    }
    entries.push(("content", Node::List(msg.content.iter().map(|item| block(item, marks)).collect())));
    Node::Map(entries)
}

/// Gives the ids of a message their marks, in the order of appearance: before anything is written, since metadata may name one that comes
/// later.
pub(crate) fn meet_ids(msg: &Msg, marks: &mut Marks) {
    marks.id(IdKind::Reply, msg.id.as_str());
    msg.content.iter().for_each(|block| meet(block, marks));
}

fn meet(block: &Block, marks: &mut Marks) {
    if let Some(id) = block.id() {
        marks.id(kind_of(block), id);
    }
    match block {
        Block::ToolResult(result) => result.output.iter().for_each(|inner| meet(inner, marks)),
        Block::Hint(hint) => {
            if let Hint::Blocks(blocks) = &hint.hint {
                blocks.iter().for_each(|inner| meet(inner, marks));
            }
        }
        _ => {}
    }
}

fn kind_of(block: &Block) -> IdKind {
    if matches!(block, Block::ToolCall(_) | Block::ToolResult(_)) { IdKind::Call } else { IdKind::Block }
}

fn block(block: &Block, marks: &mut Marks) -> Node {
    let mut entries = Entries::new();
    match block {
        Block::Text(text) => {
            entries.push(("text", Node::Text(text.text.clone())));
            push_id(block, marks, &mut entries);
        }
        Block::Thinking(thinking) => {
            entries.push(("thinking", Node::Text(thinking.thinking.clone())));
            push_id(block, marks, &mut entries);
            push_object("metadata", &thinking.metadata, marks, &mut entries);
        }
        Block::Data(data) => {
            entries.push(("data", plain(media(&data.source))));
            if let Some(name) = &data.name {
                entries.push(("name", plain(word(name))));
            }
            push_id(block, marks, &mut entries);
        }
        Block::ToolCall(call) => {
            entries.push(("tool_use", plain(word(&call.name))));
            push_id(block, marks, &mut entries);
            push_arguments(call, &mut entries);
            entries.push(("state", plain(call.state.as_str())));
            if !call.suggested_rules.is_empty() {
                entries.push(("suggestedRules", Node::List(call.suggested_rules.iter().map(written).collect())));
            }
        }
        Block::ToolResult(result) => {
            entries.push(("tool_result", plain(word(&result.name))));
            push_id(block, marks, &mut entries);
            entries.push(("output", Node::List(result.output.iter().map(|inner| self::block(inner, marks)).collect())));
            entries.push(("state", plain(result.state.as_str())));
            push_object("metadata", &result.metadata, marks, &mut entries);
        }
        Block::Hint(hint) => {
            entries.push((
                "hint",
                match &hint.hint {
                    Hint::Text(text) => Node::Text(text.clone()),
                    Hint::Blocks(blocks) => Node::List(blocks.iter().map(|inner| self::block(inner, marks)).collect()),
                },
            ));
            if let Some(source) = &hint.source {
                entries.push(("source", plain(word(&marks.within(source)))));
            }
            push_id(block, marks, &mut entries);
        }
        // Demanded by `#[non_exhaustive]`: a kind that this crate does not know is shown whole.
        other => return Node::Map(vec![("block", written(other))]),
    }
    push_times(block.created_at(), block.finished_at(), marks, &mut entries);
    Node::Map(entries)
}

fn push_id(block: &Block, marks: &mut Marks, entries: &mut Entries) {
    if let Some(id) = block.id() {
        entries.push(("id", plain(marks.id(kind_of(block), id))));
    }
}

/// `input` alone if it is what the text of the arguments says: then the text itself stands there. `content` alone if there is no input. Both
/// where they are two things.
fn push_arguments(call: &ToolCallBlock, entries: &mut Entries) {
    let said = JsonObject::parse(&call.content).is_ok_and(|parsed| parsed == call.input);
    if said {
        entries.push(("input", plain(json(&call.content))));
        return;
    }
    if !call.input.is_empty() {
        entries.push(("input", plain(json(&compact(call.input.as_str())))));
    }
    if !call.content.is_empty() {
        entries.push(("content", Node::Text(call.content.clone())));
    }
}

/// The first and the last moment: `+0.010s..+0.030s`, and `+0.010s..` while it is open.
fn push_times(from: Option<&Timestamp>, to: Option<&Timestamp>, marks: &mut Marks, entries: &mut Entries) {
    if from.is_some() || to.is_some() {
        let (from, to) = (from.map(|time| marks.time(time)), to.map(|time| marks.time(time)));
        entries.push(("at", plain(format!("{}..{}", from.unwrap_or_default(), to.unwrap_or_default()))));
    }
}

fn push_object(key: &'static str, object: &JsonObject, marks: &Marks, entries: &mut Entries) {
    if !object.is_empty() {
        entries.push((key, plain(marks.json(object.as_str()))));
    }
}

fn tokens(usage: &Usage) -> String {
    let mut text = format!("{} in, {} out", usage.input_tokens, usage.output_tokens);
    for (count, what) in [(usage.cache_input_tokens, "from the cache"), (usage.cache_creation_input_tokens, "to the cache")] {
        if count > 0 {
            text.push_str(&format!(", {count} {what}"));
        }
    }
    text
}

fn failure(error: &Failure, marks: &Marks) -> Entries {
    let mut entries = Entries::new();
    entries.extend(error.kind.as_deref().map(|kind| ("type", plain(word(kind)))));
    entries.extend(error.code.as_deref().map(|code| ("code", plain(word(code)))));
    entries.push(("message", Node::Text(marks.within(&error.message))));
    entries.extend(error.detail.as_deref().map(|detail| ("detail", Node::Text(marks.within(detail)))));
    entries
}

fn media(source: &DataSource) -> String {
    match source {
        DataSource::Base64 { media_type, data, .. } => format!("{}, {}", word(media_type), bytes(data)),
        DataSource::Url { url, media_type, .. } => {
            let media_type = media_type.as_deref().map(|media_type| format!("{}, ", word(media_type)));
            format!("{}url {}", media_type.unwrap_or_default(), quoted(url))
        }
        // As above.
        other => Writer::text(Style::Compact, |out| other.write(out)),
    }
}

fn bytes(data: &Media) -> String {
    match data.as_bytes() {
        Some([]) => "0 bytes".to_owned(),
        Some(bytes) if bytes.len() <= SHOWN => format!("{} bytes, base64 {}", bytes.len(), data.to_base64()),
        Some(bytes) => {
            let digest: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
            format!("{} bytes, sha256 {digest}", bytes.len())
        }
        None => format!("no base64 {}", quoted(&data.to_base64())),
    }
}

/// A value in its canonical JSON.
fn written(value: &impl FieldValue) -> Node {
    plain(json(&Writer::text(Style::Compact, |out| value.write(out))))
}

/// A JSON text without space between its tokens: what decides whether two are equal.
fn compact(text: &str) -> String {
    let (mut in_string, mut escaped) = (false, false);
    let keeps = |c: &char| {
        let keep = in_string || !c.is_ascii_whitespace();
        if *c == '"' && !escaped {
            in_string = !in_string;
        }
        escaped = in_string && *c == '\\' && !escaped;
        keep
    };
    text.chars().filter(keeps).collect()
}
