//! What every event carries, around what it says.

use crate::{Absent, Error, EventType, Payload, UnknownEvent};
use replyfold_message::json::{DecodeError, Fields, JsonObject, Style, Value, Writer};
use replyfold_message::{AgentPath, EventId, Residue, Timestamp};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
use serde_json::value::RawValue;

/// One event: the envelope of `wire.md` section 1 and the payload.
///
/// Ids are kept in place, so a delta allocates for its text alone. `Serialize` and `Deserialize` are the canonical JSON; they work with
/// `serde_json` only, since metadata and unknown events keep their exact text.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AgentEvent {
    /// Id of the event; absent in some logs.
    pub id: Option<EventId>,
    /// When it happened.
    pub created_at: Option<Timestamp>,
    /// Path of the agent that spoke; the top-level agent has none.
    pub source: Option<AgentPath>,
    /// Facts beside the payload.
    pub metadata: JsonObject,
    /// What it says.
    pub payload: Payload,
    /// Ids that the log left out; no part of equality.
    pub absent: Absent,
    /// What only one dialect has of it; no part of equality.
    pub residue: Residue,
}

/// Bytes that the line of a usual event takes at most.
const LINE: usize = 320;

// A bound, so that a payload that grows is boxed in its row of the table and every other event stays cheap to move.
const _: () = assert!(size_of::<AgentEvent>() <= 352);

impl AgentEvent {
    /// An event that says this, without an envelope.
    #[must_use]
    pub fn new(payload: impl Into<Payload>) -> Self {
        Self {
            id: None,
            created_at: None,
            source: None,
            metadata: JsonObject::default(),
            payload: payload.into(),
            absent: Absent::default(),
            residue: Residue::default(),
        }
    }

    /// With this id.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<EventId>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Happened at this time.
    #[must_use]
    pub fn with_created_at(mut self, time: impl Into<Timestamp>) -> Self {
        self.created_at = Some(time.into());
        self
    }

    /// Spoken by the agent at this path.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<AgentPath>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// With these facts beside the payload.
    #[must_use]
    pub fn with_metadata(mut self, metadata: JsonObject) -> Self {
        self.metadata = metadata;
        self
    }

    /// The type, if it is one of the 27.
    #[must_use]
    pub fn event_type(&self) -> Option<EventType> {
        self.payload.event_type()
    }

    /// The `type` on the wire.
    #[must_use]
    pub fn type_name(&self) -> &str {
        self.payload.type_name()
    }

    /// Reads an event from its canonical JSON. A type that is not known gives an unknown event with this exact text.
    ///
    /// # Errors
    ///
    /// The text is no JSON object, has no `type`, holds half of a surrogate pair, or a known type's field is missing or wrong.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let fields = Fields::parse(text).map_err(|err| Error::new(None, err))?;
        let type_name = fields.tag().map_err(|err| Error::new(None, err))?;
        let payload = match Payload::read(&type_name, &fields) {
            Some(payload) => payload?,
            None => return Ok(Self::unknown(&type_name, &fields, text)),
        };
        let envelope = |err| Error::new(Some(&type_name), err);
        Ok(Self {
            id: fields.required("id").map_err(envelope)?,
            created_at: fields.required("createdAt").map_err(envelope)?,
            source: fields.required("source").map_err(envelope)?,
            metadata: fields.required("metadata").map_err(envelope)?,
            payload,
            absent: Absent::default(),
            residue: Residue::default(),
        })
    }

    /// Reads an event from UTF-8 bytes; see [`from_json`](Self::from_json).
    ///
    /// # Errors
    ///
    /// As [`from_json`](Self::from_json), or the bytes are not UTF-8.
    pub fn from_slice(bytes: &[u8]) -> Result<Self, Error> {
        let text = std::str::from_utf8(bytes)
            .map_err(|err| Error::new(None, DecodeError::invalid(format!("not UTF-8 at byte {}", err.valid_up_to()))))?;
        Self::from_json(text)
    }

    /// An event of a type that is not known. What its envelope says in the usual places is taken from there, never demanded.
    #[must_use]
    pub fn unknown(type_name: &str, fields: &Fields<'_>, text: &str) -> Self {
        let string = |key| fields.present(key).and_then(|value: Value<'_>| value.string().ok());
        Self {
            id: string("id").map(|text| EventId::new(&text)),
            created_at: string("createdAt").map(|text| Timestamp::new(&text)),
            source: string("source").map(|text| AgentPath::new(&text)),
            ..Self::new(UnknownEvent::new(type_name, text))
        }
    }

    /// The canonical JSON, in one line; of an unknown event its exact text.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = Vec::new();
        self.write_json(&mut out);
        // The writer is given UTF-8 only.
        String::from_utf8(out).unwrap_or_default()
    }

    /// Appends the canonical JSON to a buffer, without a line end.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        out.reserve(LINE);
        let mut out = Writer::new(out, Style::Compact);
        if let Payload::Unknown(unknown) = &self.payload {
            out.raw(&unknown.text);
            return;
        }
        out.object(|object| {
            object.string("type", self.type_name());
            object.field("id", &self.id);
            object.field("createdAt", &self.created_at);
            self.payload.write(object);
            object.field("source", &self.source);
            object.field("metadata", &self.metadata);
        });
    }
}

impl Serialize for AgentEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(self.to_json()).map_err(ser::Error::custom)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for AgentEvent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Self::from_json(raw.get()).map_err(de::Error::custom)
    }
}
