//! The think splitters of the open text blocks.

use crate::{Piece, ThinkOptions, ThinkSplitter};
use replyfold_event::message::BlockId;

/// One splitter a text block: pieces of several blocks may alternate.
#[derive(Clone, Debug)]
pub(super) struct Splitters {
    options: Option<ThinkOptions>,
    /// In the order in which the blocks began; there is hardly ever more than one.
    open: Vec<(BlockId, ThinkSplitter)>,
}

impl Splitters {
    pub(super) fn new(options: Option<ThinkOptions>) -> Self {
        Self { options, open: Vec::new() }
    }

    /// What the piece shows; `None` if it shows itself, since nothing is split.
    pub(super) fn push(&mut self, block: &BlockId, delta: &str) -> Option<Vec<Piece>> {
        let options = self.options.as_ref()?;
        if !self.open.iter().any(|(id, _)| id == block) {
            self.open.push((block.clone(), ThinkSplitter::new(options.clone())));
        }
        let splitter = self.open.iter_mut().find(|(id, _)| id == block);
        splitter.map(|(_, splitter)| splitter.push(delta).collect())
    }

    /// Ends a block; gives what was held back.
    pub(super) fn end(&mut self, block: &BlockId) -> Vec<Piece> {
        match self.open.iter().position(|(id, _)| id == block) {
            Some(index) => self.open.remove(index).1.finish().collect(),
            None => Vec::new(),
        }
    }

    /// Ends every block.
    pub(super) fn end_all(&mut self) -> Vec<Piece> {
        self.open.drain(..).flat_map(|(_, mut splitter)| splitter.finish().collect::<Vec<_>>()).collect()
    }
}
