use super::payload;
use replyfold_message::{ReplyId, ToolCallId};

payload! {
    /// The model begins to write a tool call.
    ///
    /// Sent once per call; again when the pieces of parallel calls alternate. Wire: `docs/wire/events.md#tool_call_start`.
    ToolCallStart {
        required {
            /// The reply.
            reply_id: ReplyId = "replyId",
            /// The call.
            tool_call_id: ToolCallId = "toolCallId",
            /// Name of the tool.
            tool_call_name: String = "toolCallName",
        }
    }
}

payload! {
    /// A piece of the JSON text of a call's arguments arrived.
    ///
    /// Wire: `docs/wire/events.md#tool_call_delta`.
    ToolCallDelta {
        required {
            /// The reply.
            reply_id: ReplyId = "replyId",
            /// The call.
            tool_call_id: ToolCallId = "toolCallId",
            /// The piece.
            delta: String = "delta",
        }
    }
}

payload! {
    /// The model finished writing a tool call.
    ///
    /// Sent after the call's last piece. Wire: `docs/wire/events.md#tool_call_end`.
    ToolCallEnd {
        required {
            /// The reply.
            reply_id: ReplyId = "replyId",
            /// The call.
            tool_call_id: ToolCallId = "toolCallId",
        }
    }
}
