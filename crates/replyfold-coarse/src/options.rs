//! How a stream is collapsed.

use crate::{Language, ThinkOptions};

/// What becomes of the events of sub-agents (`source` not empty).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SubagentPolicy {
    /// They are dropped, starts and ends included.
    #[default]
    Drop,
    /// Their text and thinking become `thinking`, each stretch behind the agent's path in brackets.
    ///
    /// A sub-agent runs while a tool of its leader does, so these pieces are also shown between a tool call and the next model call.
    Thinking,
}

/// What becomes of a reply that waits for a person: coarse clients cannot confirm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfirmPolicy {
    /// The stream stays open until the reply goes on; [`finish`](crate::Collapser::finish) closes it.
    #[default]
    StayOpen,
    /// It ends at once with the error `CONFIRMATION_REQUIRED`, whose detail lists the calls.
    Error,
}

/// How fine events become coarse ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CollapseOptions {
    /// What becomes of sub-agents.
    pub subagents: SubagentPolicy,
    /// What becomes of a reply that waits for a person.
    pub confirm: ConfirmPolicy,
    /// Language of error messages.
    pub language: Language,
    /// Take thinking out of text deltas between think tags.
    pub think_tags: Option<ThinkOptions>,
}

impl CollapseOptions {
    /// The usual options: sub-agents are dropped, the stream stays open, messages in Chinese, text as it is.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// With this policy for sub-agents.
    #[must_use]
    pub fn with_subagents(mut self, subagents: SubagentPolicy) -> Self {
        self.subagents = subagents;
        self
    }

    /// With this policy for replies that wait for a person.
    #[must_use]
    pub fn with_confirm(mut self, confirm: ConfirmPolicy) -> Self {
        self.confirm = confirm;
        self
    }

    /// With messages in this language.
    #[must_use]
    pub fn with_language(mut self, language: Language) -> Self {
        self.language = language;
        self
    }

    /// With think tags split in this way.
    #[must_use]
    pub fn with_think_tags(mut self, options: ThinkOptions) -> Self {
        self.think_tags = Some(options);
        self
    }
}
