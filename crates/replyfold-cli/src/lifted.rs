//! Coarse records of a log as the fine events that they are: every command reads its log through here.

use replyfold::coarse::{CoarseEvent, Language, Lifter};
use replyfold::event::{AgentEvent, Payload};
use replyfold::log::Record;

/// Id of the first reply of a coarse log, which has none.
const LIFTED: &str = "coarse";

/// Lifts the coarse records of one log.
pub(crate) struct Lifted {
    lifter: Lifter,
    log: Log,
    events: Vec<AgentEvent>,
}

/// What a log is, once an event shows it.
#[derive(PartialEq)]
enum Log {
    Unknown,
    /// Objects of a coarse type are frames of its host and no coarse events.
    Fine,
    Coarse,
}

/// One record, and the fine events that it is.
pub(crate) struct Step<'a> {
    pub(crate) record: &'a Record,
    /// The event of the record, or those that a coarse one was lifted to; none if it cannot be read.
    pub(crate) events: &'a [AgentEvent],
    /// The event of the record, if it is a coarse one.
    pub(crate) coarse: Option<CoarseEvent>,
}

impl Lifted {
    pub(crate) fn new(language: Language) -> Self {
        Self { lifter: Lifter::new(LIFTED).with_language(language), log: Log::Unknown, events: Vec::new() }
    }

    pub(crate) fn step<'a>(&'a mut self, record: &'a Record) -> Step<'a> {
        let Some(event) = record.event() else { return Step { record, events: &[], coarse: None } };
        match self.coarse(event) {
            Some(coarse) => {
                self.events.clear();
                self.events.extend(self.lifter.push(&coarse));
                Step { record, events: &self.events, coarse: Some(coarse) }
            }
            None => Step { record, events: std::slice::from_ref(event), coarse: None },
        }
    }

    fn coarse(&mut self, event: &AgentEvent) -> Option<CoarseEvent> {
        // No fine event has a type in lower case, so the reader kept a coarse one as an unknown one with its text.
        let Payload::Unknown(unknown) = &event.payload else {
            if self.log == Log::Unknown {
                self.log = Log::Fine;
            }
            return None;
        };
        if self.log == Log::Fine || !CoarseEvent::is_coarse_type(&unknown.event_type) {
            return None;
        }
        let coarse = CoarseEvent::from_json(&unknown.text).ok()?;
        self.log = Log::Coarse;
        Some(coarse)
    }

    /// Whether a record was lifted.
    pub(crate) fn is_coarse(&self) -> bool {
        self.log == Log::Coarse
    }

    /// What was held back until the log ended.
    pub(crate) fn finish(mut self) -> Vec<AgentEvent> {
        self.lifter.finish().collect()
    }
}
