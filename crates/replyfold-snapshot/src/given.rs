//! The state at a point of a log.

use crate::log::{Log, LogRecord, ReadLog};
use replyfold_coarse::{CollapseOptions, SessionCollapser, SessionEvent, Timeline};
use replyfold_event::AgentEvent;
use replyfold_event::message::{EventId, Msg};
use replyfold_log::LogError;
use replyfold_reduce::{Note, ReduceOptions, Reply, SessionReducer};
use std::fmt;

/// Ids that a sentence names.
const LISTED: usize = 10;

/// Fails the test, where the caller stands.
#[track_caller]
#[expect(clippy::panic, reason = "a test that cannot go on has failed")]
pub(crate) fn fail(what: fmt::Arguments<'_>) -> ! {
    panic!("{what}")
}

/// Ids for a sentence, quoted, so that nothing reaches a terminal raw; of many the first ones.
fn listed<'a>(ids: impl Iterator<Item = &'a str>) -> String {
    let ids: Vec<&str> = ids.collect();
    match ids.get(..LISTED) {
        Some(first) if ids.len() > LISTED => format!("{first:?} and {} more", ids.len() - LISTED),
        _ => format!("{ids:?}"),
    }
}

/// Reads a log, to ask for its messages at any point.
///
/// ```
/// use replyfold_snapshot::{assert_msg_snapshot, given, story};
///
/// let log = story().reply("r1").text(["Hel", "lo"]).end();
/// // After three records: the start of the reply, the start of the text, its first piece.
/// assert_msg_snapshot!(given(&log).at(3), @r#"
/// message: [reply-1]
/// role: assistant
/// at: +0.000s..
/// content:
/// - text: "Hel"
///   id: [block-1]
///   at: +0.010s..
/// "#);
/// assert_eq!(given(&log).until("e4").message(), given(&log).at(4).message());
/// ```
///
/// # Panics
///
/// The log cannot be read; [`Given::read`] gives the error instead.
#[must_use]
#[track_caller]
pub fn given(log: impl ReadLog) -> Given {
    Given { log: read(&log), options: ReduceOptions::new() }
}

/// Reads a log that the test needs.
#[track_caller]
pub(crate) fn read(log: &(impl ReadLog + ?Sized)) -> Log {
    match log.read_log() {
        Ok(log) => log,
        Err(err) => fail(format_args!("the log cannot be read: {err}; a relative path begins at the folder of the package that is tested")),
    }
}

/// A log that was read; made by [`given`].
#[derive(Clone, Debug)]
pub struct Given {
    log: Log,
    options: ReduceOptions,
}

impl Given {
    /// Reads a log.
    ///
    /// # Errors
    ///
    /// The file cannot be opened or read.
    pub fn read(log: impl ReadLog) -> Result<Self, LogError> {
        Ok(Self { log: log.read_log()?, options: ReduceOptions::new() })
    }

    /// Folded with these options.
    #[must_use]
    pub fn with_options(mut self, options: ReduceOptions) -> Self {
        self.options = options;
        self
    }

    /// Number of records, readable or not.
    #[must_use]
    pub fn len(&self) -> usize {
        self.log.0.len()
    }

    /// Whether there is no record.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.log.0.is_empty()
    }

    /// The events, without what could not be read.
    pub fn events(&self) -> impl Iterator<Item = &AgentEvent> {
        events(&self.log.0)
    }

    /// After the first `k` records, readable or not.
    ///
    /// # Panics
    ///
    /// The log has fewer.
    #[must_use]
    #[track_caller]
    pub fn at(&self, k: usize) -> Point {
        match self.log.0.get(..k) {
            Some(records) => Point::new(Log(records.into()), self.options),
            None => fail(format_args!(
                "there is no point after {k} records, the log has {}: ask for at(0) to at({}), or for end()",
                self.len(),
                self.len()
            )),
        }
    }

    /// After the first event with this id.
    ///
    /// # Panics
    ///
    /// The log has none.
    #[must_use]
    #[track_caller]
    pub fn until(&self, event: &str) -> Point {
        let is_it = |record: &LogRecord| matches!(record, LogRecord::Event(of) if of.id.as_ref().is_some_and(|id| id.as_str() == event));
        match self.log.0.iter().position(is_it) {
            Some(index) => self.at(index + 1),
            None => {
                let ids = listed(self.events().filter_map(|event| event.id.as_ref().map(EventId::as_str)));
                fail(format_args!("the log has no event with the id {event:?}: ask for one of {ids}, or for at(k)"))
            }
        }
    }

    /// After all records.
    #[must_use]
    pub fn end(&self) -> Point {
        Point::new(self.log.clone(), self.options)
    }
}

impl ReadLog for Given {
    fn read_log(&self) -> Result<Log, LogError> {
        Ok(self.log.clone())
    }
}

pub(crate) fn events(records: &[LogRecord]) -> impl Iterator<Item = &AgentEvent> {
    records.iter().filter_map(|record| match record {
        LogRecord::Event(event) => Some(event.as_ref()),
        LogRecord::Bad(_) => None,
    })
}

/// The state after some records of a log: the fold, and the log up to there. Made by [`Given`].
#[derive(Clone, Debug)]
pub struct Point {
    log: Log,
    session: SessionReducer,
}

impl Point {
    pub(crate) fn new(log: Log, options: ReduceOptions) -> Self {
        let mut session = SessionReducer::with_options(options);
        for (position, record) in (0..).zip(log.0.iter()) {
            if let LogRecord::Event(event) = record {
                session.apply_at(position, event.as_ref());
            }
        }
        Self { log, session }
    }

    /// Number of records up to here.
    #[must_use]
    pub fn position(&self) -> usize {
        self.log.0.len()
    }

    /// The fold.
    #[must_use]
    pub fn session(&self) -> &SessionReducer {
        &self.session
    }

    /// The messages, in the order in which they were opened.
    #[must_use]
    pub fn messages(&self) -> Vec<&Msg> {
        self.session.messages().collect()
    }

    /// The message, of a log of one reply.
    ///
    /// # Panics
    ///
    /// There is none yet, or more than one: ask for [`messages`](Self::messages) or a [`reply`](Self::reply).
    #[must_use]
    #[track_caller]
    pub fn message(&self) -> &Msg {
        match self.messages().as_slice() {
            [msg] => msg,
            messages => {
                let (found, ids) = (messages.len(), listed(messages.iter().map(|msg| msg.id.as_str())));
                let ask = if found == 0 { "ask for a later point" } else { "ask for messages(), or for reply(id) with one of " };
                let ids = if found == 0 { "" } else { ids.as_str() };
                fail(format_args!("there are {found} messages after {} records: {ask}{ids}", self.position()))
            }
        }
    }

    /// The reply with this id.
    ///
    /// # Panics
    ///
    /// There is none.
    #[must_use]
    #[track_caller]
    pub fn reply(&self, id: &str) -> Reply<'_> {
        match self.session.reply(id) {
            Some(reply) => reply,
            None => {
                let ids = listed(self.session.messages().map(|msg| msg.id.as_str()));
                fail(format_args!("there is no reply {id:?} after {} records: ask for one of {ids}", self.position()))
            }
        }
    }

    /// What the fold noted, in the order of the log.
    #[must_use]
    pub fn notes(&self) -> Vec<&Note> {
        self.session.notes().into_iter().map(|(_, note)| note).collect()
    }

    /// The coarse events up to here. Streams that are open stay open.
    #[must_use]
    pub fn coarse(&self) -> Vec<SessionEvent> {
        self.coarse_with(CollapseOptions::new())
    }

    /// The coarse events up to here, collapsed with these options.
    #[must_use]
    pub fn coarse_with(&self, options: CollapseOptions) -> Vec<SessionEvent> {
        let mut session = SessionCollapser::with_options(options);
        events(&self.log.0).flat_map(|event| session.push(event).collect::<Vec<_>>()).collect()
    }

    /// What a front end shows of a reply.
    #[must_use]
    pub fn timeline(&self, reply: &str) -> Timeline {
        let mut timeline = Timeline::new();
        self.coarse().iter().filter(|shown| shown.reply_id.as_str() == reply).for_each(|shown| timeline.apply(&shown.event));
        timeline
    }
}

impl ReadLog for Point {
    fn read_log(&self) -> Result<Log, LogError> {
        Ok(self.log.clone())
    }
}
