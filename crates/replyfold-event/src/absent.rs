//! Ids that a log left out although the taxonomy demands them.

/// Which ids the log left out. The ids themselves read as empty then; the Java dialect demands none of them.
///
/// An id that is absent is not the same as an id that is `""` on the wire: an event without a block id is about the newest open block of its
/// kind (field frames, rule 1), while `""` is an id like any other. It is no part of equality: two values are always equal.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Absent {
    /// `replyId` is missing or null.
    pub reply_id: bool,
    /// `blockId` is missing or null.
    pub block_id: bool,
    /// `toolCallId` is missing or null.
    pub tool_call_id: bool,
}

impl PartialEq for Absent {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Absent {}
