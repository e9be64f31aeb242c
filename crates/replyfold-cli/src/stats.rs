//! Counts and times of a log.

use replyfold::event::{AgentEvent, Payload};
use replyfold::message::{EventId, Timestamp, ToolResultState, Usage};
use std::collections::{BTreeMap, HashMap, HashSet};

/// What was counted.
#[derive(Default)]
pub(crate) struct Stats {
    pub(crate) records: u64,
    pub(crate) bad: u64,
    pub(crate) events: BTreeMap<String, u64>,
    pub(crate) replies: u64,
    /// Events that the fold ignores as their reply had them already. They stand in `events` and nowhere else.
    pub(crate) repeated: u64,
    pub(crate) usage: Usage,
    pub(crate) tools: BTreeMap<String, Tool>,
    /// Seconds from the call of the model to its first text or thinking.
    pub(crate) first_token: Vec<f64>,
    /// Characters a second of each text and thinking block that lasted.
    pub(crate) speed: Vec<f64>,
    /// Tokens a second of each model call that tells its tokens and lasted.
    pub(crate) token_speed: Vec<f64>,
    /// Ids of the events of each reply.
    seen: HashMap<String, HashSet<EventId>>,
    calls: HashMap<(String, String), String>,
    running: HashMap<(String, String), (String, Option<Timestamp>)>,
    model: HashMap<String, ModelCall>,
    blocks: HashMap<(String, String), (Option<Timestamp>, usize)>,
}

/// What was counted of one tool.
#[derive(Default)]
pub(crate) struct Tool {
    pub(crate) calls: u64,
    pub(crate) failures: u64,
    /// Seconds from the start of a result to its end.
    pub(crate) latency: Vec<f64>,
}

#[derive(Default)]
struct ModelCall {
    start: Option<Timestamp>,
    first: Option<Timestamp>,
}

impl Stats {
    pub(crate) fn see(&mut self, event: &AgentEvent) {
        *self.events.entry(event.type_name().to_owned()).or_default() += 1;
        let time = event.created_at.as_ref();
        let reply =
            format!("{}\u{0}{}", event.source.as_ref().map_or("", |path| path.as_str()), event.reply_id().map_or("", |id| id.as_str()));
        // The rule of the fold: an id counts once in a reply.
        if let (Some(id), Some(_)) = (&event.id, event.reply_id())
            && !self.seen.entry(reply.clone()).or_default().insert(id.clone())
        {
            self.repeated += 1;
            return;
        }
        match &event.payload {
            Payload::ModelCallStart(_) => {
                self.model.insert(reply, ModelCall { start: time.cloned(), first: None });
            }
            Payload::ModelCallEnd(end) => {
                if let Some(usage) = end.usage {
                    self.usage = self.usage.saturating_add(usage);
                }
                if let (Some(call), Some(usage)) = (self.model.remove(&reply), end.usage)
                    && let Some(lasted) = between(call.first.as_ref(), time).filter(|lasted| *lasted > 0.0)
                {
                    self.token_speed.push(usage.output_tokens as f64 / lasted);
                }
            }
            Payload::TextBlockStart(p) => self.open(reply, p.block_id.as_str(), time),
            Payload::ThinkingBlockStart(p) => self.open(reply, p.block_id.as_str(), time),
            Payload::TextBlockDelta(p) => self.piece(reply, p.block_id.as_str(), &p.delta, time),
            Payload::ThinkingBlockDelta(p) => self.piece(reply, p.block_id.as_str(), &p.delta, time),
            Payload::TextBlockEnd(p) => self.close(reply, p.block_id.as_str(), time),
            Payload::ThinkingBlockEnd(p) => self.close(reply, p.block_id.as_str(), time),
            Payload::ToolCallStart(p) => {
                let first = self.calls.insert((reply, p.tool_call_id.to_string()), p.tool_call_name.clone()).is_none();
                self.tools.entry(p.tool_call_name.clone()).or_default().calls += u64::from(first);
            }
            Payload::ToolResultStart(p) => {
                let key = (reply, p.tool_call_id.to_string());
                let name = match (p.tool_call_name.as_str(), self.calls.get(&key)) {
                    ("", Some(name)) => name.clone(),
                    (name, _) => name.to_owned(),
                };
                self.running.insert(key, (name, time.cloned()));
            }
            Payload::ToolResultEnd(p) => {
                if let Some((name, start)) = self.running.remove(&(reply, p.tool_call_id.to_string())) {
                    let tool = self.tools.entry(name).or_default();
                    if matches!(p.state, ToolResultState::Error | ToolResultState::Denied | ToolResultState::Interrupted) {
                        tool.failures += 1;
                    }
                    tool.latency.extend(between(start.as_ref(), time));
                }
            }
            _ => {}
        }
    }

    fn open(&mut self, reply: String, block: &str, time: Option<&Timestamp>) {
        self.blocks.insert((reply, block.to_owned()), (time.cloned(), 0));
    }

    fn piece(&mut self, reply: String, block: &str, delta: &str, time: Option<&Timestamp>) {
        if let Some(call) = self.model.get_mut(&reply).filter(|call| call.first.is_none()) {
            call.first = time.cloned();
            self.first_token.extend(between(call.start.as_ref(), time));
        }
        if let Some((_, characters)) = self.blocks.get_mut(&(reply, block.to_owned())) {
            *characters += delta.chars().count();
        }
    }

    fn close(&mut self, reply: String, block: &str, time: Option<&Timestamp>) {
        if let Some((start, characters)) = self.blocks.remove(&(reply, block.to_owned()))
            && let Some(lasted) = between(start.as_ref(), time).filter(|lasted| *lasted > 0.0)
        {
            self.speed.push(characters as f64 / lasted);
        }
    }
}

/// Seconds from one time to the other, if both are times and in order.
fn between(start: Option<&Timestamp>, end: Option<&Timestamp>) -> Option<f64> {
    let lasted = end?.to_datetime()?.signed_duration_since(start?.to_datetime()?).num_microseconds()?;
    (lasted >= 0).then_some(lasted as f64 / 1e6)
}

/// The least, the middle and the greatest of some numbers.
pub(crate) fn spread(numbers: &[f64]) -> Option<[f64; 3]> {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    Some([*sorted.first()?, *sorted.get(sorted.len() / 2)?, *sorted.last()?])
}
