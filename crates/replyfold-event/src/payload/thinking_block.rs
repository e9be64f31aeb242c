use super::payload;
use replyfold_message::{BlockId, ReplyId};

payload! {
    /// Thinking begins.
    ///
    /// Sent once per block. Wire: `docs/wire/events.md#thinking_block_start`.
    ThinkingBlockStart {
        required {
            /// The reply.
            reply_id: ReplyId = "replyId",
            /// The block.
            block_id: BlockId = "blockId",
        }
    }
}

payload! {
    /// A piece of thinking arrived.
    ///
    /// Wire: `docs/wire/events.md#thinking_block_delta`.
    ThinkingBlockDelta {
        required {
            /// The reply.
            reply_id: ReplyId = "replyId",
            /// The block.
            block_id: BlockId = "blockId",
            /// The piece.
            delta: String = "delta",
        }
    }
}

payload! {
    /// Thinking is complete.
    ///
    /// Fields of the model's provider, such as `signature`, stand in the event's metadata. Sent once per block, after its last piece. Wire: `docs/wire/events.md#thinking_block_end`.
    ThinkingBlockEnd {
        required {
            /// The reply.
            reply_id: ReplyId = "replyId",
            /// The block.
            block_id: BlockId = "blockId",
        }
    }
}
