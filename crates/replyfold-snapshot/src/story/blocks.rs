//! Text, thinking, media, hints.

use super::{Open, Pieces, Story};
use crate::given::fail;
use replyfold_event::{
    DataBlockDelta, DataBlockEnd, DataBlockStart, HintBlock, MediaDelta, TextBlockDelta, TextBlockEnd, TextBlockStart, ThinkingBlockDelta,
    ThinkingBlockEnd, ThinkingBlockStart, ToolCallDelta, ToolCallEnd, ToolResultEnd, ToolResultTextDelta,
};
use replyfold_message::{Hint, Media, ToolResultState};

impl Story {
    /// A text, whole.
    pub fn text(self, pieces: impl Pieces) -> Self {
        self.open_text(pieces).close()
    }

    /// A text that goes on.
    pub fn open_text(mut self, pieces: impl Pieces) -> Self {
        let id = self.next_block();
        self.push(TextBlockStart::new(self.voice.reply.clone(), &id));
        self.open(Open::Text(id));
        self.more(pieces)
    }

    /// A stretch of reasoning, whole.
    pub fn thinking(self, pieces: impl Pieces) -> Self {
        self.open_thinking(pieces).close()
    }

    /// A stretch of reasoning that goes on.
    pub fn open_thinking(mut self, pieces: impl Pieces) -> Self {
        let id = self.next_block();
        self.push(ThinkingBlockStart::new(self.voice.reply.clone(), &id));
        self.open(Open::Thinking(id));
        self.more(pieces)
    }

    /// More pieces of what the reply opened last.
    ///
    /// # Panics
    ///
    /// Nothing of the reply is open.
    #[track_caller]
    pub fn more(mut self, pieces: impl Pieces) -> Self {
        let reply = self.voice.reply.clone();
        let Some((_, open)) = self.last_open(|_| true).and_then(|place| self.open.get(place)).cloned() else {
            fail(format_args!("nothing of the reply {reply} is open that could have more pieces: begin it with an `open_` step"))
        };
        for piece in pieces.pieces() {
            match &open {
                Open::Text(id) => self.push(TextBlockDelta::new(&reply, id, piece)),
                Open::Thinking(id) => self.push(ThinkingBlockDelta::new(&reply, id, piece)),
                Open::Call(index) => self.argument(*index, piece),
                Open::Result(id) => self.push(ToolResultTextDelta::new(&reply, id, piece)),
            }
        }
        self
    }

    fn argument(&mut self, index: usize, piece: String) {
        let Some(call) = self.calls.get_mut(index) else { return };
        let content = format!("{}{piece}", call.block.content);
        call.block = call.block.clone().with_content(content);
        let id = call.block.id.clone();
        self.push(ToolCallDelta::new(self.voice.reply.clone(), &id, piece));
    }

    /// Ends what the reply opened last; an answer ends with success.
    ///
    /// # Panics
    ///
    /// Nothing of the reply is open.
    #[track_caller]
    pub fn close(mut self) -> Self {
        let reply = self.voice.reply.clone();
        let Some(place) = self.last_open(|_| true) else {
            fail(format_args!("nothing of the reply {reply} is open that could end: begin it with an `open_` step"))
        };
        match self.open.remove(place).1 {
            Open::Text(id) => self.push(TextBlockEnd::new(&reply, &id)),
            Open::Thinking(id) => self.push(ThinkingBlockEnd::new(&reply, &id)),
            Open::Result(id) => self.push(ToolResultEnd::new(&reply, &id, ToolResultState::Success)),
            Open::Call(index) => {
                if let Some(id) = self.calls.get(index).map(|call| call.block.id.clone()) {
                    self.push(ToolCallEnd::new(&reply, &id));
                }
            }
        }
        self
    }

    /// Media in the events themselves, each piece encoded on its own.
    pub fn data<B: AsRef<[u8]>>(mut self, media_type: &str, pieces: impl IntoIterator<Item = B>) -> Self {
        let pieces = pieces.into_iter().map(|piece| MediaDelta::Base64(Media::from(piece.as_ref()).to_base64())).collect();
        self.push_data(media_type, pieces);
        self
    }

    /// Media elsewhere.
    pub fn data_url(mut self, media_type: &str, url: &str) -> Self {
        self.push_data(media_type, vec![MediaDelta::Url(url.to_owned())]);
        self
    }

    fn push_data(&mut self, media_type: &str, pieces: Vec<MediaDelta>) {
        let (reply, id) = (self.voice.reply.clone(), self.next_block());
        self.push(DataBlockStart::new(&reply, &id, media_type));
        for piece in pieces {
            self.push(DataBlockDelta::new(&reply, &id, piece).with_media_type(media_type));
        }
        self.push(DataBlockEnd::new(&reply, &id));
    }

    /// A hint of the host.
    pub fn hint(self, hint: impl Into<Hint>) -> Self {
        self.push_hint(hint.into(), None)
    }

    /// A hint that this source gave.
    pub fn hint_from(self, source: &str, hint: impl Into<Hint>) -> Self {
        self.push_hint(hint.into(), Some(source))
    }

    fn push_hint(mut self, hint: Hint, source: Option<&str>) -> Self {
        let id = self.next_block();
        let mut block = HintBlock::new(&self.voice.reply, &id, hint);
        block.hint_source = source.map(str::to_owned);
        self.event(block)
    }
}
