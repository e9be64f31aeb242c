//! The least that gives a Java event the id of its reply: an own id that is new belongs to the run that started last.
//!
//! Far less than the rules of `docs/wire/`, and enough for the generated logs; what it costs is the baseline's to pay, since without it
//! the messages would be other ones.

use replyfold::event::{AgentEvent, Payload};
use replyfold::message::{BlockId, ReplyId};
use std::collections::HashMap;

#[derive(Debug, Default)]
pub(super) struct Replies {
    reply_of: HashMap<ReplyId, ReplyId>,
    run: Option<ReplyId>,
    /// Most events have the own id of the one before.
    last: Option<(ReplyId, ReplyId)>,
}

impl Replies {
    pub(super) fn step(&mut self, event: &mut AgentEvent) {
        match &mut event.payload {
            Payload::AgentStart(start) => {
                self.run = Some(start.reply_id.clone());
                self.reply_of.insert(start.reply_id.clone(), start.reply_id.clone());
            }
            Payload::AgentEnd(p) => self.reply(&mut p.reply_id),
            Payload::ModelCallStart(p) => self.reply(&mut p.reply_id),
            Payload::ModelCallEnd(p) => self.reply(&mut p.reply_id),
            Payload::TextBlockStart(p) => self.block(&mut p.reply_id, &mut p.block_id),
            Payload::TextBlockDelta(p) => self.block(&mut p.reply_id, &mut p.block_id),
            Payload::TextBlockEnd(p) => self.block(&mut p.reply_id, &mut p.block_id),
            Payload::ThinkingBlockStart(p) => self.block(&mut p.reply_id, &mut p.block_id),
            Payload::ThinkingBlockDelta(p) => self.block(&mut p.reply_id, &mut p.block_id),
            Payload::ThinkingBlockEnd(p) => self.block(&mut p.reply_id, &mut p.block_id),
            Payload::DataBlockStart(p) => self.reply(&mut p.reply_id),
            Payload::DataBlockDelta(p) => self.reply(&mut p.reply_id),
            Payload::DataBlockEnd(p) => self.reply(&mut p.reply_id),
            Payload::ToolCallStart(p) => self.reply(&mut p.reply_id),
            Payload::ToolCallDelta(p) => self.reply(&mut p.reply_id),
            Payload::ToolCallEnd(p) => self.reply(&mut p.reply_id),
            Payload::ToolResultStart(p) => self.reply(&mut p.reply_id),
            Payload::ToolResultTextDelta(p) => self.reply(&mut p.reply_id),
            Payload::ToolResultEnd(p) => self.reply(&mut p.reply_id),
            // The generated logs hold no others.
            _ => {}
        }
    }

    fn block(&mut self, own: &mut ReplyId, block: &mut BlockId) {
        if *block == "text" || *block == "thinking" {
            let mut id = String::with_capacity(own.as_str().len() + 9);
            id.push_str(own.as_str());
            id.push(':');
            id.push_str(block.as_str());
            *block = BlockId::new(&id);
        }
        self.reply(own);
    }

    fn reply(&mut self, own: &mut ReplyId) {
        if let Some((last, reply)) = &self.last
            && last == own
        {
            *own = reply.clone();
            return;
        }
        let Some(run) = &self.run else { return };
        let reply = self.reply_of.entry(own.clone()).or_insert_with(|| run.clone()).clone();
        self.last = Some((own.clone(), reply.clone()));
        *own = reply;
    }
}
