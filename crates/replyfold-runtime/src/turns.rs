//! A context as the turns of a conversation: what a provider wants to have, in its order.

use replyfold_message::{Block, DataBlock, Hint, Msg, Role, ThinkingBlock, ToolCallBlock, ToolResultBlock};

/// A turn of a conversation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Turn<'a> {
    /// What a person, or the host, said: text and media, in order.
    User {
        /// Who; empty if nobody knows.
        name: &'a str,
        /// What.
        content: Vec<&'a Block>,
    },
    /// What the host says in between, to be shown like a person's message.
    Hint(&'a Hint),
    /// What a system message says.
    System(String),
    /// What the model answered in one call.
    Assistant(Answer<'a>),
    /// The results of the calls of the turn before, in the order of the calls.
    Results(Vec<&'a ToolResultBlock>),
}

/// What the model answered in one call.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Answer<'a> {
    /// Its thinking.
    pub thinking: Vec<&'a ThinkingBlock>,
    /// Its text, blocks joined.
    pub text: String,
    /// Its media.
    pub data: Vec<&'a DataBlock>,
    /// Its calls. Send [`input`](ToolCallBlock::input) back: the text of the arguments may be no JSON.
    pub calls: Vec<&'a ToolCallBlock>,
}

impl Answer<'_> {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The turns of a context. A reply is one message here and several turns there: the model's answers and the results between them.
///
/// ```
/// use replyfold_message::{Block, Msg, Role, TextBlock, ToolCallBlock, ToolResultBlock};
/// use replyfold_runtime::{Turn, turns};
///
/// let mut reply = Msg::new("r1", Role::Assistant);
/// reply.content.push(ToolCallBlock::new("c1", "add"));
/// reply.content.push(ToolResultBlock::new("c1", "add").with_output(vec![Block::Text(TextBlock::new("3"))]));
/// reply.content.push(TextBlock::new("It is 3."));
/// let messages = [reply];
/// let turns = turns(&messages);
/// assert!(matches!(&turns[..], [Turn::Assistant(_), Turn::Results(_), Turn::Assistant(answer)] if answer.text == "It is 3."));
/// ```
#[must_use]
pub fn turns(messages: &[Msg]) -> Vec<Turn<'_>> {
    let mut turns = Vec::new();
    for msg in messages {
        match &msg.role {
            Role::Assistant => assistant(msg, &mut turns),
            Role::System => turns.push(Turn::System(text_of(msg))),
            Role::User | Role::Tool | Role::Other(_) => {
                turns.push(Turn::User { name: &msg.name, content: msg.content.iter().collect() });
            }
            // A role that is not known yet is somebody's.
            _ => turns.push(Turn::User { name: &msg.name, content: msg.content.iter().collect() }),
        }
    }
    turns
}

fn assistant<'a>(msg: &'a Msg, turns: &mut Vec<Turn<'a>>) {
    let (mut answer, mut results): (Answer<'a>, Vec<&'a ToolResultBlock>) = Default::default();
    // The calls that results may follow, in their order.
    let mut calls: Vec<&ToolCallBlock> = Vec::new();
    let end_results = |results: &mut Vec<&'a ToolResultBlock>, calls: &mut Vec<&ToolCallBlock>, turns: &mut Vec<Turn<'a>>| {
        if !results.is_empty() {
            let mut list = std::mem::take(results);
            list.sort_by_key(|result| calls.iter().position(|call| call.id == result.id).unwrap_or(usize::MAX));
            turns.push(Turn::Results(list));
            calls.clear();
        }
    };
    for block in msg.content.iter() {
        if let Block::ToolResult(result) = block {
            if !answer.is_empty() {
                calls.clone_from(&answer.calls);
                turns.push(Turn::Assistant(std::mem::take(&mut answer)));
            }
            results.push(result);
            continue;
        }
        end_results(&mut results, &mut calls, turns);
        match block {
            Block::Thinking(thinking) => answer.thinking.push(thinking),
            Block::Text(text) => answer.text.push_str(&text.text),
            Block::Data(data) => answer.data.push(data),
            Block::ToolCall(call) => answer.calls.push(call),
            Block::Hint(hint) => {
                if !answer.is_empty() {
                    turns.push(Turn::Assistant(std::mem::take(&mut answer)));
                }
                turns.push(Turn::Hint(&hint.hint));
            }
            _ => {}
        }
    }
    end_results(&mut results, &mut calls, turns);
    if !answer.is_empty() {
        turns.push(Turn::Assistant(answer));
    }
}

/// The text of a message, blocks joined.
#[must_use]
pub fn text_of(msg: &Msg) -> String {
    msg.content.iter().filter_map(|block| if let Block::Text(text) = block { Some(text.text.as_str()) } else { None }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use replyfold_message::{HintBlock, TextBlock};

    #[test]
    fn results_stand_in_the_order_of_their_calls_and_hints_between() {
        let mut msg = Msg::new("r", Role::Assistant);
        let result = |id: &str| ToolResultBlock::new(id, "f");
        msg.content.push(ThinkingBlock::new("hm"));
        msg.content.push(TextBlock::new("let "));
        msg.content.push(TextBlock::new("me"));
        for id in ["c1", "c2"] {
            msg.content.push(ToolCallBlock::new(id, "f"));
        }
        msg.content.push(result("c2"));
        msg.content.push(result("c1"));
        msg.content.push(HintBlock::new(Hint::Text("be brief".to_owned())));
        msg.content.push(TextBlock::new("done"));
        let messages = [msg];
        let turns = turns(&messages);
        let [Turn::Assistant(first), Turn::Results(results), Turn::Hint(_), Turn::Assistant(last)] = &turns[..] else {
            panic!("{turns:?}")
        };
        assert_eq!((first.text.as_str(), first.thinking.len(), first.calls.len(), last.text.as_str()), ("let me", 1, 2, "done"));
        assert_eq!(results.iter().map(|result| result.id.as_str()).collect::<Vec<_>>(), ["c1", "c2"]);
    }
}
