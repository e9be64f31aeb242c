//! Ids as types, so that a block's id is never taken for a reply's.

use crate::inline_str::InlineStr;
use crate::json::{DecodeError, FieldValue, Value, Writer};
use std::str::Utf8Error;
use std::{borrow::Borrow, fmt};

/// Makes a newtype over [`InlineStr`] with the conversions every id has.
///
/// Makes: the struct, `new`, `as_str`, `is_empty`, `From<&str>`, `From<String>`, `Display`, `Debug`, `AsRef<str>`, `Borrow<str>`,
/// comparison with `str`, and its JSON form (a string).
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        ///
        /// Up to 38 bytes are kept in place and longer text is shared, so making one from a UUID and cloning any allocates nothing.
        #[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(InlineStr);

        impl $name {
            /// The id with this text.
            #[must_use]
            pub fn new(text: &str) -> Self {
                Self(InlineStr::from(text))
            }

            /// The text of the id, as it stands on the wire.
            #[must_use]
            pub fn as_str(&self) -> &str {
                self.0.as_str()
            }

            /// Becomes this text, in place: what readers of many events do instead of making a new one.
            ///
            /// # Errors
            ///
            /// The bytes are no UTF-8; nothing changes then.
            pub fn assign(&mut self, text: &[u8]) -> Result<(), Utf8Error> {
                self.0.assign(text)
            }

            /// The bytes of the text, for those who hash or compare it.
            #[must_use]
            pub fn as_bytes(&self) -> &[u8] {
                self.0.as_bytes()
            }

            /// Whether the id is the empty text. Some Java events carry `""` for "none".
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.0.as_bytes().is_empty()
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self::new(text)
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self::new(&text)
            }
        }

        impl From<&$name> for $name {
            fn from(id: &$name) -> Self {
                id.clone()
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                self.as_str()
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                self.0.as_bytes() == other.as_bytes()
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                self.0.as_bytes() == other.as_bytes()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({:?})", stringify!($name), self.as_str())
            }
        }

        impl FieldValue for $name {
            fn read(value: Value<'_>) -> Result<Self, DecodeError> {
                value.string().map(|text| Self::new(&text))
            }

            fn write(&self, out: &mut Writer<'_>) {
                out.utf8(self.as_bytes());
            }
        }
    };
}

id! {
    /// Id of a reply: all events between one start and its end, resumes included. The message's id is the same text (`wire.md` section 2).
    ReplyId
}
id! {
    /// Id of a text, thinking, data or hint block, unique within its reply.
    BlockId
}
id! {
    /// Id of a tool call and of its result, given by the model.
    ToolCallId
}
id! {
    /// Id of one event, unique in its log. Duplicates are known by it.
    EventId
}
id! {
    /// Id of the session that a reply belongs to.
    SessionId
}
id! {
    /// Id of a message. Of an assistant message that was folded from events: the id of its reply.
    MsgId
}
id! {
    /// Path of the agent that spoke, for instance `main/researcher`; the top-level agent has none (`wire.md` section 1).
    AgentPath
}

impl From<&ReplyId> for MsgId {
    fn from(id: &ReplyId) -> Self {
        Self(id.0.clone())
    }
}

impl From<&MsgId> for ReplyId {
    fn from(id: &MsgId) -> Self {
        Self(id.0.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn ids_compare_and_look_up_as_their_text() {
        let ids: BTreeSet<BlockId> = ["b2", "b1"].map(BlockId::new).into();
        assert!(ids.contains("b1") && !ids.contains("b3"));
        assert_eq!(BlockId::new("b1"), "b1");
        assert_eq!(format!("{:>4}|{:?}", BlockId::new("b1"), BlockId::new("b1")), "  b1|BlockId(\"b1\")");
        assert!(ToolCallId::default().is_empty());
    }
}
