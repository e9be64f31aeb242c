use super::{BlockFields, with};
use crate::json::{DecodeError, Fields, ObjectWriter};
use crate::{BlockId, DataSource, Origin, Residue, Timestamp};

/// Media: an image, audio, a file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DataBlock {
    /// Id of the block.
    pub id: Option<BlockId>,
    /// The content, or where it is.
    pub source: DataSource,
    /// Name of the file, if it has one.
    pub name: Option<String>,
    /// When the block was opened.
    pub created_at: Option<Timestamp>,
    /// When it was closed; `None` while it is open.
    pub finished_at: Option<Timestamp>,
    /// The event that opened it; no part of equality.
    pub origin: Origin,
    /// What only one dialect has of it; no part of equality.
    pub residue: Residue,
}

impl DataBlock {
    /// A block with this content.
    #[must_use]
    pub fn new(source: DataSource) -> Self {
        Self { id: None, source, name: None, created_at: None, finished_at: None, origin: Origin::default(), residue: Residue::default() }
    }

    with! {
        /// With this id.
        with_id(id: Option<BlockId>)
        /// With this file name.
        with_name(name: Option<String>)
        /// Opened at this time.
        with_created_at(created_at: Option<Timestamp>)
        /// Closed at this time.
        with_finished_at(finished_at: Option<Timestamp>)
    }
}

impl BlockFields for DataBlock {
    fn read_fields(fields: &Fields<'_>, _depth: usize) -> Result<Self, DecodeError> {
        Ok(Self {
            id: fields.required("id")?,
            name: fields.required("name")?,
            created_at: fields.required("createdAt")?,
            finished_at: fields.required("finishedAt")?,
            ..Self::new(fields.required("source")?)
        })
    }

    fn write_fields(&self, object: &mut ObjectWriter<'_>) {
        object.field("id", &self.id);
        object.field("source", &self.source);
        object.field("name", &self.name);
    }
}
