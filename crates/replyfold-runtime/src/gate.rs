//! Whether a call may run: the permission gate as the agent sees it.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use replyfold_message::{PermissionBehavior, PermissionRule, ToolCallBlock};
use serde_json::{Map, Value};
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// Decides whether a call may run. It is asked once for each call, after its arguments were found to fit, and again when a person has
/// confirmed it.
pub trait PermissionGate: Send + Sync {
    /// Decides.
    fn decide<'a>(&'a self, question: Question<'a>) -> BoxFuture<'a, Decision>;

    /// Whether a rule, which another question suggested, would allow this call too: then no second question is asked before that one is
    /// answered. As a rule those of the same tool whose content is equal, or missing.
    fn covers(&self, rule: &PermissionRule, question: Question<'_>) -> bool {
        let content = rule.rule_content.as_deref();
        rule.behavior == PermissionBehavior::Allow
            && rule.tool_name == question.call.name
            && content.is_none_or(|content| content == question.call.content)
    }
}

/// What a gate is asked.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Question<'a> {
    /// The call.
    pub call: &'a ToolCallBlock,
    /// Its arguments.
    pub arguments: &'a Map<String, Value>,
    /// The rules that people accepted in this session.
    pub rules: &'a [PermissionRule],
    /// Whether a person has confirmed this very call.
    pub is_confirmed: bool,
}

/// What a gate decides.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decision {
    /// The call may run.
    Allow,
    /// It must not; why, in words that the model sees.
    Deny(String),
    /// A person decides; rules that would answer for good are offered.
    Ask {
        /// The rules.
        suggested_rules: Vec<PermissionRule>,
        /// Whether the question is asked even where a rule of another one would answer it.
        is_safety: bool,
    },
}

impl Decision {
    /// A person decides.
    #[must_use]
    pub fn ask(suggested_rules: Vec<PermissionRule>) -> Self {
        Self::Ask { suggested_rules, is_safety: false }
    }
}

/// Lets every call run.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "there is nothing to say about it")]
pub struct AllowAll;

impl PermissionGate for AllowAll {
    fn decide<'a>(&'a self, _question: Question<'a>) -> BoxFuture<'a, Decision> {
        async { Decision::Allow }.boxed()
    }
}

/// A gate for tests and demonstrations: answers by the name of the tool, from a script. A confirmed call, and one that an accepted rule
/// covers, may run.
#[derive(Debug, Default)]
pub struct ScriptedGate(Mutex<Vec<(String, VecDeque<Decision>)>>);

impl ScriptedGate {
    /// Allows everything that no script says otherwise of.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The next call of this tool gets this decision, those after it the decisions that are added later; the last one stays.
    #[must_use]
    pub fn with(self, tool: impl Into<String>, decision: Decision) -> Self {
        let tool = tool.into();
        let mut scripts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match scripts.iter_mut().find(|(name, _)| *name == tool) {
            Some((_, script)) => script.push_back(decision),
            None => scripts.push((tool, VecDeque::from([decision]))),
        }
        drop(scripts);
        self
    }

    fn next(&self, tool: &str) -> Decision {
        let mut scripts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match scripts.iter_mut().find(|(name, _)| name == tool) {
            Some((_, script)) if script.len() > 1 => script.pop_front().unwrap_or(Decision::Allow),
            Some((_, script)) => script.front().cloned().unwrap_or(Decision::Allow),
            None => Decision::Allow,
        }
    }
}

impl PermissionGate for ScriptedGate {
    fn decide<'a>(&'a self, question: Question<'a>) -> BoxFuture<'a, Decision> {
        let is_allowed = question.is_confirmed || question.rules.iter().any(|rule| self.covers(rule, question));
        let decision = if is_allowed { Decision::Allow } else { self.next(&question.call.name) };
        async move { decision }.boxed()
    }
}
