use super::{BlockFields, with};
use crate::json::{DecodeError, Fields, JsonObject, ObjectWriter};
use crate::{PermissionRule, Residue, Timestamp, ToolCallId, ToolCallState};

/// A call of a tool: `tool_use` on the canonical wire.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ToolCallBlock {
    /// Id of the call, given by the model; its result carries the same.
    pub id: ToolCallId,
    /// Name of the tool.
    pub name: String,
    /// The arguments: `{}` until the call ends, and when they are no JSON object.
    pub input: JsonObject,
    /// The text of the arguments, exactly as it streamed.
    pub content: String,
    /// Where the call stands.
    pub state: ToolCallState,
    /// Rules that would answer the question for good, offered with it.
    pub suggested_rules: Vec<PermissionRule>,
    /// When the block was opened.
    pub created_at: Option<Timestamp>,
    /// When it was closed; `None` while it is open.
    pub finished_at: Option<Timestamp>,
    /// What only one dialect has of it; no part of equality.
    pub residue: Residue,
}

impl ToolCallBlock {
    /// A pending call without arguments.
    #[must_use]
    pub fn new(id: impl Into<ToolCallId>, name: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            input: JsonObject::default(),
            content: String::new(),
            state: ToolCallState::Pending,
            suggested_rules: Vec::new(),
            created_at: None,
            finished_at: None,
            residue: Residue::default(),
        }
    }

    with! {
        /// Opened at this time.
        with_created_at(created_at: Option<Timestamp>)
        /// Closed at this time.
        with_finished_at(finished_at: Option<Timestamp>)
    }

    /// With arguments as text; `input` becomes what they parse to, `{}` when they are no JSON object.
    #[must_use]
    pub fn with_content(mut self, content: impl Into<String>) -> Self {
        self.content = content.into();
        self.input = JsonObject::parse(&self.content).unwrap_or_default();
        self
    }

    /// With these arguments and no text of them.
    #[must_use]
    pub fn with_input(mut self, input: JsonObject) -> Self {
        self.input = input;
        self
    }

    /// In this state.
    #[must_use]
    pub fn with_state(mut self, state: ToolCallState) -> Self {
        self.state = state;
        self
    }

    /// With these suggested rules.
    #[must_use]
    pub fn with_suggested_rules(mut self, rules: Vec<PermissionRule>) -> Self {
        self.suggested_rules = rules;
        self
    }
}

impl BlockFields for ToolCallBlock {
    fn read_fields(fields: &Fields<'_>, _depth: usize) -> Result<Self, DecodeError> {
        Ok(Self {
            id: fields.required("id")?,
            name: fields.required("name")?,
            input: fields.required("input")?,
            content: fields.required::<Option<_>>("content")?.unwrap_or_default(),
            state: fields.required::<Option<_>>("state")?.unwrap_or(ToolCallState::Pending),
            suggested_rules: fields.required::<Option<_>>("suggestedRules")?.unwrap_or_default(),
            created_at: fields.required("createdAt")?,
            finished_at: fields.required("finishedAt")?,
            residue: Residue::default(),
        })
    }

    fn write_fields(&self, object: &mut ObjectWriter<'_>) {
        object.field("id", &self.id);
        object.field("name", &self.name);
        // Written also when it is `{}`: readers rely on an object here.
        object.key("input").raw(self.input.as_str());
        object.field("content", &self.content);
        object.field("state", &self.state);
        if !self.suggested_rules.is_empty() {
            object.field("suggestedRules", &self.suggested_rules);
        }
    }
}
