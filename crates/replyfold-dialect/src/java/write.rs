//! Writing Java's events: nulls left out, `type` once, fields in the order of Java's classes.

use super::blocks::{hint_text, read_block, write_block, write_confirm, write_data};
use super::messages::{read_usage, write_msg, write_usage};
use super::read::{Lenience, result_piece};
use super::{NAME, UNKNOWN_MEDIA};
use crate::Dialect;
use crate::loss::{Loss, LossKind, Losses};
use replyfold_event::{AgentEvent, Extension, GenerateReason, MediaDelta, Payload, ToolResultDataDelta};
use replyfold_message::json::{Fields, JsonObject, ObjectWriter, Style, Value, Writer};
use replyfold_message::{Block, DataBlock, DataSource, Media, ReplyId, ToolCallBlock, ToolCallId, ToolResultState, Usage};

pub(crate) fn write(event: &AgentEvent, out: &mut Vec<u8>) -> Vec<Loss> {
    let mut losses = Losses::new(Dialect::Java, event.type_name(), event.id.as_ref());
    match &event.payload {
        Payload::Unknown(unknown) => {
            out.extend_from_slice(unknown.text.as_bytes());
            return Vec::new();
        }
        Payload::Extension(Extension::UserInterrupt(_)) => losses.add(LossKind::EventLeftOut, ""),
        Payload::DataBlockDelta(delta) if matches!(delta.media, MediaDelta::Url(_)) => losses.add(LossKind::EventLeftOut, "url"),
        _ => {}
    }
    if !losses.list.is_empty() {
        return losses.list;
    }
    let kept = Kept(event.residue.fields_of(NAME).map(JsonObject::fields));
    let whole_block = whole_block(event, &kept);
    let name = if whole_block.is_some() { "TOOL_RESULT_DATA_DELTA" } else { event.type_name() };
    Writer::new(out, Style::Compact).object(|object| {
        object.string("type", name);
        object.field("id", &event.id);
        object.field("createdAt", &event.created_at);
        match &whole_block {
            Some((reply, call, block)) => {
                kept.reply(object, reply);
                kept.call(object, call);
                object.key("data").raw(block);
            }
            None => write_payload(event, object, &kept, &mut losses),
        }
        if name.starts_with("TOOL_RESULT_") {
            object.field("metadata", &event.metadata);
            object.field("source", &event.source);
        } else {
            object.field("source", &event.source);
            object.field("metadata", &event.metadata);
        }
    });
    losses.list
}

/// The block that a piece of a result was read from, if the piece still says what the block says.
fn whole_block<'e>(event: &'e AgentEvent, kept: &Kept<'e>) -> Option<(&'e ReplyId, &'e ToolCallId, String)> {
    let text = kept.0.as_ref()?.get("data")?;
    let (reply, call) = match &event.payload {
        Payload::ToolResultTextDelta(delta) => (&delta.reply_id, &delta.tool_call_id),
        Payload::ToolResultDataDelta(delta) => (&delta.reply_id, &delta.tool_call_id),
        _ => return None,
    };
    let block = read_block(text, Lenience::Jackson).ok()?;
    (result_piece(reply.clone(), call.clone(), block) == event.payload).then(|| (reply, call, text.text().to_owned()))
}

/// What the residue of the event keeps.
struct Kept<'e>(Option<Fields<'e>>);

impl Kept<'_> {
    /// Whether the line left this field out.
    fn is_absent(&self, key: &str) -> bool {
        let listed = |fields: &Fields<'_>| {
            fields
                .get("absent")
                .and_then(|list| list.array().ok())
                .is_some_and(|list| list.iter().any(|item| item.string().is_ok_and(|k| k == key)))
        };
        self.0.as_ref().is_some_and(listed)
    }

    /// A demanded string; left out if it is empty and the line left it out.
    fn text(&self, object: &mut ObjectWriter<'_>, key: &str, text: &str) {
        if !(text.is_empty() && self.is_absent(key)) {
            object.string(key, text);
        }
    }

    /// The field as it was before the reply step.
    fn own(&self, object: &mut ObjectWriter<'_>, key: &str, now: &str) {
        if self.is_absent(key) {
            return;
        }
        match self.0.as_ref().and_then(|fields| fields.get(key)) {
            Some(own) => object.key(key).raw(own.text()),
            None => object.string(key, now),
        }
    }

    fn reply(&self, object: &mut ObjectWriter<'_>, reply: &ReplyId) {
        self.own(object, "replyId", reply.as_str());
    }

    fn block(&self, object: &mut ObjectWriter<'_>, block: &replyfold_message::BlockId) {
        self.own(object, "blockId", block.as_str());
    }

    fn call(&self, object: &mut ObjectWriter<'_>, call: &ToolCallId) {
        self.text(object, "toolCallId", call.as_str());
        if let Some(name) = self.0.as_ref().and_then(|fields| fields.get("toolCallName")) {
            object.key("toolCallName").raw(name.text());
        }
    }
}

fn write_payload(event: &AgentEvent, object: &mut ObjectWriter<'_>, kept: &Kept<'_>, losses: &mut Losses<'_>) {
    match &event.payload {
        Payload::AgentStart(p) => {
            object.field("sessionId", &p.session_id);
            kept.reply(object, &p.reply_id);
            object.field("name", &p.name);
            object.field("role", &p.role);
        }
        Payload::AgentEnd(p) => {
            losses.left_out(p.finished_reason.is_some(), "finishedReason");
            losses.left_out(p.error.is_some(), "error");
            kept.reply(object, &p.reply_id);
        }
        Payload::ModelCallStart(p) => {
            losses.left_out(p.model_name.is_some(), "modelName");
            kept.reply(object, &p.reply_id);
        }
        Payload::ModelCallEnd(p) => {
            losses.left_out(p.finished_reason.is_some(), "finishedReason");
            losses.left_out(p.error.is_some(), "error");
            losses.left_out(p.retry.is_some(), "retry");
            kept.reply(object, &p.reply_id);
            if let Some(usage) = &p.usage {
                write_kept_usage(object, usage, kept, losses);
            }
        }
        Payload::TextBlockStart(p) => block(object, kept, &p.reply_id, &p.block_id),
        Payload::TextBlockDelta(p) => {
            block(object, kept, &p.reply_id, &p.block_id);
            kept.text(object, "delta", &p.delta);
        }
        Payload::TextBlockEnd(p) => {
            losses.left_out(p.text.is_some(), "text");
            block(object, kept, &p.reply_id, &p.block_id);
        }
        Payload::ThinkingBlockStart(p) => block(object, kept, &p.reply_id, &p.block_id),
        Payload::ThinkingBlockDelta(p) => {
            block(object, kept, &p.reply_id, &p.block_id);
            kept.text(object, "delta", &p.delta);
        }
        Payload::ThinkingBlockEnd(p) => block(object, kept, &p.reply_id, &p.block_id),
        Payload::DataBlockStart(p) => {
            losses.left_out(p.media_type != UNKNOWN_MEDIA, "mediaType");
            losses.left_out(p.name.is_some(), "name");
            block(object, kept, &p.reply_id, &p.block_id);
        }
        Payload::DataBlockDelta(p) => {
            losses.left_out(p.media_type.is_some(), "mediaType");
            block(object, kept, &p.reply_id, &p.block_id);
            if let MediaDelta::Base64(data) = &p.media {
                kept.text(object, "delta", data);
            }
        }
        Payload::DataBlockEnd(p) => block(object, kept, &p.reply_id, &p.block_id),
        Payload::ToolCallStart(p) => call(object, kept, &p.reply_id, &p.tool_call_id, Some(&p.tool_call_name)),
        Payload::ToolCallDelta(p) => {
            call(object, kept, &p.reply_id, &p.tool_call_id, None);
            kept.text(object, "delta", &p.delta);
        }
        Payload::ToolCallEnd(p) => call(object, kept, &p.reply_id, &p.tool_call_id, None),
        Payload::ToolResultStart(p) => call(object, kept, &p.reply_id, &p.tool_call_id, Some(&p.tool_call_name)),
        Payload::ToolResultTextDelta(p) => {
            call(object, kept, &p.reply_id, &p.tool_call_id, None);
            kept.text(object, "delta", &p.delta);
        }
        Payload::ToolResultDataDelta(p) => {
            call(object, kept, &p.reply_id, &p.tool_call_id, None);
            write_piece(p, object, losses);
        }
        Payload::ToolResultEnd(p) => {
            call(object, kept, &p.reply_id, &p.tool_call_id, None);
            if !(p.state == ToolResultState::Running && kept.is_absent("state")) {
                object.field("state", &p.state);
            }
        }
        Payload::ExceedMaxIters(p) => {
            losses.left_out(p.name.is_some(), "name");
            kept.reply(object, &p.reply_id);
            for (key, number) in [("maxIters", p.max_iters), ("currentIter", p.current_iter)] {
                let number = number.unwrap_or_else(|| {
                    losses.add(LossKind::Filled, key);
                    0
                });
                let in_range = number.clamp(i32::MIN.into(), i32::MAX.into());
                if in_range != number {
                    losses.add(LossKind::Replaced, key);
                }
                object.field(key, &in_range);
            }
        }
        Payload::RequestStop(p) => {
            losses.left_out(p.reply_id.is_some() && !kept.is_absent("replyId"), "replyId");
            object.field("reason", &p.reason);
            match &p.generate_reason {
                GenerateReason::Other(_) => {
                    losses.add(LossKind::Replaced, "generateReason");
                    object.string("generateReason", GenerateReason::MiddlewareStopRequested.as_str());
                }
                reason => object.field("generateReason", reason),
            }
        }
        Payload::RequireUserConfirm(p) => {
            kept.reply(object, &p.reply_id);
            calls(object, "toolCalls", &p.tool_calls, losses);
        }
        Payload::UserConfirmResult(p) => {
            kept.reply(object, &p.reply_id);
            object.key("confirmResults").array(&p.confirm_results, |out, result| write_confirm(result, out, losses));
        }
        Payload::RequireExternalExecution(p) => {
            kept.reply(object, &p.reply_id);
            calls(object, "toolCalls", &p.tool_calls, losses);
        }
        Payload::ExternalExecutionResult(p) => {
            kept.reply(object, &p.reply_id);
            object.key("toolResults").array(&p.tool_results, |out, result| write_block(&Block::from(result.clone()), out, losses));
        }
        Payload::SubagentExposed(p) => {
            losses.left_out(p.reply_id.is_some() && !kept.is_absent("replyId"), "replyId");
            kept.text(object, "subagentId", &p.subagent_id);
            kept.text(object, "agentId", &p.agent_id);
            kept.text(object, "sessionId", p.session_id.as_str());
            object.field("label", &p.label);
        }
        Payload::Extension(Extension::HintBlock(p)) => {
            block(object, kept, &p.reply_id, &p.block_id);
            object.field("hintSource", &p.hint_source);
            kept.text(object, "hint", &hint_text(&p.hint, losses));
        }
        Payload::Extension(Extension::AgentResult(p)) => {
            if let Some(result) = &p.result {
                losses.list.extend(write_msg(result, &mut object.key("result")));
            }
        }
        Payload::Extension(Extension::AllToolsDenied(p)) => calls(object, "deniedToolCalls", &p.denied_tool_calls, losses),
        Payload::Extension(Extension::Custom(p)) => {
            kept.text(object, "name", &p.name);
            object.key("value").raw(p.value.as_str());
        }
        // Left out or passed through before.
        _ => {}
    }
}

fn block(object: &mut ObjectWriter<'_>, kept: &Kept<'_>, reply: &ReplyId, id: &replyfold_message::BlockId) {
    kept.reply(object, reply);
    kept.block(object, id);
}

fn call(object: &mut ObjectWriter<'_>, kept: &Kept<'_>, reply: &ReplyId, id: &ToolCallId, name: Option<&str>) {
    kept.reply(object, reply);
    kept.call(object, id);
    if let Some(name) = name {
        kept.text(object, "toolCallName", name);
    }
}

fn calls(object: &mut ObjectWriter<'_>, key: &str, calls: &[ToolCallBlock], losses: &mut Losses<'_>) {
    object.key(key).array(calls, |out, call| write_block(&Block::from(call.clone()), out, losses));
}

/// The usage as it came, with the fields that only Java has, if the counts are still those.
fn write_kept_usage(object: &mut ObjectWriter<'_>, usage: &Usage, kept: &Kept<'_>, losses: &mut Losses<'_>) {
    let text = kept
        .0
        .as_ref()
        .and_then(|fields| fields.get("usage"))
        .filter(|text: &Value<'_>| read_usage(*text).is_ok_and(|told| told == *usage));
    match text {
        Some(text) => object.key("usage").raw(text.text()),
        None => write_usage(usage, &mut object.key("usage"), losses),
    }
}

/// A piece of a result as the block that Java sends. A piece of no kind has none.
fn write_piece(piece: &ToolResultDataDelta, object: &mut ObjectWriter<'_>, losses: &mut Losses<'_>) {
    let source = match &piece.media {
        MediaDelta::Base64(text) => {
            if piece.media_type.is_none() {
                losses.add(LossKind::Filled, "mediaType");
            }
            DataSource::base64(piece.media_type.as_deref().unwrap_or(UNKNOWN_MEDIA), Media::from_base64(text))
        }
        MediaDelta::Url(url) => DataSource::url(url, piece.media_type.clone()),
        // No media; `#[non_exhaustive]` demands the rest.
        _ => {
            losses.left_out(piece.block_id.is_some(), "blockId");
            losses.left_out(piece.media_type.is_some(), "mediaType");
            losses.left_out(piece.name.is_some(), "name");
            return;
        }
    };
    let mut block = DataBlock::new(source);
    block.id.clone_from(&piece.block_id);
    block.name.clone_from(&piece.name);
    write_data(&block, &mut object.key("data"), losses);
}
