//! One record of a log: an event, or what could not be read.

use crate::Envelope;
use replyfold_dialect::{ReadEvent, ReadEventRef};
use replyfold_event::{AgentEvent, EventRef};
use std::fmt;

/// One record of a log: a line, an SSE event or an element of an array; blank lines are none.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Record {
    /// Number of the record, from 0, readable or not: the `k` of "the messages after k records" is one more than that of the last.
    pub position: u64,
    /// Where it stands.
    pub place: Place,
    /// What stands around it.
    pub frame: Frame,
    /// What it is.
    pub outcome: Outcome,
}

/// Where a record begins: its segment, and the line and byte within that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// Number of the segment ([`segment_path`](crate::segment_path) names its file); 0 is the base file, and the only one of most logs.
    pub segment: u32,
    /// Line, from 1.
    pub line: u64,
    /// Byte in that segment, from 0; of a compressed one, in what it unpacks to.
    pub offset: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.segment > 0 {
            write!(f, "segment {}, ", self.segment)?;
        }
        write!(f, "line {} (byte {})", self.line, self.offset)
    }
}

/// What stands around a record.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Frame {
    /// `id:` of the SSE event.
    pub sse_id: Option<Box<str>>,
    /// `event:` of the SSE event.
    pub sse_event: Option<Box<str>>,
    /// The object that carries the event.
    pub envelope: Option<Envelope>,
}

/// What a record is.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "a record can be read or it cannot")]
pub enum Outcome {
    /// An event.
    Event(Box<ReadEvent>),
    /// Something that is no event.
    Bad(BadRecord),
}

/// A record that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BadRecord {
    /// Why, as a clause without a full stop.
    pub reason: String,
    /// Its bytes as they stand in the log.
    pub text: Vec<u8>,
    torn: bool,
}

impl BadRecord {
    pub(crate) fn new(reason: String, text: Vec<u8>, torn: bool) -> Self {
        Self { reason, text, torn }
    }

    /// Whether it is the log's last record and ends in the middle: a write that was cut off, not damage.
    #[must_use]
    pub fn is_torn(&self) -> bool {
        self.torn
    }
}

/// One record of a log, lent by its reader until the next one is asked for.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct RecordRef<'a> {
    /// Number of the record, from 0, readable or not.
    pub position: u64,
    /// Where it stands.
    pub place: Place,
    /// What stands around it.
    pub frame: &'a Frame,
    /// What it is.
    pub outcome: OutcomeRef<'a>,
}

/// What a record is that a reader lends.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_enums, reason = "a record can be read or it cannot")]
pub enum OutcomeRef<'a> {
    /// An event.
    Event(ReadEventRef<'a>),
    /// Something that is no event.
    Bad(&'a BadRecord),
}

impl<'a> RecordRef<'a> {
    /// The event, if the record is one.
    #[must_use]
    pub fn event(self) -> Option<EventRef<'a>> {
        match self.outcome {
            OutcomeRef::Event(read) => Some(read.event),
            OutcomeRef::Bad(_) => None,
        }
    }

    /// What could not be read, if the record is no event.
    #[must_use]
    pub fn bad(self) -> Option<&'a BadRecord> {
        match self.outcome {
            OutcomeRef::Event(_) => None,
            OutcomeRef::Bad(bad) => Some(bad),
        }
    }

    /// The record, to keep.
    #[must_use]
    pub fn to_record(self) -> Record {
        let outcome = match self.outcome {
            OutcomeRef::Event(read) => Outcome::Event(Box::new(read.to_read())),
            OutcomeRef::Bad(bad) => Outcome::Bad(bad.clone()),
        };
        Record { position: self.position, place: self.place, frame: self.frame.clone(), outcome }
    }
}

impl Record {
    /// The record as a reader lends it.
    #[must_use]
    pub fn as_ref(&self) -> RecordRef<'_> {
        let outcome = match &self.outcome {
            Outcome::Event(read) => OutcomeRef::Event(ReadEventRef::from(read.as_ref())),
            Outcome::Bad(bad) => OutcomeRef::Bad(bad),
        };
        RecordRef { position: self.position, place: self.place, frame: &self.frame, outcome }
    }

    /// The event, if the record is one.
    #[must_use]
    pub fn event(&self) -> Option<&AgentEvent> {
        match &self.outcome {
            Outcome::Event(read) => Some(&read.event),
            Outcome::Bad(_) => None,
        }
    }

    /// What could not be read, if the record is no event.
    #[must_use]
    pub fn bad(&self) -> Option<&BadRecord> {
        match &self.outcome {
            Outcome::Event(_) => None,
            Outcome::Bad(bad) => Some(bad),
        }
    }
}
