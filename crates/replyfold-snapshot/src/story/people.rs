//! Pauses: people who are asked, and tools that run outside.

use super::{Call, CallState, Output, Part, Story};
use crate::given::fail;
use replyfold_event::{ConfirmResult, ExternalExecutionResult, RequireExternalExecution, RequireUserConfirm, UserConfirmResult};
use replyfold_message::{Block, DataBlock, DataSource, Media, TextBlock, ToolCallBlock, ToolCallState, ToolResultBlock, ToolResultState};

impl Story {
    /// A person is asked about all calls of the reply that were only made so far.
    pub fn require_confirm(mut self) -> Self {
        let calls = self.advance(&[CallState::Made], CallState::Asked, ToolCallState::Asking);
        let require = RequireUserConfirm::new(&self.voice.reply, calls);
        self.event(require)
    }

    /// The person allows all calls that were asked about.
    pub fn confirm(self) -> Self {
        self.answer(true, None)
    }

    /// The person allows the calls that were asked about, each with these arguments instead.
    pub fn confirm_with(self, arguments: &serde_json::Value) -> Self {
        self.answer(true, Some(arguments.to_string()))
    }

    /// The person declines all calls that were asked about.
    pub fn decline(self) -> Self {
        self.answer(false, None)
    }

    fn answer(mut self, confirmed: bool, arguments: Option<String>) -> Self {
        let calls =
            self.advance(&[CallState::Asked], if confirmed { CallState::Allowed } else { CallState::Declined }, ToolCallState::Asking);
        let answers: Vec<ConfirmResult> = calls
            .into_iter()
            .map(|call| ConfirmResult::new(confirmed, arguments.iter().fold(call, |call, text| call.with_content(text))))
            .collect();
        let answer = UserConfirmResult::new(&self.voice.reply, answers);
        self.event(answer)
    }

    /// All calls of the reply that were made and not declined, and have no answer, are handed out.
    pub fn require_external(mut self) -> Self {
        let calls = self.advance(&[CallState::Made, CallState::Allowed], CallState::Submitted, ToolCallState::Submitted);
        let require = RequireExternalExecution::new(&self.voice.reply, calls);
        self.event(require)
    }

    /// The answer to the oldest call of the reply that was handed out.
    ///
    /// # Panics
    ///
    /// No call was handed out.
    #[track_caller]
    pub fn external_result(mut self, output: impl Output) -> Self {
        let is_out = |call: &&mut Call| call.voice == self.voice && call.state == CallState::Submitted;
        let Some(call) = self.calls.iter_mut().find(is_out) else {
            fail(format_args!("no call was handed out that lacks its result: hand it out with `require_external`"))
        };
        call.state = CallState::Answered;
        let output = output.parts().into_iter().map(block).collect();
        let result = ToolResultBlock::new(&call.block.id, &call.block.name).with_output(output).with_state(ToolResultState::Success);
        let results = ExternalExecutionResult::new(&self.voice.reply, vec![result]);
        self.event(results)
    }

    /// The calls of the reply in one of these states get another; they are shown in this state.
    fn advance(&mut self, from: &[CallState], to: CallState, shown: ToolCallState) -> Vec<ToolCallBlock> {
        let mine = self.calls.iter_mut().filter(|call| call.voice == self.voice && from.contains(&call.state));
        mine.map(|call| {
            call.state = to;
            call.block.clone().with_state(shown)
        })
        .collect()
    }
}

fn block(part: Part) -> Block {
    match part {
        Part::Text(text) => TextBlock::new(text).into(),
        Part::Data { media_type, data } => DataBlock::new(DataSource::base64(media_type, Media::from_base64(&data))).into(),
        Part::Url { media_type, url } => DataBlock::new(DataSource::url(url, Some(media_type))).into(),
    }
}
