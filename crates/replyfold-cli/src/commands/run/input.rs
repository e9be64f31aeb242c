//! What the agent is given.

use super::script::{Answer, InputPart};
use replyfold::event::{ConfirmResult, ExternalExecutionResult, UserConfirmResult};
use replyfold::message::{Block, Msg, Role, TextBlock, ToolCallBlock, ToolCallState, ToolResultBlock, ToolResultState};
use replyfold::runtime::{Agent, Input};

/// What a message's reply waits for.
pub(super) fn awaited(message: &Msg) -> String {
    let each = [("answers to", ToolCallState::Asking), ("results of", ToolCallState::Submitted)].map(|(what, state)| {
        let waiting = calls(message).filter(|call| call.state == state);
        let names: Vec<String> = waiting.map(|call| format!("`{}`", call.id)).collect();
        if names.is_empty() { None } else { Some(format!("{what} {}", names.join(", "))) }
    });
    each.into_iter().flatten().collect::<Vec<_>>().join(" and ")
}

fn calls(message: &Msg) -> impl Iterator<Item = &ToolCallBlock> {
    message.content.iter().filter_map(|block| if let Block::ToolCall(call) = block { Some(call) } else { None })
}

/// What the agent is given. A call that it does not have is named all the same: the agent says what is wrong.
pub(super) fn of(agent: &Agent, part: &InputPart) -> Input {
    let waiting = agent.current().unwrap_or_else(|| Msg::new("", Role::Assistant));
    let call = |id: &str| calls(&waiting).find(|call| *call.id.as_str() == *id).cloned().unwrap_or_else(|| ToolCallBlock::new(id, ""));
    if let Some(text) = &part.say {
        return text.as_str().into();
    }
    if let Some(answers) = &part.answer {
        let results = answers.iter().map(|(id, answer)| {
            let call = call(id);
            match answer {
                Answer::Yes => ConfirmResult::new(true, call),
                Answer::No => ConfirmResult::new(false, call),
                Answer::Edit(arguments) => ConfirmResult::new(true, call.with_content(arguments.as_str())),
                Answer::Always => {
                    let rules = call.suggested_rules.clone();
                    ConfirmResult::new(true, call).with_rules(rules)
                }
            }
        });
        return UserConfirmResult::new(waiting.id.as_str(), results.collect::<Vec<_>>()).into();
    }
    if let Some(results) = &part.results {
        let results = results.iter().map(|(id, outside)| {
            let state = if outside.is_error { ToolResultState::Error } else { ToolResultState::Success };
            let text = Block::Text(TextBlock::new(outside.text.as_str()));
            ToolResultBlock::new(id.as_str(), call(id).name.as_str()).with_output(vec![text]).with_state(state)
        });
        return ExternalExecutionResult::new(waiting.id.as_str(), results.collect::<Vec<_>>()).into();
    }
    if part.interrupt { Input::Interrupt } else { Input::Nothing }
}
