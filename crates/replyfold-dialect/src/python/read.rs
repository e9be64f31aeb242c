//! Reading Python's events and messages.

use super::blocks::{read_block, read_call, read_confirm, read_hint, read_result};
use super::scalars::{Model, count, replace_non_finite};
use super::{NAME, guess::guess};
use crate::detect::canonical_name;
use replyfold_event::*;
use replyfold_message::json::{DecodeError, FieldValue, Fields, JsonObject, JsonText, Value};
use replyfold_message::{
    BlockId, EventId, Failure, FinishedReason, Msg, ReplyId, Residue, Role, SessionId, Timestamp, ToolCallId, ToolResultState, Usage,
};
use std::borrow::Cow;

/// Classes of failures that Python knows.
pub(super) const FAILURES: [&str; 9] =
    ["authentication", "permission", "rate_limit", "invalid_request", "upstream", "connection", "internal", "setup", "unknown"];

/// What a line has to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Demand {
    /// What the pydantic classes require.
    Pydantic,
    /// What the taxonomy requires ("Wire formats" section 2): what is optional there may be missing or null.
    Taxonomy,
}

impl Demand {
    /// A field with a default: it may be missing; pydantic refuses a null there.
    fn defaulted<'a, T>(
        self,
        model: &Model<'_, 'a>,
        key: &str,
        read: impl FnOnce(Value<'a>) -> Result<T, DecodeError>,
    ) -> Result<Option<T>, DecodeError> {
        match self {
            Self::Pydantic => model.defaulted(key, read),
            Self::Taxonomy => model.nullable(key, read),
        }
    }
}

/// Reads one event of a line that is told to be Python's.
pub(crate) fn read(text: &str) -> Result<AgentEvent, Error> {
    match Fields::parse(text) {
        Ok(fields) => read_as(&fields, text, Demand::Pydantic),
        // Python's parser takes numbers that are no JSON; they read as the null that Python itself writes for them.
        Err(err) if err.is_syntax() => match replace_non_finite(text) {
            Some(fixed) => match Fields::parse(&fixed) {
                Ok(fields) => read_as(&fields, &fixed, Demand::Pydantic),
                Err(_) => Err(Error::new(None, err)),
            },
            None => Err(Error::new(None, err)),
        },
        Err(err) => Err(Error::new(None, err)),
    }
}

/// Reads an event that shows itself to be Python's, its fields found already; `text` is what an unknown event keeps.
///
/// Captures of old versions and of other programs lack what the taxonomy does not demand.
pub(crate) fn read_fields(fields: &Fields<'_>, text: &str) -> Result<AgentEvent, Error> {
    read_as(fields, text, Demand::Taxonomy)
}

fn read_as(fields: &Fields<'_>, text: &str, demand: Demand) -> Result<AgentEvent, Error> {
    // Python takes the last of a repeated key, `type` included.
    let name = match fields.get("type") {
        Some(value) => value.string().map_err(|err| Error::new(None, err.within("type")))?,
        None => {
            let (name, payload) = guess(fields).ok_or_else(|| Error::new(None, DecodeError::missing("type")))?;
            return envelope(fields, payload, demand).map_err(|err| Error::new(Some(name), err));
        }
    };
    let known = python_name(&name).unwrap_or(&name);
    match read_payload(known, fields, demand) {
        Ok(Some(payload)) => envelope(fields, payload, demand).map_err(|err| Error::new(Some(&name), err)),
        Ok(None) => Ok(AgentEvent::unknown(&name, fields, text)),
        Err(err) => Err(Error::new(Some(&name), err)),
    }
}

/// Python's name of a type under any name that is accepted on reading.
fn python_name(name: &str) -> Option<&'static str> {
    Some(match canonical_name(name)? {
        "AGENT_START" => "REPLY_START",
        "AGENT_END" => "REPLY_END",
        other => other,
    })
}

fn envelope(fields: &Fields<'_>, payload: Payload, demand: Demand) -> Result<AgentEvent, DecodeError> {
    let model = Model(fields);
    let mut event = AgentEvent::new(payload);
    event.id = demand.defaulted(&model, "id", EventId::read)?;
    event.created_at = demand.defaulted(&model, "created_at", Timestamp::read)?;
    event.metadata = demand.defaulted(&model, "metadata", JsonObject::try_from)?.unwrap_or_default();
    if let (Payload::AgentEnd(_), Some(session)) = (&event.payload, fields.get("session_id")) {
        // The taxonomy has the session on the start only.
        event.residue = Residue::new(NAME, [("session_id", session)].into_iter().collect());
    }
    Ok(event)
}

/// Reads the payload of a type that Python has; `None` for any other.
pub(super) fn read_payload(name: &str, fields: &Fields<'_>, demand: Demand) -> Result<Option<Payload>, DecodeError> {
    let model = Model(fields);
    let at = || fields.get("created_at").and_then(|value| value.string().ok()).map(|text| Timestamp::new(&text));
    let reply = || model.id::<ReplyId>("reply_id");
    let block = || model.id::<BlockId>("block_id");
    let call = || model.id::<ToolCallId>("tool_call_id");
    let string = |key| model.string(key);
    // A string that pydantic requires and the taxonomy does not.
    let optional = |key| match demand {
        Demand::Pydantic => model.string(key).map(Some),
        Demand::Taxonomy => model.nullable_string(key),
    };
    Ok(Some(match name {
        "REPLY_START" => {
            let mut start = AgentStart::new(reply()?, demand.defaulted(&model, "role", read_role)?.unwrap_or_default());
            start.session_id = optional("session_id")?.map(|id| SessionId::new(&id));
            start.name = optional("name")?;
            start.into()
        }
        "REPLY_END" => {
            let mut end = AgentEnd::new(reply()?);
            optional("session_id")?;
            end.finished_reason =
                Some(demand.defaulted(&model, "finished_reason", FinishedReason::read)?.unwrap_or(FinishedReason::Completed));
            end.error = model.nullable("error", read_failure)?.map(Box::new);
            end.into()
        }
        "MODEL_CALL_START" => {
            let mut start = ModelCallStart::new(reply()?);
            start.model_name = optional("model_name")?;
            start.into()
        }
        "MODEL_CALL_END" => {
            let there = |key: &str| fields.get(key).is_some_and(|value| !value.is_null());
            let usage = match demand {
                Demand::Taxonomy if !there("input_tokens") && !there("output_tokens") => None,
                Demand::Taxonomy | Demand::Pydantic => {
                    let cache = |key| demand.defaulted(&model, key, count).map(Option::unwrap_or_default);
                    let usage = Usage::new(model.required("input_tokens", count)?, model.required("output_tokens", count)?);
                    Some(usage.with_cache(cache("cache_input_tokens")?, cache("cache_creation_input_tokens")?))
                }
            };
            let reason = demand.defaulted(&model, "finished_reason", |value| one_of(value, &["completed", "interrupted"]))?;
            ModelCallEnd::new(reply()?, usage).with_finished_reason(reason.unwrap_or_else(|| "completed".to_owned())).into()
        }
        "TEXT_BLOCK_START" => TextBlockStart::new(reply()?, block()?).into(),
        "TEXT_BLOCK_DELTA" => TextBlockDelta::new(reply()?, block()?, string("delta")?).into(),
        "TEXT_BLOCK_END" => {
            let mut end = TextBlockEnd::new(reply()?, block()?);
            end.text = model.nullable_string("text")?;
            end.into()
        }
        "THINKING_BLOCK_START" => ThinkingBlockStart::new(reply()?, block()?).into(),
        "THINKING_BLOCK_DELTA" => ThinkingBlockDelta::new(reply()?, block()?, string("delta")?).into(),
        "THINKING_BLOCK_END" => ThinkingBlockEnd::new(reply()?, block()?).into(),
        "DATA_BLOCK_START" => {
            let mut start = DataBlockStart::new(reply()?, block()?, string("media_type")?);
            start.name = model.nullable_string("name")?;
            start.into()
        }
        "DATA_BLOCK_DELTA" => {
            let mut delta = DataBlockDelta::new(reply()?, block()?, read_media(&model)?);
            delta.media_type = optional("media_type")?;
            delta.into()
        }
        "DATA_BLOCK_END" => DataBlockEnd::new(reply()?, block()?).into(),
        "TOOL_CALL_START" => ToolCallStart::new(reply()?, call()?, string("tool_call_name")?).into(),
        "TOOL_CALL_DELTA" => ToolCallDelta::new(reply()?, call()?, string("delta")?).into(),
        "TOOL_CALL_END" => ToolCallEnd::new(reply()?, call()?).into(),
        "TOOL_RESULT_START" => ToolResultStart::new(reply()?, call()?, string("tool_call_name")?).into(),
        "TOOL_RESULT_TEXT_DELTA" => ToolResultTextDelta::new(reply()?, call()?, string("delta")?).into(),
        "TOOL_RESULT_DATA_DELTA" => {
            let mut delta = ToolResultDataDelta::new(reply()?, call()?, read_media(&model)?);
            delta.media_type = match &delta.media {
                MediaDelta::Url(_) => optional("media_type")?,
                _ => Some(string("media_type")?),
            };
            delta.block_id = demand.defaulted(&model, "block_id", BlockId::read)?;
            delta.into()
        }
        "TOOL_RESULT_END" => {
            let state: ToolResultState = model.required("state", FieldValue::read)?;
            ToolResultEnd::new(reply()?, call()?, state).into()
        }
        "EXCEED_MAX_ITERS" => {
            let mut exceed = ExceedMaxIters::new(reply()?);
            exceed.name = optional("name")?;
            exceed.into()
        }
        "REQUIRE_USER_CONFIRM" => RequireUserConfirm::new(reply()?, model.required("tool_calls", |v| v.list(read_call))?).into(),
        "USER_CONFIRM_RESULT" => UserConfirmResult::new(reply()?, model.required("confirm_results", |v| v.list(read_confirm))?).into(),
        "REQUIRE_EXTERNAL_EXECUTION" => {
            RequireExternalExecution::new(reply()?, model.required("tool_calls", |v| v.list(read_call))?).into()
        }
        "EXTERNAL_EXECUTION_RESULT" => {
            let at = at();
            let results = model.required("execution_results", |v| v.list(|item| read_result(item, at.as_ref())))?;
            ExternalExecutionResult::new(reply()?, results).into()
        }
        "HINT_BLOCK" => {
            let mut hint = HintBlock::new(reply()?, block()?, model.required("hint", read_hint)?);
            hint.hint_source = model.nullable_string("source")?;
            hint.into()
        }
        "USER_INTERRUPT" => UserInterrupt::new(reply()?).into(),
        "CUSTOM" => Custom::new(string("name")?, model.object("value")?).into(),
        _ => return Ok(None),
    }))
}

fn read_role(value: Value<'_>) -> Result<Role, DecodeError> {
    one_of(value, &["user", "assistant", "system"]).map(|word| Role::from(word.as_str()))
}

/// Exactly one of `data` and `url`; the other may be null.
fn read_media(model: &Model<'_, '_>) -> Result<MediaDelta, DecodeError> {
    match (model.nullable_string("data")?, model.nullable_string("url")?) {
        (Some(data), None) => Ok(MediaDelta::Base64(data)),
        (None, Some(url)) => Ok(MediaDelta::Url(url)),
        (None, None) => Err(DecodeError::invalid("expected one of the fields `data` and `url`, found neither")),
        (Some(_), Some(_)) => Err(DecodeError::invalid("expected one of the fields `data` and `url`, found both")),
    }
}

fn read_failure(value: Value<'_>) -> Result<Failure, DecodeError> {
    let fields = value.object()?;
    let model = Model(&fields);
    let kind = model.defaulted("type", |value| one_of(value, &FAILURES))?;
    Ok(Failure::new(model.string("message")?).with_kind(kind.unwrap_or_else(|| "unknown".to_owned())))
}

fn one_of(value: Value<'_>, words: &[&str]) -> Result<String, DecodeError> {
    let found: Cow<'_, str> = value.string()?;
    match words.contains(&found.as_ref()) {
        true => Ok(found.into_owned()),
        false => Err(DecodeError::invalid(format!("expected one of `{}`, found `{found}`", words.join("` `")))),
    }
}

pub(crate) fn read_msg(text: &str) -> Result<Msg, DecodeError> {
    let fields = Fields::parse(text)?;
    let model = Model(&fields);
    let mut msg =
        Msg::new(model.id::<replyfold_message::MsgId>("id")?, model.required("role", read_role)?).with_name(model.string("name")?);
    msg.content = model.required("content", |value| value.list(read_block))?.into_iter().collect();
    msg.metadata = model.defaulted("metadata", JsonObject::try_from)?.unwrap_or_default();
    msg.created_at = model.nullable("created_at", Timestamp::read)?;
    msg.finished_at = model.nullable("finished_at", Timestamp::read)?;
    msg.finished_reason = model.nullable("finished_reason", FinishedReason::read)?;
    msg.usage = model.nullable("usage", read_usage)?;
    msg.structured_output = model.nullable("structured_output", JsonText::read)?;
    msg.error = model.nullable("error", read_failure)?;
    Ok(msg)
}

fn read_usage(value: Value<'_>) -> Result<Usage, DecodeError> {
    let fields = value.object()?;
    let model = Model(&fields);
    let cache = |key| model.defaulted(key, count).map(Option::unwrap_or_default);
    Ok(Usage::new(model.required("input_tokens", count)?, model.required("output_tokens", count)?)
        .with_cache(cache("cache_input_tokens")?, cache("cache_creation_input_tokens")?))
}
