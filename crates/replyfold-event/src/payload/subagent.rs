use super::payload;
use replyfold_message::{ReplyId, SessionId};

payload! {
    /// A sub-agent can be seen: its session may be opened on its own.
    ///
    /// Wire: `docs/wire/events.md#subagent_exposed`.
    SubagentExposed {
        required {
            /// Id of this use of the sub-agent.
            subagent_id: String = "subagentId",
            /// Id of the agent.
            agent_id: String = "agentId",
            /// The sub-agent's own session.
            session_id: SessionId = "sessionId",
        }
        optional {
            /// The reply that it works for.
            reply_id: ReplyId = "replyId", with_reply_id;
            /// What to show for it.
            label: String = "label", with_label;
        }
    }
}
