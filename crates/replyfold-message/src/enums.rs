//! States and roles: small sets of words on the wire.

use crate::json::{DecodeError, FieldValue, Value, Writer};
use std::fmt;

/// Makes an enum of wire words.
///
/// Makes: the enum, `ALL`, `as_str`, `from_wire`, `Display`, and its JSON form. A word outside the set is refused with the list of the set.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$word_doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum $name { $($(#[$word_doc])* $variant,)+ }

        impl $name {
            /// Every value, in the order of the specification.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// The word on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            /// The value with this word; `None` for a word outside the set.
            #[must_use]
            pub fn from_wire(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl $crate::json::FieldValue for $name {
            fn read(value: $crate::json::Value<'_>) -> Result<Self, $crate::json::DecodeError> {
                let word = value.string()?;
                Self::from_wire(&word).ok_or_else(|| {
                    $crate::json::DecodeError::invalid(format!(concat!("expected one of", $(" `", $word, "`",)+ ", found `{}`"), word))
                })
            }

            fn write(&self, out: &mut $crate::json::Writer<'_>) {
                out.string(self.as_str());
            }
        }
    };
}

pub(crate) use words;

words! {
    /// Where a tool call stands (`wire.md` section 4).
    ToolCallState {
        /// The model asked for it; nothing has decided yet.
        Pending = "pending",
        /// A person is asked whether it may run.
        Asking = "asking",
        /// It may run.
        Allowed = "allowed",
        /// It runs outside, and its result is awaited.
        Submitted = "submitted",
        /// It has its result, or was declined.
        Finished = "finished",
    }
}

words! {
    /// How a tool result stands or ended (`wire.md` section 2, event 20).
    ToolResultState {
        /// The tool ran.
        Success = "success",
        /// The tool failed.
        Error = "error",
        /// The run was interrupted while the tool ran.
        Interrupted = "interrupted",
        /// The call was not allowed.
        Denied = "denied",
        /// The tool still runs, or its result is still awaited.
        Running = "running",
    }
}

words! {
    /// Why a reply ended (`wire.md` section 2, event 2).
    FinishedReason {
        /// The agent had nothing more to do.
        Completed = "completed",
        /// A person stopped it.
        Interrupted = "interrupted",
        /// It reached its limit of rounds.
        ExceedMaxIters = "exceed_max_iters",
        /// It failed.
        Error = "error",
    }
}

/// Who speaks in a message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Role {
    /// A person.
    User,
    /// The agent.
    #[default]
    Assistant,
    /// The host; text only.
    System,
    /// A tool (Java logs only).
    Tool,
    /// Another word. Java lets a start event carry any text here.
    Other(Box<str>),
}

impl Role {
    /// The word on the wire, in lower case as the canonical dialect has it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::System => "system",
            Self::Tool => "tool",
            Self::Other(word) => word,
        }
    }
}

impl From<&str> for Role {
    fn from(word: &str) -> Self {
        match word {
            "user" => Self::User,
            "assistant" => Self::Assistant,
            "system" => Self::System,
            "tool" => Self::Tool,
            _ => Self::Other(word.into()),
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FieldValue for Role {
    fn read(value: Value<'_>) -> Result<Self, DecodeError> {
        value.string().map(|word| Self::from(word.as_ref()))
    }

    /// `assistant` (`wire.md` section 2, event 1).
    fn absent() -> Option<Self> {
        Some(Self::Assistant)
    }

    fn write(&self, out: &mut Writer<'_>) {
        out.string(self.as_str());
    }
}
