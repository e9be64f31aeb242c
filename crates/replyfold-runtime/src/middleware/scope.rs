//! The agent and the reply that a layer is at work for.

use crate::agent::Inner;
use replyfold_message::{Msg, ReplyId, SessionId};
use serde_json::Value;
use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

/// The agent and the reply that a layer is at work for.
#[derive(Clone)]
pub struct Scope {
    inner: Arc<Inner>,
    reply: ReplyId,
}

impl Scope {
    pub(crate) fn new(inner: &Arc<Inner>, reply: &ReplyId) -> Self {
        Self { inner: Arc::clone(inner), reply: reply.clone() }
    }

    /// Name of the agent.
    #[must_use]
    pub fn agent_name(&self) -> &str {
        &self.inner.config.name
    }

    /// The session.
    #[must_use]
    pub fn session_id(&self) -> Option<SessionId> {
        self.inner.with(|kept| kept.state.session_id.clone())
    }

    /// Id of the reply.
    #[must_use]
    pub fn reply_id(&self) -> &ReplyId {
        &self.reply
    }

    /// The rounds that the reply had.
    #[must_use]
    pub fn rounds(&self) -> u64 {
        self.inner.with_reply(|going| going.rounds).unwrap_or_default()
    }

    /// The reply's message as far as it is; `None` before its start and behind its end.
    #[must_use]
    pub fn message(&self) -> Option<Msg> {
        self.inner.with_reply(|going| going.message().clone())
    }

    /// The time, by the agent's clock.
    #[must_use]
    pub fn now(&self) -> SystemTime {
        self.inner.config.clock.now()
    }

    /// A new id, by the agent's clock; greater than any before.
    #[must_use]
    pub fn new_id(&self) -> String {
        self.inner.config.clock.id()
    }

    /// What [`keep`](Self::keep) kept under this key, perhaps in another process.
    #[must_use]
    pub fn kept(&self, key: &str) -> Option<Value> {
        self.inner.with(|kept| kept.state.kept.get(key).cloned())
    }

    /// Keeps a value under this key, in the agent's state; `Null` removes it. A middleware uses a key of its own.
    pub fn keep(&self, key: &str, value: Value) {
        self.update(key, |kept| *kept = value);
    }

    /// Changes what is kept under this key, in one step: calls of a round run beside each other. `change` must not use
    /// the scope: it is locked meanwhile.
    pub fn update<R>(&self, key: &str, change: impl FnOnce(&mut Value) -> R) -> R {
        self.inner.with(|kept| {
            let mut value = kept.state.kept.remove(key).unwrap_or_default();
            let result = change(&mut value);
            if !value.is_null() {
                kept.state.kept.insert(key.to_owned(), value);
            }
            result
        })
    }
}

impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").field("reply", &self.reply).finish_non_exhaustive()
    }
}
