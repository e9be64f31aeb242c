//! Sub-agents as thinking of their leader.

use super::Collapser;
use crate::{CoarseEvent, SubagentPolicy};
use replyfold_event::message::{AgentPath, BlockId};
use replyfold_event::{AgentEvent, Payload};

/// Who spoke last: the path is written where that changes.
#[derive(Clone, Debug, Default)]
pub(super) struct Speaker(Option<(AgentPath, BlockId)>);

impl Speaker {
    /// The leader spoke.
    pub(super) fn leader(&mut self) {
        self.0 = None;
    }

    /// A sub-agent speaks; gives what has to stand before its piece.
    fn subagent(&mut self, path: &AgentPath, block: &BlockId) -> String {
        match &self.0 {
            Some((last, of)) if last == path && of == block => String::new(),
            // The timeline joins pieces of thinking, so a change of speakers is a new line.
            Some(_) => format!("\n[{path}] "),
            None => format!("[{path}] "),
        }
    }
}

impl Collapser {
    pub(super) fn subagent(&mut self, path: &AgentPath, event: &AgentEvent) {
        let (block, delta) = match (self.options.subagents, &event.payload) {
            (SubagentPolicy::Thinking, Payload::TextBlockDelta(piece)) => (&piece.block_id, &piece.delta),
            (SubagentPolicy::Thinking, Payload::ThinkingBlockDelta(piece)) => (&piece.block_id, &piece.delta),
            _ => return,
        };
        if !delta.is_empty() {
            let before = self.speaker.subagent(path, block);
            self.out.push(CoarseEvent::thinking(before + delta));
            self.speaker.0 = Some((path.clone(), block.clone()));
        }
    }
}
