use super::payload;
use crate::MediaDelta;
use replyfold_message::{BlockId, ReplyId};

payload! {
    /// Media begins.
    ///
    /// Sent once per block. Wire: `docs/wire/events.md#data_block_start`.
    DataBlockStart {
        required {
            /// The reply.
            reply_id: ReplyId = "replyId",
            /// The block.
            block_id: BlockId = "blockId",
            /// Media type, for instance `image/png`.
            media_type: String = "mediaType",
        }
        optional {
            /// Name of the file.
            name: String = "name", with_name;
        }
    }
}

payload! {
    /// A piece of media arrived.
    ///
    /// Wire: `docs/wire/events.md#data_block_delta`.
    DataBlockDelta {
        required {
            /// The reply.
            reply_id: ReplyId = "replyId",
            /// The block.
            block_id: BlockId = "blockId",
        }
        group {
            /// The piece.
            media: MediaDelta,
        }
        optional {
            /// Media type of the content.
            media_type: String = "mediaType", with_media_type;
        }
    }
}

payload! {
    /// Media is complete.
    ///
    /// Sent once per block, after its last piece. Wire: `docs/wire/events.md#data_block_end`.
    DataBlockEnd {
        required {
            /// The reply.
            reply_id: ReplyId = "replyId",
            /// The block.
            block_id: BlockId = "blockId",
        }
    }
}
