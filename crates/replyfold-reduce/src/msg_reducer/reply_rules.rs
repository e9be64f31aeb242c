//! The reply itself, model calls and hints.

use super::MsgReducer;
use super::people_rules::adopt;
use crate::{BlockKind, Change, NoteKind};
use replyfold_event::{AgentEnd, AgentEvent, AgentStart, HintBlock, ModelCallEnd};
use replyfold_message::{Hint, HintBlock as Block};

impl MsgReducer {
    pub(super) fn agent_start(&mut self, event: &AgentEvent, start: &AgentStart) -> Change {
        self.stop = None;
        self.ended = false;
        if self.opened && !self.head_missing {
            // A continuation: the message goes on as it is.
            return Change::None;
        }
        if !self.opened {
            self.opened = true;
            self.msg.created_at.clone_from(&event.created_at);
        }
        self.head_missing = false;
        self.msg.name = start.name.clone().unwrap_or_default();
        self.msg.role = start.role.clone();
        Change::Message
    }

    pub(super) fn agent_end(&mut self, event: &AgentEvent, end: &AgentEnd) -> Change {
        self.open(event);
        self.msg.finished_at.clone_from(&event.created_at);
        self.msg.finished_reason = end.finished_reason;
        self.msg.error = end.error.as_deref().cloned();
        for kind in [BlockKind::Text, BlockKind::Thinking, BlockKind::Data, BlockKind::Call, BlockKind::Result] {
            if let Some(index) = self.blocks.newest_open(kind) {
                let id = self.msg.content.get(index).and_then(|block| block.id()).map(str::to_owned);
                self.note(NoteKind::OpenAtReplyEnd(kind), id.as_deref());
            }
        }
        self.ended = true;
        Change::Message
    }

    pub(super) fn model_call_start(&mut self) -> Change {
        self.stop = None;
        self.model_call += 1;
        self.call_began = self.blocks.states.len();
        Change::None
    }

    pub(super) fn model_call_end(&mut self, event: &AgentEvent, end: &ModelCallEnd) -> Change {
        self.open(event);
        let mut changed = Change::None;
        if let Some(usage) = end.usage {
            self.msg.usage = Some(self.msg.usage.unwrap_or_default().saturating_add(usage));
            changed = Change::Message;
        }
        match end.retry {
            Some(_) if self.withdraw() => changed = Change::Content,
            Some(_) => {}
            // It ended well: what follows without a start of its own is not part of it.
            None => self.call_began = self.blocks.states.len(),
        }
        changed
    }

    /// Takes back what the failed model call wrote: all its blocks but results and hints. Costs the blocks since it began, or
    /// since it was taken back before: what was kept then is not looked at again.
    fn withdraw(&mut self) -> bool {
        let mut kept = Vec::new();
        let before = self.blocks.states.len();
        while self.blocks.states.len() > self.call_began {
            let Some(block) = self.msg.content.pop() else { break };
            let Some(state) = self.blocks.pop(block.id()) else { break };
            if matches!(state.kind, Some(BlockKind::Result) | None) {
                kept.push((block, state));
            }
        }
        let looked_at = before - self.blocks.states.len();
        self.count(looked_at);
        let withdrawn = looked_at - kept.len();
        while let Some((block, state)) = kept.pop() {
            let index = self.blocks.push(state.kind, block.id(), state.open, state.model_call);
            if let Some(place) = self.blocks.states.get_mut(index) {
                place.media = state.media;
            }
            self.msg.content.push_shared(block);
        }
        self.call_began = self.blocks.states.len();
        withdrawn > 0
    }

    pub(super) fn hint(&mut self, event: &AgentEvent, told: &HintBlock) -> Change {
        self.open(event);
        let mut hint = told.hint.clone();
        if let Hint::Blocks(blocks) = &mut hint {
            blocks.iter_mut().for_each(|block| adopt(block, event));
        }
        let mut block = Block::new(hint);
        block.id = Some(told.block_id.clone());
        block.source.clone_from(&told.hint_source);
        block.created_at.clone_from(&event.created_at);
        block.finished_at.clone_from(&event.created_at);
        Change::Appended(self.append(None, block, false))
    }
}
