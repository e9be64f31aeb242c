//! Tool results.

use super::block_rules::UNKNOWN_MEDIA;
use super::{MsgReducer, block_metadata};
use crate::{BlockKind, Change, NoteKind};
use foldhash::{HashMap, HashMapExt as _};
use replyfold_event::{AgentEvent, MediaDelta, ToolResultDataDelta, ToolResultEnd, ToolResultStart, ToolResultTextDelta};
use replyfold_message::json::JsonObject;
use replyfold_message::{
    Block, BlockId, DataBlock, DataSource, Media, Origin, TextBlock, ToolCallId, ToolCallState, ToolResultBlock, ToolResultState,
};

impl MsgReducer {
    pub(super) fn result_start(&mut self, event: &AgentEvent, start: &ToolResultStart) -> Change {
        self.open(event);
        let (kind, id) = (BlockKind::Result, &start.tool_call_id);
        let call = self.blocks.find_call(BlockKind::Call, id);
        if let Some(index) = self.blocks.find_call(kind, id) {
            if self.blocks.is_open(index) {
                self.note(NoteKind::DuplicateStart(kind), Some(id.as_str()));
                return Change::None;
            }
            // A placeholder that was left for a suspended call, taken up again.
            let newest = call.is_none_or(|call| call < index);
            if newest && self.result_mut(index).is_some_and(|result| result.state == ToolResultState::Running) {
                self.blocks.set_open(index, true);
                if let Some(state) = self.blocks.states.get_mut(index) {
                    state.media = None;
                }
                if let Some(result) = self.result_mut(index) {
                    result.output = Vec::new();
                    result.metadata = JsonObject::default();
                    result.created_at.clone_from(&event.created_at);
                    result.finished_at = None;
                }
                return Change::Block(index);
            }
        }
        let name = match (start.tool_call_name.as_str(), call) {
            ("", Some(call)) => self.call_mut(call).map(|call| call.name.clone()).unwrap_or_default(),
            (name, _) => name.to_owned(),
        };
        Change::Appended(self.open_result(event, id, name))
    }

    fn open_result(&mut self, event: &AgentEvent, id: &ToolCallId, name: String) -> usize {
        let mut result = ToolResultBlock::new(id, name);
        result.created_at.clone_from(&event.created_at);
        self.append(Some(BlockKind::Result), result, true)
    }

    /// The result that a piece goes to, and whether it was opened for it.
    fn result_for_delta(&mut self, event: &AgentEvent, id: &ToolCallId) -> Option<(usize, Change)> {
        let kind = BlockKind::Result;
        let found = self.find_call(event, kind, id);
        match found {
            Some(index) => {
                if !self.blocks.is_open(index) {
                    self.note(NoteKind::DeltaAfterEnd(kind), Some(id.as_str()));
                }
                Some((index, Change::Block(index)))
            }
            None if event.absent.tool_call_id || self.options.open_missing => {
                self.open(event);
                self.note(NoteKind::OpenedForDelta(kind), Some(id.as_str()));
                let call = self.blocks.find_call(BlockKind::Call, id);
                let name = call.and_then(|call| self.call_mut(call)).map(|call| call.name.clone()).unwrap_or_default();
                let index = self.open_result(event, id, name);
                Some((index, Change::Appended(index)))
            }
            None => {
                self.note(NoteKind::DeltaWithoutStart(kind), Some(id.as_str()));
                None
            }
        }
    }

    pub(super) fn result_text(&mut self, event: &AgentEvent, delta: &ToolResultTextDelta) -> Change {
        let Some((index, change)) = self.result_for_delta(event, &delta.tool_call_id) else { return Change::None };
        self.count(delta.delta.len());
        let Some(result) = self.result_mut(index) else { return Change::None };
        match result.output.last_mut() {
            Some(Block::Text(block)) => block.text.push_str(&delta.delta),
            _ => {
                let mut block = TextBlock::new(delta.delta.as_str());
                block.created_at.clone_from(&event.created_at);
                block.origin = Origin::new(event.id.clone());
                result.output.push(block.into());
            }
        }
        change
    }

    pub(super) fn result_data(&mut self, event: &AgentEvent, delta: &ToolResultDataDelta) -> Change {
        if matches!(delta.media, MediaDelta::None) {
            self.note(NoteKind::NoMedia, Some(delta.tool_call_id.as_str()));
            return Change::None;
        }
        let Some((index, change)) = self.result_for_delta(event, &delta.tool_call_id) else { return Change::None };
        let (source, problem) = match &delta.media {
            MediaDelta::Url(url) => (Some(DataSource::url(url, delta.media_type.clone())), None),
            MediaDelta::Base64(text) => {
                self.count(text.len());
                match delta.block_id.as_ref().and_then(|id| self.media_of(index, id)) {
                    Some(DataSource::Base64 { media_type, data, .. }) => {
                        let good = data.append_base64(text).is_ok();
                        if let (true, Some(told)) = (good, delta.media_type.as_ref().filter(|told| !told.is_empty())) {
                            media_type.clone_from(told);
                        }
                        (None, (!good).then_some(NoteKind::BadBase64))
                    }
                    _ => {
                        let mut media = Media::default();
                        match media.append_base64(text) {
                            Ok(()) => {
                                let media_type = delta.media_type.as_deref().unwrap_or(UNKNOWN_MEDIA);
                                (Some(DataSource::base64(media_type, media)), None)
                            }
                            Err(_) => (None, Some(NoteKind::BadBase64)),
                        }
                    }
                }
            }
            // The first is noted above; `_` is demanded by `#[non_exhaustive]`.
            MediaDelta::None => (None, None),
            _ => (None, None),
        };
        if let Some(kind) = problem {
            self.note(kind, Some(delta.tool_call_id.as_str()));
            return if matches!(change, Change::Appended(_)) { change } else { Change::None };
        }
        if let Some(source) = source {
            let mut block = DataBlock::new(source);
            block.id.clone_from(&delta.block_id);
            block.name.clone_from(&delta.name);
            block.created_at.clone_from(&event.created_at);
            block.origin = Origin::new(event.id.clone());
            self.push_media(index, block);
        }
        change
    }

    /// The bytes of this id that the result has already.
    fn media_of(&mut self, index: usize, id: &BlockId) -> Option<&mut DataSource> {
        let output = *self.media_index(index)?.get(id)?;
        if let Block::Data(block) = self.result_mut(index)?.output.get_mut(output)? { Some(&mut block.source) } else { None }
    }

    fn push_media(&mut self, index: usize, block: DataBlock) {
        let key = match (&block.id, &block.source) {
            (Some(id), DataSource::Base64 { .. }) => Some(id.clone()),
            _ => None,
        };
        let Some(result) = self.result_mut(index) else { return };
        let at = result.output.len();
        result.output.push(block.into());
        if let (Some(key), Some(map)) = (key, self.media_index(index)) {
            map.entry(key).or_insert(at);
        }
    }

    /// Where the result keeps its bytes by id, made when first asked for: output that came whole may hold some.
    fn media_index(&mut self, index: usize) -> Option<&mut HashMap<BlockId, usize>> {
        let (state, Some(Block::ToolResult(result))) = (self.blocks.states.get_mut(index)?, self.msg.content.get(index)) else {
            return None;
        };
        Some(state.media.get_or_insert_with(|| {
            let mut map = HashMap::new();
            for (at, block) in result.output.iter().enumerate() {
                if let Block::Data(DataBlock { id: Some(id), source: DataSource::Base64 { .. }, .. }) = block {
                    map.entry(id.clone()).or_insert(at);
                }
            }
            map
        }))
    }

    pub(super) fn result_end(&mut self, event: &AgentEvent, end: &ToolResultEnd) -> Change {
        let (kind, id) = (BlockKind::Result, &end.tool_call_id);
        let found = self.find_call(event, kind, id);
        let Some(index) = self.close(kind, found, id.as_str()) else { return Change::None };
        let Some(result) = self.result_mut(index) else { return Change::None };
        result.state = end.state;
        result.metadata = block_metadata(event);
        result.finished_at.clone_from(&event.created_at);
        let id = result.id.clone();
        if end.state == ToolResultState::Running {
            // Suspended: the call is still awaited.
            return Change::Block(index);
        }
        match self.finish_call(&id) {
            true => Change::Content,
            false => Change::Block(index),
        }
    }

    /// The newest call with this id has its result; whether there is one that changed.
    pub(super) fn finish_call(&mut self, id: &ToolCallId) -> bool {
        let Some(call) = self.blocks.find_call(BlockKind::Call, id).and_then(|index| self.call_mut(index)) else { return false };
        std::mem::replace(&mut call.state, ToolCallState::Finished) != ToolCallState::Finished
    }

    pub(super) fn result_mut(&mut self, index: usize) -> Option<&mut ToolResultBlock> {
        if let Block::ToolResult(result) = self.msg.content.get_mut(index)? { Some(result) } else { None }
    }
}
