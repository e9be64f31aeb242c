//! Media: bytes or a URL.

use crate::json::{DecodeError, FieldValue, Fields, Value, Writer};
use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64_simd::AsOut as _;
use bytes::BytesMut;
use std::{error, fmt};

/// Trailing bits that a careless encoder left set are ignored, as every field implementation does.
const CONFIG: GeneralPurposeConfig = GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true);
const PADDED: GeneralPurpose = GeneralPurpose::new(&STANDARD, CONFIG.with_decode_padding_mode(DecodePaddingMode::RequireCanonical));
const UNPADDED: GeneralPurpose = GeneralPurpose::new(&STANDARD, CONFIG.with_decode_padding_mode(DecodePaddingMode::RequireNone));

/// Media content: bytes while it streams, base64 text only on the wire.
///
/// Media that was read whole from a text that is not the base64 text of any bytes keeps that text, so that it can be written back.
///
/// ```
/// use replyfold_message::Media;
///
/// let mut media = Media::default();
/// media.append_base64("AQ==")?;
/// media.append_base64("AgM=")?;
/// assert_eq!(media.as_bytes(), Some(&[1, 2, 3][..]));
/// assert_eq!(media.to_base64(), "AQID");
/// # Ok::<(), replyfold_message::Base64Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Media(Repr);

#[derive(Clone, PartialEq, Eq)]
enum Repr {
    Bytes(BytesMut),
    Text(Box<str>),
}

/// A text that is not base64 under the rule of `reduction.md` section 2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base64Error(String);

impl fmt::Display for Base64Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not base64: {}", self.0)
    }
}

impl error::Error for Base64Error {}

impl Media {
    /// Media that was read whole: decoded if the text is exactly what encoding gives, else kept as text.
    #[must_use]
    pub fn from_base64(text: &str) -> Self {
        let mut media = Self::default();
        if media.append_base64(text).is_ok() && media.to_base64() == text { media } else { Self(Repr::Text(text.into())) }
    }

    /// The bytes, or `None` when the text that came was not the base64 text of any.
    #[must_use]
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match &self.0 {
            Repr::Bytes(bytes) => Some(bytes),
            Repr::Text(_) => None,
        }
    }

    /// Number of bytes; of media kept as text, the length of the text.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            Repr::Bytes(bytes) => bytes.len(),
            Repr::Text(text) => text.len(),
        }
    }

    /// Whether there is nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The base64 text: standard alphabet, padded; or the text as it came.
    #[must_use]
    pub fn to_base64(&self) -> String {
        match &self.0 {
            Repr::Bytes(bytes) => base64_simd::STANDARD.encode_to_string(bytes),
            Repr::Text(text) => text.as_ref().to_owned(),
        }
    }

    /// Appends the bytes of one encoded piece. Each piece is encoded, and padded, on its own.
    ///
    /// Standard alphabet; missing padding is accepted; white space inside is skipped. The cost is the piece, not what is there already.
    ///
    /// # Errors
    ///
    /// The piece is anything else. The media stays as it was.
    pub fn append_base64(&mut self, text: &str) -> Result<(), Base64Error> {
        let bytes = self.make_bytes()?;
        let before = bytes.len();
        bytes.resize(before + base64::decoded_len_estimate(text.len()), 0);
        let room = bytes.get_mut(before..).unwrap_or_default();
        let decoded = match decode_usual(text, room) {
            Some(length) => Ok(length),
            None => decode(text, room),
        };
        bytes.truncate(before + decoded.as_ref().copied().unwrap_or(0));
        decoded.map(|_| ()).map_err(|err| Base64Error(err.to_string()))
    }

    fn make_bytes(&mut self) -> Result<&mut BytesMut, Base64Error> {
        if let Repr::Text(text) = &self.0 {
            let mut decoded = Self::default();
            decoded.append_base64(text)?;
            *self = decoded;
        }
        match &mut self.0 {
            Repr::Bytes(bytes) => Ok(bytes),
            Repr::Text(_) => Err(Base64Error("kept as text".to_owned())),
        }
    }
}

/// Decodes what careful encoders write: padded, nothing between the digits. `None` for anything else.
fn decode_usual(text: &str, room: &mut [u8]) -> Option<usize> {
    base64_simd::STANDARD.decode(text.as_bytes(), room.as_out()).ok().map(|decoded| decoded.len())
}

/// Decodes everything that the rule takes.
fn decode(text: &str, room: &mut [u8]) -> Result<usize, base64::DecodeSliceError> {
    let stripped;
    let text = if text.bytes().any(|byte| byte.is_ascii_whitespace()) {
        stripped = text.replace(|c: char| c.is_ascii_whitespace(), "");
        &stripped
    } else {
        text
    };
    let engine = if text.ends_with('=') { &PADDED } else { &UNPADDED };
    engine.decode_slice(text, room)
}

impl Default for Media {
    fn default() -> Self {
        Self(Repr::Bytes(BytesMut::new()))
    }
}

impl From<&[u8]> for Media {
    fn from(bytes: &[u8]) -> Self {
        Self(Repr::Bytes(bytes.into()))
    }
}

impl From<BytesMut> for Media {
    fn from(bytes: BytesMut) -> Self {
        Self(Repr::Bytes(bytes))
    }
}

impl fmt::Debug for Media {
    /// Media is large: the length says enough.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Bytes(bytes) => write!(f, "{} bytes", bytes.len()),
            Repr::Text(text) => write!(f, "text that is not base64, {} bytes", text.len()),
        }
    }
}

impl FieldValue for Media {
    fn read(value: Value<'_>) -> Result<Self, DecodeError> {
        value.string().map(|text| Self::from_base64(&text))
    }

    fn write(&self, out: &mut Writer<'_>) {
        out.string(&self.to_base64());
    }
}

/// Where the content of a data block is (`wire.md` section 4).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DataSource {
    /// In the message itself.
    #[non_exhaustive]
    Base64 {
        /// Media type, for instance `image/png`.
        media_type: String,
        /// The content.
        data: Media,
    },
    /// Elsewhere.
    #[non_exhaustive]
    Url {
        /// The URL as it was sent; it is not checked.
        url: String,
        /// Media type, if it was told.
        media_type: Option<String>,
    },
}

impl DataSource {
    /// Content in the message itself.
    #[must_use]
    pub fn base64(media_type: impl Into<String>, data: impl Into<Media>) -> Self {
        Self::Base64 { media_type: media_type.into(), data: data.into() }
    }

    /// Content elsewhere, of a type that was told or not.
    #[must_use]
    pub fn url(url: impl Into<String>, media_type: Option<String>) -> Self {
        Self::Url { url: url.into(), media_type }
    }

    /// The media type, if it is known.
    #[must_use]
    pub fn media_type(&self) -> Option<&str> {
        match self {
            Self::Base64 { media_type, .. } => Some(media_type),
            Self::Url { media_type, .. } => media_type.as_deref(),
        }
    }
}

impl FieldValue for DataSource {
    fn read(value: Value<'_>) -> Result<Self, DecodeError> {
        let fields: Fields<'_> = value.object()?;
        match fields.tag()?.as_ref() {
            "base64" => Ok(Self::Base64 { media_type: fields.required("mediaType")?, data: fields.required("data")? }),
            "url" => Ok(Self::Url { url: fields.required("url")?, media_type: fields.required("mediaType")? }),
            other => Err(DecodeError::invalid(format!("expected `base64` or `url`, found `{other}`")).within("type")),
        }
    }

    fn write(&self, out: &mut Writer<'_>) {
        out.object(|object| match self {
            Self::Base64 { media_type, data } => {
                object.string("type", "base64");
                object.field("mediaType", media_type);
                object.field("data", data);
            }
            Self::Url { url, media_type } => {
                object.string("type", "url");
                object.field("url", url);
                object.field("mediaType", media_type);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// What the usual way takes, the rule takes too and reads alike; and what is encoded is what the other encoder gives.
        #[test]
        fn both_ways_to_decode_agree(bytes in prop::collection::vec(any::<u8>(), 0..200), damage in "[A-Za-z0-9+/=_ \\-\n]{0,2}", at in any::<prop::sample::Index>()) {
            let mut text = Media::from(&bytes[..]).to_base64();
            prop_assert_eq!(&text, &PADDED.encode(&bytes));
            text.insert_str(at.index(text.len() + 1), &damage);
            let (mut usual, mut whole) = (vec![0; text.len()], vec![0; text.len()]);
            if let Some(length) = decode_usual(&text, &mut usual) {
                prop_assert_eq!(decode(&text, &mut whole).ok(), Some(length));
                prop_assert_eq!(&usual[..length], &whole[..length]);
            } else {
                prop_assert!(!damage.is_empty());
            }
        }
    }

    #[test]
    fn pieces_are_accepted_by_the_rule_and_a_bad_one_changes_nothing() {
        for (piece, bytes) in [
            ("YWJj", Some("abc")),
            ("YQ==", Some("a")),
            ("YQ", Some("a")),
            ("YWI", Some("ab")),
            ("YR==", Some("a")),
            (" Y W J j \n", Some("abc")),
            ("YWJjZA=\n=", Some("abcd")),
            ("", Some("")),
            ("YQ=", None),
            ("YWJjZ", None),
            ("A", None),
            ("=", None),
            ("YWJj====", None),
            ("YQ==Yg==", None),
            ("YW-Jj_", None),
            ("YWJj\u{e9}", None),
        ] {
            let mut media = Media::from(&b"x"[..]);
            let accepted = media.append_base64(piece);
            assert_eq!(accepted.is_ok(), bytes.is_some(), "{piece:?}");
            assert_eq!(media.as_bytes(), Some(format!("x{}", bytes.unwrap_or_default()).as_bytes()), "{piece:?}");
        }
    }

    #[test]
    fn text_that_is_not_canonical_is_kept_and_decoded_only_when_more_comes() {
        let mut media = Media::from_base64("YQ");
        assert_eq!((media.as_bytes(), media.to_base64().as_str()), (None, "YQ"));
        media.append_base64("Yg==").unwrap();
        assert_eq!(media.as_bytes(), Some(&b"ab"[..]));

        let mut bad = Media::from_base64("***");
        assert!(bad.append_base64("Yg==").is_err());
        assert_eq!(bad.to_base64(), "***");
    }
}
