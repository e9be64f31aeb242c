//! Ids that several payloads share, asked for without knowing which payload it is.
#![expect(clippy::wildcard_enum_match_arm, reason = "a payload without such an id has none; a test compares these lists with the fields")]

use crate::{AgentEvent, Extension, Payload};
use replyfold_message::{BlockId, ReplyId, ToolCallId};

/// Matches the listed payloads, and answers `None` for every other. The borrow of `$payload` decides the borrow of the field.
macro_rules! id_of {
    ($payload:expr, $field:ident, $($event:ident)+ ; $($ext:ident)*) => {
        match $payload {
            $(Payload::$event(crate::$event { $field: id, .. }) => Some(id),)+
            $(Payload::Extension(Extension::$ext(crate::$ext { $field: id, .. })) => Some(id),)*
            _ => None,
        }
    };
}

/// The reply id of a payload that demands one.
macro_rules! demanded_reply_id {
    ($payload:expr) => {
        id_of!($payload, reply_id,
            AgentStart AgentEnd ModelCallStart ModelCallEnd TextBlockStart TextBlockDelta TextBlockEnd ThinkingBlockStart
            ThinkingBlockDelta ThinkingBlockEnd DataBlockStart DataBlockDelta DataBlockEnd ToolCallStart ToolCallDelta ToolCallEnd
            ToolResultStart ToolResultTextDelta ToolResultDataDelta ToolResultEnd ExceedMaxIters RequireUserConfirm
            UserConfirmResult RequireExternalExecution ExternalExecutionResult ; HintBlock UserInterrupt)
    };
}

/// The block id of a payload; `$option` borrows an optional one as the payload is borrowed.
macro_rules! block_id {
    ($payload:expr, $option:ident) => {
        match $payload {
            Payload::ToolResultDataDelta(payload) => payload.block_id.$option(),
            payload => id_of!(payload, block_id,
                TextBlockStart TextBlockDelta TextBlockEnd ThinkingBlockStart ThinkingBlockDelta ThinkingBlockEnd
                DataBlockStart DataBlockDelta DataBlockEnd ; HintBlock),
        }
    };
}

/// The call id of a payload.
macro_rules! tool_call_id {
    ($payload:expr) => {
        id_of!($payload, tool_call_id,
            ToolCallStart ToolCallDelta ToolCallEnd ToolResultStart ToolResultTextDelta ToolResultDataDelta ToolResultEnd ;)
    };
}

impl AgentEvent {
    /// The reply that the event belongs to, if it says so.
    #[must_use]
    pub fn reply_id(&self) -> Option<&ReplyId> {
        match &self.payload {
            Payload::RequestStop(payload) => payload.reply_id.as_ref(),
            Payload::SubagentExposed(payload) => payload.reply_id.as_ref(),
            payload => demanded_reply_id!(payload),
        }
    }

    /// Gives the event to another reply. An event that has no place for a reply id stays as it is; the answer tells.
    pub fn set_reply_id(&mut self, id: ReplyId) -> bool {
        let place = match &mut self.payload {
            Payload::RequestStop(payload) => Some(payload.reply_id.get_or_insert_default()),
            Payload::SubagentExposed(payload) => Some(payload.reply_id.get_or_insert_default()),
            payload => demanded_reply_id!(payload),
        };
        match place {
            Some(place) => {
                *place = id;
                true
            }
            None => false,
        }
    }

    /// The block that the event is about, if it is about one.
    #[must_use]
    pub fn block_id(&self) -> Option<&BlockId> {
        block_id!(&self.payload, as_ref)
    }

    /// The block that the event is about, to give it another.
    pub fn block_id_mut(&mut self) -> Option<&mut BlockId> {
        block_id!(&mut self.payload, as_mut)
    }

    /// The tool call that the event is about, if it is about exactly one.
    #[must_use]
    pub fn tool_call_id(&self) -> Option<&ToolCallId> {
        tool_call_id!(&self.payload)
    }

    /// The tool call that the event is about, to give it another.
    pub fn tool_call_id_mut(&mut self) -> Option<&mut ToolCallId> {
        tool_call_id!(&mut self.payload)
    }
}

#[cfg(test)]
mod tests {
    use crate::{AgentEvent, EventType, ExtensionType, FieldInfo};

    /// Every type answers for exactly the ids that its fields name.
    #[test]
    fn accessors_answer_for_the_ids_that_the_fields_name() {
        let events = EventType::ALL.map(|t| (t.as_str(), t.fields().collect::<Vec<_>>()));
        let extensions = ExtensionType::ALL.map(|t| (t.as_str(), t.fields().collect()));
        for (name, fields) in events.into_iter().chain(extensions) {
            let mut event = AgentEvent::from_json(&sample(name, &fields)).unwrap();
            let has = |key| fields.iter().any(|field| field.key == key);
            assert_eq!(event.reply_id().is_some(), has("replyId"), "{name}");
            assert_eq!(event.block_id().is_some(), has("blockId"), "{name}");
            assert_eq!(event.tool_call_id().is_some(), has("toolCallId"), "{name}");
            assert_eq!(event.block_id_mut().is_some(), has("blockId"), "{name}");
            assert_eq!(event.tool_call_id_mut().is_some(), has("toolCallId"), "{name}");
            assert_eq!(event.set_reply_id("other".into()), has("replyId"), "{name}");
            assert_eq!(event.reply_id().map(|id| id.as_str()), has("replyId").then_some("other"), "{name}");
        }
    }

    fn sample(name: &str, fields: &[FieldInfo]) -> String {
        let mut text = format!(r#"{{"type":"{name}""#);
        for field in fields {
            let value = match field.key {
                "inputTokens" | "outputTokens" | "cacheInputTokens" | "cacheCreationInputTokens" | "maxIters" | "currentIter" => "1",
                "toolCalls" | "confirmResults" | "toolResults" | "deniedToolCalls" => "[]",
                "error" => r#"{"message":"m"}"#,
                "retry" => r#"{"attempt":1,"maxRetries":3,"delayMs":10000}"#,
                "value" => "{}",
                "result" => r#"{"id":"m"}"#,
                "state" => r#""success""#,
                "url" => continue,
                "finishedReason" => r#""completed""#,
                _ => r#""x""#,
            };
            text.push_str(&format!(r#","{}":{value}"#, field.key));
        }
        text + "}"
    }
}
