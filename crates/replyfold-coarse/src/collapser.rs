//! One reply: fine events in, coarse events out.

mod calls;
mod rules;
mod splitters;
mod subagents;

use crate::{CoarseEvent, CollapseOptions, ErrorCode};
use calls::Calls;
use replyfold_event::EventRef;
use replyfold_event::message::{Failure, FinishedReason, ReplyId};
use splitters::Splitters;
use std::vec;
use subagents::Speaker;

/// Collapses the fine events of one reply ("Coarse protocol" sections 7, 8 and 11).
///
/// The reply is the first one that an event names; events of other replies are ignored, so a stream of several needs a
/// [`SessionCollapser`](crate::SessionCollapser). Each event has to be pushed once: duplicates are for the reader of the stream to drop. An
/// event costs constant time, apart from the size of its text and the end of a tool.
///
/// What comes out is well formed whatever goes in: every `tool_start` has one later `tool_end`, and `complete` is sent once and last.
///
/// ```
/// use replyfold_coarse::Collapser;
/// use replyfold_event::{AgentEvent, ToolResultStart};
///
/// let mut collapser = Collapser::new();
/// let start = AgentEvent::new(ToolResultStart::new("r1", "c1", "search"));
/// assert_eq!(collapser.push(&start).count(), 1);
/// // The stream just stops.
/// let end: Vec<_> = collapser.finish().map(|event| event.type_name().to_owned()).collect();
/// assert_eq!(end, ["tool_end", "error", "complete"]);
/// ```
#[derive(Clone, Debug)]
pub struct Collapser {
    options: CollapseOptions,
    reply: Option<ReplyId>,
    ending: Ending,
    /// How the last run ended, if the reply waited then: it may go on all the same.
    held: Option<RunEnd>,
    /// A tool was called in this round: its text is no longer shown.
    hidden: bool,
    /// The last model call showed text.
    showed_text: bool,
    /// The limit of rounds was reached.
    exceeded: bool,
    /// The failure that ends the reply was told.
    told_failure: bool,
    /// Number of the last retry in this round.
    retries: u64,
    /// Number of the model call, so that a call written again in another one is a new one.
    model_call: u64,
    calls: Calls,
    splitters: Splitters,
    speaker: Speaker,
    out: Vec<CoarseEvent>,
}

/// How a run ended.
#[derive(Clone, Debug)]
struct RunEnd {
    reason: Option<FinishedReason>,
    error: Option<Failure>,
}

impl RunEnd {
    fn is_failure(&self) -> bool {
        self.error.is_some() || self.reason == Some(FinishedReason::Error)
    }
}

/// How a reply stands, beside its coarse stream: `complete` alone does not tell an aborted run from a good one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// It goes on.
    #[default]
    Open,
    /// It waits for a person to confirm calls.
    WaitsForPerson,
    /// It waits for a tool that is run outside.
    WaitsForOutside,
    /// It was stopped and may go on.
    Stopped,
    /// Its stream is complete, as the agent had nothing more to do or gave no reason.
    Completed,
    /// Its stream is complete: a person stopped it.
    Interrupted,
    /// Its stream is complete: the limit of rounds was reached.
    MaxRounds,
    /// Its stream is complete: it failed.
    Failed,
    /// Its stream was closed before the reply ended.
    Closed,
}

impl Ending {
    /// Whether `complete` was sent.
    #[must_use]
    pub fn is_complete(self) -> bool {
        match self {
            Self::Open | Self::WaitsForPerson | Self::WaitsForOutside | Self::Stopped => false,
            Self::Completed | Self::Interrupted | Self::MaxRounds | Self::Failed | Self::Closed => true,
        }
    }

    /// Whether the end of a run only means that the reply waits.
    fn is_parked(self) -> bool {
        matches!(self, Self::WaitsForPerson | Self::WaitsForOutside | Self::Stopped)
    }
}

impl Default for Collapser {
    fn default() -> Self {
        Self::new()
    }
}

impl Collapser {
    /// A collapser with the usual options.
    #[must_use]
    pub fn new() -> Self {
        Self::with_options(CollapseOptions::new())
    }

    /// A collapser.
    #[must_use]
    pub fn with_options(options: CollapseOptions) -> Self {
        Self {
            splitters: Splitters::new(options.think_tags.clone()),
            options,
            reply: None,
            ending: Ending::Open,
            held: None,
            hidden: false,
            showed_text: false,
            exceeded: false,
            told_failure: false,
            retries: 0,
            model_call: 0,
            calls: Calls::default(),
            speaker: Speaker::default(),
            out: Vec::new(),
        }
    }

    /// For this reply, whatever the first event names.
    #[must_use]
    pub fn for_reply(mut self, reply: impl Into<ReplyId>) -> Self {
        self.reply = Some(reply.into());
        self
    }

    /// The reply, once it is known.
    #[must_use]
    pub fn reply_id(&self) -> Option<&ReplyId> {
        self.reply.as_ref()
    }

    /// How the reply stands.
    #[must_use]
    pub fn ending(&self) -> Ending {
        self.ending
    }

    /// Takes the next event; gives what it shows. Events that are not consumed are dropped.
    pub fn push<'e>(&mut self, event: impl Into<EventRef<'e>>) -> vec::Drain<'_, CoarseEvent> {
        let event = event.into();
        if !self.ending.is_complete() {
            match event.source().filter(|source| !source.is_empty()) {
                Some(source) => self.subagent(source, &event.to_cow()),
                None if !self.is_ours(event) => {}
                None => match event.piece() {
                    Some((base, piece)) if self.piece(base, piece.text) => {}
                    _ => self.apply(&event.to_cow()),
                },
            }
        }
        self.out.drain(..)
    }

    /// Closes the stream if it is not complete: open tools end, an `error` tells why, `complete` follows. If the last run ended for a reason
    /// while the reply waited, the stream ends as that end said.
    pub fn finish(&mut self) -> vec::Drain<'_, CoarseEvent> {
        let detail = self.options.language.stopped();
        self.fail(detail)
    }

    /// As [`finish`](Self::finish), for a stream that broke with an error of which this is the text.
    pub fn fail(&mut self, detail: &str) -> vec::Drain<'_, CoarseEvent> {
        if let Some(end) = self.held.take() {
            self.end_reply(&end);
        }
        if !self.ending.is_complete() {
            self.flush_text();
            self.end_open_tools();
            match self.ending {
                Ending::WaitsForPerson => self.confirmation_required(),
                Ending::WaitsForOutside => self.tell(ErrorCode::ExternalExecutionRequired, None),
                Ending::Open | Ending::Stopped => self.tell_failure(Some(detail.to_owned())),
                Ending::Completed | Ending::Interrupted | Ending::MaxRounds | Ending::Failed | Ending::Closed => {}
            }
            self.complete(Ending::Closed);
        }
        self.out.drain(..)
    }

    fn is_ours(&mut self, event: EventRef<'_>) -> bool {
        match (event.reply_id(), &self.reply) {
            (Some(id), None) => {
                self.reply = Some(id.clone());
                true
            }
            (Some(id), Some(reply)) => id == reply,
            // Custom events and the like name no reply.
            (None, _) => true,
        }
    }

    /// A run ended: the reply did, or it waits ("Coarse protocol" section 11, the row of a parked reply).
    fn end_run(&mut self, reason: Option<FinishedReason>, error: Option<&Failure>) {
        let end = RunEnd { reason, error: error.cloned() };
        if self.ending.is_parked() && reason.is_none() && !end.is_failure() {
            return;
        }
        // A run that failed before the reply went on has refused the answer: another one may come, as for a call without any.
        let may_go_on = end.is_failure() || (reason != Some(FinishedReason::Interrupted) && self.calls.are_awaited());
        if self.ending.is_parked() && may_go_on {
            self.held = Some(end);
            return;
        }
        self.end_reply(&end);
    }

    /// The reply ended with its run.
    fn end_reply(&mut self, end: &RunEnd) {
        self.flush_text();
        self.end_open_tools();
        let ending = match end.reason {
            _ if end.is_failure() => Ending::Failed,
            Some(FinishedReason::ExceedMaxIters) => Ending::MaxRounds,
            Some(FinishedReason::Interrupted) => Ending::Interrupted,
            _ if self.exceeded => Ending::MaxRounds,
            _ => Ending::Completed,
        };
        if ending == Ending::Failed {
            self.tell_failure(end.error.as_ref().map(detail_of));
        } else if ending == Ending::MaxRounds && !self.showed_text {
            self.tell(ErrorCode::MaxRoundsExceeded, None);
        }
        self.complete(ending);
    }

    fn complete(&mut self, ending: Ending) {
        self.out.push(CoarseEvent::Complete);
        self.ending = ending;
        self.held = None;
        // Nothing comes any more; a session keeps the collapsers of all its replies.
        self.calls = Calls::default();
        self.splitters = Splitters::new(None);
        self.speaker = Speaker::default();
    }

    fn tell(&mut self, code: ErrorCode, detail: Option<String>) {
        self.out.push(CoarseEvent::error(code.as_str(), self.options.language.message(code), detail));
    }

    /// The model failed for good; told once.
    fn tell_failure(&mut self, detail: Option<String>) {
        if !self.told_failure {
            self.told_failure = true;
            let message = self.options.language.failed(self.retries);
            self.out.push(CoarseEvent::error(ErrorCode::LlmCallFailed.as_str(), message, detail));
        }
    }

    fn end_open_tools(&mut self) {
        self.calls.end_open(&mut self.out);
    }

    fn confirmation_required(&mut self) {
        let asked = self.calls.asked();
        self.tell(ErrorCode::ConfirmationRequired, Some(asked));
    }
}

/// The technical text of a failure.
fn detail_of(failure: &Failure) -> String {
    failure.detail.clone().unwrap_or_else(|| failure.message.clone())
}
