use super::payload;
use replyfold_message::{Failure, FinishedReason, ReplyId, Role, SessionId};

payload! {
    /// A reply begins, or goes on after a pause: then with the same `replyId`.
    ///
    /// Sent once per run, first. Wire: `docs/wire/events.md#agent_start`.
    AgentStart {
        required {
            /// The reply.
            reply_id: ReplyId = "replyId",
            /// Who speaks; `assistant` when the field is missing.
            role: Role = "role",
        }
        optional {
            /// The session that the reply belongs to.
            session_id: SessionId = "sessionId", with_session_id;
            /// Name of the agent.
            name: String = "name", with_name;
        }
    }
}

payload! {
    /// A reply ended, or its run ended because it waits for somebody.
    ///
    /// Sent once per run, last. Wire: `docs/wire/events.md#agent_end`.
    AgentEnd {
        required {
            /// The reply.
            reply_id: ReplyId = "replyId",
        }
        optional {
            /// Why it ended.
            finished_reason: FinishedReason = "finishedReason", with_finished_reason;
            /// Why it failed.
            error: Box<Failure> = "error", with_error;
        }
    }
}
