use super::payload;
use crate::MediaDelta;
use replyfold_message::{BlockId, ReplyId, ToolCallId, ToolResultState};

payload! {
    /// A tool begins to run.
    ///
    /// Wire: `docs/wire/events.md#tool_result_start`.
    ToolResultStart {
        required {
            /// The reply.
            reply_id: ReplyId = "replyId",
            /// The call that is answered.
            tool_call_id: ToolCallId = "toolCallId",
            /// Name of the tool.
            tool_call_name: String = "toolCallName",
        }
    }
}

payload! {
    /// A piece of a tool's text output arrived.
    ///
    /// Wire: `docs/wire/events.md#tool_result_text_delta`.
    ToolResultTextDelta {
        required {
            /// The reply.
            reply_id: ReplyId = "replyId",
            /// The call that is answered.
            tool_call_id: ToolCallId = "toolCallId",
            /// The piece.
            delta: String = "delta",
        }
    }
}

payload! {
    /// A piece of a tool's media output arrived.
    ///
    /// Wire: `docs/wire/events.md#tool_result_data_delta`.
    ToolResultDataDelta {
        required {
            /// The reply.
            reply_id: ReplyId = "replyId",
            /// The call that is answered.
            tool_call_id: ToolCallId = "toolCallId",
        }
        group {
            /// The piece.
            media: MediaDelta,
        }
        optional {
            /// Id of the media; pieces with the same id belong together.
            block_id: BlockId = "blockId", with_block_id;
            /// Media type; demanded with `data`.
            media_type: String = "mediaType", with_media_type;
            /// Name of the file.
            name: String = "name", with_name;
        }
    }
}

payload! {
    /// A tool ended, or is suspended: then with state `running`.
    ///
    /// Facts that the tool gave beside its answer stand in the event's metadata. Wire: `docs/wire/events.md#tool_result_end`.
    ToolResultEnd {
        required {
            /// The reply.
            reply_id: ReplyId = "replyId",
            /// The call that is answered.
            tool_call_id: ToolCallId = "toolCallId",
            /// How it ended.
            state: ToolResultState = "state",
        }
    }
}
