//! What closes a reply that cannot go on: every open block, model call and tool call gets its end, and then the reply.

use crate::state::Going;
use replyfold_event::{
    AgentEnd, DataBlockEnd, ModelCallEnd, Payload, TextBlockEnd, ThinkingBlockEnd, ToolCallEnd, ToolResultEnd, ToolResultStart,
    ToolResultTextDelta,
};
use replyfold_message::{Block, BlockId, Failure, FinishedReason, ReplyId, ToolCallBlock, ToolCallId, ToolResultBlock, ToolResultState};

/// What the result of a call says that was interrupted.
pub(crate) const INTERRUPTED: &str = "The call was interrupted before it was done. Do not take its effects for granted.";
/// The same for a reply that failed.
const FAILED: &str = "The call was not finished, because the reply failed.";

/// The events that end the reply for this reason.
pub(crate) fn payloads(going: &Going, reason: FinishedReason, failure: Option<Failure>) -> Vec<Payload> {
    let reply = going.fold.reply_id();
    let mut payloads = open_blocks(going);
    if going.calls_model {
        let word = if reason == FinishedReason::Interrupted { "interrupted" } else { "error" };
        payloads.push(ModelCallEnd::new(reply, going.spent).with_finished_reason(word).into());
    }
    let told = if reason == FinishedReason::Interrupted { INTERRUPTED } else { FAILED };
    for call in unanswered(going) {
        let is_running = results(going).any(|(index, result)| result.id == call.id && going.fold.is_open(index));
        if !is_running {
            payloads.push(ToolResultStart::new(reply, &call.id, call.name.as_str()).into());
        }
        payloads.push(ToolResultTextDelta::new(reply, &call.id, on_its_own_line(going, &call.id, told)).into());
        payloads.push(ToolResultEnd::new(reply, &call.id, ToolResultState::Interrupted).into());
    }
    payloads.push(end(reply, reason, failure));
    payloads
}

/// Why a call came to its end, to stand behind what its tool wrote so far: on a line of its own.
pub(crate) fn on_its_own_line(going: &Going, call: &ToolCallId, why: &str) -> String {
    let written = results(going).find(|(index, result)| result.id == *call && going.fold.is_open(*index));
    let text = written.map(|(_, result)| result.text()).unwrap_or_default();
    if text.is_empty() || text.ends_with('\n') { why.to_owned() } else { format!("\n{why}") }
}

/// The end of a reply.
pub(crate) fn end(reply: &ReplyId, reason: FinishedReason, failure: Option<Failure>) -> Payload {
    let end = AgentEnd::new(reply).with_finished_reason(reason);
    match failure {
        Some(failure) => end.with_error(failure).into(),
        None => end.into(),
    }
}

/// The ends of the blocks that the model has begun: text, thinking, calls, media.
pub(crate) fn open_blocks(going: &Going) -> Vec<Payload> {
    let reply = going.fold.reply_id();
    let open = || (0..).zip(going.message().content.iter()).filter(|(index, _)| going.fold.is_open(*index)).map(|(_, block)| block);
    let id = |id: &Option<BlockId>| id.clone().unwrap_or_else(|| BlockId::new(""));
    let texts =
        open().filter_map(|block| if let Block::Text(text) = block { Some(TextBlockEnd::new(reply, id(&text.id)).into()) } else { None });
    let thinking = open().filter_map(|block| match block {
        Block::Thinking(thinking) => Some(ThinkingBlockEnd::new(reply, id(&thinking.id)).into()),
        _ => None,
    });
    let calls =
        open().filter_map(|block| if let Block::ToolCall(call) = block { Some(ToolCallEnd::new(reply, &call.id).into()) } else { None });
    let data =
        open().filter_map(|block| if let Block::Data(data) = block { Some(DataBlockEnd::new(reply, id(&data.id)).into()) } else { None });
    texts.chain(thinking).chain(calls).chain(data).collect()
}

fn results(going: &Going) -> impl Iterator<Item = (usize, &ToolResultBlock)> {
    (0..).zip(going.message().content.iter()).filter_map(|(index, block)| match block {
        Block::ToolResult(result) => Some((index, result)),
        _ => None,
    })
}

/// The calls that have no result, or one that is not ended, in their order.
pub(crate) fn unanswered(going: &Going) -> impl Iterator<Item = &ToolCallBlock> {
    let calls = going.message().content.iter().filter_map(|block| if let Block::ToolCall(call) = block { Some(call) } else { None });
    calls.filter(|call| !results(going).any(|(index, result)| result.id == call.id && !going.fold.is_open(index)))
}
