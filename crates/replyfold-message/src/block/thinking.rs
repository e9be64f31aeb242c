use super::{BlockFields, with};
use crate::json::{DecodeError, Fields, JsonObject, ObjectWriter};
use crate::{BlockId, Residue, Timestamp};

/// Reasoning of the model.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ThinkingBlock {
    /// Id of the block.
    pub id: Option<BlockId>,
    /// The reasoning so far.
    pub thinking: String,
    /// Fields of the model's provider, `signature` among them.
    pub metadata: JsonObject,
    /// When the block was opened.
    pub created_at: Option<Timestamp>,
    /// When it was closed; `None` while it is open.
    pub finished_at: Option<Timestamp>,
    /// What only one dialect has of it; no part of equality.
    pub residue: Residue,
}

impl ThinkingBlock {
    /// A block with this reasoning.
    #[must_use]
    pub fn new(thinking: impl Into<String>) -> Self {
        Self { thinking: thinking.into(), ..Self::default() }
    }

    with! {
        /// With this id.
        with_id(id: Option<BlockId>)
        /// Opened at this time.
        with_created_at(created_at: Option<Timestamp>)
        /// Closed at this time.
        with_finished_at(finished_at: Option<Timestamp>)
    }

    /// With these fields of the model's provider.
    #[must_use]
    pub fn with_metadata(mut self, metadata: JsonObject) -> Self {
        self.metadata = metadata;
        self
    }

    /// The provider's signature of the reasoning, if there is one.
    #[must_use]
    pub fn signature(&self) -> Option<String> {
        self.metadata.get("signature")?.string().ok().map(Into::into)
    }
}

impl BlockFields for ThinkingBlock {
    fn read_fields(fields: &Fields<'_>, _depth: usize) -> Result<Self, DecodeError> {
        Ok(Self {
            id: fields.required("id")?,
            thinking: fields.required("thinking")?,
            metadata: fields.required("metadata")?,
            created_at: fields.required("createdAt")?,
            finished_at: fields.required("finishedAt")?,
            ..Self::default()
        })
    }

    fn write_fields(&self, object: &mut ObjectWriter<'_>) {
        object.field("id", &self.id);
        object.field("thinking", &self.thinking);
        object.field("metadata", &self.metadata);
    }
}
