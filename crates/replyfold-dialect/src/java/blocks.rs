//! Blocks of camelCase lines, both directions.

use super::kept;
use super::read::Lenience;
use super::scalars::{Object, boolean, string, word};
use crate::loss::{LossKind, Losses};
use replyfold_event::ConfirmResult;
use replyfold_message::json::{DecodeError, FieldValue, JsonObject, ObjectWriter, Value, ValueKind, Writer};
use replyfold_message::{
    Block, DataBlock, DataSource, Hint, HintBlock, Media, PermissionBehavior, PermissionRule, Residue, TextBlock, ThinkingBlock, Timestamp,
    ToolCallBlock, ToolCallState, ToolResultBlock, ToolResultState,
};

/// Any block; what Java's own writing of it would not give back is kept beside it.
pub(crate) fn read_block(value: Value<'_>, lenience: Lenience) -> Result<Block, DecodeError> {
    read_at(value, lenience, 1)
}

/// The block that stands as number `depth` of those in each other.
fn read_at(value: Value<'_>, lenience: Lenience, depth: usize) -> Result<Block, DecodeError> {
    Block::check_depth(depth)?;
    let mut block = read_plain(value, lenience, depth)?;
    let residue = kept::residue(value, lenience, &block, write_plain);
    match &mut block {
        Block::Text(block) => block.residue = residue,
        Block::Thinking(block) => block.residue = residue,
        Block::Data(block) => block.residue = residue,
        Block::ToolCall(block) => block.residue = residue,
        Block::ToolResult(block) => block.residue = residue,
        Block::Hint(block) => block.residue = residue,
        // Demanded by `#[non_exhaustive]`.
        _ => {}
    }
    Ok(block)
}

fn read_plain(value: Value<'_>, lenience: Lenience, depth: usize) -> Result<Block, DecodeError> {
    let fields = value.object()?;
    let object = Object::new(&fields, lenience);
    Ok(match fields.tag()?.as_ref() {
        "text" => {
            let mut block = TextBlock::new(demanded(&object, "text")?);
            block.id = id(&object)?;
            (block.created_at, block.finished_at) = times(&object)?;
            block.into()
        }
        "thinking" => {
            let mut block = ThinkingBlock::new(demanded(&object, "thinking")?);
            block.id = id(&object)?;
            block.metadata = metadata(&object)?;
            (block.created_at, block.finished_at) = times(&object)?;
            block.into()
        }
        tag @ ("data" | "image" | "audio" | "video") => {
            let source = match object.optional("source", |value| read_source(value, lenience))? {
                Some(source) => source,
                // Java's video alone may lack a source.
                None if tag == "video" => DataSource::url("", None),
                None => return Err(DecodeError::missing("source")),
            };
            let mut block = DataBlock::new(source);
            block.id = id(&object)?;
            block.name = object.string("name")?;
            (block.created_at, block.finished_at) = times(&object)?;
            block.into()
        }
        "tool_use" => read_call_fields(&object)?.into(),
        "tool_result" => read_result_fields(&object, depth)?.into(),
        "hint" => {
            let hint = object.optional("hint", |value| match (value.kind(), lenience) {
                (ValueKind::Array, Lenience::Taxonomy) => value.list(|item| read_at(item, lenience, depth + 1)).map(Hint::Blocks),
                _ => string(value, lenience).map(|text| Hint::Text(text.into_owned())),
            })?;
            let hint = match (hint, lenience) {
                (Some(hint), _) => hint,
                (None, Lenience::Jackson) => Hint::Text(String::new()),
                (None, Lenience::Taxonomy) => return Err(DecodeError::missing("hint")),
            };
            let mut block = HintBlock::new(hint);
            block.id = id(&object)?;
            block.source = object.string("source")?;
            (block.created_at, block.finished_at) = times(&object)?;
            block.into()
        }
        other => return Err(DecodeError::invalid(format!("expected a content block, found `{other}`")).within("type")),
    })
}

pub(super) fn read_call(value: Value<'_>, lenience: Lenience) -> Result<ToolCallBlock, DecodeError> {
    match read_block(value, lenience)? {
        Block::ToolCall(call) => Ok(call),
        other => Err(DecodeError::invalid(format!("expected `tool_use`, found `{}`", other.type_name())).within("type")),
    }
}

pub(super) fn read_result(value: Value<'_>, lenience: Lenience) -> Result<ToolResultBlock, DecodeError> {
    match read_block(value, lenience)? {
        Block::ToolResult(result) => Ok(result),
        other => Err(DecodeError::invalid(format!("expected `tool_result`, found `{}`", other.type_name())).within("type")),
    }
}

fn read_call_fields(object: &Object<'_, '_>) -> Result<ToolCallBlock, DecodeError> {
    let lenience = object.lenience;
    let mut call = ToolCallBlock::new(demanded(object, "id")?, demanded(object, "name")?);
    call.input = object.optional("input", JsonObject::try_from)?.unwrap_or_default();
    call.content = object.string("content")?.unwrap_or_default();
    call.state = object.optional("state", |v| word(v, lenience, ToolCallState::ALL, FieldValue::read))?.unwrap_or(ToolCallState::Pending);
    call.suggested_rules = object.optional("suggestedRules", |v| v.list(|rule| read_rule(rule, lenience)))?.unwrap_or_default();
    (call.created_at, call.finished_at) = times(object)?;
    Ok(call)
}

fn read_result_fields(object: &Object<'_, '_>, depth: usize) -> Result<ToolResultBlock, DecodeError> {
    let lenience = object.lenience;
    let mut result = ToolResultBlock::new(demanded(object, "id")?, demanded(object, "name")?);
    result.output = object.optional("output", |v| v.list(|item| read_at(item, lenience, depth + 1)))?.unwrap_or_default();
    result.state =
        object.optional("state", |v| word(v, lenience, ToolResultState::ALL, FieldValue::read))?.unwrap_or(ToolResultState::Running);
    result.metadata = metadata(object)?;
    if lenience == Lenience::Jackson
        && let Some((key, _)) = result.metadata.fields().iter().find(|(_, value)| value.is_null())
    {
        return Err(DecodeError::invalid("a result's metadata holds no null").within(key).within("metadata"));
    }
    (result.created_at, result.finished_at) = times(object)?;
    Ok(result)
}

fn read_source(value: Value<'_>, lenience: Lenience) -> Result<DataSource, DecodeError> {
    let fields = value.object()?;
    let object = Object::new(&fields, lenience);
    match fields.tag()?.as_ref() {
        "base64" => {
            let media_type = object.either("media_type", "mediaType")?.ok_or_else(|| DecodeError::missing("media_type"))?;
            let data = object.text("data")?.ok_or_else(|| DecodeError::missing("data"))?;
            Ok(DataSource::base64(media_type, Media::from_base64(&data)))
        }
        "url" => {
            let url = object.string("url")?.ok_or_else(|| DecodeError::missing("url"))?;
            Ok(DataSource::url(url, object.either("mime_type", "mediaType")?))
        }
        other => Err(DecodeError::invalid(format!("expected `base64` or `url`, found `{other}`")).within("type")),
    }
}

pub(super) fn read_confirm(value: Value<'_>, lenience: Lenience) -> Result<ConfirmResult, DecodeError> {
    let fields = value.object()?;
    let object = Object::new(&fields, lenience);
    let (confirmed, call) =
        (object.optional("confirmed", |v| boolean(v, lenience))?, object.optional("toolCall", |v| read_call(v, lenience))?);
    let (confirmed, call) = match (confirmed, call, lenience) {
        (Some(confirmed), Some(call), _) => (confirmed, call),
        (confirmed, call, Lenience::Jackson) => (confirmed.unwrap_or_default(), call.unwrap_or_else(|| ToolCallBlock::new("", ""))),
        (None, _, Lenience::Taxonomy) => return Err(DecodeError::missing("confirmed")),
        (_, None, Lenience::Taxonomy) => return Err(DecodeError::missing("toolCall")),
    };
    let mut result = ConfirmResult::new(confirmed, call);
    result.rules = object.optional("rules", |value| {
        let rules = value.list(|rule| match rule.is_null() && lenience == Lenience::Jackson {
            true => Ok(None),
            false => read_rule(rule, lenience).map(Some),
        })?;
        Ok(rules.into_iter().flatten().collect())
    })?;
    result.residue = kept::residue(value, lenience, &result, write_confirm_plain);
    Ok(result)
}

fn read_rule(value: Value<'_>, lenience: Lenience) -> Result<PermissionRule, DecodeError> {
    let fields = value.object()?;
    let object = Object::new(&fields, lenience);
    let demanded = |java: &str, canonical: &str| object.either(java, canonical)?.ok_or_else(|| DecodeError::missing(java));
    let behavior = object
        .optional("behavior", |value| match lenience {
            Lenience::Jackson => {
                let found = value.string()?.to_lowercase();
                PermissionBehavior::from_wire(&found).ok_or_else(|| DecodeError::invalid(format!("no permission behavior: `{found}`")))
            }
            Lenience::Taxonomy => FieldValue::read(value),
        })?
        .ok_or_else(|| DecodeError::missing("behavior"))?;
    let mut rule = PermissionRule::new(demanded("tool_name", "toolName")?, behavior, demanded("source", "source")?);
    rule.rule_content = object.either("rule_content", "ruleContent")?;
    Ok(rule)
}

/// A string that the taxonomy demands; Java demands none.
fn demanded(object: &Object<'_, '_>, key: &str) -> Result<String, DecodeError> {
    match (object.string(key)?, object.lenience) {
        (Some(text), _) => Ok(text),
        (None, Lenience::Jackson) => Ok(String::new()),
        (None, Lenience::Taxonomy) => Err(DecodeError::missing(key)),
    }
}

fn id(object: &Object<'_, '_>) -> Result<Option<replyfold_message::BlockId>, DecodeError> {
    Ok(object.text("id")?.map(|text| replyfold_message::BlockId::new(&text)))
}

fn metadata(object: &Object<'_, '_>) -> Result<JsonObject, DecodeError> {
    object.optional("metadata", JsonObject::try_from).map(Option::unwrap_or_default)
}

fn times(object: &Object<'_, '_>) -> Result<(Option<Timestamp>, Option<Timestamp>), DecodeError> {
    let time = |key| object.optional(key, Timestamp::read);
    Ok((time("createdAt")?, time("finishedAt")?))
}

/// A block as Java writes it, or with the text it was read from where that says more.
pub(crate) fn write_block(block: &Block, out: &mut Writer<'_>, losses: &mut Losses<'_>) {
    let residue: &Residue = match block {
        Block::Text(block) => &block.residue,
        Block::Thinking(block) => &block.residue,
        Block::Data(block) => &block.residue,
        Block::ToolCall(block) => &block.residue,
        Block::ToolResult(block) => &block.residue,
        Block::Hint(block) => &block.residue,
        // Demanded by `#[non_exhaustive]`.
        _ => return out.null(),
    };
    match kept::text(block, residue, losses, |text| read_plain(text, Lenience::Jackson, 1).ok()) {
        Some(text) => out.raw(&text),
        None => write_plain(block, out, losses),
    }
}

fn write_plain(block: &Block, out: &mut Writer<'_>, losses: &mut Losses<'_>) {
    losses.left_out(block.created_at().is_some(), "createdAt");
    losses.left_out(block.finished_at().is_some(), "finishedAt");
    match block {
        Block::Text(text) => out.object(|object| {
            losses.left_out(text.id.is_some(), "id");
            object.string("type", "text");
            object.field("text", &text.text);
        }),
        Block::Thinking(thinking) => out.object(|object| {
            losses.left_out(thinking.id.is_some(), "id");
            object.string("type", "thinking");
            object.field("thinking", &thinking.thinking);
            match thinking.metadata.is_empty() {
                true => object.key("metadata").null(),
                false => object.field("metadata", &thinking.metadata),
            }
        }),
        Block::Data(data) => write_data(data, out, losses),
        Block::ToolCall(call) => out.object(|object| {
            losses.left_out(!call.suggested_rules.is_empty(), "suggestedRules");
            object.string("type", "tool_use");
            object.field("id", &call.id);
            object.field("name", &call.name);
            object.key("input").raw(call.input.as_str());
            match call.content.is_empty() {
                true => object.key("content").null(),
                false => object.field("content", &call.content),
            }
            object.key("metadata").raw("{}");
            object.field("state", &call.state);
        }),
        Block::ToolResult(result) => out.object(|object| {
            object.string("type", "tool_result");
            object.field("id", &result.id);
            object.field("name", &result.name);
            object.key("output").array(&result.output, |out, block| write_block(block, out, losses));
            object.key("metadata").raw(without_nulls(&result.metadata, losses).as_str());
            object.field("state", &result.state);
        }),
        Block::Hint(hint) => out.object(|object| {
            object.string("type", "hint");
            nullable(object, "id", &hint.id);
            object.string("hint", &hint_text(&hint.hint, losses));
            nullable(object, "source", &hint.source);
        }),
        // Demanded by `#[non_exhaustive]`.
        _ => out.null(),
    }
}

/// Metadata as Java holds it in blocks and messages: without nulls.
pub(super) fn without_nulls(metadata: &JsonObject, losses: &mut Losses<'_>) -> JsonObject {
    let fields = metadata.fields();
    let has_null = fields.iter().any(|(_, value)| value.is_null());
    losses.left_out(has_null, "metadata");
    if has_null { fields.iter().filter(|(_, value)| !value.is_null()).collect() } else { metadata.clone() }
}

/// The text of a hint: Java knows no other form.
pub(super) fn hint_text(hint: &Hint, losses: &mut Losses<'_>) -> String {
    match hint {
        Hint::Text(text) => text.clone(),
        Hint::Blocks(blocks) => {
            losses.add(LossKind::Replaced, "hint");
            let texts = blocks.iter().filter_map(|block| match block {
                Block::Text(text) => Some(text.text.as_str()),
                _ => None,
            });
            texts.collect()
        }
    }
}

pub(super) fn write_data(data: &DataBlock, out: &mut Writer<'_>, losses: &mut Losses<'_>) {
    out.object(|object| {
        object.string("type", "data");
        object.key("source").object(|source| match &data.source {
            DataSource::Base64 { media_type, data, .. } => {
                source.string("type", "base64");
                source.field("media_type", media_type);
                source.field("data", data);
            }
            DataSource::Url { url, media_type, .. } => {
                source.string("type", "url");
                source.field("url", url);
                source.field("mime_type", media_type);
            }
            // Demanded by `#[non_exhaustive]`.
            _ => losses.add(LossKind::FieldLeftOut, "source"),
        });
        object.field("id", &data.id);
        object.field("name", &data.name);
    });
}

pub(super) fn write_confirm(result: &ConfirmResult, out: &mut Writer<'_>, losses: &mut Losses<'_>) {
    let read = |text: Value<'_>| {
        // Equality looks at what the answer says; the residue takes no part in it.
        read_confirm(text, Lenience::Jackson).ok()
    };
    match kept::text(result, &result.residue, losses, read) {
        Some(text) => out.raw(&text),
        None => write_confirm_plain(result, out, losses),
    }
}

fn write_confirm_plain(result: &ConfirmResult, out: &mut Writer<'_>, losses: &mut Losses<'_>) {
    out.object(|object| {
        object.field("confirmed", &result.confirmed);
        write_block(&Block::from(result.tool_call.clone()), &mut object.key("toolCall"), losses);
        match &result.rules {
            Some(rules) => object.key("rules").array(rules, |out, rule| write_rule(rule, out)),
            None => object.key("rules").null(),
        }
    });
}

fn write_rule(rule: &PermissionRule, out: &mut Writer<'_>) {
    out.object(|object| {
        object.field("tool_name", &rule.tool_name);
        nullable(object, "rule_content", &rule.rule_content);
        object.field("behavior", &rule.behavior);
        object.field("source", &rule.source);
    });
}

/// Writes a field that Java writes as null when it is absent.
pub(super) fn nullable<T: FieldValue>(object: &mut ObjectWriter<'_>, key: &str, value: &Option<T>) {
    value.write(&mut object.key(key));
}
