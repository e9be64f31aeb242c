//! From what serde read to our events.

use super::wire::Body;
use replyfold::event::{
    AgentEnd, AgentEvent, AgentStart, DataBlockDelta, DataBlockEnd, DataBlockStart, MediaDelta, ModelCallEnd, ModelCallStart, Payload,
    TextBlockDelta, TextBlockEnd, TextBlockStart, ThinkingBlockDelta, ThinkingBlockEnd, ThinkingBlockStart, ToolCallDelta, ToolCallEnd,
    ToolCallStart, ToolResultEnd, ToolResultStart, ToolResultTextDelta,
};
use replyfold::message::{FinishedReason, Role, ToolResultState, Usage};
use serde_json::{Map, Value};

/// What every event carries.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names are those of the wire")]
pub struct Envelope {
    pub id: String,
    pub created_at: String,
    pub source: Option<String>,
    pub metadata: Option<Map<String, Value>>,
}

/// Our event of these parts; `None` of a type that the generated logs do not hold.
pub(super) fn into_event((envelope, body): (Envelope, Body)) -> Option<AgentEvent> {
    let mut event = AgentEvent::new(payload(body)?).with_id(envelope.id).with_created_at(envelope.created_at.as_str());
    if let Some(source) = envelope.source {
        event = event.with_source(source);
    }
    Some(event)
}

fn payload(body: Body) -> Option<Payload> {
    Some(match body {
        Body::AgentStart { reply_id, session_id, name, role } => {
            let role = role.as_deref().map_or(Role::Assistant, Role::from);
            let mut start = AgentStart::new(reply_id, role);
            start.session_id = session_id.map(Into::into);
            start.name = name;
            start.into()
        }
        Body::AgentEnd { reply_id, finished_reason, .. } => {
            let mut end = AgentEnd::new(reply_id);
            end.finished_reason = finished_reason.as_deref().and_then(FinishedReason::from_wire);
            end.into()
        }
        Body::ModelCallStart { reply_id, model_name } => {
            let mut start = ModelCallStart::new(reply_id);
            start.model_name = model_name;
            start.into()
        }
        Body::ModelCallEnd { reply_id, input_tokens, output_tokens, cache_input_tokens, cache_creation_input_tokens, usage, .. } => {
            let flat = input_tokens.zip(output_tokens).map(|(input, output)| {
                Usage::new(input, output).with_cache(cache_input_tokens.unwrap_or(0), cache_creation_input_tokens.unwrap_or(0))
            });
            let nested = usage.map(|usage| Usage::new(usage.input_tokens, usage.output_tokens).with_cache(usage.cached_tokens, 0));
            ModelCallEnd::new(reply_id, nested.or(flat)).into()
        }
        Body::TextBlockStart { reply_id, block_id } => TextBlockStart::new(reply_id, block_id).into(),
        Body::TextBlockDelta { reply_id, block_id, delta } => TextBlockDelta::new(reply_id, block_id, delta).into(),
        Body::TextBlockEnd { reply_id, block_id, text } => {
            let mut end = TextBlockEnd::new(reply_id, block_id);
            end.text = text;
            end.into()
        }
        Body::ThinkingBlockStart { reply_id, block_id } => ThinkingBlockStart::new(reply_id, block_id).into(),
        Body::ThinkingBlockDelta { reply_id, block_id, delta } => ThinkingBlockDelta::new(reply_id, block_id, delta).into(),
        Body::ThinkingBlockEnd { reply_id, block_id } => ThinkingBlockEnd::new(reply_id, block_id).into(),
        Body::DataBlockStart { reply_id, block_id, media_type, name } => {
            let mut start = DataBlockStart::new(reply_id, block_id, media_type.unwrap_or_else(|| "application/octet-stream".to_owned()));
            start.name = name;
            start.into()
        }
        Body::DataBlockDelta { reply_id, block_id, data, delta, url, .. } => {
            let media = data.or(delta).map(MediaDelta::Base64).or(url.map(MediaDelta::Url))?;
            DataBlockDelta::new(reply_id, block_id, media).into()
        }
        Body::DataBlockEnd { reply_id, block_id } => DataBlockEnd::new(reply_id, block_id).into(),
        Body::ToolCallStart { reply_id, tool_call_id, tool_call_name } => ToolCallStart::new(reply_id, tool_call_id, tool_call_name).into(),
        Body::ToolCallDelta { reply_id, tool_call_id, delta, .. } => ToolCallDelta::new(reply_id, tool_call_id, delta).into(),
        Body::ToolCallEnd { reply_id, tool_call_id, .. } => ToolCallEnd::new(reply_id, tool_call_id).into(),
        Body::ToolResultStart { reply_id, tool_call_id, tool_call_name } => {
            ToolResultStart::new(reply_id, tool_call_id, tool_call_name).into()
        }
        Body::ToolResultTextDelta { reply_id, tool_call_id, delta, .. } => ToolResultTextDelta::new(reply_id, tool_call_id, delta).into(),
        Body::ToolResultEnd { reply_id, tool_call_id, state, .. } => {
            ToolResultEnd::new(reply_id, tool_call_id, ToolResultState::from_wire(&state)?).into()
        }
        Body::ToolResultDataDelta { .. }
        | Body::ExceedMaxIters { .. }
        | Body::RequestStop { .. }
        | Body::RequireUserConfirm { .. }
        | Body::UserConfirmResult { .. }
        | Body::RequireExternalExecution { .. }
        | Body::ExternalExecutionResult { .. }
        | Body::SubagentExposed { .. } => return None,
    })
}
