//! Pieces of blocks: which of them may be joined.
#![expect(clippy::wildcard_enum_match_arm, reason = "what is no piece is never joined, whatever is added to the taxonomy")]

use replyfold_event::{AgentEvent, MediaDelta, Payload};

/// What the text of a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PieceKind {
    /// Text that is appended as it stands.
    Text,
    /// Base64 text, encoded and padded on its own: its bytes are appended, and texts are never joined.
    Base64,
}

/// What a piece that goes on with others may be joined as. A piece of a result's media without an id is whole, and a URL replaces.
pub(crate) fn kind_of(event: &AgentEvent) -> Option<PieceKind> {
    match &event.payload {
        Payload::TextBlockDelta(_) | Payload::ThinkingBlockDelta(_) | Payload::ToolCallDelta(_) | Payload::ToolResultTextDelta(_) => {
            Some(PieceKind::Text)
        }
        Payload::DataBlockDelta(delta) => is_base64(&delta.media).then_some(PieceKind::Base64),
        Payload::ToolResultDataDelta(delta) => (is_base64(&delta.media) && delta.block_id.is_some()).then_some(PieceKind::Base64),
        _ => None,
    }
}

fn is_base64(media: &MediaDelta) -> bool {
    matches!(media, MediaDelta::Base64(_))
}

/// Whether both are pieces of one block and differ in nothing but id, time and text.
pub(crate) fn are_alike(a: &AgentEvent, b: &AgentEvent) -> bool {
    let absent = |event: &AgentEvent| (event.absent.reply_id, event.absent.block_id, event.absent.tool_call_id);
    let payloads = match (&a.payload, &b.payload) {
        (Payload::TextBlockDelta(a), Payload::TextBlockDelta(b)) => (&a.reply_id, &a.block_id) == (&b.reply_id, &b.block_id),
        (Payload::ThinkingBlockDelta(a), Payload::ThinkingBlockDelta(b)) => (&a.reply_id, &a.block_id) == (&b.reply_id, &b.block_id),
        (Payload::ToolCallDelta(a), Payload::ToolCallDelta(b)) => (&a.reply_id, &a.tool_call_id) == (&b.reply_id, &b.tool_call_id),
        (Payload::ToolResultTextDelta(a), Payload::ToolResultTextDelta(b)) => {
            (&a.reply_id, &a.tool_call_id) == (&b.reply_id, &b.tool_call_id)
        }
        (Payload::DataBlockDelta(a), Payload::DataBlockDelta(b)) => {
            (&a.reply_id, &a.block_id, &a.media_type) == (&b.reply_id, &b.block_id, &b.media_type)
        }
        (Payload::ToolResultDataDelta(a), Payload::ToolResultDataDelta(b)) => {
            (&a.reply_id, &a.tool_call_id, &a.block_id) == (&b.reply_id, &b.tool_call_id, &b.block_id)
                && (&a.media_type, &a.name) == (&b.media_type, &b.name)
        }
        _ => false,
    };
    payloads && a.source == b.source && absent(a) == absent(b) && a.metadata == b.metadata && has_same_residue(a, b)
}

/// Whether both lines had the same beside their fields: the ids of their own, above all.
fn has_same_residue(a: &AgentEvent, b: &AgentEvent) -> bool {
    ["java", "python"].iter().all(|dialect| {
        let text = |event: &AgentEvent| event.residue.fields_of(dialect).map(|fields| fields.as_str().to_owned());
        // Pieces of one run share their residue; most have none.
        (a.residue.is_empty() && b.residue.is_empty()) || text(a) == text(b)
    })
}
