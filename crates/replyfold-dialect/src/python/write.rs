//! Writing Python's events and messages: every field, nulls and empty metadata included, in the order of its models.

use super::NAME;
use super::blocks::{nullable, write_block, write_call, write_hint, write_result, write_rule};
use super::read::FAILURES;
use crate::Dialect;
use crate::loss::{Loss, LossKind, Losses};
use replyfold_event::{AgentEvent, ConfirmResult, Extension, MediaDelta, Payload};
use replyfold_message::json::{JsonText, ObjectWriter, Style, Value, Writer};
use replyfold_message::{Failure, FinishedReason, Msg, Role, Usage};

pub(crate) fn write(event: &AgentEvent, out: &mut Vec<u8>) -> Vec<Loss> {
    let mut losses = Losses::new(Dialect::Python, event.type_name(), event.id.as_ref());
    let name = match &event.payload {
        Payload::Unknown(unknown) => {
            out.extend_from_slice(unknown.text.as_bytes());
            return Vec::new();
        }
        Payload::RequestStop(_)
        | Payload::SubagentExposed(_)
        | Payload::Extension(Extension::AgentResult(_) | Extension::AllToolsDenied(_)) => {
            losses.add(LossKind::EventLeftOut, "");
            return losses.list;
        }
        Payload::AgentStart(_) => "REPLY_START",
        Payload::AgentEnd(_) => "REPLY_END",
        _ => event.type_name(),
    };
    losses.left_out(event.source.is_some(), "source");
    losses.filled_ids(event, ["reply_id", "block_id", "tool_call_id"]);
    Writer::new(out, Style::Spaced).object(|object| {
        object.field("id", &event.id);
        object.field("created_at", &event.created_at);
        object.key("metadata").raw(event.metadata.as_str());
        object.string("type", name);
        write_payload(event, object, &mut losses);
    });
    losses.list
}

fn write_payload(event: &AgentEvent, object: &mut ObjectWriter<'_>, losses: &mut Losses<'_>) {
    match &event.payload {
        Payload::AgentStart(start) => {
            demanded(object, "session_id", start.session_id.as_ref().map(AsRef::as_ref), losses);
            object.field("reply_id", &start.reply_id);
            demanded(object, "name", start.name.as_deref(), losses);
            write_role(object, &start.role, losses);
        }
        Payload::AgentEnd(end) => {
            let session = event.residue.get(NAME, "session_id").map_or("\"\"", Value::text);
            object.key("session_id").raw(session);
            object.field("reply_id", &end.reply_id);
            if end.finished_reason.is_none() {
                losses.add(LossKind::Filled, "finished_reason");
            }
            object.field("finished_reason", &end.finished_reason.unwrap_or(FinishedReason::Completed));
            write_failure(object, end.error.as_deref(), losses);
        }
        Payload::ModelCallStart(start) => {
            object.field("reply_id", &start.reply_id);
            demanded(object, "model_name", start.model_name.as_deref(), losses);
        }
        Payload::ModelCallEnd(end) => {
            losses.left_out(end.error.is_some(), "error");
            losses.left_out(end.retry.is_some(), "retry");
            if end.usage.is_none() {
                losses.add(LossKind::Filled, "input_tokens");
            }
            object.field("reply_id", &end.reply_id);
            write_counts(object, &end.usage.unwrap_or_default());
            let reason = match end.finished_reason.as_deref() {
                Some(reason @ ("completed" | "interrupted")) => reason,
                Some(_) => {
                    losses.add(LossKind::Replaced, "finished_reason");
                    "completed"
                }
                None => {
                    losses.add(LossKind::Filled, "finished_reason");
                    "completed"
                }
            };
            object.string("finished_reason", reason);
        }
        Payload::TextBlockStart(p) => ids(object, &p.reply_id, "block_id", &p.block_id),
        Payload::TextBlockDelta(p) => {
            ids(object, &p.reply_id, "block_id", &p.block_id);
            object.field("delta", &p.delta);
        }
        Payload::TextBlockEnd(p) => {
            ids(object, &p.reply_id, "block_id", &p.block_id);
            nullable(object, "text", &p.text);
        }
        Payload::ThinkingBlockStart(p) => ids(object, &p.reply_id, "block_id", &p.block_id),
        Payload::ThinkingBlockDelta(p) => {
            ids(object, &p.reply_id, "block_id", &p.block_id);
            object.field("delta", &p.delta);
        }
        Payload::ThinkingBlockEnd(p) => ids(object, &p.reply_id, "block_id", &p.block_id),
        Payload::DataBlockStart(p) => {
            ids(object, &p.reply_id, "block_id", &p.block_id);
            object.field("media_type", &p.media_type);
            nullable(object, "name", &p.name);
        }
        Payload::DataBlockDelta(p) => {
            ids(object, &p.reply_id, "block_id", &p.block_id);
            demanded(object, "media_type", p.media_type.as_deref(), losses);
            write_media(object, &p.media);
        }
        Payload::DataBlockEnd(p) => ids(object, &p.reply_id, "block_id", &p.block_id),
        Payload::ToolCallStart(p) => {
            ids(object, &p.reply_id, "tool_call_id", &p.tool_call_id);
            object.field("tool_call_name", &p.tool_call_name);
        }
        Payload::ToolCallDelta(p) => {
            ids(object, &p.reply_id, "tool_call_id", &p.tool_call_id);
            object.field("delta", &p.delta);
        }
        Payload::ToolCallEnd(p) => ids(object, &p.reply_id, "tool_call_id", &p.tool_call_id),
        Payload::ToolResultStart(p) => {
            ids(object, &p.reply_id, "tool_call_id", &p.tool_call_id);
            object.field("tool_call_name", &p.tool_call_name);
        }
        Payload::ToolResultTextDelta(p) => {
            ids(object, &p.reply_id, "tool_call_id", &p.tool_call_id);
            object.field("delta", &p.delta);
        }
        Payload::ToolResultDataDelta(p) => {
            losses.left_out(matches!(p.media, MediaDelta::None), "data");
            losses.left_out(p.name.is_some(), "name");
            ids(object, &p.reply_id, "tool_call_id", &p.tool_call_id);
            object.field("block_id", &p.block_id);
            demanded(object, "media_type", p.media_type.as_deref(), losses);
            write_media(object, &p.media);
        }
        Payload::ToolResultEnd(p) => {
            ids(object, &p.reply_id, "tool_call_id", &p.tool_call_id);
            object.field("state", &p.state);
        }
        Payload::ExceedMaxIters(p) => {
            losses.left_out(p.max_iters.is_some(), "max_iters");
            losses.left_out(p.current_iter.is_some(), "current_iter");
            object.field("reply_id", &p.reply_id);
            demanded(object, "name", p.name.as_deref(), losses);
        }
        Payload::RequireUserConfirm(p) => {
            object.field("reply_id", &p.reply_id);
            object.key("tool_calls").array(&p.tool_calls, |out, call| write_call(call, out, losses));
        }
        Payload::UserConfirmResult(p) => {
            object.field("reply_id", &p.reply_id);
            object.key("confirm_results").array(&p.confirm_results, |out, result| write_confirm(result, out, losses));
        }
        Payload::RequireExternalExecution(p) => {
            object.field("reply_id", &p.reply_id);
            object.key("tool_calls").array(&p.tool_calls, |out, call| write_call(call, out, losses));
        }
        Payload::ExternalExecutionResult(p) => {
            object.field("reply_id", &p.reply_id);
            object.key("execution_results").array(&p.tool_results, |out, result| write_result(result, out, losses));
        }
        Payload::Extension(Extension::HintBlock(p)) => {
            ids(object, &p.reply_id, "block_id", &p.block_id);
            nullable(object, "source", &p.hint_source);
            write_hint(&p.hint, &mut object.key("hint"), losses);
        }
        Payload::Extension(Extension::UserInterrupt(p)) => object.field("reply_id", &p.reply_id),
        Payload::Extension(Extension::Custom(p)) => {
            object.field("name", &p.name);
            object.key("value").raw(p.value.as_str());
        }
        // Left out or passed through before.
        _ => {}
    }
}

fn ids<Id: replyfold_message::json::FieldValue>(object: &mut ObjectWriter<'_>, reply: &replyfold_message::ReplyId, key: &str, id: &Id) {
    object.field("reply_id", reply);
    object.field(key, id);
}

/// A string that Python demands.
fn demanded(object: &mut ObjectWriter<'_>, key: &str, value: Option<&str>, losses: &mut Losses<'_>) {
    if value.is_none() {
        losses.add(LossKind::Filled, key);
    }
    object.string(key, value.unwrap_or_default());
}

fn write_role(object: &mut ObjectWriter<'_>, role: &Role, losses: &mut Losses<'_>) {
    let word = match role {
        Role::User | Role::Assistant | Role::System => role.as_str(),
        _ => {
            losses.add(LossKind::Replaced, "role");
            "assistant"
        }
    };
    object.string("role", word);
}

fn write_media(object: &mut ObjectWriter<'_>, media: &MediaDelta) {
    match media {
        MediaDelta::Base64(data) => {
            object.field("data", data);
            object.key("url").null();
        }
        MediaDelta::Url(url) => {
            object.key("data").null();
            object.field("url", url);
        }
        _ => {
            object.string("data", "");
            object.key("url").null();
        }
    }
}

fn write_confirm(result: &ConfirmResult, out: &mut Writer<'_>, losses: &mut Losses<'_>) {
    out.object(|object| {
        object.field("confirmed", &result.confirmed);
        write_call(&result.tool_call, &mut object.key("tool_call"), losses);
        match &result.rules {
            Some(rules) => object.key("rules").array(rules, |out, rule| write_rule(rule, out)),
            None => object.key("rules").null(),
        }
    });
}

fn write_failure(object: &mut ObjectWriter<'_>, failure: Option<&Failure>, losses: &mut Losses<'_>) {
    let Some(failure) = failure else {
        object.key("error").null();
        return;
    };
    losses.left_out(failure.code.is_some(), "error.code");
    losses.left_out(failure.detail.is_some(), "error.detail");
    let kind = failure.kind.as_deref().filter(|kind| FAILURES.contains(kind)).unwrap_or_else(|| {
        losses.add(LossKind::Replaced, "error.type");
        "unknown"
    });
    object.key("error").object(|object| {
        object.string("type", kind);
        object.field("message", &failure.message);
    });
}

fn write_counts(object: &mut ObjectWriter<'_>, usage: &Usage) {
    object.field("input_tokens", &usage.input_tokens);
    object.field("output_tokens", &usage.output_tokens);
    object.field("cache_input_tokens", &usage.cache_input_tokens);
    object.field("cache_creation_input_tokens", &usage.cache_creation_input_tokens);
}

pub(crate) fn write_msg(msg: &Msg, out: &mut Vec<u8>) -> Vec<Loss> {
    let mut losses = Losses::new(Dialect::Python, "message", None);
    Writer::new(out, Style::Spaced).object(|object| {
        object.field("name", &msg.name);
        object.key("content").array(msg.content.iter(), |out, block| write_block(block, out, &mut losses));
        write_role(object, &msg.role, &mut losses);
        object.field("id", &msg.id);
        object.key("metadata").raw(msg.metadata.as_str());
        nullable(object, "created_at", &msg.created_at);
        match &msg.usage {
            Some(usage) => object.key("usage").object(|object| write_counts(object, usage)),
            None => object.key("usage").null(),
        }
        nullable(object, "finished_at", &msg.finished_at);
        nullable(object, "finished_reason", &msg.finished_reason);
        object.key("structured_output").raw(msg.structured_output.as_ref().map_or("null", JsonText::as_str));
        write_failure(object, msg.error.as_ref(), &mut losses);
    });
    losses.list
}
