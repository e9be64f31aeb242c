//! The blocks of a message, cheap to copy.

use crate::Block;
use crate::json::{DecodeError, FieldValue, Value, Writer};
use std::{fmt, ops, sync::Arc};

/// The blocks of a message in the order of their start.
///
/// Blocks are shared: a clone copies no content, and a block that is changed afterwards is copied then, once. That makes a checkpoint of a
/// long message cheap.
///
/// ```
/// use replyfold_message::{Block, Content, TextBlock};
///
/// let mut content: Content = ["Hel", "lo"].map(TextBlock::new).into_iter().collect();
/// let before = content.clone();
/// if let Some(Block::Text(text)) = content.get_mut(0) {
///     text.text.push('!');
/// }
/// assert_eq!(before[0], TextBlock::new("Hel").into());
/// ```
#[derive(Clone, Default, PartialEq)]
pub struct Content(Vec<Arc<Block>>);

impl Content {
    /// Number of blocks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no block.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The block at an index, counted from 0.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&Block> {
        self.0.get(index).map(Arc::as_ref)
    }

    /// The block at an index for changing it; copied first if another message shares it.
    pub fn get_mut(&mut self, index: usize) -> Option<&mut Block> {
        self.0.get_mut(index).map(Arc::make_mut)
    }

    /// The last block.
    #[must_use]
    pub fn last(&self) -> Option<&Block> {
        self.0.last().map(Arc::as_ref)
    }

    /// Appends a block.
    pub fn push(&mut self, block: impl Into<Block>) {
        self.0.push(Arc::new(block.into()));
    }

    /// Takes the last block off, shared as it is.
    pub fn pop(&mut self) -> Option<Arc<Block>> {
        self.0.pop()
    }

    /// Appends a block that is shared already; nothing is copied.
    pub fn push_shared(&mut self, block: Arc<Block>) {
        self.0.push(block);
    }

    /// The blocks in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Block> + ExactSizeIterator {
        self.0.iter().map(Arc::as_ref)
    }
}

impl<'a> IntoIterator for &'a Content {
    type Item = &'a Block;
    type IntoIter = std::iter::Map<std::slice::Iter<'a, Arc<Block>>, fn(&'a Arc<Block>) -> &'a Block>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter().map(Arc::as_ref)
    }
}

impl<B: Into<Block>> FromIterator<B> for Content {
    fn from_iter<I: IntoIterator<Item = B>>(blocks: I) -> Self {
        Self(blocks.into_iter().map(|block| Arc::new(block.into())).collect())
    }
}

impl<B: Into<Block>> Extend<B> for Content {
    fn extend<I: IntoIterator<Item = B>>(&mut self, blocks: I) {
        self.0.extend(blocks.into_iter().map(|block| Arc::new(block.into())));
    }
}

impl ops::Index<usize> for Content {
    type Output = Block;

    /// # Panics
    ///
    /// There is no block at that index.
    fn index(&self, index: usize) -> &Block {
        &self.0[index]
    }
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl FieldValue for Content {
    fn read(value: Value<'_>) -> Result<Self, DecodeError> {
        value.list(Block::read).map(|blocks| blocks.into_iter().collect())
    }

    fn absent() -> Option<Self> {
        Some(Self::default())
    }

    fn write(&self, out: &mut Writer<'_>) {
        out.array(self.iter(), |out, block| block.write(out));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TextBlock;

    #[test]
    fn a_clone_shares_blocks_until_one_is_changed() {
        let mut content: Content = [TextBlock::new("a"), TextBlock::new("b")].into_iter().collect();
        let copy = content.clone();
        if let Some(Block::Text(text)) = content.get_mut(0) {
            text.text.push('!');
        }
        assert!(Arc::ptr_eq(&content.0[1], &copy.0[1]));
        assert_ne!(content, copy);
        assert_eq!(copy[0], TextBlock::new("a").into());
    }
}
