//! Answers to a reply that is parked: what may be taken, and what it does.

use super::Run;
use crate::error::InputError;
use crate::input::Input;
use crate::state::{Going, Kept};
use replyfold_event::{
    AgentEvent, ExternalExecutionResult, ToolResultDataDelta, ToolResultEnd, ToolResultStart, ToolResultTextDelta, UserConfirmResult,
};
use replyfold_event::{MediaDelta, Payload};
use replyfold_message::{Block, DataSource, Msg, Role, ToolCallId, ToolCallState, ToolResultBlock, ToolResultState};

/// What the result of a call says that a person declined.
const DECLINED: &str = "The user does not want this call. It was not run.";

/// Whether an input can be taken as things are. Looks only.
pub(crate) fn check(kept: &Kept, input: &Input) -> Result<(), InputError> {
    match input {
        Input::Interrupt => Ok(()),
        Input::Nothing => check_new(kept, &[]),
        Input::Messages(messages) => check_new(kept, messages),
        Input::Confirm(answer) => {
            let calls = answer.confirm_results.iter().map(|result| &result.tool_call.id);
            check_answer(kept, &answer.reply_id, calls, ToolCallState::Asking, "a person's answer")
        }
        Input::Results(results) => {
            let calls = results.tool_results.iter().map(|result| &result.id);
            check_answer(kept, &results.reply_id, calls, ToolCallState::Submitted, "a result from outside")?;
            match results.tool_results.iter().find(|result| result.state == ToolResultState::Running) {
                Some(result) => Err(InputError::NotAwaited { call: result.id.clone(), what: "a result that is still running" }),
                None => Ok(()),
            }
        }
    }
}

fn check_new(kept: &Kept, messages: &[Msg]) -> Result<(), InputError> {
    if let Some(going) = &kept.reply {
        let calls = going.fold.awaited().map(|call| call.id.clone()).collect();
        return Err(InputError::Waiting { reply: going.fold.reply_id().clone(), calls });
    }
    for msg in messages {
        if !matches!(msg.role, Role::User | Role::Assistant) {
            return Err(InputError::Message("only a person or an agent speaks here"));
        }
        if msg.content.iter().any(|block| !matches!(block, Block::Text(_) | Block::Data(_) | Block::Hint(_))) {
            return Err(InputError::Message("it may hold text, media and hints; calls, results and thinking are the agent's own"));
        }
    }
    Ok(())
}

fn check_answer<'a>(
    kept: &Kept,
    reply: &replyfold_message::ReplyId,
    calls: impl Iterator<Item = &'a ToolCallId>,
    state: ToolCallState,
    what: &'static str,
) -> Result<(), InputError> {
    let going = kept.reply.as_ref().ok_or(InputError::NothingWaits(what))?;
    let waiting = going.fold.reply_id();
    if reply != waiting {
        return Err(InputError::OtherReply { told: reply.clone(), waiting: waiting.clone() });
    }
    let mut answered: Vec<&ToolCallId> = Vec::new();
    for call in calls {
        if answered.contains(&call) {
            return Err(InputError::AnsweredTwice(call.clone()));
        }
        if !going.fold.awaited().any(|awaited| awaited.id == *call && awaited.state == state) {
            return Err(InputError::NotAwaited { call: call.clone(), what });
        }
        answered.push(call);
    }
    if answered.is_empty() { Err(InputError::Empty) } else { Ok(()) }
}

impl Run {
    /// Takes a person's answers. Those who read the stream see them too, edited arguments above all.
    pub(super) async fn confirm(&self, answer: UserConfirmResult) {
        self.with(|going| going.is_parked = false);
        let accepted =
            answer.confirm_results.iter().filter(|result| result.confirmed).flat_map(|result| result.rules.iter().flatten().cloned());
        let accepted: Vec<_> = accepted.collect();
        let declined: Vec<ToolCallId> =
            answer.confirm_results.iter().filter(|result| !result.confirmed).map(|result| result.tool_call.id.clone()).collect();
        self.inner.with(|kept| kept.state.rules.extend(accepted));
        self.emit(answer).await;
        // In the order of the calls.
        let declined: Vec<(ToolCallId, String)> = self.with(|going| {
            calls(going).filter(|call| declined.contains(&call.id)).map(|call| (call.id.clone(), call.name.clone())).collect()
        });
        for (call, name) in declined {
            self.answer(&call, &name, DECLINED, ToolResultState::Denied).await;
        }
    }

    /// Gives a call its whole result.
    pub(super) async fn answer(&self, call: &ToolCallId, name: &str, text: &str, state: ToolResultState) {
        self.emit(ToolResultStart::new(self.reply.clone(), call.clone(), name)).await;
        if !text.is_empty() {
            self.emit(ToolResultTextDelta::new(self.reply.clone(), call.clone(), text)).await;
        }
        self.emit(ToolResultEnd::new(self.reply.clone(), call.clone(), state)).await;
    }

    /// Takes results from outside; each began when its call was handed out.
    pub(super) async fn take_results(&self, results: ExternalExecutionResult) {
        self.with(|going| going.is_parked = false);
        for result in results.tool_results {
            self.take_result(result).await;
        }
    }

    async fn take_result(&self, result: ToolResultBlock) {
        for block in &result.output {
            match block {
                Block::Text(text) if !text.text.is_empty() => {
                    self.emit(ToolResultTextDelta::new(self.reply.clone(), result.id.clone(), text.text.as_str())).await;
                }
                Block::Data(data) => {
                    if let Some(mut delta) = data_delta(&self.reply, &result.id, &data.source) {
                        delta.block_id.clone_from(&data.id);
                        delta.name.clone_from(&data.name);
                        self.emit(delta).await;
                    }
                }
                _ => {}
            }
        }
        let end = ToolResultEnd::new(self.reply.clone(), result.id, result.state);
        self.emit_with_metadata(end, result.metadata).await;
    }

    pub(super) async fn emit_with_metadata(&self, payload: impl Into<Payload>, metadata: replyfold_message::json::JsonObject) {
        let payload = payload.into();
        match &self.events {
            None => self.handover.give(|| self.inner.stamp(payload).with_metadata(metadata)).await,
            Some(events) => events.emit(AgentEvent::new(payload).with_metadata(metadata)).await,
        }
    }
}

/// A piece of a result's media.
pub(super) fn data_delta(reply: &replyfold_message::ReplyId, call: &ToolCallId, source: &DataSource) -> Option<ToolResultDataDelta> {
    let media = match source {
        DataSource::Base64 { data, .. } => MediaDelta::Base64(data.to_base64()),
        DataSource::Url { url, .. } => MediaDelta::Url(url.clone()),
        _ => return None,
    };
    let mut delta = ToolResultDataDelta::new(reply.clone(), call.clone(), media);
    delta.media_type = source.media_type().map(str::to_owned);
    Some(delta)
}

/// The calls of a reply, in their order.
pub(super) fn calls(going: &Going) -> impl Iterator<Item = &replyfold_message::ToolCallBlock> {
    going.message().content.iter().filter_map(|block| if let Block::ToolCall(call) = block { Some(call) } else { None })
}
