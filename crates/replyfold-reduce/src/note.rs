//! What could not be applied, or was applied against the protocol.

use crate::BlockKind;
use replyfold_message::EventId;
use std::fmt;

/// One thing about the log that the reader of the message should know.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Note {
    /// What it is.
    pub kind: NoteKind,
    /// Position of the event in its log, counted in records from 0.
    pub position: u64,
    /// Id of the event, if it has one.
    pub event: Option<EventId>,
    /// Id of the block, call or reply that the note is about.
    pub subject: Option<Box<str>>,
}

/// A pattern that takes any value, in the place of a field.
macro_rules! ignored {
    ($field:ident) => {
        _
    };
}

/// Makes the kinds of notes with their word and sentence.
macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident $(($field:ident: $ty:ty))? = $word:literal, $sentence:literal;)+) => {
        /// What a note says.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum NoteKind { $($(#[$doc])* $name $(($ty))?,)+ }

        impl NoteKind {
            /// The words of all kinds, in the order of the kinds.
            pub const WORDS: &[&str] = &[$($word,)+];

            /// A short word for programs.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name $((ignored!($field)))? => $word,)+ }
            }
        }

        impl fmt::Display for NoteKind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self { $(Self::$name $(($field))? => write!(f, $sentence $(, $field = $field)?),)+ }
            }
        }
    };
}

kinds! {
    /// The log starts in the middle of the reply: the message was opened with what is known.
    HeadMissing = "head_missing", "the reply's start is missing; the message was opened with what is known";
    /// The event has an empty reply id, which never opens a message.
    EmptyReplyId = "empty_reply_id", "the reply id is empty; such an event belongs to no message";
    /// The event is of another reply than the reducer's.
    ForeignReply = "foreign_reply", "the event belongs to another reply";
    /// An event with this id was folded already.
    DuplicateEvent = "duplicate_event", "an event with this id was folded already; it has no effect again";
    /// A piece of a block that was never started.
    DeltaWithoutStart(kind: BlockKind) = "delta_without_start", "a piece of a {kind} block that was never started";
    /// The end of a block that was never started.
    EndWithoutStart(kind: BlockKind) = "end_without_start", "the end of a {kind} block that was never started";
    /// A start of a block that is open already.
    DuplicateStart(kind: BlockKind) = "duplicate_start", "a {kind} block with this id is open already";
    /// A piece that came after the end of its block; it was appended.
    DeltaAfterEnd(kind: BlockKind) = "delta_after_end", "a piece came after the end of its {kind} block; it was appended";
    /// A second end of a block that was not opened again; it was applied.
    EndAfterEnd(kind: BlockKind) = "end_after_end", "the {kind} block had ended already; the later end counts";
    /// An event after the reply's end; it was applied.
    AfterReplyEnd = "after_reply_end", "the reply had ended already; the event was applied all the same";
    /// Blocks were still open when the reply ended.
    OpenAtReplyEnd(kind: BlockKind) = "open_at_reply_end", "the {kind} block was still open when the reply ended";
    /// A piece that is not base64; it was dropped.
    BadBase64 = "bad_base64", "the piece is not base64; it was dropped, and the bytes so far stay good";
    /// Bytes for a block that became a URL; they were dropped.
    Base64AfterUrl = "base64_after_url", "bytes came for a data block that is a URL; they were dropped";
    /// A piece of media that is of a kind that a message cannot show there.
    NoMedia = "no_media", "the piece of a result is of a kind that has no effect on the message";
    /// A finished call was asked about or handed out; it stays finished.
    CallFinished = "call_finished", "the call is finished; it stays so";
    /// A call that the message does not have.
    UnknownCall = "unknown_call", "the message has no call with this id";
    /// An answer to a call that nobody asks about.
    NotAsking = "not_asking", "nobody is asked about this call; the answer has no effect";
    /// An external result of a call that has its result already; its content comes as pieces.
    ResultPresent = "result_present", "the call has its result already; this one has no effect";
    /// The arguments are no JSON object; they count as `{}`.
    BadArguments = "bad_arguments", "the arguments are no JSON object; the input is {{}}";
    /// The log gives no block id: the newest open block of the kind was taken.
    NewestOpen(kind: BlockKind) = "newest_open", "the log gives no id here; the newest open {kind} block was taken";
    /// A block was opened for a piece that came without a start.
    OpenedForDelta(kind: BlockKind) = "opened_for_delta", "a {kind} block was opened for a piece that came without a start";
}
