//! One message.

use crate::block::with;
use crate::json::{DecodeError, FieldValue, JsonObject, JsonText, Style, Value, Writer};
use crate::{Content, Failure, FinishedReason, MsgId, Residue, Role, Timestamp, Usage};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
use serde_json::value::RawValue;

/// One message: who speaks, the blocks, and what is known of the reply that made it (`wire.md` section 4).
///
/// `Serialize` and `Deserialize` are the canonical JSON; they work with `serde_json` only, since metadata keeps its exact text.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Msg {
    /// Id of the message: of a folded one, the id of its reply.
    pub id: MsgId,
    /// Name of the speaker; empty when it is not known.
    pub name: String,
    /// Who speaks.
    pub role: Role,
    /// The blocks in the order of their start.
    pub content: Content,
    /// Facts beside the content.
    pub metadata: JsonObject,
    /// When the reply began.
    pub created_at: Option<Timestamp>,
    /// When the reply ended; `None` while it goes on.
    pub finished_at: Option<Timestamp>,
    /// Why the reply ended.
    pub finished_reason: Option<FinishedReason>,
    /// Tokens spent by all model calls of the reply, failed ones included.
    pub usage: Option<Usage>,
    /// Why the reply failed.
    pub error: Option<Failure>,
    /// The value that the reply was asked to give in a schema.
    pub structured_output: Option<JsonText>,
    /// What only one dialect has of it; no part of equality.
    pub residue: Residue,
}

impl Msg {
    /// A message without content.
    #[must_use]
    pub fn new(id: impl Into<MsgId>, role: Role) -> Self {
        Self {
            id: id.into(),
            name: String::new(),
            role,
            content: Content::default(),
            metadata: JsonObject::default(),
            created_at: None,
            finished_at: None,
            finished_reason: None,
            usage: None,
            error: None,
            structured_output: None,
            residue: Residue::default(),
        }
    }

    /// With this name of the speaker.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// With these blocks.
    #[must_use]
    pub fn with_content(mut self, content: impl Into<Content>) -> Self {
        self.content = content.into();
        self
    }

    with! {
        /// Begun at this time.
        with_created_at(created_at: Option<Timestamp>)
        /// Ended at this time.
        with_finished_at(finished_at: Option<Timestamp>)
    }

    /// Reads a message from its canonical JSON.
    ///
    /// # Errors
    ///
    /// The text is no JSON, or a field is missing or wrong; the error names it.
    pub fn from_json(text: &str) -> Result<Self, DecodeError> {
        Self::read(Value::parse(text)?)
    }

    /// The canonical JSON, in one line.
    #[must_use]
    pub fn to_json(&self) -> String {
        Writer::text(Style::Compact, |out| self.write(out))
    }
}

impl FieldValue for Msg {
    fn read(value: Value<'_>) -> Result<Self, DecodeError> {
        let fields = value.object()?;
        Ok(Self {
            id: fields.required("id")?,
            name: fields.required::<Option<_>>("name")?.unwrap_or_default(),
            role: fields.required("role")?,
            content: fields.required("content")?,
            metadata: fields.required("metadata")?,
            created_at: fields.required("createdAt")?,
            finished_at: fields.required("finishedAt")?,
            finished_reason: fields.required("finishedReason")?,
            usage: fields.required("usage")?,
            error: fields.required("error")?,
            structured_output: fields.required("structuredOutput")?,
            residue: Residue::default(),
        })
    }

    fn write(&self, out: &mut Writer<'_>) {
        out.object(|object| {
            object.field("id", &self.id);
            object.field("name", &self.name);
            object.field("role", &self.role);
            object.field("content", &self.content);
            object.field("metadata", &self.metadata);
            object.field("createdAt", &self.created_at);
            object.field("finishedAt", &self.finished_at);
            object.field("finishedReason", &self.finished_reason);
            object.field("usage", &self.usage);
            object.field("error", &self.error);
            object.field("structuredOutput", &self.structured_output);
        });
    }
}

impl Serialize for Msg {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(self.to_json()).map_err(ser::Error::custom)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Msg {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Self::from_json(raw.get()).map_err(de::Error::custom)
    }
}
