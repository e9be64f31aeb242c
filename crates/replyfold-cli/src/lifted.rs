//! Coarse records of a log as the fine events that they are: every command reads its log through here.

use replyfold::coarse::{CoarseEvent, Language, Lifter};
use replyfold::event::{AgentEvent, EventRef, Payload};
use replyfold::log::RecordRef;

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
    pub(crate) record: RecordRef<'a>,
    /// The event of the record, if it is a fine one.
    fine: Option<EventRef<'a>>,
    /// Those that a coarse one was lifted to.
    lifted: &'a [AgentEvent],
    /// The event of the record, if it is a coarse one.
    pub(crate) coarse: Option<CoarseEvent>,
}

impl<'a> Step<'a> {
    /// The event of the record, or those that a coarse one was lifted to; none if it cannot be read.
    pub(crate) fn events(&self) -> impl Iterator<Item = EventRef<'a>> + use<'a> {
        self.fine.into_iter().chain(self.lifted.iter().map(EventRef::from))
    }
}

impl Lifted {
    pub(crate) fn new(language: Language) -> Self {
        Self { lifter: Lifter::new(LIFTED).with_language(language), log: Log::Unknown, events: Vec::new() }
    }

    pub(crate) fn step<'a>(&'a mut self, record: RecordRef<'a>) -> Step<'a> {
        let event = record.event();
        match event.and_then(|event| self.coarse(event)) {
            Some(coarse) => {
                self.events.clear();
                self.events.extend(self.lifter.push(&coarse));
                Step { record, fine: None, lifted: &self.events, coarse: Some(coarse) }
            }
            None => Step { record, fine: event, lifted: &[], coarse: None },
        }
    }

    fn coarse(&mut self, event: EventRef<'_>) -> Option<CoarseEvent> {
        // No fine event has a type in lower case, so the reader kept a coarse one as an unknown one with its text.
        let Some(AgentEvent { payload: Payload::Unknown(unknown), .. }) = event.as_event() else {
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

    /// Whether an event has shown what the log is.
    pub(crate) fn is_known(&self) -> bool {
        self.log != Log::Unknown
    }

    /// What was held back until the log ended.
    pub(crate) fn finish(mut self) -> Vec<AgentEvent> {
        self.lifter.finish().collect()
    }
}
