//! Events of every type, and messages.

use super::blocks::{base64, block, block_id, call, hint, media_type, part, plain, result, url};
use super::{failure, finished_reason, object, rules, text, time, usage};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;
use replyfold_event::*;
use replyfold_message::json::JsonText;
use replyfold_message::{AgentPath, Block, EventId, Msg, ReplyId, Role, ToolCallId, ToolResultState};

/// The word of every type of the taxonomy and of every extension.
pub(crate) fn type_names() -> Vec<&'static str> {
    EventType::ALL.iter().map(|t| t.as_str()).chain(ExtensionType::ALL.iter().map(|t| t.as_str())).collect()
}

/// An event of any known type, or of one that is not known.
pub(crate) fn event() -> BoxedStrategy<AgentEvent> {
    let known = select(type_names()).prop_flat_map(event_of);
    let unknown = ("[A-Z_]{3,8}_X", text(), object()).prop_map(|(name, id, value)| {
        let id = serde_json::Value::from(id);
        AgentEvent::from_json(&format!(r#"{{ "value":{}, "type":"{name}","id":{id}}}"#, value.as_str())).unwrap()
    });
    prop_oneof![30 => known, 1 => unknown].boxed()
}

/// An event of this type.
pub(crate) fn event_of(name: &str) -> BoxedStrategy<AgentEvent> {
    let payload = match (EventType::from_wire(name), ExtensionType::from_wire(name)) {
        (Some(event), _) => payload_of(event),
        (_, Some(extension)) => extension_of(extension),
        _ => panic!("no type `{name}`"),
    };
    (payload, of(text()), of(time()), of(text()), object())
        .prop_map(|(payload, id, created_at, source, metadata)| {
            let mut event = AgentEvent::new(payload).with_metadata(metadata);
            event.id = id.map(|id| EventId::new(&id));
            event.created_at = created_at;
            event.source = source.map(|path| AgentPath::new(&path));
            event
        })
        .boxed()
}

fn reply() -> BoxedStrategy<ReplyId> {
    text().prop_map(|text| ReplyId::new(&text)).boxed()
}

fn call_id() -> BoxedStrategy<ToolCallId> {
    text().prop_map(|text| ToolCallId::new(&text)).boxed()
}

fn media() -> BoxedStrategy<MediaDelta> {
    prop_oneof![base64().prop_map(MediaDelta::Base64), url().prop_map(MediaDelta::Url)].boxed()
}

fn payload_of(event: EventType) -> BoxedStrategy<Payload> {
    let (reply, block_id, call_id) = (reply(), block_id(), call_id());
    match event {
        EventType::AgentStart => {
            let role = prop_oneof![select(vec!["user", "assistant", "system", "tool"]).prop_map(str::to_owned), text()];
            (reply, role, of(text()), of(text()))
                .prop_map(|(reply, role, session, name)| {
                    let mut start = AgentStart::new(reply, role.as_str());
                    (start.session_id, start.name) = (session.map(Into::into), name);
                    start.into()
                })
                .boxed()
        }
        EventType::AgentEnd => (reply, of(finished_reason()), of(failure()))
            .prop_map(|(reply, reason, error)| {
                let mut end = AgentEnd::new(reply);
                (end.finished_reason, end.error) = (reason, error.map(Box::new));
                end.into()
            })
            .boxed(),
        EventType::ModelCallStart => (reply, of(text()))
            .prop_map(|(reply, name)| {
                let mut start = ModelCallStart::new(reply);
                start.model_name = name;
                start.into()
            })
            .boxed(),
        EventType::ModelCallEnd => {
            let reason = prop_oneof![Just("completed".to_owned()), Just("interrupted".to_owned()), text()];
            let retry = (any::<u64>(), any::<u64>(), any::<u64>()).prop_map(|(attempt, most, delay)| Retry::new(attempt, most, delay));
            (reply, of(usage()), of(reason), of(failure()), of(retry))
                .prop_map(|(reply, usage, reason, error, retry)| {
                    let mut end = ModelCallEnd::new(reply, usage);
                    (end.finished_reason, end.error, end.retry) = (reason, error.map(Box::new), retry);
                    end.into()
                })
                .boxed()
        }
        EventType::TextBlockStart => (reply, block_id).prop_map(|(reply, id)| TextBlockStart::new(reply, id).into()).boxed(),
        EventType::TextBlockDelta => {
            (reply, block_id, text()).prop_map(|(reply, id, delta)| TextBlockDelta::new(reply, id, delta).into()).boxed()
        }
        EventType::TextBlockEnd => (reply, block_id, of(text()))
            .prop_map(|(reply, id, text)| {
                let mut end = TextBlockEnd::new(reply, id);
                end.text = text;
                end.into()
            })
            .boxed(),
        EventType::ThinkingBlockStart => (reply, block_id).prop_map(|(reply, id)| ThinkingBlockStart::new(reply, id).into()).boxed(),
        EventType::ThinkingBlockDelta => {
            (reply, block_id, text()).prop_map(|(reply, id, delta)| ThinkingBlockDelta::new(reply, id, delta).into()).boxed()
        }
        EventType::ThinkingBlockEnd => (reply, block_id).prop_map(|(reply, id)| ThinkingBlockEnd::new(reply, id).into()).boxed(),
        EventType::DataBlockStart => (reply, block_id, media_type(), of(text()))
            .prop_map(|(reply, id, media_type, name)| {
                let mut start = DataBlockStart::new(reply, id, media_type);
                start.name = name;
                start.into()
            })
            .boxed(),
        EventType::DataBlockDelta => (reply, block_id, media(), of(media_type()))
            .prop_map(|(reply, id, media, media_type)| {
                let mut delta = DataBlockDelta::new(reply, id, media);
                delta.media_type = media_type;
                delta.into()
            })
            .boxed(),
        EventType::DataBlockEnd => (reply, block_id).prop_map(|(reply, id)| DataBlockEnd::new(reply, id).into()).boxed(),
        EventType::ToolCallStart => {
            (reply, call_id, text()).prop_map(|(reply, id, name)| ToolCallStart::new(reply, id, name).into()).boxed()
        }
        EventType::ToolCallDelta => {
            (reply, call_id, text()).prop_map(|(reply, id, delta)| ToolCallDelta::new(reply, id, delta).into()).boxed()
        }
        EventType::ToolCallEnd => (reply, call_id).prop_map(|(reply, id)| ToolCallEnd::new(reply, id).into()).boxed(),
        EventType::ToolResultStart => {
            (reply, call_id, text()).prop_map(|(reply, id, name)| ToolResultStart::new(reply, id, name).into()).boxed()
        }
        EventType::ToolResultTextDelta => {
            (reply, call_id, text()).prop_map(|(reply, id, delta)| ToolResultTextDelta::new(reply, id, delta).into()).boxed()
        }
        EventType::ToolResultDataDelta => {
            let media = prop_oneof![9 => media(), 1 => Just(MediaDelta::None)];
            (reply, call_id, media, of(block_id), of(media_type()), of(text()))
                .prop_map(|(reply, id, media, block_id, media_type, name)| {
                    let mut delta = ToolResultDataDelta::new(reply, id, media);
                    (delta.block_id, delta.media_type, delta.name) = (block_id, media_type, name);
                    delta.into()
                })
                .boxed()
        }
        EventType::ToolResultEnd => (reply, call_id, select(ToolResultState::ALL))
            .prop_map(|(reply, id, state)| ToolResultEnd::new(reply, id, state).into())
            .boxed(),
        EventType::ExceedMaxIters => {
            let number = || of(prop_oneof![any::<i64>(), any::<i32>().prop_map(i64::from)]);
            (reply, number(), number(), of(text()))
                .prop_map(|(reply, most, now, name)| {
                    let mut exceed = ExceedMaxIters::new(reply);
                    (exceed.max_iters, exceed.current_iter, exceed.name) = (most, now, name);
                    exceed.into()
                })
                .boxed()
        }
        EventType::RequestStop => {
            let reason = prop_oneof![3 => select(GenerateReason::KNOWN), 1 => text().prop_map(|word| GenerateReason::from(word.as_str()))];
            (reason, of(reply), of(text()))
                .prop_map(|(generate_reason, reply, reason)| {
                    let mut stop = RequestStop::new(generate_reason);
                    (stop.reply_id, stop.reason) = (reply, reason);
                    stop.into()
                })
                .boxed()
        }
        EventType::RequireUserConfirm => {
            (reply, vec(call(), 0..3)).prop_map(|(reply, calls)| RequireUserConfirm::new(reply, calls).into()).boxed()
        }
        EventType::UserConfirmResult => {
            let answer = (any::<bool>(), call(), of(rules())).prop_map(|(confirmed, call, rules)| {
                let mut answer = ConfirmResult::new(confirmed, call);
                answer.rules = rules;
                answer
            });
            (reply, vec(answer, 0..3)).prop_map(|(reply, answers)| UserConfirmResult::new(reply, answers).into()).boxed()
        }
        EventType::RequireExternalExecution => {
            (reply, vec(call(), 0..3)).prop_map(|(reply, calls)| RequireExternalExecution::new(reply, calls).into()).boxed()
        }
        EventType::ExternalExecutionResult => {
            let output = prop_oneof![3 => part(), 1 => block()].boxed();
            (reply, vec(result(output), 0..3)).prop_map(|(reply, results)| ExternalExecutionResult::new(reply, results).into()).boxed()
        }
        EventType::SubagentExposed => (text(), text(), text(), of(reply), of(text()))
            .prop_map(|(subagent, agent, session, reply, label)| {
                let mut exposed = SubagentExposed::new(subagent, agent, session);
                (exposed.reply_id, exposed.label) = (reply, label);
                exposed.into()
            })
            .boxed(),
        other => panic!("no generator of `{other}`"),
    }
}

fn extension_of(extension: ExtensionType) -> BoxedStrategy<Payload> {
    match extension {
        ExtensionType::HintBlock => {
            let blocks = prop_oneof![3 => part(), 1 => block()].boxed();
            (reply(), block_id(), hint(blocks), of(text()))
                .prop_map(|(reply, id, hint, source)| {
                    let mut block = HintBlock::new(reply, id, hint);
                    block.hint_source = source;
                    block.into()
                })
                .boxed()
        }
        ExtensionType::UserInterrupt => reply().prop_map(|reply| UserInterrupt::new(reply).into()).boxed(),
        ExtensionType::AgentResult => of(message())
            .prop_map(|message| {
                let mut result = AgentResult::new();
                result.result = message.map(Box::new);
                result.into()
            })
            .boxed(),
        ExtensionType::AllToolsDenied => vec(call(), 0..3).prop_map(|calls| AllToolsDenied::new(calls).into()).boxed(),
        ExtensionType::Custom => (text(), object()).prop_map(|(name, value)| Custom::new(name, value).into()).boxed(),
        other => panic!("no generator of `{other}`"),
    }
}

/// A message; a person's holds text and data only, a host's text only (`wire.md` section 4).
pub(crate) fn message() -> BoxedStrategy<Msg> {
    let content: fn(BoxedStrategy<Block>) -> BoxedStrategy<Vec<Block>> = |block| vec(block, 0..4).boxed();
    let speech = prop_oneof![
        content(part()).prop_map(|content| (Role::User, content)),
        content(plain()).prop_map(|content| (Role::System, content)),
        content(block()).prop_map(|content| (Role::Assistant, content)),
        content(block()).prop_map(|content| (Role::Tool, content)),
    ];
    let structured = object().prop_map(|object| JsonText::parse(object.as_str()).unwrap());
    let end = (of(time()), of(time()), of(finished_reason()), of(usage()), of(failure()), of(structured));
    (text(), text(), speech, object(), end)
        .prop_map(|(id, name, (role, content), metadata, end)| {
            let mut message = Msg::new(id, role).with_name(name);
            message.content = content.into_iter().collect();
            message.metadata = metadata;
            (message.created_at, message.finished_at, message.finished_reason, message.usage, message.error, message.structured_output) =
                end;
            message
        })
        .boxed()
}
