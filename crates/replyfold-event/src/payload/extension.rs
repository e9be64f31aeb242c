use super::payload;
use replyfold_message::json::JsonObject;
use replyfold_message::{BlockId, Hint, Msg, ReplyId, ToolCallBlock};

payload! {
    /// A hint was given to the model (extension).
    HintBlock {
        required {
            /// The reply.
            reply_id: ReplyId = "replyId",
            /// The block.
            block_id: BlockId = "blockId",
            /// What it says: a string, or a list of text and data blocks.
            hint: Hint = "hint",
        }
        optional {
            /// Who gave it.
            hint_source: String = "hintSource", with_hint_source;
        }
    }
}

payload! {
    /// A person interrupted the reply (extension, Python).
    UserInterrupt {
        required {
            /// The reply.
            reply_id: ReplyId = "replyId",
        }
    }
}

payload! {
    /// The message that a run returned (extension, Java).
    AgentResult {
        optional {
            /// The message.
            result: Box<Msg> = "result", with_result;
        }
    }
}

payload! {
    /// Every call of the round was denied (extension, Java).
    AllToolsDenied {
        required {
            /// The calls.
            denied_tool_calls: Vec<ToolCallBlock> = "deniedToolCalls",
        }
    }
}

payload! {
    /// An event of the application (extension).
    Custom {
        required {
            /// Its name.
            name: String = "name",
            /// Its value.
            value: JsonObject = "value",
        }
    }
}
