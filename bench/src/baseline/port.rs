//! The shape of the ports of the Python reducer that one finds: structs made by serde, a message a reply, its blocks in a vector, the
//! block of an event found by the first match from the front, text pushed onto it.
//!
//! It takes reply ids as they stand on the wire, so of a Java log it makes a message of each model call: less work than ours, not more.

use super::tagged::read;
use super::wire::{Body, Wire, camel, snake};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use replyfold::dialect::Dialect;
use std::collections::HashMap;

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text.
    Text,
    /// Thinking.
    Thinking,
    /// Media.
    Data,
    /// A tool call.
    Call,
    /// The result of a tool call.
    Result,
}

/// A block of a message.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Block {
    pub kind: Kind,
    pub id: String,
    pub name: String,
    pub text: String,
    pub media: Vec<u8>,
    pub created_at: String,
    pub finished_at: Option<String>,
}

/// A message.
#[derive(Debug, Default)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Msg {
    pub id: String,
    pub name: String,
    pub blocks: Vec<Block>,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub finished_at: Option<String>,
}

/// The messages of a log in the order of their first event.
#[derive(Debug, Default)]
pub struct Port {
    /// The messages.
    pub messages: Vec<Msg>,
    index: HashMap<String, usize>,
}

/// Reads a log and folds it.
#[must_use]
pub fn fold(dialect: Dialect, log: &[u8]) -> Port {
    match dialect {
        Dialect::Python => fold_as::<snake::Tagged>(log),
        _ => fold_as::<camel::Tagged>(log),
    }
}

fn fold_as<W: Wire>(log: &[u8]) -> Port {
    let mut port = Port::default();
    for event in read::<W>(log) {
        let (envelope, body) = event.into_parts();
        port.apply(envelope.created_at, body);
    }
    port
}

impl Port {
    fn apply(&mut self, at: String, body: Body) {
        match body {
            Body::AgentStart { reply_id, name, .. } => self.message(reply_id).name = name.unwrap_or_default(),
            Body::AgentEnd { reply_id, .. } => self.message(reply_id).finished_at = Some(at),
            Body::ModelCallEnd { reply_id, input_tokens, output_tokens, usage, .. } => {
                let (input, output) = match usage {
                    Some(usage) => (usage.input_tokens, usage.output_tokens),
                    None => (input_tokens.unwrap_or(0), output_tokens.unwrap_or(0)),
                };
                let message = self.message(reply_id);
                message.input_tokens += input;
                message.output_tokens += output;
            }
            Body::TextBlockStart { reply_id, block_id } => self.start(reply_id, Kind::Text, block_id, String::new(), at),
            Body::TextBlockDelta { reply_id, block_id, delta } => self.push(reply_id, Kind::Text, &block_id, &delta),
            Body::TextBlockEnd { reply_id, block_id, .. } => self.end(reply_id, Kind::Text, &block_id, at),
            Body::ThinkingBlockStart { reply_id, block_id } => self.start(reply_id, Kind::Thinking, block_id, String::new(), at),
            Body::ThinkingBlockDelta { reply_id, block_id, delta } => self.push(reply_id, Kind::Thinking, &block_id, &delta),
            Body::ThinkingBlockEnd { reply_id, block_id } => self.end(reply_id, Kind::Thinking, &block_id, at),
            Body::DataBlockStart { reply_id, block_id, .. } => self.start(reply_id, Kind::Data, block_id, String::new(), at),
            Body::DataBlockDelta { reply_id, block_id, data, delta, .. } => {
                if let (Some(block), Some(data)) = (self.find(reply_id, Kind::Data, &block_id), data.or(delta)) {
                    // A piece that is no base64 has no effect.
                    let _ = STANDARD.decode_vec(data, &mut block.media);
                }
            }
            Body::DataBlockEnd { reply_id, block_id } => self.end(reply_id, Kind::Data, &block_id, at),
            Body::ToolCallStart { reply_id, tool_call_id, tool_call_name } => {
                self.start(reply_id, Kind::Call, tool_call_id, tool_call_name, at);
            }
            Body::ToolCallDelta { reply_id, tool_call_id, delta, .. } => self.push(reply_id, Kind::Call, &tool_call_id, &delta),
            Body::ToolCallEnd { reply_id, tool_call_id, .. } => self.end(reply_id, Kind::Call, &tool_call_id, at),
            Body::ToolResultStart { reply_id, tool_call_id, tool_call_name } => {
                self.start(reply_id, Kind::Result, tool_call_id, tool_call_name, at);
            }
            Body::ToolResultTextDelta { reply_id, tool_call_id, delta, .. } => self.push(reply_id, Kind::Result, &tool_call_id, &delta),
            Body::ToolResultEnd { reply_id, tool_call_id, .. } => self.end(reply_id, Kind::Result, &tool_call_id, at),
            // No block starts, grows or ends.
            _ => {}
        }
    }

    fn message(&mut self, id: String) -> &mut Msg {
        let index = match self.index.get(&id) {
            Some(index) => *index,
            None => {
                self.index.insert(id.clone(), self.messages.len());
                self.messages.push(Msg { id, ..Msg::default() });
                self.messages.len() - 1
            }
        };
        &mut self.messages[index]
    }

    fn start(&mut self, reply: String, kind: Kind, id: String, name: String, created_at: String) {
        let block = Block { kind, id, name, text: String::new(), media: Vec::new(), created_at, finished_at: None };
        self.message(reply).blocks.push(block);
    }

    fn find(&mut self, reply: String, kind: Kind, id: &str) -> Option<&mut Block> {
        self.message(reply).blocks.iter_mut().find(|block| block.kind == kind && block.id == id)
    }

    fn push(&mut self, reply: String, kind: Kind, id: &str, delta: &str) {
        if let Some(block) = self.find(reply, kind, id) {
            block.text.push_str(delta);
        }
    }

    fn end(&mut self, reply: String, kind: Kind, id: &str, at: String) {
        if let Some(block) = self.find(reply, kind, id) {
            block.finished_at = Some(at);
        }
    }
}
