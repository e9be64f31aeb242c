//! Blocks in Python's form, both directions.

use super::scalars::{Model, boolean};
use crate::loss::{LossKind, Losses};
use replyfold_event::ConfirmResult;
use replyfold_message::json::{DecodeError, FieldValue, Fields, JsonObject, ObjectWriter, Value, ValueKind, Writer};
use replyfold_message::{
    Block, DataBlock, DataSource, Hint, HintBlock, Media, PermissionRule, TextBlock, ThinkingBlock, Timestamp, ToolCallBlock,
    ToolCallState, ToolResultBlock, ToolResultState,
};

pub(super) fn read_call(value: Value<'_>) -> Result<ToolCallBlock, DecodeError> {
    let fields = value.object()?;
    let model = Model(&fields);
    model.tag("tool_call")?;
    let mut call = ToolCallBlock::new(model.id::<replyfold_message::ToolCallId>("id")?, model.string("name")?);
    call = call.with_content(model.string("input")?);
    call.state = model.defaulted("state", ToolCallState::read)?.unwrap_or(ToolCallState::Pending);
    call.suggested_rules = model.defaulted("suggested_rules", |value| value.list(read_rule))?.unwrap_or_default();
    (call.created_at, call.finished_at) = times(&model)?;
    Ok(call)
}

pub(super) fn read_result(value: Value<'_>, at: Option<&Timestamp>) -> Result<ToolResultBlock, DecodeError> {
    let fields = value.object()?;
    let model = Model(&fields);
    model.tag("tool_result")?;
    let mut result = ToolResultBlock::new(model.id::<replyfold_message::ToolCallId>("id")?, model.string("name")?);
    result.output = model.required("output", |value| match value.kind() {
        ValueKind::String => {
            let text = value.string()?;
            let mut block = TextBlock::new(text.as_ref());
            block.created_at = at.cloned();
            Ok(if text.is_empty() { Vec::new() } else { vec![block.into()] })
        }
        ValueKind::Array => value.list(read_part),
        kind => Err(DecodeError::mismatch("a string or an array", kind)),
    })?;
    result.state = model.defaulted("state", ToolResultState::read)?.unwrap_or(ToolResultState::Running);
    result.metadata = model.object("metadata")?;
    (result.created_at, result.finished_at) = times(&model)?;
    Ok(result)
}

pub(super) fn read_hint(value: Value<'_>) -> Result<Hint, DecodeError> {
    match value.kind() {
        ValueKind::String => value.string().map(|text| Hint::Text(text.into_owned())),
        ValueKind::Array => value.list(read_part).map(Hint::Blocks),
        kind => Err(DecodeError::mismatch("a string or an array", kind)),
    }
}

pub(super) fn read_confirm(value: Value<'_>) -> Result<ConfirmResult, DecodeError> {
    let fields = value.object()?;
    let model = Model(&fields);
    let mut result = ConfirmResult::new(model.required("confirmed", boolean)?, model.required("tool_call", read_call)?);
    result.rules = model.nullable("rules", |value| value.list(read_rule))?;
    Ok(result)
}

fn read_rule(value: Value<'_>) -> Result<PermissionRule, DecodeError> {
    let fields = value.object()?;
    let model = Model(&fields);
    let mut rule = PermissionRule::new(model.string("tool_name")?, model.required("behavior", FieldValue::read)?, model.string("source")?);
    rule.rule_content = model.required("rule_content", |value| match value.is_null() {
        true => Ok(None),
        false => value.string().map(|text| Some(text.into_owned())),
    })?;
    Ok(rule)
}

/// A text or data block: told by its `type`, else by its shape.
fn read_part(value: Value<'_>) -> Result<Block, DecodeError> {
    let fields = value.object()?;
    let model = Model(&fields);
    let tag = model.defaulted("type", Value::string)?;
    match tag.as_deref() {
        Some("text") => read_text(&model),
        Some("data") => read_data(&model),
        Some(other) => Err(DecodeError::invalid(format!("expected `text` or `data`, found `{other}`")).within("type")),
        None if fields.get("source").is_some() && fields.get("text").is_none() => read_data(&model),
        None => read_text(&model),
    }
}

fn read_text(model: &Model<'_, '_>) -> Result<Block, DecodeError> {
    let mut block = TextBlock::new(model.string("text")?);
    block.id = model.default_id("id")?;
    (block.created_at, block.finished_at) = times(model)?;
    Ok(block.into())
}

fn read_data(model: &Model<'_, '_>) -> Result<Block, DecodeError> {
    let mut block = DataBlock::new(model.required("source", read_source)?);
    block.id = model.default_id("id")?;
    block.name = model.nullable_string("name")?;
    (block.created_at, block.finished_at) = times(model)?;
    Ok(block.into())
}

fn read_source(value: Value<'_>) -> Result<DataSource, DecodeError> {
    let fields: Fields<'_> = value.object()?;
    let model = Model(&fields);
    let tag = model.defaulted("type", Value::string)?;
    let is_url = match tag.as_deref() {
        Some("base64") => false,
        Some("url") => true,
        Some(other) => return Err(DecodeError::invalid(format!("expected `base64` or `url`, found `{other}`")).within("type")),
        None => fields.get("data").is_none(),
    };
    let media_type = model.string("media_type")?;
    if is_url {
        let url = model.string("url")?;
        url::Url::parse(&url).map_err(|err| DecodeError::invalid(format!("not a URL: {err}")).within("url"))?;
        Ok(DataSource::url(url, Some(media_type)))
    } else {
        Ok(DataSource::base64(media_type, Media::from_base64(&model.string("data")?)))
    }
}

fn times(model: &Model<'_, '_>) -> Result<(Option<Timestamp>, Option<Timestamp>), DecodeError> {
    let finished_at = model.nullable("finished_at", |value| value.string().map(|text| Timestamp::new(&text)))?;
    Ok((model.default_id("created_at")?, finished_at))
}

/// Any block of a message.
pub(super) fn read_block(value: Value<'_>) -> Result<Block, DecodeError> {
    let fields = value.object()?;
    let model = Model(&fields);
    match fields.tag()?.as_ref() {
        "text" => read_text(&model),
        "data" => read_data(&model),
        "thinking" => {
            let mut block = ThinkingBlock::new(model.string("thinking")?);
            block.id = model.default_id("id")?;
            (block.created_at, block.finished_at) = times(&model)?;
            Ok(block.into())
        }
        "tool_call" => read_call(value).map(Into::into),
        "tool_result" => read_result(value, None).map(Into::into),
        "hint" => {
            let mut block = HintBlock::new(model.required("hint", read_hint)?);
            block.id = model.default_id("id")?;
            block.source = model.nullable_string("source")?;
            (block.created_at, block.finished_at) = times(&model)?;
            Ok(block.into())
        }
        other => Err(DecodeError::invalid(format!("expected a block of a message, found `{other}`")).within("type")),
    }
}

pub(super) fn write_call(call: &ToolCallBlock, out: &mut Writer<'_>, losses: &mut Losses<'_>) {
    out.object(|object| {
        object.string("type", "tool_call");
        object.field("id", &call.id);
        object.field("name", &call.name);
        // Python has the text only, and reads the input from it.
        if JsonObject::parse(&call.content).unwrap_or_default().is_same_value(&call.input) {
            object.field("input", &call.content);
        } else if call.content.trim().is_empty() {
            losses.add(LossKind::Filled, "input");
            object.field("input", &call.input.to_sorted());
        } else {
            losses.add(LossKind::Replaced, "input");
            object.field("input", &call.content);
        }
        object.field("state", &call.state);
        object.key("suggested_rules").array(&call.suggested_rules, |out, rule| write_rule(rule, out));
        write_times(object, &call.created_at, &call.finished_at);
    });
}

pub(super) fn write_result(result: &ToolResultBlock, out: &mut Writer<'_>, losses: &mut Losses<'_>) {
    out.object(|object| {
        object.string("type", "tool_result");
        object.field("id", &result.id);
        object.field("name", &result.name);
        write_parts(&result.output, &mut object.key("output"), "output", losses);
        object.field("state", &result.state);
        object.key("metadata").raw(result.metadata.as_str());
        write_times(object, &result.created_at, &result.finished_at);
    });
}

pub(super) fn write_hint(hint: &Hint, out: &mut Writer<'_>, losses: &mut Losses<'_>) {
    match hint {
        Hint::Text(text) => out.string(text),
        Hint::Blocks(blocks) => write_parts(blocks, out, "hint", losses),
    }
}

pub(super) fn write_rule(rule: &PermissionRule, out: &mut Writer<'_>) {
    out.object(|object| {
        object.field("tool_name", &rule.tool_name);
        nullable(object, "rule_content", &rule.rule_content);
        object.field("behavior", &rule.behavior);
        object.field("source", &rule.source);
    });
}

/// Text and data blocks; Python knows no other kind there.
fn write_parts(blocks: &[Block], out: &mut Writer<'_>, what: &str, losses: &mut Losses<'_>) {
    let (parts, others): (Vec<_>, Vec<_>) = blocks.iter().partition(|block| matches!(block, Block::Text(_) | Block::Data(_)));
    losses.left_out(!others.is_empty(), what);
    out.array(parts, |out, block| write_block(block, out, losses));
}

pub(super) fn write_block(block: &Block, out: &mut Writer<'_>, losses: &mut Losses<'_>) {
    match block {
        Block::Text(text) => out.object(|object| {
            object.string("type", "text");
            object.field("text", &text.text);
            write_id(object, text.id.as_ref().map(AsRef::as_ref), &text.origin, losses);
            write_times(object, &text.created_at, &text.finished_at);
        }),
        Block::Thinking(thinking) => out.object(|object| {
            losses.left_out(!thinking.metadata.is_empty(), "thinking.metadata");
            object.string("type", "thinking");
            object.field("thinking", &thinking.thinking);
            write_id(object, thinking.id.as_ref().map(AsRef::as_ref), &Default::default(), losses);
            write_times(object, &thinking.created_at, &thinking.finished_at);
        }),
        Block::Data(data) => out.object(|object| {
            object.string("type", "data");
            write_id(object, data.id.as_ref().map(AsRef::as_ref), &data.origin, losses);
            write_source(&data.source, &mut object.key("source"), losses);
            nullable(object, "name", &data.name);
            write_times(object, &data.created_at, &data.finished_at);
        }),
        Block::ToolCall(call) => write_call(call, out, losses),
        Block::ToolResult(result) => write_result(result, out, losses),
        Block::Hint(hint) => out.object(|object| {
            object.string("type", "hint");
            write_hint(&hint.hint, &mut object.key("hint"), losses);
            write_id(object, hint.id.as_ref().map(AsRef::as_ref), &Default::default(), losses);
            nullable(object, "source", &hint.source);
            write_times(object, &hint.created_at, &hint.finished_at);
        }),
        // Demanded by `#[non_exhaustive]`.
        _ => {
            losses.add(LossKind::FieldLeftOut, "content");
            out.null();
        }
    }
}

/// The id, made from the event that opened the block where there is none (`reduction.md` D7, D14).
fn write_id(object: &mut ObjectWriter<'_>, id: Option<&str>, origin: &replyfold_message::Origin, losses: &mut Losses<'_>) {
    match (id, origin.event()) {
        (Some(id), _) => object.string("id", id),
        (None, Some(event)) => {
            losses.add(LossKind::Filled, "id");
            object.string("id", &format!("gen-{event}"));
        }
        (None, None) => {}
    }
}

fn write_source(source: &DataSource, out: &mut Writer<'_>, losses: &mut Losses<'_>) {
    out.object(|object| match source {
        DataSource::Base64 { media_type, data, .. } => {
            object.string("type", "base64");
            object.field("data", data);
            object.field("media_type", media_type);
        }
        DataSource::Url { url, media_type, .. } => {
            object.string("type", "url");
            // The WHATWG form, as pydantic writes it, where the text is a URL (`reduction.md` D9).
            match url::Url::parse(url) {
                Ok(parsed) => {
                    if parsed.as_str() != url {
                        losses.add(LossKind::Replaced, "source.url");
                    }
                    object.string("url", parsed.as_str());
                }
                Err(_) => {
                    losses.add(LossKind::WrittenInvalid, "source.url");
                    object.field("url", url);
                }
            }
            if media_type.is_none() {
                losses.add(LossKind::Filled, "source.media_type");
            }
            object.string("media_type", media_type.as_deref().unwrap_or_default());
        }
        // Demanded by `#[non_exhaustive]`.
        _ => losses.add(LossKind::FieldLeftOut, "source"),
    });
}

fn write_times(object: &mut ObjectWriter<'_>, created_at: &Option<Timestamp>, finished_at: &Option<Timestamp>) {
    object.field("created_at", created_at);
    nullable(object, "finished_at", finished_at);
}

/// Writes a field that Python writes as null when it is absent.
pub(super) fn nullable<T: FieldValue>(object: &mut ObjectWriter<'_>, key: &str, value: &Option<T>) {
    value.write(&mut object.key(key));
}
