use super::{Block, BlockFields, with};
use crate::json::{DecodeError, FieldValue, Fields, ObjectWriter, Value, ValueKind, Writer};
use crate::{BlockId, Residue, Timestamp};

/// A hint that the host gave to the model. It is closed as soon as it is there.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct HintBlock {
    /// Id of the block.
    pub id: Option<BlockId>,
    /// What it says.
    pub hint: Hint,
    /// Who gave it.
    pub source: Option<String>,
    /// When the block was opened.
    pub created_at: Option<Timestamp>,
    /// When it was closed; `None` while it is open.
    pub finished_at: Option<Timestamp>,
    /// What only one dialect has of it; no part of equality.
    pub residue: Residue,
}

/// What a hint says.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "the wire has a string or a list here, nothing else")]
pub enum Hint {
    /// A text.
    Text(String),
    /// Text and data blocks.
    Blocks(Vec<Block>),
}

impl From<&str> for Hint {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Hint {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Vec<Block>> for Hint {
    fn from(blocks: Vec<Block>) -> Self {
        Self::Blocks(blocks)
    }
}

impl Hint {
    /// Reads what a hint says that stands as number `depth` of the blocks in each other.
    fn read_at(value: Value<'_>, depth: usize) -> Result<Self, DecodeError> {
        match value.kind() {
            ValueKind::String => FieldValue::read(value).map(Self::Text),
            ValueKind::Array => value.list(|item| Block::read_at(item, depth + 1)).map(Self::Blocks),
            kind => Err(DecodeError::mismatch("a string or an array", kind)),
        }
    }
}

impl FieldValue for Hint {
    fn read(value: Value<'_>) -> Result<Self, DecodeError> {
        Self::read_at(value, 1)
    }

    fn write(&self, out: &mut Writer<'_>) {
        match self {
            Self::Text(text) => out.string(text),
            Self::Blocks(blocks) => blocks.write(out),
        }
    }
}

impl HintBlock {
    /// A hint that says this.
    #[must_use]
    pub fn new(hint: impl Into<Hint>) -> Self {
        Self { id: None, hint: hint.into(), source: None, created_at: None, finished_at: None, residue: Residue::default() }
    }

    with! {
        /// With this id.
        with_id(id: Option<BlockId>)
        /// Given by this source.
        with_source(source: Option<String>)
        /// Opened at this time.
        with_created_at(created_at: Option<Timestamp>)
        /// Closed at this time.
        with_finished_at(finished_at: Option<Timestamp>)
    }
}

impl BlockFields for HintBlock {
    fn read_fields(fields: &Fields<'_>, depth: usize) -> Result<Self, DecodeError> {
        Ok(Self {
            id: fields.required("id")?,
            source: fields.required("source")?,
            created_at: fields.required("createdAt")?,
            finished_at: fields.required("finishedAt")?,
            ..Self::new(fields.optional("hint", |hint| Hint::read_at(hint, depth))?.ok_or_else(|| DecodeError::missing("hint"))?)
        })
    }

    fn write_fields(&self, object: &mut ObjectWriter<'_>) {
        object.field("id", &self.id);
        object.field("hint", &self.hint);
        object.field("source", &self.source);
    }
}
