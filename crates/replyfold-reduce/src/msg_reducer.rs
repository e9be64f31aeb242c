//! The fold of one reply.

mod addressing;
mod block_rules;
mod call_rules;
mod people_rules;
mod piece_rules;
mod reply_rules;
mod result_rules;

use crate::blocks::{BlockKind, Blocks};
use crate::duplicates::Duplicates;
use crate::{Applied, Change, Note, NoteKind, ReduceOptions, partial_json};
use replyfold_event::{AgentEvent, EventRef, Extension, GenerateReason, Payload, SubagentExposed};
use replyfold_message::json::JsonObject;
use replyfold_message::{Block, EventId, Msg, ReplyId, Role, ToolCallBlock, ToolCallState};

/// Folds the events of one reply into its message.
///
/// `apply` costs amortised constant time, whatever the size of the message and the number of its blocks; `message` is a borrow. Memory is
/// the content, a constant for each block, and 16 bytes for each event while duplicates are checked (`reduction.md` section 5).
///
/// ```
/// use replyfold_event::{AgentEvent, ToolCallDelta, ToolCallStart};
/// use replyfold_reduce::{Change, MsgReducer, NoteKind};
///
/// let mut reducer = MsgReducer::new("r1");
/// reducer.apply(&AgentEvent::new(ToolCallStart::new("r1", "c1", "weather")));
/// let applied = reducer.apply(&AgentEvent::new(ToolCallDelta::new("r1", "c1", r#"{"city":"Par"#)));
///
/// assert_eq!(applied.change, Change::Block(0));
/// assert_eq!(reducer.partial_input(0).map(|input| input.as_str().to_owned()).as_deref(), Some(r#"{"city":"Par"}"#));
/// // The reply's start never came; the fold says so and goes on.
/// assert_eq!(reducer.notes().iter().map(|note| note.kind).collect::<Vec<_>>(), [NoteKind::HeadMissing]);
/// ```
#[derive(Clone, Debug)]
pub struct MsgReducer {
    reply: ReplyId,
    options: ReduceOptions,
    msg: Msg,
    opened: bool,
    /// The message was opened by another event than the reply's start, which may still come.
    head_missing: bool,
    /// The reply ended, and no start has continued it.
    ended: bool,
    pub(crate) blocks: Blocks,
    /// Number of the model call, and how many blocks there were when it began.
    model_call: u64,
    call_began: usize,
    seen: Duplicates,
    notes: Vec<Note>,
    stop: Option<GenerateReason>,
    exposed: Vec<SubagentExposed>,
    position: u64,
    /// Bytes of content that were moved into the message. The work of the fold is tested by counting.
    #[cfg(test)]
    pub(crate) copied: u64,
}

/// The state of a fold at one point of its log: what [`MsgReducer::resume`] goes on from.
///
/// Blocks are shared with the fold that made it, so it copies no content; the ids of the events seen, 16 bytes each, are copied.
///
/// ```
/// use replyfold_event::{AgentEvent, TextBlockDelta, TextBlockStart};
/// use replyfold_reduce::MsgReducer;
///
/// let mut reducer = MsgReducer::new("r1");
/// reducer.apply(&AgentEvent::new(TextBlockStart::new("r1", "b1")));
/// let checkpoint = reducer.checkpoint();
/// let delta = AgentEvent::new(TextBlockDelta::new("r1", "b1", "Hello"));
/// reducer.apply(&delta);
///
/// let mut resumed = MsgReducer::resume(checkpoint);
/// resumed.apply(&delta);
/// assert_eq!(resumed.message(), reducer.message());
/// ```
#[derive(Clone, Debug)]
pub struct Checkpoint(Box<MsgReducer>);

impl Checkpoint {
    /// The message at that point.
    #[must_use]
    pub fn message(&self) -> &Msg {
        &self.0.msg
    }
}

impl MsgReducer {
    /// A fold of the reply with this id, with the usual options.
    #[must_use]
    pub fn new(reply: impl Into<ReplyId>) -> Self {
        Self::with_options(reply, ReduceOptions::new())
    }

    /// A fold of the reply with this id.
    #[must_use]
    pub fn with_options(reply: impl Into<ReplyId>, options: ReduceOptions) -> Self {
        let reply = reply.into();
        Self {
            msg: Msg::new(&reply, Role::Assistant),
            reply,
            options,
            opened: false,
            head_missing: false,
            ended: false,
            blocks: Blocks::default(),
            model_call: 0,
            call_began: 0,
            seen: Duplicates::default(),
            notes: Vec::new(),
            stop: None,
            exposed: Vec::new(),
            position: 0,
            #[cfg(test)]
            copied: 0,
        }
    }

    /// Folds the next event; its position is one after the last one's.
    pub fn apply<'e>(&mut self, event: impl Into<EventRef<'e>>) -> Applied {
        self.apply_at(self.position, event)
    }

    /// Folds the event at this position of its log, counted in records from 0. Positions only serve the notes.
    pub fn apply_at<'e>(&mut self, position: u64, event: impl Into<EventRef<'e>>) -> Applied {
        let event = event.into();
        self.position = position + 1;
        if let Some(reply) = event.reply_id()
            && *reply != self.reply
        {
            self.note(NoteKind::ForeignReply, Some(reply.as_str()));
            self.name_event(self.notes.len() - 1, event);
            return Applied { noted: true, ..Applied::default() };
        }
        self.apply_mine(position, event)
    }

    /// Folds an event of this reply, or of none: then it can still be no more than ignored.
    pub(crate) fn apply_mine(&mut self, position: u64, event: EventRef<'_>) -> Applied {
        self.position = position + 1;
        let noted = self.notes.len();
        let usual = event.piece().and_then(|(base, piece)| self.apply_piece(base, piece));
        let mut applied = usual.unwrap_or_else(|| self.apply_once(&event.to_cow()));
        if self.notes.len() > noted {
            self.name_event(noted, event);
            applied.noted = true;
        }
        applied
    }

    /// Notes an event that was folded already.
    pub(crate) fn note_repeat(&mut self, position: u64, id: &str) -> Applied {
        self.position = position + 1;
        self.note(NoteKind::DuplicateEvent, Some(id));
        if let Some(note) = self.notes.last_mut() {
            note.event = Some(EventId::new(id));
        }
        Applied::DUPLICATE
    }

    /// Notes are rare and the id of the event is a copy: the notes that an event caused get it afterwards.
    fn name_event(&mut self, first: usize, event: EventRef<'_>) {
        for note in self.notes.iter_mut().skip(first) {
            note.event = event.id().map(EventId::new);
        }
    }

    fn apply_once(&mut self, event: &AgentEvent) -> Applied {
        if self.reply.is_empty() && event.reply_id().is_some() {
            self.note(NoteKind::EmptyReplyId, None);
            return Applied::default();
        }
        if self.options.check_duplicates
            && let Some(id) = &event.id
            && !self.seen.insert(id.as_bytes())
        {
            self.note(NoteKind::DuplicateEvent, Some(id.as_str()));
            return Applied::DUPLICATE;
        }
        let (was_open, was_ended) = (self.opened, self.ended);
        let change = self.fold(event);
        let applied = Applied { opened: self.opened && !was_open, change, ..Applied::default() };
        if was_ended && self.ended && applied.is_change() {
            self.note(NoteKind::AfterReplyEnd, None);
        }
        applied
    }

    /// The table of rules (`reduction.md` section 2).
    fn fold(&mut self, event: &AgentEvent) -> Change {
        match &event.payload {
            Payload::AgentStart(start) => self.agent_start(event, start),
            Payload::AgentEnd(end) => self.agent_end(event, end),
            Payload::ModelCallStart(_) => self.model_call_start(),
            Payload::ModelCallEnd(end) => self.model_call_end(event, end),
            Payload::TextBlockStart(start) => self.block_start(event, BlockKind::Text, &start.block_id, None),
            Payload::TextBlockDelta(delta) => self.text_delta(event, BlockKind::Text, &delta.block_id, &delta.delta),
            Payload::TextBlockEnd(end) => self.block_end(event, BlockKind::Text, &end.block_id, end.text.as_deref()),
            Payload::ThinkingBlockStart(start) => self.block_start(event, BlockKind::Thinking, &start.block_id, None),
            Payload::ThinkingBlockDelta(delta) => self.text_delta(event, BlockKind::Thinking, &delta.block_id, &delta.delta),
            Payload::ThinkingBlockEnd(end) => self.block_end(event, BlockKind::Thinking, &end.block_id, None),
            Payload::DataBlockStart(start) => self.block_start(event, BlockKind::Data, &start.block_id, Some(start)),
            Payload::DataBlockDelta(delta) => self.data_delta(event, delta),
            Payload::DataBlockEnd(end) => self.block_end(event, BlockKind::Data, &end.block_id, None),
            Payload::ToolCallStart(start) => self.call_start(event, start),
            Payload::ToolCallDelta(delta) => self.call_delta(event, delta),
            Payload::ToolCallEnd(end) => self.call_end(event, end),
            Payload::ToolResultStart(start) => self.result_start(event, start),
            Payload::ToolResultTextDelta(delta) => self.result_text(event, delta),
            Payload::ToolResultDataDelta(delta) => self.result_data(event, delta),
            Payload::ToolResultEnd(end) => self.result_end(event, end),
            Payload::RequireUserConfirm(require) => self.require_confirm(require),
            Payload::UserConfirmResult(answer) => self.confirm_result(answer),
            Payload::RequireExternalExecution(require) => self.require_external(require),
            Payload::ExternalExecutionResult(results) => self.external_result(event, results),
            Payload::RequestStop(stop) => {
                self.stop = Some(stop.generate_reason.clone());
                Change::None
            }
            Payload::SubagentExposed(exposed) => {
                self.exposed.push(exposed.clone());
                Change::None
            }
            Payload::Extension(extension) => self.extension(event, extension),
            Payload::ExceedMaxIters(_) | Payload::Unknown(_) => Change::None,
            // Demanded by `#[non_exhaustive]`; the lint at the top of the crate names whatever hides here.
            _ => Change::None,
        }
    }

    fn extension(&mut self, event: &AgentEvent, extension: &Extension) -> Change {
        match extension {
            Extension::HintBlock(hint) => self.hint(event, hint),
            Extension::UserInterrupt(_) | Extension::AgentResult(_) | Extension::AllToolsDenied(_) | Extension::Custom(_) => Change::None,
            // As above.
            _ => Change::None,
        }
    }

    /// The message of what was folded so far. Before the reply is opened it has no content and is not part of a session.
    #[must_use]
    pub fn message(&self) -> &Msg {
        &self.msg
    }

    /// The message, when no more is to be folded.
    #[must_use]
    pub fn into_message(self) -> Msg {
        self.msg
    }

    /// Id of the reply.
    #[must_use]
    pub fn reply_id(&self) -> &ReplyId {
        &self.reply
    }

    /// Whether the message was opened, by the reply's start or by an event that opens a message without it.
    #[must_use]
    pub fn is_opened(&self) -> bool {
        self.opened
    }

    /// Whether the reply ended and no start has continued it.
    #[must_use]
    pub fn is_ended(&self) -> bool {
        self.ended
    }

    /// Whether the block at this index is open: started and not ended.
    #[must_use]
    pub fn is_open(&self, index: usize) -> bool {
        self.blocks.is_open(index)
    }

    /// What was noted, in the order of the events.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The arguments of the call at this index as far as they can be read: of a call that is still streaming, the best reading of the text
    /// so far; else its input. `None` if the block is no call.
    #[must_use]
    pub fn partial_input(&self, index: usize) -> Option<JsonObject> {
        let Block::ToolCall(call) = self.msg.content.get(index)? else { return None };
        Some(if self.is_open(index) { partial_json::parse(&call.content) } else { call.input.clone() })
    }

    /// The calls that wait for somebody: for a person's answer (`asking`) or for a result from outside (`submitted`).
    pub fn awaited(&self) -> impl Iterator<Item = &ToolCallBlock> {
        let waits = |call: &&ToolCallBlock| matches!(call.state, ToolCallState::Asking | ToolCallState::Submitted);
        let calls = self.msg.content.iter().filter_map(|block| if let Block::ToolCall(call) = block { Some(call) } else { None });
        calls.filter(waits)
    }

    /// Why the run was last asked to stop, if it was and has not gone on since.
    #[must_use]
    pub fn stop_reason(&self) -> Option<&GenerateReason> {
        self.stop.as_ref()
    }

    /// Sub-agents of this reply that can be seen, in the order of their events.
    #[must_use]
    pub fn exposed(&self) -> &[SubagentExposed] {
        &self.exposed
    }

    /// The state at this point. Costs the number of blocks and of events seen, never the content.
    #[must_use]
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint(Box::new(self.clone()))
    }

    /// A fold that goes on from a checkpoint.
    #[must_use]
    pub fn resume(checkpoint: Checkpoint) -> Self {
        *checkpoint.0
    }

    fn note(&mut self, kind: NoteKind, subject: Option<&str>) {
        self.notes.push(Note { kind, position: self.position.saturating_sub(1), event: None, subject: subject.map(Into::into) });
    }

    /// Opens the message with what the event tells, unless it is open.
    fn open(&mut self, event: &AgentEvent) {
        if !self.opened {
            self.opened = true;
            self.head_missing = true;
            self.msg.created_at.clone_from(&event.created_at);
            self.note(NoteKind::HeadMissing, None);
        }
    }

    /// Appends a block. An id that the log left out is no id to be found by.
    fn append(&mut self, kind: Option<BlockKind>, block: impl Into<Block>, open: bool) -> usize {
        let block = block.into();
        let index = self.blocks.push(kind, block.id(), open, self.model_call);
        self.msg.content.push(block);
        index
    }

    fn count(&mut self, _bytes: usize) {
        #[cfg(test)]
        {
            self.copied += _bytes as u64;
        }
    }
}

/// Keys of an event's metadata that belong to the envelope and are never copied to a block (`wire.md` section 5).
fn block_metadata(event: &AgentEvent) -> JsonObject {
    event.metadata.filter(|key| !matches!(key, "taskId" | "parentSessionId"))
}
