//! Permission rules as data; what they mean is the gate's.

use crate::enums::words;
use crate::json::{DecodeError, FieldValue, Value, Writer};

words! {
    /// What a permission rule says about a call that it matches.
    PermissionBehavior {
        /// The call may run.
        Allow = "allow",
        /// The call must not run.
        Deny = "deny",
        /// A person decides.
        Ask = "ask",
        /// The rule says nothing; the next layer decides.
        Passthrough = "passthrough",
    }
}

/// A permission rule as it travels with a call or an answer (`wire.md` section 5).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PermissionRule {
    /// Name of the tool that the rule is about.
    pub tool_name: String,
    /// What of the tool's calls the rule matches; all of them when absent.
    pub rule_content: Option<String>,
    /// What the rule says.
    pub behavior: PermissionBehavior,
    /// Where the rule comes from: `suggested`, `session`, `project`, `user`, ….
    pub source: String,
}

impl PermissionRule {
    /// A rule about all calls of a tool.
    #[must_use]
    pub fn new(tool_name: impl Into<String>, behavior: PermissionBehavior, source: impl Into<String>) -> Self {
        Self { tool_name: tool_name.into(), rule_content: None, behavior, source: source.into() }
    }

    /// About the calls that `content` matches.
    #[must_use]
    pub fn with_content(mut self, content: impl Into<String>) -> Self {
        self.rule_content = Some(content.into());
        self
    }
}

impl FieldValue for PermissionRule {
    fn read(value: Value<'_>) -> Result<Self, DecodeError> {
        let fields = value.object()?;
        Ok(Self {
            tool_name: fields.required("toolName")?,
            rule_content: fields.required("ruleContent")?,
            behavior: fields.required("behavior")?,
            source: fields.required("source")?,
        })
    }

    fn write(&self, out: &mut Writer<'_>) {
        out.object(|object| {
            object.field("toolName", &self.tool_name);
            object.field("ruleContent", &self.rule_content);
            object.field("behavior", &self.behavior);
            object.field("source", &self.source);
        });
    }
}
