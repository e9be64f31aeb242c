//! Why a reply or a model call failed.

use crate::block::with;
use crate::json::{DecodeError, FieldValue, Value, Writer};

/// Why a reply or a model call failed: the `error` of `AGENT_END`, `MODEL_CALL_END` and of a message (`wire.md` section 2).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failure {
    /// The class of the failure, for programs: `rate_limit`, `authentication`, … (`type` on the wire).
    pub kind: Option<String>,
    /// A code within the class.
    pub code: Option<String>,
    /// What happened, for people.
    pub message: String,
    /// Technical detail, for instance the text of the exception.
    pub detail: Option<String>,
}

impl Failure {
    /// A failure with this message for people.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { kind: None, code: None, message: message.into(), detail: None }
    }

    with! {
        /// With this class.
        with_kind(kind: Option<String>)
        /// With this code.
        with_code(code: Option<String>)
        /// With this technical detail.
        with_detail(detail: Option<String>)
    }
}

impl FieldValue for Failure {
    fn read(value: Value<'_>) -> Result<Self, DecodeError> {
        let fields = value.object()?;
        Ok(Self {
            kind: fields.required("type")?,
            code: fields.required("code")?,
            message: fields.required("message")?,
            detail: fields.required("detail")?,
        })
    }

    fn write(&self, out: &mut Writer<'_>) {
        out.object(|object| {
            object.field("type", &self.kind);
            object.field("code", &self.code);
            object.field("message", &self.message);
            object.field("detail", &self.detail);
        });
    }
}
