//! The strings of an event that differ from line to line.
#![expect(clippy::wildcard_enum_match_arm, reason = "events that are not listed are parsed each time, which is right for all of them")]

use crate::replies::Replies;
use replyfold_event::{AgentEvent, MediaDelta, Payload};
use replyfold_message::{BlockId, ReplyId, ToolCallId};

/// Number of slots.
pub(super) const SLOTS: usize = 7;

/// A string that a template leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    Id,
    CreatedAt,
    Reply,
    Block,
    Call,
    /// Name of the tool that starts.
    Name,
    /// The piece: text, arguments or media.
    Text,
}

/// Whether lines of this kind are alike: pieces, what opens and closes their blocks, and starts and ends without numbers.
pub(super) fn is_predictable(payload: &Payload) -> bool {
    Replies::is_inert(payload)
        || matches!(payload, Payload::AgentStart(_) | Payload::AgentEnd(_) | Payload::ModelCallStart(_) | Payload::ToolCallStart(_))
}

impl Slot {
    /// The slot of a field of this event.
    pub(super) fn of(key: &str, payload: &Payload) -> Option<Self> {
        match key {
            "id" => Some(Self::Id),
            "createdAt" | "created_at" => Some(Self::CreatedAt),
            "replyId" | "reply_id" => Some(Self::Reply),
            "blockId" | "block_id" => (!matches!(payload, Payload::ToolResultDataDelta(_))).then_some(Self::Block),
            "toolCallId" | "tool_call_id" => Some(Self::Call),
            "toolCallName" | "tool_call_name" => {
                matches!(payload, Payload::ToolCallStart(_) | Payload::ToolResultStart(_)).then_some(Self::Name)
            }
            "delta" => Some(Self::Text),
            "data" => matches!(payload, Payload::DataBlockDelta(_) | Payload::ToolResultDataDelta(_)).then_some(Self::Text),
            _ => None,
        }
    }

    /// Whether the key is that of a slot in some event.
    pub(super) fn is_elsewhere(key: &str) -> bool {
        matches!(key, "blockId" | "block_id" | "toolCallName" | "tool_call_name" | "data")
    }

    /// What the event has there.
    pub(super) fn get(self, event: &AgentEvent) -> Option<&str> {
        match self {
            Self::Id => event.id.as_ref().map(|id| id.as_str()),
            Self::CreatedAt => event.created_at.as_ref().map(|time| time.as_str()),
            Self::Reply => event.reply_id().map(ReplyId::as_str),
            Self::Block => event.block_id().map(BlockId::as_str),
            Self::Call => event.tool_call_id().map(ToolCallId::as_str),
            Self::Name => match &event.payload {
                Payload::ToolCallStart(start) => Some(&start.tool_call_name),
                Payload::ToolResultStart(start) => Some(&start.tool_call_name),
                _ => None,
            },
            Self::Text => match &event.payload {
                Payload::TextBlockDelta(delta) => Some(&delta.delta),
                Payload::ThinkingBlockDelta(delta) => Some(&delta.delta),
                Payload::ToolCallDelta(delta) => Some(&delta.delta),
                Payload::ToolResultTextDelta(delta) => Some(&delta.delta),
                Payload::DataBlockDelta(delta) => base64(&delta.media),
                Payload::ToolResultDataDelta(delta) => base64(&delta.media),
                _ => None,
            },
        }
    }
}

fn base64(media: &MediaDelta) -> Option<&str> {
    if let MediaDelta::Base64(text) = media { Some(text) } else { None }
}

/// Puts a string of a line into the event. A template has the slot if its event has the value.
pub(super) fn assign(event: &mut AgentEvent, slot: Slot, string: &[u8]) -> Option<()> {
    match slot {
        Slot::Id => event.id.as_mut()?.assign(string).ok(),
        Slot::CreatedAt => event.created_at.as_mut()?.assign(string).ok(),
        Slot::Reply | Slot::Block | Slot::Call | Slot::Name | Slot::Text => None,
    }
}

pub(super) fn name_mut(payload: &mut Payload) -> Option<&mut String> {
    match payload {
        Payload::ToolCallStart(start) => Some(&mut start.tool_call_name),
        Payload::ToolResultStart(start) => Some(&mut start.tool_call_name),
        _ => None,
    }
}
