use super::{Block, BlockFields, with};
use crate::json::{DecodeError, Fields, JsonObject, ObjectWriter};
use crate::{Residue, Timestamp, ToolCallId, ToolResultState};

/// What a tool answered.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ToolResultBlock {
    /// Id of the call that it answers.
    pub id: ToolCallId,
    /// Name of the tool.
    pub name: String,
    /// The answer: text and data blocks. Java logs may hold other kinds here.
    pub output: Vec<Block>,
    /// How the tool stands or ended.
    pub state: ToolResultState,
    /// Facts that the tool gave beside its answer.
    pub metadata: JsonObject,
    /// When the block was opened.
    pub created_at: Option<Timestamp>,
    /// When it was closed; `None` while it is open.
    pub finished_at: Option<Timestamp>,
    /// What only one dialect has of it; no part of equality.
    pub residue: Residue,
}

impl ToolResultBlock {
    /// A running result without output.
    #[must_use]
    pub fn new(id: impl Into<ToolCallId>, name: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            output: Vec::new(),
            state: ToolResultState::Running,
            metadata: JsonObject::default(),
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

    /// With this output.
    #[must_use]
    pub fn with_output(mut self, output: Vec<Block>) -> Self {
        self.output = output;
        self
    }

    /// In this state.
    #[must_use]
    pub fn with_state(mut self, state: ToolResultState) -> Self {
        self.state = state;
        self
    }

    /// With these facts.
    #[must_use]
    pub fn with_metadata(mut self, metadata: JsonObject) -> Self {
        self.metadata = metadata;
        self
    }

    /// The text parts of the output, joined.
    #[must_use]
    pub fn text(&self) -> String {
        self.output
            .iter()
            .filter_map(|block| match block {
                Block::Text(text) => Some(text.text.as_str()),
                _ => None,
            })
            .collect()
    }
}

impl BlockFields for ToolResultBlock {
    fn read_fields(fields: &Fields<'_>, depth: usize) -> Result<Self, DecodeError> {
        Ok(Self {
            id: fields.required("id")?,
            name: fields.required("name")?,
            output: fields.optional("output", |list| list.list(|item| Block::read_at(item, depth + 1)))?.unwrap_or_default(),
            state: fields.required::<Option<_>>("state")?.unwrap_or(ToolResultState::Running),
            metadata: fields.required("metadata")?,
            created_at: fields.required("createdAt")?,
            finished_at: fields.required("finishedAt")?,
            residue: Residue::default(),
        })
    }

    fn write_fields(&self, object: &mut ObjectWriter<'_>) {
        object.field("id", &self.id);
        object.field("name", &self.name);
        object.field("output", &self.output);
        object.field("state", &self.state);
        object.field("metadata", &self.metadata);
    }
}
