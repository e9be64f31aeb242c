//! Calls and their results.

use super::{Arguments, Call, CallState, Open, Output, Part, Pieces, Story};
use crate::given::fail;
use replyfold_event::{MediaDelta, ToolCallStart, ToolResultDataDelta, ToolResultEnd, ToolResultStart, ToolResultTextDelta};
use replyfold_message::{ToolCallBlock, ToolCallId, ToolResultState};

impl Story {
    /// A call with these arguments, whole.
    pub fn tool(self, name: &str, arguments: impl Arguments) -> Self {
        self.open_tool(name, arguments).close()
    }

    /// A call whose arguments go on.
    pub fn open_tool(mut self, name: &str, arguments: impl Arguments) -> Self {
        let counted = format!("c{}", self.calls.len() + 1);
        let id = ToolCallId::new(&self.id.take().unwrap_or(counted));
        let voice = self.voice.clone();
        self.push(ToolCallStart::new(&voice.reply, &id, name));
        self.open(Open::Call(self.calls.len()));
        self.calls.push(Call { voice, block: ToolCallBlock::new(&id, name), state: CallState::Made });
        self.more(arguments.text_pieces())
    }

    /// The answer to the oldest call of the reply that has none.
    ///
    /// # Panics
    ///
    /// Every call has its answer.
    #[track_caller]
    pub fn result(self, output: impl Output) -> Self {
        self.result_with(ToolResultState::Success, output)
    }

    /// The answer to the oldest call of the reply that has none, with how the tool ended.
    ///
    /// # Panics
    ///
    /// Every call has its answer.
    #[track_caller]
    pub fn result_with(mut self, state: ToolResultState, output: impl Output) -> Self {
        let index = self.oldest();
        self.begin_result(index);
        self.push_output(output.parts());
        self.close_result(state)
    }

    /// The answer to the call with this id.
    ///
    /// # Panics
    ///
    /// The reply has no such call.
    #[track_caller]
    pub fn result_of(mut self, call: &str, output: impl Output) -> Self {
        let found = self.calls.iter().rposition(|of| of.voice == self.voice && of.block.id.as_str() == call);
        let Some(index) = found else {
            fail(format_args!("the reply {} has no call {call:?}: make it with `id({call:?}).tool(…)`", self.voice.reply))
        };
        self.begin_result(index);
        self.push_output(output.parts());
        self.close_result(ToolResultState::Success)
    }

    /// An answer to the oldest call of the reply that has none, which goes on.
    ///
    /// # Panics
    ///
    /// Every call has its answer.
    #[track_caller]
    pub fn open_result(mut self, pieces: impl Pieces) -> Self {
        let index = self.oldest();
        self.begin_result(index);
        self.more(pieces)
    }

    /// Ends the answer that the reply opened last with this state; `running` suspends the tool.
    ///
    /// # Panics
    ///
    /// No answer is open.
    #[track_caller]
    pub fn close_result(mut self, state: ToolResultState) -> Self {
        let found = self.last_open(|open| matches!(open, Open::Result(_)));
        match found.map(|place| self.open.remove(place).1) {
            Some(Open::Result(id)) => self.push(ToolResultEnd::new(self.voice.reply.clone(), &id, state)),
            _ => fail(format_args!("no answer of a tool is open in the reply {}: begin it with `open_result`", self.voice.reply)),
        }
        self
    }

    #[track_caller]
    pub(super) fn oldest(&self) -> usize {
        let is_unanswered = |call: &Call| call.voice == self.voice && call.state != CallState::Answered;
        match self.calls.iter().position(is_unanswered) {
            Some(index) => index,
            None => fail(format_args!("the reply {} has no call that lacks its answer: make one with `tool`", self.voice.reply)),
        }
    }

    fn begin_result(&mut self, index: usize) {
        let reply = self.voice.reply.clone();
        let Some(call) = self.calls.get_mut(index) else { return };
        call.state = CallState::Answered;
        let (id, name) = (call.block.id.clone(), call.block.name.clone());
        self.push(ToolResultStart::new(&reply, &id, name));
        self.open(Open::Result(id));
    }

    fn push_output(&mut self, parts: Vec<Part>) {
        let Some((_, Open::Result(call))) = self.open.last().cloned() else { return };
        let reply = self.voice.reply.clone();
        for part in parts {
            match part {
                Part::Text(text) => self.push(ToolResultTextDelta::new(&reply, &call, text)),
                Part::Data { media_type, data } => self.push_media(&call, media_type, MediaDelta::Base64(data)),
                Part::Url { media_type, url } => self.push_media(&call, media_type, MediaDelta::Url(url)),
            }
        }
    }

    fn push_media(&mut self, call: &ToolCallId, media_type: String, media: MediaDelta) {
        let id = self.next_block();
        self.push(ToolResultDataDelta::new(self.voice.reply.clone(), call, media).with_block_id(&id).with_media_type(media_type));
    }
}
