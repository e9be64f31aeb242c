//! What cannot be avoided: touching the bytes, and putting each piece of text where it belongs.

use replyfold::event::{AgentEvent, Payload};
use replyfold::reduce::BlockKind;
use std::collections::HashMap;

/// Reads every byte once; gives a sum of them.
#[must_use]
pub fn read_bytes(log: &[u8]) -> u64 {
    let (words, rest) = log.as_chunks::<8>();
    let sum = words.iter().fold(0u64, |sum, word| sum.wrapping_add(u64::from_ne_bytes(*word)));
    rest.iter().fold(sum, |sum, byte| sum.wrapping_add(u64::from(*byte)))
}

/// Finds the end of every line; gives their number.
#[must_use]
pub fn split_lines(log: &[u8]) -> usize {
    crate::corpus::lines(log).count()
}

/// Checks that all of it is UTF-8; gives the number of bytes.
#[must_use]
pub fn check_utf8(log: &[u8]) -> usize {
    std::str::from_utf8(log).map_or(0, str::len)
}

/// Which text each event adds to, told beforehand.
#[derive(Debug)]
pub struct Handles {
    of: Vec<Option<u32>>,
    texts: usize,
}

impl Handles {
    /// Finds them.
    #[must_use]
    pub fn new(events: &[AgentEvent]) -> Self {
        let mut known = HashMap::new();
        let of = events
            .iter()
            .map(|event| {
                let (kind, id, _) = piece(event)?;
                let next = u32::try_from(known.len()).ok()?;
                Some(*known.entry((event.reply_id()?.as_str(), kind, id)).or_insert(next))
            })
            .collect();
        Self { of, texts: known.len() }
    }

    /// Pushes each piece onto its text; gives the texts.
    #[must_use]
    pub fn push(&self, events: &[AgentEvent]) -> Vec<String> {
        let mut texts = vec![String::new(); self.texts];
        for (event, handle) in events.iter().zip(&self.of) {
            if let (Some(handle), Some((_, _, delta))) = (handle, piece(event)) {
                texts[*handle as usize].push_str(delta);
            }
        }
        texts
    }
}

fn piece(event: &AgentEvent) -> Option<(BlockKind, &str, &str)> {
    match &event.payload {
        Payload::TextBlockDelta(p) => Some((BlockKind::Text, p.block_id.as_str(), &p.delta)),
        Payload::ThinkingBlockDelta(p) => Some((BlockKind::Thinking, p.block_id.as_str(), &p.delta)),
        Payload::ToolCallDelta(p) => Some((BlockKind::Call, p.tool_call_id.as_str(), &p.delta)),
        Payload::ToolResultTextDelta(p) => Some((BlockKind::Result, p.tool_call_id.as_str(), &p.delta)),
        _ => None,
    }
}
