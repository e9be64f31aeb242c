//! Messages in Java's form, both directions.

use super::blocks::{nullable, read_block, without_nulls, write_block};
use super::kept;
use super::read::Lenience;
use super::scalars::{Object, count};
use crate::Dialect;
use crate::loss::{Loss, LossKind, Losses};
use replyfold_message::json::{DecodeError, FieldValue, JsonObject, Value, Writer};
use replyfold_message::{Block, Content, Msg, Residue, Role, Timestamp, Usage};

pub(crate) fn read_msg(value: Value<'_>, lenience: Lenience) -> Result<Msg, DecodeError> {
    let mut msg = read_plain(value, lenience)?;
    msg.residue = kept::residue(value, lenience, &msg, write_plain);
    Ok(msg)
}

fn read_plain(value: Value<'_>, lenience: Lenience) -> Result<Msg, DecodeError> {
    let fields = value.object()?;
    let object = Object::new(&fields, lenience);
    // Java takes the first role it meets.
    let role = fields.first("role").filter(|role| !role.is_null()).map(|role| read_role(role, lenience).map_err(|err| err.within("role")));
    let role = role.transpose()?.unwrap_or_default();
    let mut msg = Msg::new(object.string("id")?.unwrap_or_default(), role).with_name(object.string("name")?.unwrap_or_default());
    let blocks = object.optional("content", |value| {
        value.list(|item| match item.is_null() {
            true => Ok(None),
            false => read_block(item, lenience).map(Some),
        })
    })?;
    msg.content = blocks.unwrap_or_default().into_iter().flatten().collect();
    check_role(&msg.role, &msg.content)?;
    let metadata = object.optional("metadata", JsonObject::try_from)?.unwrap_or_default();
    msg.metadata = match lenience {
        Lenience::Jackson => without_nulls(&metadata, &mut Losses::new(Dialect::Java, "message", None)),
        Lenience::Taxonomy => metadata,
    };
    msg.created_at = match object.optional("timestamp", Timestamp::read)? {
        None if lenience == Lenience::Taxonomy => object.optional("createdAt", Timestamp::read)?,
        found => found,
    };
    msg.usage = object.optional("usage", read_usage)?;
    if lenience == Lenience::Taxonomy {
        msg.finished_at = fields.required("finishedAt")?;
        msg.finished_reason = fields.required("finishedReason")?;
        msg.error = fields.required("error")?;
        msg.structured_output = fields.required("structuredOutput")?;
    }
    Ok(msg)
}

/// Upper case in Java, lower case in the taxonomy.
fn read_role(value: Value<'_>, lenience: Lenience) -> Result<Role, DecodeError> {
    let word = value.string()?;
    match (word.as_ref(), lenience) {
        ("USER", _) => Ok(Role::User),
        ("ASSISTANT", _) => Ok(Role::Assistant),
        ("SYSTEM", _) => Ok(Role::System),
        ("TOOL", _) => Ok(Role::Tool),
        ("user" | "assistant" | "system" | "tool", Lenience::Taxonomy) => Ok(Role::from(word.as_ref())),
        _ => Err(DecodeError::invalid(format!("expected one of `USER` `ASSISTANT` `SYSTEM` `TOOL`, found `{word}`"))),
    }
}

/// A user's message holds text and data only, a system's text only (`wire.md` section 4).
fn check_role(role: &Role, content: &Content) -> Result<(), DecodeError> {
    for (index, block) in content.iter().enumerate() {
        let allowed = match role {
            Role::User => matches!(block, Block::Text(_) | Block::Data(_)),
            Role::System => matches!(block, Block::Text(_)),
            _ => true,
        };
        if !allowed {
            let reason = format!("a message of role `{role}` holds no `{}` block", block.type_name());
            return Err(DecodeError::invalid(reason).within_index(index).within("content"));
        }
    }
    Ok(())
}

/// Java's usage; `time` and `totalTokens` are residue.
pub(super) fn read_usage(value: Value<'_>) -> Result<Usage, DecodeError> {
    let fields = value.object()?;
    let tokens = |key| fields.optional(key, count);
    let input = tokens("inputTokens")?.unwrap_or_default();
    let output = tokens("outputTokens")?.unwrap_or_default();
    let read = match tokens("cachedTokens")? {
        None => tokens("cacheInputTokens")?,
        found => found,
    };
    Ok(Usage::new(input, output).with_cache(read.unwrap_or_default(), tokens("cacheCreationInputTokens")?.unwrap_or_default()))
}

pub(super) fn write_usage(usage: &Usage, out: &mut Writer<'_>, losses: &mut Losses<'_>) {
    losses.left_out(usage.cache_creation_input_tokens > 0, "usage.cacheCreationInputTokens");
    out.object(|object| {
        object.field("inputTokens", &usage.input_tokens);
        object.field("outputTokens", &usage.output_tokens);
        object.field("cachedTokens", &usage.cache_input_tokens);
        object.key("time").raw("0.0");
        object.field("totalTokens", &usage.input_tokens.saturating_add(usage.output_tokens));
    });
}

pub(crate) fn write_msg(msg: &Msg, out: &mut Writer<'_>) -> Vec<Loss> {
    let mut losses = Losses::new(Dialect::Java, "message", None);
    let same = |text: Value<'_>| {
        let mut told = read_plain(text, Lenience::Jackson).ok()?;
        told.residue = Residue::default();
        Some(told)
    };
    match kept::text(msg, &msg.residue, &losses, same) {
        Some(text) => out.raw(&text),
        None => write_plain(msg, out, &mut losses),
    }
    losses.list
}

fn role_word(role: &Role, losses: &mut Losses<'_>) -> &'static str {
    match role {
        Role::User => "USER",
        Role::Assistant => "ASSISTANT",
        Role::System => "SYSTEM",
        Role::Tool => "TOOL",
        // A word that Java does not know; `#[non_exhaustive]` demands the rest.
        _ => {
            losses.add(LossKind::Replaced, "role");
            "ASSISTANT"
        }
    }
}

fn write_plain(msg: &Msg, out: &mut Writer<'_>, losses: &mut Losses<'_>) {
    losses.left_out(msg.finished_at.is_some(), "finishedAt");
    losses.left_out(msg.finished_reason.is_some(), "finishedReason");
    losses.left_out(msg.error.is_some(), "error");
    losses.left_out(msg.structured_output.is_some(), "structuredOutput");
    out.object(|object| {
        object.field("id", &msg.id);
        match msg.name.is_empty() {
            true => object.key("name").null(),
            false => object.field("name", &msg.name),
        }
        object.string("role", role_word(&msg.role, losses));
        object.key("content").array(msg.content.iter(), |out, block| write_block(block, out, losses));
        object.key("metadata").raw(without_nulls(&msg.metadata, losses).as_str());
        nullable(object, "timestamp", &msg.created_at);
        match &msg.usage {
            Some(usage) => write_usage(usage, &mut object.key("usage"), losses),
            None => object.key("usage").null(),
        }
    });
}
