//! Where the blocks of a message are, by kind and id.

use crate::argument_text::ArgumentText;
use foldhash::{HashMap, HashMapExt as _};
use replyfold_message::json::JsonObject;
use replyfold_message::{BlockId, ToolCallId};
use std::borrow::Borrow;
use std::fmt;
use std::hash::Hash;

/// The kinds of blocks that events address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_enums, reason = "the five kinds that have a start and an end on the wire")]
pub enum BlockKind {
    /// Text.
    Text,
    /// Thinking.
    Thinking,
    /// Media.
    Data,
    /// A tool call.
    Call,
    /// A tool result.
    Result,
}

impl fmt::Display for BlockKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Text => "text",
            Self::Thinking => "thinking",
            Self::Data => "data",
            Self::Call => "tool call",
            Self::Result => "tool result",
        })
    }
}

/// What the fold knows of a block beside its content.
#[derive(Clone, Debug)]
pub(crate) struct BlockState {
    /// `None` for a hint, which no event addresses.
    pub(crate) kind: Option<BlockKind>,
    pub(crate) open: bool,
    /// Number of the model call that opened it.
    pub(crate) model_call: u64,
    /// The next older block of the same kind and id.
    pub(crate) older: Option<usize>,
    /// Length of the argument text that was parsed at the last end of a call, so that a repeated end parses only text that changed.
    pub(crate) parsed: Option<usize>,
    /// Whether the room that its text had grown beyond its length was given back.
    pub(crate) trimmed: bool,
    /// How far the brackets of the argument text are counted.
    pub(crate) arguments: ArgumentText,
    /// The input of a call that was started again: it is the input again if no text is added.
    pub(crate) earlier_input: JsonObject,
    /// Where the pieces of a result's media go: output block by block id.
    pub(crate) media: Option<HashMap<BlockId, usize>>,
}

/// Finds the newest block of a kind and id in constant time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blocks {
    pub(crate) states: Vec<BlockState>,
    text: ById<BlockId>,
    thinking: ById<BlockId>,
    data: ById<BlockId>,
    call: ById<ToolCallId>,
    result: ById<ToolCallId>,
    /// Indexes of blocks by kind as they were opened; closed ones are dropped when they come to the top.
    opened: [Vec<usize>; 5],
    /// Look-ups that the last hit did not answer. The work of the fold is tested by counting.
    #[cfg(test)]
    pub(crate) lookups: u64,
}

/// The newest block of each id of one kind, the last one found first.
#[derive(Clone, Debug)]
struct ById<Id> {
    newest: HashMap<Id, usize>,
    last: Option<(Id, usize)>,
}

impl<Id> Default for ById<Id> {
    fn default() -> Self {
        Self { newest: HashMap::new(), last: None }
    }
}

impl<Id: Hash + Eq + Clone + Borrow<str>> ById<Id> {
    fn get(&mut self, id: &Id) -> (Option<usize>, bool) {
        match &self.last {
            Some((last, index)) if last == id => (Some(*index), true),
            _ => {
                let index = self.newest.get::<Id>(id).copied();
                if let Some(index) = index {
                    self.last = Some((id.clone(), index));
                }
                (index, false)
            }
        }
    }

    fn insert(&mut self, id: &Id, index: usize) -> Option<usize> {
        self.last = Some((id.clone(), index));
        self.newest.insert(id.clone(), index)
    }

    fn set(&mut self, id: &str, index: Option<usize>)
    where
        Id: for<'a> From<&'a str>,
    {
        self.last = None;
        match index {
            Some(index) => self.newest.insert(id.into(), index),
            None => self.newest.remove(id),
        };
    }
}

impl Blocks {
    /// The newest text, thinking or data block with this id.
    pub(crate) fn find(&mut self, kind: BlockKind, id: &BlockId) -> Option<usize> {
        let (index, _hit) = match kind {
            BlockKind::Text => self.text.get(id),
            BlockKind::Thinking => self.thinking.get(id),
            BlockKind::Data => self.data.get(id),
            BlockKind::Call | BlockKind::Result => (None, true),
        };
        #[cfg(test)]
        {
            self.lookups += u64::from(!_hit);
        }
        index
    }

    /// The newest call or result with this id.
    pub(crate) fn find_call(&mut self, kind: BlockKind, id: &ToolCallId) -> Option<usize> {
        let (index, _hit) = match kind {
            BlockKind::Call => self.call.get(id),
            BlockKind::Result => self.result.get(id),
            BlockKind::Text | BlockKind::Thinking | BlockKind::Data => (None, true),
        };
        #[cfg(test)]
        {
            self.lookups += u64::from(!_hit);
        }
        index
    }

    /// The newest block of the kind that is open, whatever its id.
    pub(crate) fn newest_open(&mut self, kind: BlockKind) -> Option<usize> {
        let states = &self.states;
        let opened = self.opened.get_mut(kind as usize)?;
        while let Some(index) = opened.last() {
            if states.get(*index).is_some_and(|state| state.open && state.kind == Some(kind)) {
                return Some(*index);
            }
            opened.pop();
        }
        None
    }

    pub(crate) fn is_open(&self, index: usize) -> bool {
        self.states.get(index).is_some_and(|state| state.open)
    }

    /// Opens or closes the block.
    pub(crate) fn set_open(&mut self, index: usize, open: bool) {
        if let Some(state) = self.states.get_mut(index) {
            state.open = open;
            if let (true, Some(opened)) = (open, state.kind.and_then(|kind| self.opened.get_mut(kind as usize))) {
                opened.push(index);
            }
        }
    }

    /// A block was appended to the message: remembers where it is. Gives its index.
    pub(crate) fn push(&mut self, kind: Option<BlockKind>, id: Option<&str>, open: bool, model_call: u64) -> usize {
        let index = self.states.len();
        let older = match (kind, id) {
            (Some(BlockKind::Text), Some(id)) => self.text.insert(&id.into(), index),
            (Some(BlockKind::Thinking), Some(id)) => self.thinking.insert(&id.into(), index),
            (Some(BlockKind::Data), Some(id)) => self.data.insert(&id.into(), index),
            (Some(BlockKind::Call), Some(id)) => self.call.insert(&id.into(), index),
            (Some(BlockKind::Result), Some(id)) => self.result.insert(&id.into(), index),
            (_, None) | (None, _) => None,
        };
        self.states.push(BlockState {
            kind,
            open: false,
            model_call,
            older,
            parsed: None,
            trimmed: false,
            arguments: ArgumentText::default(),
            earlier_input: JsonObject::default(),
            media: None,
        });
        self.set_open(index, open);
        index
    }

    /// Takes the last block out of the index; the caller takes it out of the message.
    pub(crate) fn pop(&mut self, id: Option<&str>) -> Option<BlockState> {
        let state = self.states.pop()?;
        if let (Some(kind), Some(id)) = (state.kind, id) {
            match kind {
                BlockKind::Text => self.text.set(id, state.older),
                BlockKind::Thinking => self.thinking.set(id, state.older),
                BlockKind::Data => self.data.set(id, state.older),
                BlockKind::Call => self.call.set(id, state.older),
                BlockKind::Result => self.result.set(id, state.older),
            }
        }
        Some(state)
    }
}
