//! The table: every event once. Enums, names, reader and printer are made from it; start here to add an event.

use crate::payload::{self, FieldInfo, Wire};
use crate::{Error, UnknownEvent};
use replyfold_message::json::{Fields, ObjectWriter};
use std::fmt;

/// Makes the enums of events from their list, a row an event: its payload's name, its word on the wire.
///
/// Makes: `EventType` and `ExtensionType`, each with `ALL`, `as_str`, `from_wire`, `fields` and `Display`; `Payload` and `Extension`, each
/// with its type, canonical reader and printer; `From` of every payload for `Payload`.
macro_rules! events {
    (
        taxonomy { $($(#[doc = $doc:literal])+ $event:ident = $word:literal,)+ }
        extensions { $($(#[doc = $ext_doc:literal])+ $ext:ident = $ext_word:literal,)+ }
    ) => {
        types! {
            /// The 27 types of the published taxonomy, in its order.
            EventType { $($(#[doc = $doc])+ $event = $word,)+ }
        }
        types! {
            /// The five types seen in the field beyond the taxonomy.
            ExtensionType { $($(#[doc = $ext_doc])+ $ext = $ext_word,)+ }
        }

        /// What an event says: one of the 27, an extension, or unknown.
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum Payload {
            $($(#[doc = $doc])+ $event(payload::$event),)+
            /// One of the five types seen in the field beyond the taxonomy.
            Extension(Extension),
            /// A type that is not known, with its exact text.
            Unknown(UnknownEvent),
        }

        /// What an event beyond the taxonomy says.
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum Extension {
            $($(#[doc = $ext_doc])+ $ext(payload::$ext),)+
        }

        impl Payload {
            /// The type, if it is one of the 27.
            #[must_use]
            pub fn event_type(&self) -> Option<EventType> {
                match self {
                    $(Self::$event(_) => Some(EventType::$event),)+
                    Self::Extension(_) | Self::Unknown(_) => None,
                }
            }

            /// The `type` on the wire.
            #[must_use]
            pub fn type_name(&self) -> &str {
                match self {
                    $(Self::$event(_) => $word,)+
                    Self::Extension(extension) => extension.extension_type().as_str(),
                    Self::Unknown(unknown) => &unknown.event_type,
                }
            }

            /// Reads the payload of a known type; `None` for any other type.
            pub(crate) fn read(type_name: &str, fields: &Fields<'_>) -> Option<Result<Self, Error>> {
                let payload = match type_name {
                    $($word => payload::$event::read(fields).map(Self::$event),)+
                    $($ext_word => payload::$ext::read(fields).map(|ext| Self::Extension(Extension::$ext(ext))),)+
                    _ => return None,
                };
                Some(payload.map_err(|err| Error::new(Some(type_name), err)))
            }

            /// Writes the fields of the payload; an unknown event is written as its text, not here.
            pub(crate) fn write(&self, object: &mut ObjectWriter<'_>) {
                match self {
                    $(Self::$event(payload) => payload.write(object),)+
                    $(Self::Extension(Extension::$ext(payload)) => payload.write(object),)+
                    Self::Unknown(_) => {}
                }
            }
        }

        impl Extension {
            /// The type.
            #[must_use]
            pub fn extension_type(&self) -> ExtensionType {
                match self {
                    $(Self::$ext(_) => ExtensionType::$ext,)+
                }
            }
        }

        $(impl From<payload::$event> for Payload {
            fn from(payload: payload::$event) -> Self {
                Self::$event(payload)
            }
        })+

        $(impl From<payload::$ext> for Payload {
            fn from(payload: payload::$ext) -> Self {
                Self::Extension(Extension::$ext(payload))
            }
        })+

        impl From<UnknownEvent> for Payload {
            fn from(unknown: UnknownEvent) -> Self {
                Self::Unknown(unknown)
            }
        }
    };
}

/// Makes an enum of event types.
macro_rules! types {
    ($(#[$doc:meta])* $name:ident { $($(#[doc = $word_doc:literal])+ $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum $name { $($(#[doc = $word_doc])+ $variant,)+ }

        impl $name {
            /// Every type, in the order of the specification.
            pub const ALL: [Self; [$($word,)+].len()] = [$(Self::$variant,)+];

            /// The `type` on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            /// The type with this word on the wire.
            #[must_use]
            pub fn from_wire(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }

            /// What the event says, in one sentence.
            #[must_use]
            pub const fn doc(self) -> &'static str {
                match self { $(Self::$variant => concat!($($word_doc,)+),)+ }
            }

            /// The event's own fields on the canonical wire, in order.
            pub fn fields(self) -> impl Iterator<Item = FieldInfo> {
                let lists = match self { $(Self::$variant => payload::$variant::FIELDS,)+ };
                lists.iter().copied().flatten().copied()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}

events! {
    taxonomy {
        // --- the reply ---------------------------------------------------
        /// A reply begins, or goes on after a pause.
        AgentStart = "AGENT_START",
        /// A reply, or one run of it, ended.
        AgentEnd = "AGENT_END",
        // --- model calls -------------------------------------------------
        /// The model is called.
        ModelCallStart = "MODEL_CALL_START",
        /// The model's answer is complete, or the call failed.
        ModelCallEnd = "MODEL_CALL_END",
        // --- blocks ------------------------------------------------------
        /// Text begins.
        TextBlockStart = "TEXT_BLOCK_START",
        /// A piece of text arrived.
        TextBlockDelta = "TEXT_BLOCK_DELTA",
        /// Text is complete.
        TextBlockEnd = "TEXT_BLOCK_END",
        /// Thinking begins.
        ThinkingBlockStart = "THINKING_BLOCK_START",
        /// A piece of thinking arrived.
        ThinkingBlockDelta = "THINKING_BLOCK_DELTA",
        /// Thinking is complete.
        ThinkingBlockEnd = "THINKING_BLOCK_END",
        /// Media begins.
        DataBlockStart = "DATA_BLOCK_START",
        /// A piece of media arrived.
        DataBlockDelta = "DATA_BLOCK_DELTA",
        /// Media is complete.
        DataBlockEnd = "DATA_BLOCK_END",
        // --- tools -------------------------------------------------------
        /// The model begins to write a tool call.
        ToolCallStart = "TOOL_CALL_START",
        /// A piece of a call's arguments arrived.
        ToolCallDelta = "TOOL_CALL_DELTA",
        /// The model finished writing a tool call.
        ToolCallEnd = "TOOL_CALL_END",
        /// A tool begins to run.
        ToolResultStart = "TOOL_RESULT_START",
        /// A piece of a tool's text output arrived.
        ToolResultTextDelta = "TOOL_RESULT_TEXT_DELTA",
        /// A piece of a tool's media output arrived.
        ToolResultDataDelta = "TOOL_RESULT_DATA_DELTA",
        /// A tool ended, or is suspended.
        ToolResultEnd = "TOOL_RESULT_END",
        // --- control -----------------------------------------------------
        /// The limit of rounds is reached.
        ExceedMaxIters = "EXCEED_MAX_ITERS",
        /// The run stops, or is parked until somebody answers.
        RequestStop = "REQUEST_STOP",
        // --- people and the outside --------------------------------------
        /// A person is asked whether calls may run.
        RequireUserConfirm = "REQUIRE_USER_CONFIRM",
        /// A person answered.
        UserConfirmResult = "USER_CONFIRM_RESULT",
        /// Calls are to be run outside.
        RequireExternalExecution = "REQUIRE_EXTERNAL_EXECUTION",
        /// Results of calls that were run outside.
        ExternalExecutionResult = "EXTERNAL_EXECUTION_RESULT",
        // --- sub-agents --------------------------------------------------
        /// A sub-agent can be seen.
        SubagentExposed = "SUBAGENT_EXPOSED",
    }
    extensions {
        /// A hint was given to the model.
        HintBlock = "HINT_BLOCK",
        /// A person interrupted the reply.
        UserInterrupt = "USER_INTERRUPT",
        /// The message that a run returned.
        AgentResult = "AGENT_RESULT",
        /// Every call of the round was denied.
        AllToolsDenied = "ALL_TOOLS_DENIED",
        /// An event of the application.
        Custom = "CUSTOM",
    }
}
