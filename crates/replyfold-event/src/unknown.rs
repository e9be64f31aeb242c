//! Events of a type that this crate does not know.

/// An event whose type is not known, kept with its exact text: forwarded and stored unchanged, ignored by the fold.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownEvent {
    /// Its `type`.
    pub event_type: Box<str>,
    /// The whole event as it was sent, envelope included. This, and nothing else, is written.
    pub text: Box<str>,
}

impl UnknownEvent {
    /// An event of this type with this text, a JSON object.
    #[must_use]
    pub fn new(event_type: impl Into<Box<str>>, text: impl Into<Box<str>>) -> Self {
        Self { event_type: event_type.into(), text: text.into() }
    }
}
