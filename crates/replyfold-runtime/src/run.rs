//! One run: from an input to the end of its reply, or to where it is parked.

mod acting;
mod arguments;
mod calls;
mod layered;
mod reasoning;
pub(crate) mod resume;

use crate::agent::Inner;
use crate::clock::written;
use crate::closing;
use crate::handover::Handover;
use crate::input::Input;
use crate::middleware::{EventSink, RoundEnd};
use crate::state::Going;
use futures_util::future::{Either, select};
use replyfold_event::{AgentEvent, AgentStart, ExceedMaxIters, GenerateReason, Payload, RequestStop};
use replyfold_message::{Block, Failure, FinishedReason, Msg, MsgId, ReplyId, Role, Timestamp, ToolCallId, ToolCallState};
use std::pin::pin;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// What the parts of a run share.
pub(crate) struct Run {
    pub(crate) inner: Arc<Inner>,
    handover: Arc<Handover>,
    pub(crate) reply: ReplyId,
    /// Where events go that pass layers; `None` if they go to the consumer straight away.
    events: Option<EventSink>,
}

/// What comes next.
enum Next {
    /// These calls are run.
    Act(Vec<ToolCallId>),
    /// Somebody has to answer first.
    Park(GenerateReason),
    /// The model is called; for the last time if the limit of rounds is reached.
    Reason { is_last: bool },
    /// The reply ends.
    End(FinishedReason),
}

/// Works on an input.
pub(crate) async fn run(inner: Arc<Inner>, handover: Arc<Handover>, input: Input, token: CancellationToken) {
    let reply = match inner.with_reply(|going| going.fold.reply_id().clone()) {
        Some(reply) => reply,
        None if input == Input::Interrupt => return,
        None => ReplyId::new(&inner.config.clock.id()),
    };
    let run = Run { inner, handover, reply, events: None };
    let interrupted = {
        let work = pin!(run.reply(input));
        let cancelled = pin!(token.cancelled());
        match select(cancelled, work).await {
            Either::Left(_) => true,
            Either::Right((Ok(()), _)) => false,
            Either::Right((Err(failure), _)) => {
                run.close(FinishedReason::Error, Some(failure)).await;
                false
            }
        }
    };
    if interrupted {
        run.close(FinishedReason::Interrupted, None).await;
    }
}

impl Run {
    /// Emits an event; comes back once the consumer has it.
    pub(crate) async fn emit(&self, payload: impl Into<Payload>) {
        let payload = payload.into();
        match &self.events {
            None => self.handover.give(|| self.inner.stamp(payload)).await,
            Some(events) => events.emit(AgentEvent::new(payload)).await,
        }
    }

    /// Looks at the reply. There is one from its start to its end.
    pub(crate) fn with<R: Default>(&self, work: impl FnOnce(&mut Going) -> R) -> R {
        self.inner.with_reply(work).unwrap_or_default()
    }

    async fn close(&self, reason: FinishedReason, failure: Option<Failure>) {
        self.handover.all_taken().await;
        // One that was parked, or ended, before this came is left as it is.
        let payloads = self.with(|going| if going.is_parked { Vec::new() } else { closing::payloads(going, reason, failure) });
        for payload in payloads {
            self.emit(payload).await;
        }
    }

    async fn work(&self, input: Input) -> Result<(), Failure> {
        match input {
            Input::Nothing => self.start(Vec::new()).await,
            Input::Messages(messages) => self.start(messages).await,
            Input::Confirm(answer) => self.confirm(answer).await,
            Input::Results(results) => self.take_results(results).await,
            Input::Interrupt => {
                self.with(|going| going.is_parked = false);
                self.straight().close(FinishedReason::Interrupted, None).await;
                return Ok(());
            }
        }
        let mut last = None;
        loop {
            match self.next(last.as_ref()) {
                Next::Act(calls) => self.act(&calls).await,
                Next::Park(reason) => {
                    self.emit(RequestStop::new(reason).with_reply_id(self.reply.clone())).await;
                    return Ok(());
                }
                Next::Reason { is_last } => {
                    self.compress().await;
                    let round = self.reason(is_last).await?;
                    if is_last {
                        // Those that are left because a layer gave the last round its tools back.
                        self.refuse_calls().await;
                        self.end(FinishedReason::ExceedMaxIters).await;
                        if !self.has_ended() {
                            // Layers see this end, and cannot keep it back.
                            self.straight().emit(closing::end(&self.reply, FinishedReason::ExceedMaxIters, None)).await;
                        }
                        return Ok(());
                    }
                    last = Some(round);
                    continue;
                }
                Next::End(reason) => {
                    self.end(reason).await;
                    if self.has_ended() {
                        return Ok(());
                    }
                    // A layer keeps back the end, so another round follows.
                }
            }
            last = None;
        }
    }

    /// Begins a reply.
    async fn start(&self, mut messages: Vec<Msg>) {
        let clock = &self.inner.config.clock;
        for msg in &mut messages {
            if msg.id.is_empty() {
                msg.id = MsgId::new(&clock.id());
            }
            msg.created_at.get_or_insert_with(|| Timestamp::new(&written(clock.now())));
        }
        self.inner.with(|kept| {
            kept.state.context.extend(messages);
            kept.begin(&self.reply);
        });
        let mut start = AgentStart::new(self.reply.clone(), Role::Assistant).with_name(self.inner.config.name.as_str());
        if let Some(session) = self.inner.with(|kept| kept.state.session_id.clone()) {
            start = start.with_session_id(session);
        }
        self.emit(start).await;
    }

    /// Ends the reply, and what a layer may have left open.
    async fn end(&self, reason: FinishedReason) {
        for payload in self.with(|going| closing::open_blocks(going)) {
            self.emit(payload).await;
        }
        if reason == FinishedReason::ExceedMaxIters {
            let number = |rounds: u64| i64::try_from(rounds).unwrap_or(i64::MAX);
            let rounds = self.with(|going| going.rounds);
            let exceed = ExceedMaxIters::new(self.reply.clone())
                .with_max_iters(number(self.inner.config.max_rounds))
                .with_current_iter(number(rounds))
                .with_name(self.inner.config.name.as_str());
            self.emit(exceed).await;
        }
        self.emit(closing::end(&self.reply, reason, None)).await;
    }

    /// What comes next: read off the message, and off what the model said last.
    fn next(&self, last: Option<&RoundEnd>) -> Next {
        let (executable, parking, rounds) = self.with(|going| {
            let parking = parking(going);
            (executable(going, parking.is_some()), parking, going.rounds)
        });
        let most = self.inner.config.max_rounds;
        match (executable.is_empty(), parking, last) {
            (false, _, _) => Next::Act(executable),
            (true, Some(reason), _) => Next::Park(reason),
            (true, None, Some(RoundEnd::Final)) => Next::End(FinishedReason::Completed),
            (true, None, _) => Next::Reason { is_last: most > 0 && rounds >= most },
        }
    }
}

/// Why the reply has to wait, if it has to.
fn parking(going: &Going) -> Option<GenerateReason> {
    let mut awaited = going.fold.awaited().peekable();
    awaited.peek()?;
    Some(match awaited.any(|call| call.state == ToolCallState::Asking) {
        true => GenerateReason::PermissionAsking,
        false => GenerateReason::ToolSuspended,
    })
}

/// The calls that may be run now, in their order: those that are allowed, else those that nobody has decided on, unless something is awaited.
fn executable(going: &Going, is_awaiting: bool) -> Vec<ToolCallId> {
    let results =
        || going.message().content.iter().filter_map(|block| if let Block::ToolResult(result) = block { Some(&result.id) } else { None });
    let in_state = |state: ToolCallState| -> Vec<ToolCallId> {
        let calls = resume::calls(going).filter(|call| call.state == state && !results().any(|id| *id == call.id));
        calls.map(|call| call.id.clone()).collect()
    };
    let allowed = in_state(ToolCallState::Allowed);
    if allowed.is_empty() && !is_awaiting { in_state(ToolCallState::Pending) } else { allowed }
}
