//! What the step knows of one speaker: its runs, the ids it used, what is parked.

use super::ANONYMOUS;
use super::runs::Runs;
use crate::ReadNote;
use foldhash::{HashMap, HashSet};
use replyfold_event::{AgentEvent, AgentStart, Extension, GenerateReason, Payload};
use replyfold_message::{ReplyId, SessionId};

/// One speaker: an agent, or one task of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Speaker {
    /// The reply that each own id had when it was met.
    met: HashMap<ReplyId, ReplyId>,
    runs: Runs,
    /// Whether it is in the list of speakers that may have open runs.
    listed: bool,
    /// Number of starts; a run may also be opened without one.
    starts: u64,
    started: bool,
    /// The reply of the newest run.
    reply: Option<ReplyId>,
    /// The session that each reply began with.
    sessions: HashMap<ReplyId, Option<SessionId>>,
    parked: HashSet<ReplyId>,
    /// Whether some run used more than one id. Only then can a new start go on with a parked reply: a log with one id per reply says
    /// so itself.
    many_ids: bool,
}

/// The reply of an event, if it has one.
pub(super) struct Found {
    pub(super) reply: Option<ReplyId>,
    pub(super) note: Option<ReadNote>,
    /// Whether the speaker changed with it, the changes that the kind of the event makes apart.
    pub(super) changed: bool,
}

impl Speaker {
    pub(super) fn close_all(&mut self) {
        self.runs.clear();
        self.listed = false;
    }

    /// Whether it has open runs and is not in the list of such speakers yet; it counts as listed from then on.
    pub(super) fn lists_itself(&mut self) -> bool {
        !self.runs.is_empty() && !std::mem::replace(&mut self.listed, true)
    }

    /// Step 1: a start.
    pub(super) fn start(&mut self, own: Option<&ReplyId>, start: &AgentStart, event: &AgentEvent) -> Found {
        self.starts += 1;
        let own = own.cloned().unwrap_or_else(|| match &event.id {
            Some(id) => ReplyId::new(id.as_str()),
            None => ReplyId::new(&format!("{}#{}", event.source.as_ref().map_or("", |path| path.as_str()), self.starts)),
        });
        let reply = match (self.met.get(&own), &self.reply) {
            (Some(reply), _) => reply.clone(),
            (None, Some(reply)) if self.is_continued(reply, start.session_id.as_ref()) => reply.clone(),
            _ => own.clone(),
        };
        self.sessions.entry(reply.clone()).or_insert_with(|| start.session_id.clone());
        self.open(own, reply.clone());
        Found { reply: Some(reply), note: None, changed: true }
    }

    /// Whether a run that starts now goes on with the reply.
    fn is_continued(&self, reply: &ReplyId, session: Option<&SessionId>) -> bool {
        self.many_ids && self.parked.contains(reply) && self.sessions.get(reply).is_some_and(|began| began.as_ref() == session)
    }

    fn open(&mut self, own: ReplyId, reply: ReplyId) {
        self.started = true;
        self.reply = Some(reply.clone());
        self.met.insert(own.clone(), reply.clone());
        self.runs.open(own, reply);
    }

    /// Step 2: any other event.
    pub(super) fn find(&mut self, own: Option<&ReplyId>, event: &AgentEvent) -> Found {
        let is_hint = matches!(event.payload, Payload::Extension(Extension::HintBlock(_)));
        let is_end = matches!(event.payload, Payload::AgentEnd(_));
        let (mut note, mut changed) = (None, false);
        let met = own.and_then(|own| self.met.get(own));
        let is_met = met.is_some();
        let (run, reply) = match met {
            Some(reply) => (self.runs.of_reply(reply), Some(reply.clone())),
            None => {
                let run = self.run_of(event, &mut note);
                let reply = run.and_then(|run| self.runs.reply(run)).cloned();
                (run, reply)
            }
        };
        let (run, reply) = match (reply, own) {
            (Some(reply), _) => (run, Some(reply)),
            (None, Some(own)) if !self.started && !is_hint && !is_end => {
                changed = true;
                self.sessions.insert(own.clone(), None);
                self.open(own.clone(), own.clone());
                (self.runs.newest(), Some(own.clone()))
            }
            (None, Some(own)) => (None, Some(own.clone())),
            (None, None) if opens_anonymous(&event.payload) => {
                changed = true;
                note = Some(ReadNote::AnonymousReply);
                let reply = ReplyId::new(ANONYMOUS);
                self.open(reply.clone(), reply.clone());
                (self.runs.newest(), Some(reply))
            }
            (None, None) => (None, None),
        };
        if let (Some(reply), Some(run)) = (&reply, run) {
            if let Some(own) = own.filter(|_| !is_hint) {
                if !self.many_ids && self.runs.first_id(run) != Some(own) {
                    changed = true;
                    self.many_ids = true;
                }
                if !is_met && !self.met.contains_key(own) {
                    changed = true;
                    self.met.insert(own.clone(), reply.clone());
                }
            }
            self.runs.see(run, &event.payload);
        }
        if let Some(reply) = &reply {
            self.park(reply, run.is_some(), &event.payload);
        }
        if let (true, Some(run)) = (is_end, run) {
            self.runs.close(run);
        }
        Found { reply, note, changed }
    }

    /// The open run of an event whose id says nothing.
    fn run_of(&self, event: &AgentEvent, note: &mut Option<ReadNote>) -> Option<u64> {
        if self.runs.are_many() {
            let told = event.tool_call_id().and_then(|call| self.runs.of_call(call)).or_else(|| self.runs.oldest_between_model_calls());
            if told.is_some() {
                return told;
            }
            *note = Some(ReadNote::GuessedRun);
        }
        self.runs.newest()
    }

    /// Step 3: whether the reply waits for somebody.
    fn park(&mut self, reply: &ReplyId, in_run: bool, payload: &Payload) {
        match payload {
            Payload::RequireUserConfirm(_) | Payload::RequireExternalExecution(_) | Payload::RequestStop(_) => {
                self.parked.insert(reply.clone());
            }
            Payload::Extension(Extension::AgentResult(result)) => {
                let reason = result.result.as_ref().and_then(|msg| {
                    msg.metadata.get("agentscope_generate_reason")?.string().ok().map(|word| GenerateReason::from(word.as_ref()))
                });
                if reason.is_some_and(|reason| reason.is_parking()) {
                    self.parked.insert(reply.clone());
                } else {
                    self.parked.remove(reply);
                }
            }
            Payload::ModelCallStart(_) if in_run => {
                self.parked.remove(reply);
            }
            _ => {}
        }
    }
}

/// Whether an event without any id and without a run opens the log's anonymous reply: one that a message shows.
fn opens_anonymous(payload: &Payload) -> bool {
    matches!(
        payload,
        Payload::TextBlockStart(_)
            | Payload::TextBlockDelta(_)
            | Payload::ThinkingBlockStart(_)
            | Payload::ThinkingBlockDelta(_)
            | Payload::DataBlockStart(_)
            | Payload::DataBlockDelta(_)
            | Payload::ToolCallStart(_)
            | Payload::ToolCallDelta(_)
            | Payload::ToolResultStart(_)
            | Payload::ToolResultTextDelta(_)
            | Payload::ToolResultDataDelta(_)
            | Payload::ModelCallStart(_)
    )
}
