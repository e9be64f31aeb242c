//! One reply id per reply: the step that gives every camelCase event the id of its reply (`wire.md` section 5).
//!
//! AgentScope Java gives a run, each of its model calls and each of its acting phases ids of their own, a resumed run new ones and a
//! forwarded child none. A log that has one id per reply comes out unchanged.

mod runs;
mod speaker;

use crate::ReadNote;
use crate::java::Extra;
use foldhash::HashMap;
use replyfold_event::{AgentEvent, Payload};
use replyfold_message::{AgentPath, BlockId, ReplyId};
use speaker::{Found, Speaker};

/// Id of the reply that is opened for events without any id and without a run.
pub(crate) const ANONYMOUS: &str = "anonymous";

/// State of the step over one log. An event costs a few look-ups, however many runs are open side by side.
#[derive(Clone, Debug, Default)]
pub(crate) struct Replies {
    speakers: Vec<Speaker>,
    index: HashMap<Key, usize>,
    /// The speaker without a path and a task, which most events are of.
    plain: Option<usize>,
    /// The speakers that may have open runs, each once.
    running: Vec<usize>,
    /// The last piece and what became of it: the next one usually is of the same block.
    last: Option<Last>,
    /// Counts the changes of all but `last`.
    version: u64,
}

/// Who speaks: an agent's path, and the task of a remote child.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Key {
    source: Option<AgentPath>,
    task: Option<Box<str>>,
}

#[derive(Clone, Debug)]
struct Last {
    source: Option<AgentPath>,
    own: ReplyId,
    reply: ReplyId,
    block: Option<(BlockId, BlockId)>,
}

impl Replies {
    /// Gives the event the id of its reply; what it had goes into `extra`.
    pub(crate) fn step(&mut self, event: &mut AgentEvent, extra: &mut Extra) -> Option<ReadNote> {
        if self.is_like_last(event, extra) {
            return None;
        }
        if matches!(event.payload, Payload::Unknown(_)) {
            return None;
        }
        let mut changed = !Self::is_inert(&event.payload);
        let task = event.metadata.get("taskId").and_then(|value| value.string().ok()).map(Into::into);
        let key = Key { source: event.source.clone(), task };
        let found = if key == Key::default() { self.plain } else { self.index.get(&key).copied() };
        let at = match found {
            Some(at) => at,
            None => {
                changed = true;
                let at = self.speakers.len();
                self.speakers.push(Speaker::default());
                if key == Key::default() {
                    self.plain = Some(at);
                } else {
                    self.index.insert(key.clone(), at);
                }
                at
            }
        };
        if matches!(event.payload, Payload::AgentStart(_)) && event.source.is_none() {
            // A run that failed has no end; the next top-level start shows that all of them are over.
            for at in self.running.drain(..) {
                if let Some(speaker) = self.speakers.get_mut(at) {
                    speaker.close_all();
                }
            }
        }
        let own = event.reply_id().filter(|id| !id.is_empty()).cloned();
        let speaker = self.speakers.get_mut(at)?;
        let Found { reply, note, changed: found_changed } = match &event.payload {
            Payload::AgentStart(start) => speaker.start(own.as_ref(), start, event),
            _ => speaker.find(own.as_ref(), event),
        };
        if speaker.lists_itself() {
            self.running.push(at);
        }
        self.version += u64::from(changed || found_changed);
        self.last = None;
        if let Some(reply) = reply {
            self.give(event, extra, own, reply, key);
        }
        note
    }

    /// A number that stays the same as long as the step gives the same event the same reply.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// Whether the step only looks up the reply of such an event: it changes nothing but what it says itself (an id that was not met, a run
    /// that it opens). The events that [`Speaker`] follows are the others.
    pub(crate) fn is_inert(payload: &Payload) -> bool {
        matches!(
            payload,
            Payload::TextBlockStart(_)
                | Payload::TextBlockDelta(_)
                | Payload::TextBlockEnd(_)
                | Payload::ThinkingBlockStart(_)
                | Payload::ThinkingBlockDelta(_)
                | Payload::ThinkingBlockEnd(_)
                | Payload::DataBlockStart(_)
                | Payload::DataBlockDelta(_)
                | Payload::DataBlockEnd(_)
                | Payload::ToolCallDelta(_)
                | Payload::ToolCallEnd(_)
                | Payload::ToolResultStart(_)
                | Payload::ToolResultTextDelta(_)
                | Payload::ToolResultDataDelta(_)
                | Payload::ToolResultEnd(_)
        )
    }

    fn give(&mut self, event: &mut AgentEvent, extra: &mut Extra, own: Option<ReplyId>, reply: ReplyId, key: Key) {
        let Some(own) = own else {
            if event.reply_id().is_some_and(ReplyId::is_empty) && !event.absent.reply_id {
                // `""` stood on the wire.
                extra.own_reply = Some(ReplyId::default());
            } else if event.reply_id().is_none() && !extra.absent.contains(&"replyId") {
                extra.absent.push("replyId");
            }
            event.set_reply_id(reply);
            return;
        };
        if own == reply {
            return;
        }
        event.set_reply_id(reply.clone());
        extra.own_reply = Some(own.clone());
        let block = block_mut(&mut event.payload).filter(|id| **id == "text" || **id == "thinking");
        let block = block.map(|id| {
            let unique = BlockId::new(&format!("{own}:{id}"));
            (std::mem::replace(id, unique.clone()), unique)
        });
        extra.own_block = block.as_ref().map(|(id, _)| id.clone());
        if key.task.is_none() {
            self.last = Some(Last { source: key.source, own, reply, block });
        }
    }

    /// Whether the event is a piece of the same block as the last one, and so goes where that went.
    fn is_like_last(&mut self, event: &mut AgentEvent, extra: &mut Extra) -> bool {
        let Some(last) = &self.last else { return false };
        let (reply, block) = match &mut event.payload {
            Payload::TextBlockDelta(delta) => (&mut delta.reply_id, Some(&mut delta.block_id)),
            Payload::ThinkingBlockDelta(delta) => (&mut delta.reply_id, Some(&mut delta.block_id)),
            Payload::ToolCallDelta(delta) => (&mut delta.reply_id, None),
            Payload::ToolResultTextDelta(delta) => (&mut delta.reply_id, None),
            _ => return false,
        };
        if *reply != last.own || event.source != last.source || !event.metadata.is_empty() {
            return false;
        }
        match (block, &last.block) {
            (Some(id), Some((own, unique))) if *id == *own => {
                *id = unique.clone();
                extra.own_block = Some(own.clone());
            }
            (None, None) => {}
            _ => return false,
        }
        *reply = last.reply.clone();
        extra.own_reply = Some(last.own.clone());
        true
    }
}

/// The block id of a text or thinking event: the constant of Java that has to become unique.
fn block_mut(payload: &mut Payload) -> Option<&mut BlockId> {
    match payload {
        Payload::TextBlockStart(p) => Some(&mut p.block_id),
        Payload::TextBlockDelta(p) => Some(&mut p.block_id),
        Payload::TextBlockEnd(p) => Some(&mut p.block_id),
        Payload::ThinkingBlockStart(p) => Some(&mut p.block_id),
        Payload::ThinkingBlockDelta(p) => Some(&mut p.block_id),
        Payload::ThinkingBlockEnd(p) => Some(&mut p.block_id),
        _ => None,
    }
}
