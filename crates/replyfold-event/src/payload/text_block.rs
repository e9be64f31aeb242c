use super::payload;
use replyfold_message::{BlockId, ReplyId};

payload! {
    /// Text begins.
    ///
    /// Sent once per block. Wire: `docs/wire/events.md#text_block_start`.
    TextBlockStart {
        required {
            /// The reply.
            reply_id: ReplyId = "replyId",
            /// The block.
            block_id: BlockId = "blockId",
        }
    }
}

payload! {
    /// A piece of text arrived.
    ///
    /// Wire: `docs/wire/events.md#text_block_delta`.
    TextBlockDelta {
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
    /// Text is complete.
    ///
    /// Sent once per block, after its last piece. Wire: `docs/wire/events.md#text_block_end`.
    TextBlockEnd {
        required {
            /// The reply.
            reply_id: ReplyId = "replyId",
            /// The block.
            block_id: BlockId = "blockId",
        }
        optional {
            /// The final text, if it differs from the joined pieces; it replaces them, also when it is empty.
            text: String = "text", with_text;
        }
    }
}
