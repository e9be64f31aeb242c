//! Reading camelCase events: one reader for canonical and Java lines, the union of both field sets.

mod line;

pub(super) use line::result_piece;

use self::line::Line;
use super::blocks::{read_call, read_confirm, read_result};
use super::messages::read_msg;
use super::scalars::{Object, int, word};
use super::{NAME, UNKNOWN_MEDIA};
use crate::detect::canonical_name;
use replyfold_event::*;
use replyfold_message::json::{DecodeError, FieldValue, Fields, JsonObject, JsonText, Value};
use replyfold_message::{AgentPath, BlockId, EventId, Hint, ReplyId, Residue, SessionId, Timestamp, ToolResultState};
use std::borrow::Cow;

/// How a camelCase line is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lenience {
    /// As the taxonomy demands, with the few gaps that `wire.md` section 5 allows any line.
    Taxonomy,
    /// As Jackson reads it, for lines that are marked as Java: nothing is demanded, scalars are converted.
    Jackson,
}

/// What Java has of an event beyond the model: it becomes the event's residue.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Extra {
    /// Demanded fields that the line leaves out.
    pub(crate) absent: Vec<&'static str>,
    /// The tool's name on events that need none.
    pub(crate) tool_call_name: Option<Box<str>>,
    /// The text of a field that the model splits up.
    pub(crate) raw: Option<(&'static str, JsonText)>,
    /// Reply and block id before the reply step changed them.
    pub(crate) own_reply: Option<ReplyId>,
    pub(crate) own_block: Option<BlockId>,
}

impl Extra {
    /// The ids before the reply step, if there is nothing else.
    pub(crate) fn own_ids(&self) -> Option<(Option<ReplyId>, Option<BlockId>)> {
        let is_more = !self.absent.is_empty() || self.tool_call_name.is_some() || self.raw.is_some();
        (!is_more).then(|| (self.own_reply.clone(), self.own_block.clone()))
    }

    /// The residue of these fields.
    pub(crate) fn residue(&self) -> Residue {
        if *self == Self::default() {
            return Residue::default();
        }
        let fields = JsonObject::written(|object| {
            if !self.absent.is_empty() {
                object.key("absent").array(&self.absent, |out, key| out.string(key));
            }
            if let Some(name) = &self.tool_call_name {
                object.string("toolCallName", name);
            }
            if let Some((key, text)) = &self.raw {
                object.key(key).raw(text.as_str());
            }
            object.field("replyId", &self.own_reply);
            object.field("blockId", &self.own_block);
        });
        Residue::new(NAME, fields)
    }
}

/// Reads one event, without the reply step.
pub(crate) fn read(text: &str, lenience: Lenience) -> Result<AgentEvent, Error> {
    // Jackson's form of an event in an array: the type, then the object.
    if lenience == Lenience::Jackson
        && let Some([name, object]) = Value::parse(text).ok().and_then(|value| value.array().ok()).as_deref()
    {
        let name = name.string().map_err(|err| Error::new(None, err))?;
        let fields = object.object().map_err(|err| Error::new(Some(&name), err))?;
        return read_as(&name, &fields, object.text(), lenience).map(finish);
    }
    let fields = Fields::parse(text).map_err(|err| Error::new(None, err))?;
    read_fields(&fields, text, lenience).map(finish)
}

fn finish((mut event, extra): (AgentEvent, Extra)) -> AgentEvent {
    event.residue = extra.residue();
    event
}

/// Reads an event whose fields are found already.
pub(crate) fn read_fields(fields: &Fields<'_>, text: &str, lenience: Lenience) -> Result<(AgentEvent, Extra), Error> {
    let name = fields.tag().map_err(|err| Error::new(None, err))?;
    read_as(&name, fields, text, lenience)
}

fn read_as(name: &str, fields: &Fields<'_>, text: &str, lenience: Lenience) -> Result<(AgentEvent, Extra), Error> {
    let Some(known) = canonical_name(name) else {
        return Ok((AgentEvent::unknown(name, fields, text), Extra::default()));
    };
    let mut line = Line { object: Object::new(fields, lenience), extra: Extra::default(), missing: Absent::default() };
    let event = line.event(known).map_err(|err| Error::new(Some(name), err))?;
    Ok((event, line.extra))
}

impl<'a> Line<'_, 'a> {
    fn event(&mut self, known: &'static str) -> Result<AgentEvent, DecodeError> {
        let payload = self.payload(known)?;
        let object = self.object;
        let mut event = AgentEvent::new(payload);
        event.id = object.text("id")?.map(|text| EventId::new(&text));
        event.created_at = object.text("createdAt")?.map(|text| Timestamp::new(&text));
        // Jackson takes the first `source` it meets.
        let source = object.fields.first("source").filter(|value| !value.is_null());
        let source = source.map(|value| super::scalars::string(value, object.lenience).map_err(|err| err.within("source"))).transpose()?;
        event.source = source.map(|text| AgentPath::new(&text));
        event.metadata = object.optional("metadata", JsonObject::try_from)?.unwrap_or_default();
        event.absent = self.missing;
        Ok(event)
    }

    fn payload(&mut self, known: &'static str) -> Result<Payload, DecodeError> {
        let object = self.object;
        let lenience = object.lenience;
        Ok(match known {
            "AGENT_START" => {
                let mut start = AgentStart::new(self.open_reply()?, object.text("role")?.as_deref().unwrap_or("assistant"));
                start.session_id = object.text("sessionId")?.map(|text| SessionId::new(&text));
                start.name = object.string("name")?;
                start.into()
            }
            "AGENT_END" => {
                let mut end = AgentEnd::new(self.open_reply()?);
                end.finished_reason = object.optional("finishedReason", FieldValue::read)?;
                end.error = object.optional("error", FieldValue::read)?;
                end.into()
            }
            "MODEL_CALL_START" => {
                let mut start = ModelCallStart::new(self.reply()?);
                start.model_name = object.string("modelName")?;
                start.into()
            }
            "MODEL_CALL_END" => {
                let mut end = ModelCallEnd::new(self.reply()?, self.usage()?);
                end.finished_reason = object.string("finishedReason")?;
                end.error = object.optional("error", FieldValue::read)?;
                end.retry = object.optional("retry", FieldValue::read)?;
                end.into()
            }
            "TEXT_BLOCK_START" => TextBlockStart::new(self.reply()?, self.block()?).into(),
            "TEXT_BLOCK_DELTA" => TextBlockDelta::new(self.reply()?, self.block()?, self.demanded("delta")?).into(),
            "TEXT_BLOCK_END" => {
                let mut end = TextBlockEnd::new(self.reply()?, self.block()?);
                end.text = object.string("text")?;
                end.into()
            }
            "THINKING_BLOCK_START" => ThinkingBlockStart::new(self.reply()?, self.block()?).into(),
            "THINKING_BLOCK_DELTA" => ThinkingBlockDelta::new(self.reply()?, self.block()?, self.demanded("delta")?).into(),
            "THINKING_BLOCK_END" => ThinkingBlockEnd::new(self.reply()?, self.block()?).into(),
            "DATA_BLOCK_START" => {
                let media_type = object.string("mediaType")?.unwrap_or_else(|| UNKNOWN_MEDIA.to_owned());
                let mut start = DataBlockStart::new(self.reply()?, self.block()?, media_type);
                start.name = object.string("name")?;
                start.into()
            }
            "DATA_BLOCK_DELTA" => {
                let mut delta = DataBlockDelta::new(self.reply()?, self.block()?, self.block_media()?);
                delta.media_type = object.string("mediaType")?;
                delta.into()
            }
            "DATA_BLOCK_END" => DataBlockEnd::new(self.reply()?, self.block()?).into(),
            "TOOL_CALL_START" => ToolCallStart::new(self.reply()?, self.call()?, self.allowed_gap("toolCallName")?).into(),
            "TOOL_CALL_DELTA" => {
                self.tool_name()?;
                ToolCallDelta::new(self.reply()?, self.call()?, self.demanded("delta")?).into()
            }
            "TOOL_CALL_END" => {
                self.tool_name()?;
                ToolCallEnd::new(self.reply()?, self.call()?).into()
            }
            "TOOL_RESULT_START" => ToolResultStart::new(self.reply()?, self.call()?, self.allowed_gap("toolCallName")?).into(),
            "TOOL_RESULT_TEXT_DELTA" => {
                self.tool_name()?;
                ToolResultTextDelta::new(self.reply()?, self.call()?, self.demanded("delta")?).into()
            }
            "TOOL_RESULT_DATA_DELTA" => {
                self.tool_name()?;
                self.result_media()?
            }
            "TOOL_RESULT_END" => {
                self.tool_name()?;
                let state = object.optional("state", |v| word(v, lenience, ToolResultState::ALL, FieldValue::read))?;
                if state.is_none() {
                    self.extra.absent.push("state");
                }
                ToolResultEnd::new(self.reply()?, self.call()?, state.unwrap_or(ToolResultState::Running)).into()
            }
            "EXCEED_MAX_ITERS" => {
                let mut exceed = ExceedMaxIters::new(self.reply()?);
                let iters = |key| match lenience {
                    Lenience::Jackson => object.optional(key, int).map(|number| Some(number.unwrap_or_default())),
                    Lenience::Taxonomy => object.optional(key, |value| int(value).or_else(|_| i64::read(value))),
                };
                exceed.max_iters = iters("maxIters")?;
                exceed.current_iter = iters("currentIter")?;
                exceed.name = object.string("name")?;
                exceed.into()
            }
            "REQUEST_STOP" => {
                let reason = object.optional("generateReason", |v| read_reason(v, lenience))?;
                let reason = match (reason, lenience) {
                    (Some(reason), _) => reason,
                    (None, Lenience::Jackson) => GenerateReason::MiddlewareStopRequested,
                    (None, Lenience::Taxonomy) => return Err(DecodeError::missing("generateReason")),
                };
                let mut stop = RequestStop::new(reason);
                stop.reply_id = self.optional_reply()?;
                stop.reason = object.string("reason")?;
                stop.into()
            }
            "REQUIRE_USER_CONFIRM" => RequireUserConfirm::new(self.reply()?, self.list("toolCalls", |v| read_call(v, lenience))?).into(),
            "USER_CONFIRM_RESULT" => {
                UserConfirmResult::new(self.reply()?, self.list("confirmResults", |v| read_confirm(v, lenience))?).into()
            }
            "REQUIRE_EXTERNAL_EXECUTION" => {
                RequireExternalExecution::new(self.reply()?, self.list("toolCalls", |v| read_call(v, lenience))?).into()
            }
            "EXTERNAL_EXECUTION_RESULT" => {
                ExternalExecutionResult::new(self.reply()?, self.list("toolResults", |v| read_result(v, lenience))?).into()
            }
            "SUBAGENT_EXPOSED" => {
                let session = self.demanded("sessionId")?;
                let mut exposed = SubagentExposed::new(self.demanded("subagentId")?, self.demanded("agentId")?, session);
                exposed.reply_id = self.optional_reply()?;
                exposed.label = object.string("label")?;
                exposed.into()
            }
            "HINT_BLOCK" => {
                let hint = object.optional("hint", |value| match lenience {
                    Lenience::Jackson => super::scalars::string(value, lenience).map(|text| Hint::Text(text.into_owned())),
                    Lenience::Taxonomy => Hint::read(value),
                })?;
                let hint = match hint {
                    Some(hint) => hint,
                    None => Hint::Text(self.demanded("hint")?),
                };
                let mut block = HintBlock::new(self.reply()?, self.block()?, hint);
                block.hint_source = object.string("hintSource")?;
                block.into()
            }
            "USER_INTERRUPT" => UserInterrupt::new(self.reply()?).into(),
            "AGENT_RESULT" => {
                let mut result = AgentResult::new();
                result.result = object.optional("result", |v| read_msg(v, lenience))?.map(Box::new);
                result.into()
            }
            "ALL_TOOLS_DENIED" => AllToolsDenied::new(self.list("deniedToolCalls", |v| read_call(v, lenience))?).into(),
            "CUSTOM" => {
                // `{}` is left out on the canonical wire, like every empty object.
                let value = object.optional("value", JsonObject::try_from)?.unwrap_or_default();
                Custom::new(self.demanded("name")?, value).into()
            }
            // `canonical_name` gives the names of the two enums only, and a test reads each of them.
            other => UnknownEvent::new(other, "{}").into(),
        })
    }
}

fn read_reason(value: Value<'_>, lenience: Lenience) -> Result<GenerateReason, DecodeError> {
    let reason = word(value, lenience, GenerateReason::KNOWN, FieldValue::read)?;
    match (&reason, lenience) {
        (GenerateReason::Other(other), Lenience::Jackson) => {
            let other: Cow<'_, str> = Cow::Borrowed(other);
            Err(DecodeError::invalid(format!("no reason that Java knows: `{other}`")))
        }
        _ => Ok(reason),
    }
}
