use super::payload;
use replyfold_message::json::{DecodeError, FieldValue, Value, Writer};
use replyfold_message::{PermissionRule, ReplyId, Residue, ToolCallBlock};

payload! {
    /// A person is asked whether calls may run.
    ///
    /// Wire: `docs/wire/events.md#require_user_confirm`.
    RequireUserConfirm {
        required {
            /// The reply.
            reply_id: ReplyId = "replyId",
            /// The calls in question, with suggested rules.
            tool_calls: Vec<ToolCallBlock> = "toolCalls",
        }
    }
}

payload! {
    /// A person answered.
    ///
    /// Wire: `docs/wire/events.md#user_confirm_result`.
    UserConfirmResult {
        required {
            /// The reply.
            reply_id: ReplyId = "replyId",
            /// The answers, each to one call.
            confirm_results: Vec<ConfirmResult> = "confirmResults",
        }
    }
}

/// A person's answer to one call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ConfirmResult {
    /// Whether the call may run.
    pub confirmed: bool,
    /// The call, with the person's edits.
    pub tool_call: ToolCallBlock,
    /// Rules that the person accepted with the answer.
    pub rules: Option<Vec<PermissionRule>>,
    /// What only one dialect has of it; no part of equality.
    pub residue: Residue,
}

impl ConfirmResult {
    /// An answer without rules.
    #[must_use]
    pub fn new(confirmed: bool, tool_call: ToolCallBlock) -> Self {
        Self { confirmed, tool_call, rules: None, residue: Residue::default() }
    }

    /// With these accepted rules.
    #[must_use]
    pub fn with_rules(mut self, rules: Vec<PermissionRule>) -> Self {
        self.rules = Some(rules);
        self
    }
}

impl FieldValue for ConfirmResult {
    fn read(value: Value<'_>) -> Result<Self, DecodeError> {
        let fields = value.object()?;
        Ok(Self {
            confirmed: fields.required("confirmed")?,
            tool_call: fields.required("toolCall")?,
            rules: fields.required("rules")?,
            residue: Residue::default(),
        })
    }

    fn write(&self, out: &mut Writer<'_>) {
        out.object(|object| {
            object.field("confirmed", &self.confirmed);
            object.field("toolCall", &self.tool_call);
            object.field("rules", &self.rules);
        });
    }
}
