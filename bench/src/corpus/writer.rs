//! Writes events as one of the implementations would: its ids, its time stamps, its way with `type`.

use fastrand::Rng;
use replyfold::dialect::{Dialect, write_event};
use replyfold::event::message::json::{JsonObject, Value};
use replyfold::event::message::{BlockId, ReplyId, Residue, Role, ToolCallId};
use replyfold::event::{AgentEnd, AgentEvent, AgentStart, ModelCallEnd, ModelCallStart, Payload};
use replyfold::message::Usage;
use std::fmt::Write;

/// A log that is being written.
#[derive(Debug)]
pub struct LogWriter {
    dialect: Dialect,
    double_type: bool,
    /// What is said; every dialect says the same.
    pub(super) rng: Rng,
    /// Ids, of which the dialects need different numbers.
    ids: Rng,
    out: Vec<u8>,
    events: usize,
    /// Nanoseconds since the log's first midnight.
    now: u64,
    calls: u64,
}

/// A reply that is being written.
#[derive(Clone, Debug)]
pub(super) struct Reply {
    id: ReplyId,
}

/// A model call or an acting phase of a reply: Java gives each an id of its own, which its events carry in the place of the reply's.
#[derive(Clone, Debug)]
pub(super) struct Phase {
    pub(super) id: ReplyId,
}

/// A tool call.
#[derive(Clone, Debug)]
pub(super) struct Tool {
    pub(super) id: ToolCallId,
    pub(super) name: &'static str,
    /// What Java repeats on every event of a call.
    residue: Residue,
}

impl LogWriter {
    /// An empty log.
    #[must_use]
    pub fn new(dialect: Dialect, seed: u64) -> Self {
        let double_type = dialect == Dialect::Java;
        Self {
            dialect,
            double_type,
            rng: Rng::with_seed(seed),
            ids: Rng::with_seed(!seed),
            out: Vec::new(),
            events: 0,
            now: 8 * 3_600_000_000_000,
            calls: 0,
        }
    }

    /// With `type` once in each line.
    #[must_use]
    pub fn with_single_type(mut self) -> Self {
        self.double_type = false;
        self
    }

    /// Number of events so far.
    #[must_use]
    pub fn events(&self) -> usize {
        self.events
    }

    /// Bytes that were not taken yet.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "nobody asks whether it is empty")]
    pub fn len(&self) -> usize {
        self.out.len()
    }

    /// Takes what was written so far.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }

    fn hex(&mut self) -> String {
        format!("{:032x}", self.ids.u128(..))
    }

    pub(super) fn begin_reply(&mut self) -> Reply {
        let reply = Reply { id: self.hex().into() };
        let mut start = AgentStart::new(&reply.id, Role::Assistant).with_name("Friday");
        // Java's agent has no session of its own, and Python's reader demands one.
        if self.dialect != Dialect::Java {
            start = start.with_session_id("5f0c9a6e3b1d4c7f8e2a90b41d6c7e35");
        }
        self.push(start);
        reply
    }

    pub(super) fn end_reply(&mut self, reply: &Reply) {
        let mut end = AgentEnd::new(&reply.id);
        if self.dialect != Dialect::Java {
            end = end.with_finished_reason(replyfold::message::FinishedReason::Completed);
        }
        self.push(end);
    }

    /// What comes next in a reply without being a model call: the tools that run.
    pub(super) fn phase(&mut self, reply: &Reply) -> Phase {
        let id = if self.dialect == Dialect::Java { self.hex().into() } else { reply.id.clone() };
        Phase { id }
    }

    pub(super) fn begin_call(&mut self, reply: &Reply) -> Phase {
        let phase = self.phase(reply);
        let mut start = ModelCallStart::new(&phase.id);
        if self.dialect != Dialect::Java {
            start = start.with_model_name("qwen3-max");
        }
        self.push(start);
        phase
    }

    pub(super) fn end_call(&mut self, call: &Phase) {
        let usage = Usage::new(self.rng.u64(200..20_000), self.rng.u64(10..2_000));
        self.push(ModelCallEnd::new(&call.id, Some(usage)));
    }

    /// Id of a block: Java uses the name of its kind in every model call.
    pub(super) fn block(&mut self, kind: &str) -> BlockId {
        if self.dialect == Dialect::Java { kind.into() } else { self.hex().into() }
    }

    pub(super) fn tool(&mut self, name: &'static str) -> Tool {
        self.calls += 1;
        let id = format!("call_{:08x}{:016x}", self.calls, self.ids.u64(..));
        let residue = match self.dialect {
            Dialect::Java => {
                let name = format!("\"{name}\"");
                let value = Value::parse(&name).expect("a quoted name is JSON");
                Residue::new("java", [("toolCallName", value)].into_iter().collect::<JsonObject>())
            }
            _ => Residue::default(),
        };
        Tool { id: id.into(), name, residue }
    }

    pub(super) fn push(&mut self, payload: impl Into<Payload>) {
        self.write(AgentEvent::new(payload));
    }

    /// An event after the first one of a call: of its pieces, its end, its result.
    pub(super) fn push_of(&mut self, tool: &Tool, payload: impl Into<Payload>) {
        let mut event = AgentEvent::new(payload);
        event.residue = tool.residue.clone();
        self.write(event);
    }

    fn write(&mut self, event: AgentEvent) {
        let event = event.with_id(self.hex()).with_created_at(self.time().as_str());
        write_event(&event, self.dialect, &mut self.out);
        if self.double_type {
            // What Jackson does: the type first and, as a property of the class, last.
            self.out.pop();
            self.out.extend_from_slice(b",\"type\":\"");
            self.out.extend_from_slice(event.type_name().as_bytes());
            self.out.extend_from_slice(b"\"}");
        }
        self.out.push(b'\n');
        self.events += 1;
    }

    fn time(&mut self) -> String {
        self.now += self.rng.u64(200_000..2_000_000);
        let (seconds, nanos) = (self.now / 1_000_000_000, self.now % 1_000_000_000);
        let (day, hour, minute, second) = (1 + seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
        let mut time = format!("2026-08-{day:02}T{hour:02}:{minute:02}:{second:02}.");
        // A string takes what is written to it.
        let _ = match self.dialect {
            Dialect::Python => write!(time, "{:06}", nanos / 1_000),
            _ => write!(time, "{nanos:09}Z"),
        };
        time
    }
}
