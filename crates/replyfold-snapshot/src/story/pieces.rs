//! Text and answers in pieces, in the forms in which tests write them.

use replyfold_message::Media;

/// A text in pieces, each of which becomes one event: one string is one piece, a list of strings is so many.
pub trait Pieces {
    /// The pieces.
    fn pieces(self) -> Vec<String>;
}

impl Pieces for &str {
    fn pieces(self) -> Vec<String> {
        vec![self.to_owned()]
    }
}

impl Pieces for String {
    fn pieces(self) -> Vec<String> {
        vec![self]
    }
}

impl<T: Into<String>, const N: usize> Pieces for [T; N] {
    fn pieces(self) -> Vec<String> {
        self.map(Into::into).into()
    }
}

impl<T: Into<String>> Pieces for Vec<T> {
    fn pieces(self) -> Vec<String> {
        self.into_iter().map(Into::into).collect()
    }
}

impl<T: Clone + Into<String>> Pieces for &[T] {
    fn pieces(self) -> Vec<String> {
        self.to_vec().pieces()
    }
}

/// Cuts a text, or the text of a JSON value, into `count` pieces of about the same length; fewer if it has fewer characters.
///
/// ```
/// use replyfold_snapshot::{chopped, json};
///
/// assert_eq!(chopped("Hello", 2), ["Hel", "lo"]);
/// assert_eq!(chopped(json!({ "q": "x" }), 3), ["{\"q", "\":\"", "x\"}"]);
/// ```
#[must_use]
pub fn chopped(text: impl ToString, count: usize) -> Vec<String> {
    let chars: Vec<char> = text.to_string().chars().collect();
    let length = chars.len().div_ceil(count.max(1)).max(1);
    chars.chunks(length).map(|piece| piece.iter().collect()).collect()
}

/// The arguments of a call: a JSON value, sent as one piece, or the pieces of its text.
pub trait Arguments {
    /// The pieces of the text.
    fn text_pieces(self) -> Vec<String>;
}

impl Arguments for serde_json::Value {
    fn text_pieces(self) -> Vec<String> {
        vec![self.to_string()]
    }
}

impl Arguments for &serde_json::Value {
    fn text_pieces(self) -> Vec<String> {
        vec![self.to_string()]
    }
}

/// Makes what is text in pieces the pieces of arguments.
macro_rules! text_of_arguments {
    ($([$($generics:tt)*] $text:ty),+ $(,)?) => {$(
        impl<$($generics)*> Arguments for $text {
            fn text_pieces(self) -> Vec<String> {
                self.pieces()
            }
        }
    )+};
}

text_of_arguments! { [] &str, [] String, [T: Into<String>, const N: usize] [T; N], [T: Into<String>] Vec<T>, [T: Clone + Into<String>] &[T] }

/// A piece of what a tool answers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// Text.
    Text(String),
    /// Media in the event itself, as base64 text.
    #[non_exhaustive]
    Data {
        /// Media type, for instance `image/png`.
        media_type: String,
        /// The base64 text.
        data: String,
    },
    /// Media elsewhere.
    #[non_exhaustive]
    Url {
        /// Media type.
        media_type: String,
        /// Where.
        url: String,
    },
}

impl Part {
    /// Media in the event itself.
    #[must_use]
    pub fn data(media_type: impl Into<String>, bytes: impl AsRef<[u8]>) -> Self {
        Self::Data { media_type: media_type.into(), data: Media::from(bytes.as_ref()).to_base64() }
    }

    /// Media elsewhere.
    #[must_use]
    pub fn url(media_type: impl Into<String>, url: impl Into<String>) -> Self {
        Self::Url { media_type: media_type.into(), url: url.into() }
    }
}

impl From<&str> for Part {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Part {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// What a tool answers, in pieces: text, media, or a list of both.
pub trait Output {
    /// The pieces.
    fn parts(self) -> Vec<Part>;
}

impl Output for &str {
    fn parts(self) -> Vec<Part> {
        vec![self.into()]
    }
}

impl Output for String {
    fn parts(self) -> Vec<Part> {
        vec![self.into()]
    }
}

impl Output for Part {
    fn parts(self) -> Vec<Part> {
        vec![self]
    }
}

impl<T: Into<Part>, const N: usize> Output for [T; N] {
    fn parts(self) -> Vec<Part> {
        self.map(Into::into).into()
    }
}

impl<T: Into<Part>> Output for Vec<T> {
    fn parts(self) -> Vec<Part> {
        self.into_iter().map(Into::into).collect()
    }
}
