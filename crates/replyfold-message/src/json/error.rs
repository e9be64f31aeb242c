//! Why a text is not the value that was asked for, and at which field.

use super::ValueKind;
use std::{error, fmt};

/// A text that is no JSON, or a JSON value that is not what the wire format demands.
///
/// The message names the field by its path (`toolCalls[0].state`) and gives the reason; it starts in lower case and ends without a full stop.
#[derive(Debug)]
pub struct DecodeError {
    /// Innermost segment last; joined when shown.
    path: Vec<Segment>,
    kind: Kind,
}

#[derive(Debug)]
enum Segment {
    Field(String),
    Index(usize),
}

#[derive(Debug)]
enum Kind {
    Syntax { source: serde_json::Error, offset: Option<usize> },
    LoneSurrogate { offset: usize },
    Missing,
    Mismatch { expected: String, found: ValueKind },
    Invalid(String),
}

impl DecodeError {
    /// A required field that is missing or null.
    #[must_use]
    pub fn missing(field: &str) -> Self {
        Self::new(Kind::Missing).within(field)
    }

    /// A value of another kind than the wire demands; `expected` reads "a string".
    #[must_use]
    pub fn mismatch(expected: &str, found: ValueKind) -> Self {
        Self::new(Kind::Mismatch { expected: expected.to_owned(), found })
    }

    /// A value of the right kind that is not acceptable; `reason` is a clause without a full stop.
    #[must_use]
    pub fn invalid(reason: impl Into<String>) -> Self {
        Self::new(Kind::Invalid(reason.into()))
    }

    /// A text that is no JSON; `text` is what was parsed, so that the place becomes a byte offset.
    #[must_use]
    pub fn syntax(source: serde_json::Error, text: &str) -> Self {
        let offset = offset_of(text, source.line(), source.column());
        Self::new(Kind::Syntax { source, offset })
    }

    pub(super) fn lone_surrogate(offset: usize) -> Self {
        Self::new(Kind::LoneSurrogate { offset })
    }

    fn new(kind: Kind) -> Self {
        Self { path: Vec::new(), kind }
    }

    /// The same error, one object further out: inside the field with this name.
    #[must_use]
    pub fn within(mut self, field: &str) -> Self {
        self.path.push(Segment::Field(field.to_owned()));
        self
    }

    /// The same error, one array further out: inside the element at this index, counted from 0.
    #[must_use]
    pub fn within_index(mut self, index: usize) -> Self {
        self.path.push(Segment::Index(index));
        self
    }

    /// Path of the field at fault, `toolCalls[0].state`; `None` when the text as a whole is at fault.
    #[must_use]
    pub fn field(&self) -> Option<String> {
        let mut path = String::new();
        for segment in self.path.iter().rev() {
            match segment {
                Segment::Field(name) => {
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(name);
                }
                Segment::Index(index) => {
                    path.push('[');
                    path.push_str(&index.to_string());
                    path.push(']');
                }
            }
        }
        (!path.is_empty()).then_some(path)
    }

    /// Byte offset within the text that was parsed, for errors of the text itself.
    #[must_use]
    pub fn offset(&self) -> Option<usize> {
        match &self.kind {
            Kind::Syntax { offset, .. } => *offset,
            Kind::LoneSurrogate { offset } => Some(*offset),
            Kind::Missing | Kind::Mismatch { .. } | Kind::Invalid(_) => None,
        }
    }

    /// Whether the text is no JSON at all.
    #[must_use]
    pub fn is_syntax(&self) -> bool {
        matches!(self.kind, Kind::Syntax { .. })
    }

    /// Whether the text ended in the middle of a value: the mark of a torn line.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        matches!(&self.kind, Kind::Syntax { source, .. } if source.is_eof())
    }

    /// Whether a `\ud83d`-like escape stands without its other half, which no Rust string can hold (`wire.md` section 6).
    #[must_use]
    pub fn is_lone_surrogate(&self) -> bool {
        matches!(self.kind, Kind::LoneSurrogate { .. })
    }

    /// Whether a required field is missing or null.
    #[must_use]
    pub fn is_missing_field(&self) -> bool {
        matches!(self.kind, Kind::Missing)
    }
}

/// serde_json counts lines and bytes of a line from 1; the offset is counted in bytes from 0.
fn offset_of(text: &str, line: usize, column: usize) -> Option<usize> {
    let start = match line.checked_sub(2) {
        None => 0,
        Some(breaks) => text.match_indices('\n').nth(breaks)?.0 + 1,
    };
    Some((start + column.saturating_sub(1)).min(text.len()))
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = self.field();
        match (&self.kind, field) {
            (Kind::Missing, Some(field)) => write!(f, "missing field `{field}`"),
            (kind, Some(field)) => write!(f, "field `{field}`: {kind}"),
            (kind, None) => write!(f, "{kind}"),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { source, offset } => {
                // Its own text ends in "at line L column C"; the line is ours to tell, and the column becomes an offset.
                let text = source.to_string();
                let reason = text.split(" at line ").next().unwrap_or(&text);
                match offset {
                    Some(offset) => write!(f, "not JSON: {reason} at byte {offset}"),
                    None => write!(f, "not JSON: {reason}"),
                }
            }
            Self::LoneSurrogate { offset } => {
                write!(f, "half of a surrogate pair at byte {offset}; no text can hold it (an option replaces it by U+FFFD)")
            }
            Self::Missing => f.write_str("missing"),
            Self::Mismatch { expected, found } => write!(f, "expected {expected}, found {found}"),
            Self::Invalid(reason) => f.write_str(reason),
        }
    }
}

impl error::Error for DecodeError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match &self.kind {
            Kind::Syntax { source, .. } => Some(source),
            Kind::LoneSurrogate { .. } | Kind::Missing | Kind::Mismatch { .. } | Kind::Invalid(_) => None,
        }
    }
}
