use super::payload;
use replyfold_message::{ReplyId, ToolCallBlock, ToolResultBlock};

payload! {
    /// Calls are to be run outside.
    ///
    /// Wire: `docs/wire/events.md#require_external_execution`.
    RequireExternalExecution {
        required {
            /// The reply.
            reply_id: ReplyId = "replyId",
            /// The calls to run.
            tool_calls: Vec<ToolCallBlock> = "toolCalls",
        }
    }
}

payload! {
    /// Results of calls that were run outside.
    ///
    /// Wire: `docs/wire/events.md#external_execution_result`.
    ExternalExecutionResult {
        required {
            /// The reply.
            reply_id: ReplyId = "replyId",
            /// The results.
            tool_results: Vec<ToolResultBlock> = "toolResults",
        }
    }
}
