//! Text, thinking and data blocks.

use super::{MsgReducer, block_metadata};
use crate::{BlockKind, Change, NoteKind};
use replyfold_event::{AgentEvent, DataBlockDelta, DataBlockStart, MediaDelta};
use replyfold_message::{Block, BlockId, DataBlock, DataSource, Media, TextBlock, ThinkingBlock};

/// Media type of data whose type is not known.
pub(super) const UNKNOWN_MEDIA: &str = "application/octet-stream";

impl MsgReducer {
    pub(super) fn block_start(&mut self, event: &AgentEvent, kind: BlockKind, id: &BlockId, data: Option<&DataBlockStart>) -> Change {
        self.open(event);
        if !event.absent.block_id
            && let Some(index) = self.blocks.find(kind, id)
            && self.blocks.is_open(index)
        {
            self.note(NoteKind::DuplicateStart(kind), Some(id.as_str()));
            return Change::None;
        }
        Change::Appended(self.open_block(event, kind, id, data))
    }

    fn open_block(&mut self, event: &AgentEvent, kind: BlockKind, id: &BlockId, start: Option<&DataBlockStart>) -> usize {
        let id = (!event.absent.block_id).then(|| id.clone());
        let created_at = event.created_at.clone();
        let block: Block = match kind {
            BlockKind::Thinking => {
                let mut block = ThinkingBlock::new("");
                (block.id, block.created_at) = (id, created_at);
                block.into()
            }
            BlockKind::Data => {
                let media_type = start.map_or(UNKNOWN_MEDIA, |start| &start.media_type);
                let mut block = DataBlock::new(DataSource::base64(media_type, Media::default()));
                (block.id, block.created_at) = (id, created_at);
                block.name = start.and_then(|start| start.name.clone());
                block.into()
            }
            BlockKind::Text | BlockKind::Call | BlockKind::Result => {
                let mut block = TextBlock::new("");
                (block.id, block.created_at) = (id, created_at);
                block.into()
            }
        };
        self.append(Some(kind), block, true)
    }

    /// The block that a piece goes to: by id, or the newest open one where the log gives no id; opened if that is called for.
    fn block_for_delta(&mut self, event: &AgentEvent, kind: BlockKind, id: &BlockId) -> Option<usize> {
        let found = self.find_block(event, kind, id);
        match found {
            Some(index) if self.blocks.is_open(index) => Some(index),
            Some(index) => {
                self.note(NoteKind::DeltaAfterEnd(kind), Some(id.as_str()));
                Some(index)
            }
            None if event.absent.block_id || self.options.open_missing => {
                self.open(event);
                self.note(NoteKind::OpenedForDelta(kind), Some(id.as_str()));
                Some(self.open_block(event, kind, id, None))
            }
            None => {
                self.note(NoteKind::DeltaWithoutStart(kind), Some(id.as_str()));
                None
            }
        }
    }

    pub(super) fn text_delta(&mut self, event: &AgentEvent, kind: BlockKind, id: &BlockId, delta: &str) -> Change {
        let blocks = self.blocks.states.len();
        let Some(index) = self.block_for_delta(event, kind, id) else { return Change::None };
        self.count(delta.len());
        match self.msg.content.get_mut(index) {
            Some(Block::Text(block)) => block.text.push_str(delta),
            Some(Block::Thinking(block)) => block.thinking.push_str(delta),
            _ => return Change::None,
        }
        if index < blocks { Change::Block(index) } else { Change::Appended(index) }
    }

    pub(super) fn data_delta(&mut self, event: &AgentEvent, delta: &DataBlockDelta) -> Change {
        let blocks = self.blocks.states.len();
        let Some(index) = self.block_for_delta(event, BlockKind::Data, &delta.block_id) else { return Change::None };
        let changed = if index < blocks { Change::Block(index) } else { Change::Appended(index) };
        let Some(Block::Data(block)) = self.msg.content.get_mut(index) else { return Change::None };
        let problem = match (&delta.media, &mut block.source) {
            // Upstream ignores an empty URL, and no reader could do anything with it.
            (MediaDelta::Url(url), _) if url.is_empty() => return Change::None,
            (MediaDelta::Url(url), source) => {
                let media_type = delta.media_type.clone().or_else(|| source.media_type().map(str::to_owned));
                *source = DataSource::url(url, media_type);
                None
            }
            (MediaDelta::Base64(text), DataSource::Base64 { media_type, data, .. }) => {
                if media_type == UNKNOWN_MEDIA
                    && data.is_empty()
                    && let Some(told) = &delta.media_type
                {
                    media_type.clone_from(told);
                }
                data.append_base64(text).is_err().then_some(NoteKind::BadBase64)
            }
            (MediaDelta::Base64(_), _) => Some(NoteKind::Base64AfterUrl),
            (MediaDelta::None, _) => Some(NoteKind::NoMedia),
            // Demanded by `#[non_exhaustive]`.
            _ => None,
        };
        if let MediaDelta::Base64(text) = &delta.media {
            self.count(text.len());
        }
        match problem {
            None => changed,
            Some(kind) => {
                self.note(kind, Some(delta.block_id.as_str()));
                if index < blocks { Change::None } else { changed }
            }
        }
    }

    pub(super) fn block_end(&mut self, event: &AgentEvent, kind: BlockKind, id: &BlockId, text: Option<&str>) -> Change {
        let found = self.find_block(event, kind, id);
        let Some(index) = self.close(kind, found, id.as_str()) else { return Change::None };
        match self.msg.content.get_mut(index) {
            Some(Block::Text(block)) => {
                block.finished_at.clone_from(&event.created_at);
                if let Some(text) = text {
                    block.text = text.to_owned();
                }
            }
            Some(Block::Thinking(block)) => {
                block.finished_at.clone_from(&event.created_at);
                let metadata = block_metadata(event);
                if !metadata.is_empty() {
                    block.metadata = metadata;
                }
            }
            Some(Block::Data(block)) => block.finished_at.clone_from(&event.created_at),
            _ => return Change::None,
        }
        Change::Block(index)
    }
}
