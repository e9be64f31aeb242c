use super::{BlockFields, with};
use crate::json::{DecodeError, Fields, ObjectWriter};
use crate::{BlockId, Origin, Residue, Timestamp};

/// Text for the reader, or a text part of a tool's output (then usually without an id).
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct TextBlock {
    /// Id of the block.
    pub id: Option<BlockId>,
    /// The text so far.
    pub text: String,
    /// When the block was opened.
    pub created_at: Option<Timestamp>,
    /// When it was closed; `None` while it is open.
    pub finished_at: Option<Timestamp>,
    /// The event that opened it; no part of equality.
    pub origin: Origin,
    /// What only one dialect has of it; no part of equality.
    pub residue: Residue,
}

impl TextBlock {
    /// A block with this text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    with! {
        /// With this id.
        with_id(id: Option<BlockId>)
        /// Opened at this time.
        with_created_at(created_at: Option<Timestamp>)
        /// Closed at this time.
        with_finished_at(finished_at: Option<Timestamp>)
    }
}

impl BlockFields for TextBlock {
    fn read_fields(fields: &Fields<'_>, _depth: usize) -> Result<Self, DecodeError> {
        Ok(Self {
            id: fields.required("id")?,
            text: fields.required("text")?,
            created_at: fields.required("createdAt")?,
            finished_at: fields.required("finishedAt")?,
            ..Self::default()
        })
    }

    fn write_fields(&self, object: &mut ObjectWriter<'_>) {
        object.field("id", &self.id);
        object.field("text", &self.text);
    }
}
