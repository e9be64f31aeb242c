//! A piece of media.

use crate::payload::{FieldGroup, FieldInfo};
use replyfold_message::json::{DecodeError, Fields, ObjectWriter};

/// A piece of media in an event: base64 text or a URL, exactly one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MediaDelta {
    /// Base64 text of this piece, encoded and padded on its own. Kept as sent, valid or not.
    Base64(String),
    /// The URL of the whole content.
    Url(String),
    /// Nothing that a message can show: Java sends blocks of any kind as a piece of a result. The canonical wire has no form for it.
    None,
}

impl FieldGroup for MediaDelta {
    const FIELDS: &'static [FieldInfo] = &[
        FieldInfo::new("data", "base64 text, encoded and padded on its own; exactly one of `data` and `url`", false),
        FieldInfo::new("url", "URL of the whole content; exactly one of `data` and `url`", false),
    ];

    fn read(fields: &Fields<'_>) -> Result<Self, DecodeError> {
        match (fields.required("data")?, fields.required("url")?) {
            (Some(data), None) => Ok(Self::Base64(data)),
            (None, Some(url)) => Ok(Self::Url(url)),
            (None, None) => Err(DecodeError::invalid("expected one of the fields `data` and `url`, found neither")),
            (Some(_), Some(_)) => Err(DecodeError::invalid("expected one of the fields `data` and `url`, found both")),
        }
    }

    fn write(&self, object: &mut ObjectWriter<'_>) {
        match self {
            Self::Base64(data) => object.field("data", data),
            Self::Url(url) => object.field("url", url),
            Self::None => {}
        }
    }
}
