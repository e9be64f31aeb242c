//! Why a run stopped generating.

use replyfold_message::json::{DecodeError, FieldValue, Value, Writer};
use std::fmt;

/// Makes the known reasons and both directions of their words.
macro_rules! reasons {
    ($($(#[$doc:meta])* $variant:ident = $word:literal,)+) => {
        /// Why a run stopped generating (`REQUEST_STOP`); a word that is not known is kept.
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum GenerateReason {
            $($(#[$doc])* $variant,)+
            /// Another word, kept as it was sent.
            Other(Box<str>),
        }

        impl GenerateReason {
            /// The known reasons, in the order of their numbers in Java.
            pub const KNOWN: &[Self] = &[$(Self::$variant,)+];

            /// The word on the wire.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $word,)+
                    Self::Other(word) => word,
                }
            }
        }

        impl From<&str> for GenerateReason {
            fn from(word: &str) -> Self {
                match word {
                    $($word => Self::$variant,)+
                    _ => Self::Other(word.into()),
                }
            }
        }
    };
}

reasons! {
    /// The model had nothing more to say.
    ModelStop = "MODEL_STOP",
    /// The model called tools.
    ToolCalls = "TOOL_CALLS",
    /// The structured output is there.
    StructuredOutput = "STRUCTURED_OUTPUT",
    /// A tool waits for its result from outside: the reply is parked.
    ToolSuspended = "TOOL_SUSPENDED",
    /// A middleware asked for a stop before acting: the reply is parked.
    ReasoningStopRequested = "REASONING_STOP_REQUESTED",
    /// A middleware asked for a stop after acting: the reply is parked.
    ActingStopRequested = "ACTING_STOP_REQUESTED",
    /// A person is asked: the reply is parked.
    PermissionAsking = "PERMISSION_ASKING",
    /// A middleware asked for a stop: the reply is parked.
    MiddlewareStopRequested = "MIDDLEWARE_STOP_REQUESTED",
    /// Every call of the round was denied.
    AllToolsDenied = "ALL_TOOLS_DENIED",
    /// A person stopped the run.
    Interrupted = "INTERRUPTED",
    /// The limit of rounds was reached.
    MaxIterations = "MAX_ITERATIONS",
}

impl GenerateReason {
    /// Whether a reply that stops for this reason is parked: it waits, and goes on in the same message (`wire.md` section 5, step 3).
    #[must_use]
    pub fn is_parking(&self) -> bool {
        match self {
            Self::ToolSuspended
            | Self::ReasoningStopRequested
            | Self::ActingStopRequested
            | Self::PermissionAsking
            | Self::MiddlewareStopRequested => true,
            Self::ModelStop
            | Self::ToolCalls
            | Self::StructuredOutput
            | Self::AllToolsDenied
            | Self::Interrupted
            | Self::MaxIterations
            | Self::Other(_) => false,
        }
    }
}

impl fmt::Display for GenerateReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FieldValue for GenerateReason {
    fn read(value: Value<'_>) -> Result<Self, DecodeError> {
        value.string().map(|word| Self::from(word.as_ref()))
    }

    fn write(&self, out: &mut Writer<'_>) {
        out.string(self.as_str());
    }
}
