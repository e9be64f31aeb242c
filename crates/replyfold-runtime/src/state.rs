//! What an agent remembers: one document that another process can go on with.

use replyfold_event::{AgentEvent, Payload};
use replyfold_message::json::{FieldValue, Style, Value, Writer};
use replyfold_message::{Block, Msg, PermissionRule, ReplyId, SessionId, ToolCallId, Usage};
use replyfold_reduce::{MsgReducer, ReduceOptions};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
use serde_json::value::RawValue;
use std::collections::{BTreeMap, HashSet};

/// What an agent remembers between inputs, as one serde document (JSON).
///
/// Configuration, model, tools and middleware are not in it. A reply that is parked is: its events, pieces of a block joined, from which its
/// message is folded again.
///
/// ```
/// use replyfold_runtime::AgentState;
///
/// let state = AgentState::new("session-1");
/// let json = serde_json::to_string(&state)?;
/// assert_eq!(json, r#"{"sessionId":"session-1","context":[]}"#);
/// assert_eq!(serde_json::from_str::<AgentState>(&json)?, state);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct AgentState {
    /// The session.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "write_session", deserialize_with = "read_session")]
    pub session_id: Option<SessionId>,
    /// The messages so far, oldest first; the one of a parked reply is not among them.
    #[serde(default)]
    pub context: Vec<Msg>,
    /// The reply that is parked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parked: Option<ParkedReply>,
    /// The rules that people accepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty", serialize_with = "write_rules", deserialize_with = "read_rules")]
    pub rules: Vec<PermissionRule>,
    /// What middleware keeps, by its key.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub kept: BTreeMap<String, serde_json::Value>,
}

/// A reply that waits for somebody.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct ParkedReply {
    /// Its id.
    pub reply_id: String,
    /// The rounds that it had: model calls that answered.
    pub rounds: u64,
    /// Its events, pieces of a block joined.
    pub events: Vec<AgentEvent>,
}

impl AgentState {
    /// The state of a new session.
    #[must_use]
    pub fn new(session: impl Into<SessionId>) -> Self {
        Self { session_id: Some(session.into()), ..Self::default() }
    }

    /// The message of the parked reply, as far as it is.
    #[must_use]
    pub fn parked_message(&self) -> Option<Msg> {
        self.parked.as_ref().map(|parked| parked.fold().into_message())
    }
}

impl ParkedReply {
    pub(crate) fn fold(&self) -> MsgReducer {
        // Joined pieces carry the id of the first one.
        let mut fold = new_fold(&ReplyId::new(&self.reply_id));
        self.events.iter().for_each(|event| _ = fold.apply(event));
        fold
    }
}

/// The runtime makes each event once, so nothing is remembered to find repeated ones.
fn new_fold(reply: &ReplyId) -> MsgReducer {
    MsgReducer::with_options(reply.clone(), ReduceOptions::new().with_check_duplicates(false))
}

fn write_session<S: Serializer>(session: &Option<SessionId>, to: S) -> Result<S::Ok, S::Error> {
    session.as_ref().map(SessionId::as_str).serialize(to)
}

fn read_session<'de, D: Deserializer<'de>>(from: D) -> Result<Option<SessionId>, D::Error> {
    Ok(Option::<String>::deserialize(from)?.map(|id| SessionId::new(&id)))
}

fn write_rules<S: Serializer>(rules: &Vec<PermissionRule>, to: S) -> Result<S::Ok, S::Error> {
    let text = Writer::text(Style::Compact, |out| rules.write(out));
    RawValue::from_string(text).map_err(ser::Error::custom)?.serialize(to)
}

fn read_rules<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<PermissionRule>, D::Error> {
    let text = Box::<RawValue>::deserialize(from)?;
    Value::parse(text.get()).and_then(FieldValue::read).map_err(de::Error::custom)
}

/// The state while the agent works: with the fold of the reply that goes on.
pub(crate) struct Kept {
    pub(crate) state: AgentState,
    pub(crate) reply: Option<Going>,
    /// Ids of all calls: a model may give one twice.
    pub(crate) calls: HashSet<ToolCallId>,
}

/// A reply that goes on.
pub(crate) struct Going {
    pub(crate) fold: MsgReducer,
    pub(crate) rounds: u64,
    /// It waits for somebody.
    pub(crate) is_parked: bool,
    /// A model call has begun and not ended.
    pub(crate) calls_model: bool,
    /// What that call has cost: the attempts that nobody was told of, and the one that goes on.
    pub(crate) spent: Option<Usage>,
    events: Vec<AgentEvent>,
}

impl Going {
    fn new(fold: MsgReducer, rounds: u64, events: Vec<AgentEvent>) -> Self {
        Self { fold, rounds, is_parked: false, calls_model: false, spent: None, events }
    }

    pub(crate) fn message(&self) -> &Msg {
        self.fold.message()
    }
}

impl Kept {
    pub(crate) fn new(mut state: AgentState) -> Self {
        let reply = state.parked.take().map(|parked| Going { is_parked: true, ..Going::new(parked.fold(), parked.rounds, parked.events) });
        let messages = state.context.iter().chain(reply.iter().map(Going::message));
        let calls = messages.flat_map(|msg| msg.content.iter()).filter_map(|block| match block {
            Block::ToolCall(call) => Some(call.id.clone()),
            _ => None,
        });
        Self { calls: calls.collect(), reply, state }
    }

    /// The document.
    pub(crate) fn to_state(&self) -> AgentState {
        let parked = self.reply.as_ref().map(|going| ParkedReply {
            reply_id: going.fold.reply_id().as_str().to_owned(),
            rounds: going.rounds,
            events: going.events.clone(),
        });
        AgentState { parked, ..self.state.clone() }
    }

    /// Begins a reply.
    pub(crate) fn begin(&mut self, reply: &ReplyId) {
        self.reply = Some(Going::new(new_fold(reply), 0, Vec::new()));
    }

    /// Takes an event of the reply that the consumer was given; a reply that ended becomes a message of the context.
    pub(crate) fn take(&mut self, event: &AgentEvent) {
        let Some(going) = &mut self.reply else { return };
        going.fold.apply(event);
        match &event.payload {
            Payload::ModelCallStart(_) => going.calls_model = true,
            Payload::ModelCallEnd(_) => going.calls_model = false,
            Payload::RequestStop(_) => going.is_parked = true,
            _ => {}
        }
        if going.fold.is_ended() {
            let message = self.reply.take().map(|going| going.fold.into_message());
            self.state.context.extend(message);
        } else if !joined(&mut going.events, event) {
            going.events.push(event.clone());
        }
    }
}

/// Joins a piece to the one before, if that is of the same block: the law of compaction says that they fold to the same.
fn joined(events: &mut [AgentEvent], event: &AgentEvent) -> bool {
    let Some(last) = events.last_mut() else { return false };
    match (&mut last.payload, &event.payload) {
        (Payload::TextBlockDelta(last), Payload::TextBlockDelta(piece)) if last.block_id == piece.block_id => {
            last.delta.push_str(&piece.delta)
        }
        (Payload::ThinkingBlockDelta(last), Payload::ThinkingBlockDelta(piece)) if last.block_id == piece.block_id => {
            last.delta.push_str(&piece.delta);
        }
        (Payload::ToolCallDelta(last), Payload::ToolCallDelta(piece)) if last.tool_call_id == piece.tool_call_id => {
            last.delta.push_str(&piece.delta);
        }
        (Payload::ToolResultTextDelta(last), Payload::ToolResultTextDelta(piece)) if last.tool_call_id == piece.tool_call_id => {
            last.delta.push_str(&piece.delta);
        }
        _ => return false,
    }
    true
}
