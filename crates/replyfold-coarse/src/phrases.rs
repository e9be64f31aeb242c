//! What is said to people.

use std::fmt;

/// Language of the messages for people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Language {
    /// Chinese, as public implementations of the protocol write it.
    #[default]
    Chinese,
    /// English.
    English,
}

/// The `code` of an `error` event that we write ("Coarse protocol" sections 5, 8 and 11).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorCode {
    /// A model call failed; the message tells whether it is tried again.
    LlmCallFailed,
    /// The limit of rounds was reached and the last model call gave no answer.
    MaxRoundsExceeded,
    /// A person has to confirm calls, and the stream could not stay open for it.
    ConfirmationRequired,
    /// A tool has to be run outside, and the stream could not stay open for it.
    ExternalExecutionRequired,
    /// Another run of the conversation is active; for hosts, the collapser never writes it.
    ConversationBusy,
}

impl ErrorCode {
    /// The code on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LlmCallFailed => "LLM_CALL_FAILED",
            Self::MaxRoundsExceeded => "MAX_ROUNDS_EXCEEDED",
            Self::ConfirmationRequired => "CONFIRMATION_REQUIRED",
            Self::ExternalExecutionRequired => "EXTERNAL_EXECUTION_REQUIRED",
            Self::ConversationBusy => "CONVERSATION_BUSY",
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Language {
    /// A model call failed and is tried again: retry number `attempt` of at most `limit`.
    #[must_use]
    pub fn retrying(self, attempt: u64, limit: u64) -> String {
        let (before, after) = self.retrying_parts();
        format!("{before}{attempt}/{limit}{after}")
    }

    fn retrying_parts(self) -> (&'static str, &'static str) {
        match self {
            Self::Chinese => ("LLM 调用失败，正在重试 (", ")"),
            Self::English => ("LLM call failed, retrying (", ")"),
        }
    }

    /// The numbers in a message that [`retrying`](Self::retrying) wrote.
    pub(crate) fn parse_retrying(self, message: &str) -> Option<(u64, u64)> {
        let (before, after) = self.retrying_parts();
        let (attempt, limit) = message.strip_prefix(before)?.strip_suffix(after)?.split_once('/')?;
        let numbers = (attempt.parse().ok()?, limit.parse().ok()?);
        // `+1` and `01` are numbers too, but not ones that we write.
        (self.retrying(numbers.0, numbers.1) == message).then_some(numbers)
    }

    /// A model call failed for good after this many retries.
    #[must_use]
    pub fn failed(self, retries: u64) -> String {
        match (self, retries) {
            (Self::Chinese, 0) => "LLM 调用失败".to_owned(),
            (Self::Chinese, _) => format!("LLM 调用失败（已重试 {retries} 次）"),
            (Self::English, 0) => "LLM call failed".to_owned(),
            (Self::English, 1) => "LLM call failed (after 1 retry)".to_owned(),
            (Self::English, _) => format!("LLM call failed (after {retries} retries)"),
        }
    }

    /// The message for this code, for errors that need no numbers.
    #[must_use]
    pub fn message(self, code: ErrorCode) -> &'static str {
        match (self, code) {
            (Self::Chinese, ErrorCode::LlmCallFailed) => "LLM 调用失败",
            (Self::Chinese, ErrorCode::MaxRoundsExceeded) => "已达到最大轮数",
            (Self::Chinese, ErrorCode::ConfirmationRequired) => "工具调用需要用户确认",
            (Self::Chinese, ErrorCode::ExternalExecutionRequired) => "工具需要在外部执行",
            (Self::Chinese, ErrorCode::ConversationBusy) => "该会话正在运行",
            (Self::English, ErrorCode::LlmCallFailed) => "LLM call failed",
            (Self::English, ErrorCode::MaxRoundsExceeded) => "Limit of rounds reached",
            (Self::English, ErrorCode::ConfirmationRequired) => "Tool calls need a confirmation",
            (Self::English, ErrorCode::ExternalExecutionRequired) => "Tools have to be run outside",
            (Self::English, ErrorCode::ConversationBusy) => "The conversation is busy",
        }
    }

    /// The detail of a stream that stopped before its reply ended.
    pub(crate) fn stopped(self) -> &'static str {
        match self {
            Self::Chinese => "事件流提前结束",
            Self::English => "the stream stopped before the reply ended",
        }
    }
}
