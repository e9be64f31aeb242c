//! Streams to test with.

mod blocks;
mod people;
mod pieces;
mod replies;
mod tools;
mod written;

pub use pieces::{Arguments, Output, Part, Pieces, chopped};
pub use written::Written;

use crate::log::{Log, ReadLog};
use chrono::{DateTime, Utc};
use replyfold_event::message::{AgentPath, BlockId, EventId, ReplyId, SessionId, Timestamp, ToolCallBlock, ToolCallId};
use replyfold_event::{AgentEvent, Payload};
use replyfold_log::LogError;

/// Milliseconds from one event to the next.
const STEP: i64 = 10;
/// 2026-01-01T00:00:00Z, in milliseconds.
const BEGIN: i64 = 1_767_225_600_000;

/// Begins a stream of events to test with.
///
/// Each step adds the events that an agent sends for it, in the order of the protocol and no others. Events are called `e1`, `e2`, …,
/// blocks `b1`, …, calls `c1`, …; the first event happens at 2026-01-01T00:00:00Z and each later one 10 ms after the one before. So the same
/// story is the same log, always.
///
/// Texts, thinking, arguments and answers are given as one string or as a list of pieces (`text(["Hel", "lo"])`), each of which becomes an
/// event. A story may stop anywhere: `open_text`, `open_thinking`, `open_tool` and `open_result` leave what they begin open, `more` and `close`
/// go on with what the reply that speaks opened last, and [`given`](crate::given) takes any prefix.
///
/// ```
/// use replyfold_snapshot::{assert_coarse_snapshot, json, story, Part};
/// use replyfold_event::message::Usage;
///
/// let log = story()
///     .reply("r1")
///     .model_call("small-model")
///     .thinking(["look ", "it up"])
///     .tool("search", json!({ "q": "x" }))
///     .model_call_end(Usage::new(10, 5))
///     .result([Part::from("one hit"), Part::data("image/png", [1, 2, 3])])
///     .model_call("small-model")
///     .text(["Found ", "one."])
///     .model_call_end(Usage::new(20, 4))
///     .end();
/// assert_eq!(log.events().len(), 21);
/// assert_coarse_snapshot!(log, @r#"
/// thinking "look "
/// thinking "it up"
/// tool_start search [call-1] "{\"q\":\"x\"}"
/// tool_end search [call-1] "one hit"
/// text "Found "
/// text "one."
/// complete
/// "#);
/// ```
pub fn story() -> Story {
    Story {
        events: Vec::new(),
        voice: Voice { source: None, reply: ReplyId::new("r1") },
        agent: None,
        session: None,
        now: BEGIN,
        id: None,
        blocks: 0,
        calls: Vec::new(),
        open: Vec::new(),
    }
}

/// A stream of events to test with; made by [`story`].
#[derive(Clone, Debug)]
#[must_use]
pub struct Story {
    events: Vec<AgentEvent>,
    voice: Voice,
    agent: Option<String>,
    session: Option<SessionId>,
    /// Time of the next event, in milliseconds.
    now: i64,
    /// Id of the next block or call, if it was told.
    id: Option<String>,
    /// Blocks that were named.
    blocks: usize,
    calls: Vec<Call>,
    /// What each voice left open, the latest last.
    open: Vec<(Voice, Open)>,
}

/// The reply that speaks: of this id, by the agent at this path.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Voice {
    source: Option<AgentPath>,
    reply: ReplyId,
}

/// A call and how far it is.
#[derive(Clone, Debug)]
struct Call {
    voice: Voice,
    block: ToolCallBlock,
    state: CallState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CallState {
    /// The model asked for it.
    Made,
    /// A person was asked.
    Asked,
    /// The person allowed it.
    Allowed,
    /// The person declined it.
    Declined,
    /// It was handed out.
    Submitted,
    /// Its answer is there, or on its way.
    Answered,
}

/// What was begun and not ended.
#[derive(Clone, Debug)]
enum Open {
    Text(BlockId),
    Thinking(BlockId),
    /// Place of the call.
    Call(usize),
    Result(ToolCallId),
}

impl Story {
    /// Adds an event that says this, with an envelope like the others: for everything that has no step of its own.
    pub fn event(mut self, payload: impl Into<Payload>) -> Self {
        self.push(payload);
        self
    }

    /// The next event happens so many milliseconds later than it would.
    pub fn later(mut self, milliseconds: u32) -> Self {
        self.now += i64::from(milliseconds);
        self
    }

    /// The next block or call has this id.
    pub fn id(mut self, id: &str) -> Self {
        self.id = Some(id.to_owned());
        self
    }

    /// The events so far.
    #[must_use]
    pub fn events(&self) -> &[AgentEvent] {
        &self.events
    }

    /// The events.
    #[must_use]
    pub fn into_events(self) -> Vec<AgentEvent> {
        self.events
    }

    fn push(&mut self, payload: impl Into<Payload>) {
        let mut event = AgentEvent::new(payload);
        event.id = Some(EventId::new(&format!("e{}", self.events.len() + 1)));
        event.created_at = DateTime::<Utc>::from_timestamp_millis(self.now).map(Timestamp::from);
        event.source.clone_from(&self.voice.source);
        self.now += STEP;
        self.events.push(event);
    }

    fn open(&mut self, open: Open) {
        self.open.push((self.voice.clone(), open));
    }

    /// Place of what the reply that speaks opened last, if it is one of these.
    fn last_open(&self, is_one: impl Fn(&Open) -> bool) -> Option<usize> {
        self.open.iter().rposition(|(voice, open)| *voice == self.voice && is_one(open))
    }

    fn next_block(&mut self) -> BlockId {
        self.blocks += 1;
        let counted = format!("b{}", self.blocks);
        BlockId::new(&self.id.take().unwrap_or(counted))
    }
}

impl ReadLog for Story {
    fn read_log(&self) -> Result<Log, LogError> {
        self.events.read_log()
    }
}
