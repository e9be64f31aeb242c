use super::payload;
use crate::GenerateReason;
use replyfold_message::ReplyId;

payload! {
    /// The limit of rounds is reached.
    ///
    /// Wire: `docs/wire/events.md#exceed_max_iters`.
    ExceedMaxIters {
        required {
            /// The reply.
            reply_id: ReplyId = "replyId",
        }
        optional {
            /// The limit, in rounds. Java writes any 32-bit number here.
            max_iters: i64 = "maxIters", with_max_iters;
            /// The round that was reached, from 1.
            current_iter: i64 = "currentIter", with_current_iter;
            /// Name of the agent.
            name: String = "name", with_name;
        }
    }
}

payload! {
    /// The run stops, or is parked until somebody answers.
    ///
    /// Wire: `docs/wire/events.md#request_stop`.
    RequestStop {
        required {
            /// Why, for programs.
            generate_reason: GenerateReason = "generateReason",
        }
        optional {
            /// The reply.
            reply_id: ReplyId = "replyId", with_reply_id;
            /// Why, for people.
            reason: String = "reason", with_reason;
        }
    }
}
