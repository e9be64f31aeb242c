//! Counts and times of a log.

use crate::by_reply::ByReply;
use replyfold::event::{AgentEvent, EventRef, EventType, Payload};
use replyfold::message::{BlockId, Timestamp, ToolCallId, ToolResultState, Usage};
use replyfold::reduce::Applied;
use std::collections::{BTreeMap, HashMap};

/// What was counted.
#[derive(Default)]
pub(crate) struct Stats {
    pub(crate) records: u64,
    pub(crate) bad: u64,
    pub(crate) replies: u64,
    /// Events that the fold ignores as their reply had them already. They stand in [`events`](Self::events) and nowhere else.
    pub(crate) repeated: u64,
    pub(crate) usage: Usage,
    pub(crate) tools: BTreeMap<String, Tool>,
    /// Seconds from the call of the model to its first text or thinking.
    pub(crate) first_token: Vec<f64>,
    /// Characters a second of each text and thinking block that lasted.
    pub(crate) speed: Vec<f64>,
    /// Tokens a second of each model call that tells its tokens and lasted.
    pub(crate) token_speed: Vec<f64>,
    /// Number of events of each known type, by its place in [`EventType::ALL`].
    known: [u64; EventType::ALL.len()],
    /// Number of events of every other type.
    other: BTreeMap<String, u64>,
    replying: ByReply<Replying>,
    /// The open block of the last piece. It is in no map, so that a piece after a piece looks nothing up.
    current: Option<(Place, Open)>,
    /// The other open text and thinking blocks.
    blocks: HashMap<Place, Open>,
}

/// A block, by the number of its reply and its id.
type Place = (usize, BlockId);

/// An open block: its start, and its characters so far.
type Open = (Option<Timestamp>, usize);

/// What is under way in one reply.
#[derive(Default)]
struct Replying {
    model: Option<ModelCall>,
    /// Names of its calls.
    calls: HashMap<ToolCallId, String>,
    /// Name and start of each tool that runs.
    running: HashMap<ToolCallId, (String, Option<Timestamp>)>,
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
    /// Counts an event, and what the fold made of it.
    pub(crate) fn see(&mut self, event: EventRef<'_>, applied: Applied) {
        match event.event_type().and_then(|event| self.known.get_mut(event as usize)) {
            Some(count) => *count += 1,
            None => match self.other.get_mut(event.type_name()) {
                Some(count) => *count += 1,
                None => _ = self.other.insert(event.type_name().to_owned(), 1),
            },
        }
        if applied.duplicate {
            self.repeated += 1;
            return;
        }
        let Some(reply) = event.reply_id() else { return };
        let place = self.replying.place(event.source(), reply);
        match event.event_type() {
            Some(EventType::TextBlockDelta | EventType::ThinkingBlockDelta) => self.piece(place, event),
            // Nothing is counted of the other pieces, and no other event is lent as one.
            _ => _ = event.as_event().and_then(|event| self.see_other(place, event)),
        }
    }

    /// Number of events of each type that the log has.
    pub(crate) fn events(&self) -> BTreeMap<&str, u64> {
        let known = EventType::ALL.iter().map(|event| event.as_str()).zip(self.known);
        let other = self.other.iter().map(|(name, count)| (name.as_str(), *count));
        known.chain(other).filter(|(_, count)| *count > 0).collect()
    }

    fn see_other(&mut self, place: usize, event: &AgentEvent) -> Option<()> {
        let time = event.created_at.as_ref();
        match &event.payload {
            Payload::TextBlockStart(p) => self.open(place, &p.block_id, time),
            Payload::ThinkingBlockStart(p) => self.open(place, &p.block_id, time),
            Payload::TextBlockEnd(p) => self.close(place, &p.block_id, time),
            Payload::ThinkingBlockEnd(p) => self.close(place, &p.block_id, time),
            Payload::ModelCallStart(_) => {
                self.replying.at(place)?.model = Some(ModelCall { start: time.cloned(), first: None });
            }
            Payload::ModelCallEnd(end) => {
                let call = self.replying.at(place)?.model.take();
                let usage = end.usage?;
                self.usage = self.usage.saturating_add(usage);
                let call = call?;
                let lasted = between(call.first.as_ref(), time).filter(|lasted| *lasted > 0.0)?;
                self.token_speed.push(usage.output_tokens as f64 / lasted);
            }
            Payload::ToolCallStart(p) => {
                let calls = &mut self.replying.at(place)?.calls;
                let first = calls.insert(p.tool_call_id.clone(), p.tool_call_name.clone()).is_none();
                self.tools.entry(p.tool_call_name.clone()).or_default().calls += u64::from(first);
            }
            Payload::ToolResultStart(p) => {
                let reply = self.replying.at(place)?;
                let name = match (p.tool_call_name.as_str(), reply.calls.get(&p.tool_call_id)) {
                    ("", Some(name)) => name.clone(),
                    (name, _) => name.to_owned(),
                };
                reply.running.insert(p.tool_call_id.clone(), (name, time.cloned()));
            }
            Payload::ToolResultEnd(p) => {
                let (name, start) = self.replying.at(place)?.running.remove(&p.tool_call_id)?;
                let tool = self.tools.entry(name).or_default();
                if matches!(p.state, ToolResultState::Error | ToolResultState::Denied | ToolResultState::Interrupted) {
                    tool.failures += 1;
                }
                tool.latency.extend(between(start.as_ref(), time));
            }
            _ => {}
        }
        Some(())
    }

    fn open(&mut self, reply: usize, block: &BlockId, time: Option<&Timestamp>) {
        self.put_back();
        self.blocks.insert((reply, block.clone()), (time.cloned(), 0));
    }

    fn piece(&mut self, reply: usize, event: EventRef<'_>) {
        if let Some(call) = self.replying.at(reply).and_then(|reply| reply.model.as_mut()).filter(|call| call.first.is_none()) {
            call.first = event.created_at().map(Timestamp::new);
            self.first_token.extend(between(call.start.as_ref(), call.first.as_ref()));
        }
        let (Some(block), Some(text)) = (event.block_id(), event.text()) else { return };
        if !self.current.as_ref().is_some_and(|((place, id), _)| *place == reply && id == block) {
            self.put_back();
            self.current = self.blocks.remove_entry(&(reply, block.clone()));
        }
        if let Some((_, (_, characters))) = &mut self.current {
            *characters += text.chars().count();
        }
    }

    fn close(&mut self, reply: usize, block: &BlockId, time: Option<&Timestamp>) {
        self.put_back();
        if let Some((start, characters)) = self.blocks.remove(&(reply, block.clone()))
            && let Some(lasted) = between(start.as_ref(), time).filter(|lasted| *lasted > 0.0)
        {
            self.speed.push(characters as f64 / lasted);
        }
    }

    /// Puts the block of the last piece back to the others.
    fn put_back(&mut self) {
        self.blocks.extend(self.current.take());
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
