//! What is wrong with a log: the notes of the fold, and what the protocol promises and the log does not keep.

pub(crate) mod line;
mod lines;
mod times;

use crate::args::Input;
use crate::by_reply::ByReply;
use crate::lifted::Step;
use crate::output::End;
use lines::Lines;
use replyfold::coarse::CoarseEvent;
use replyfold::dialect::ReadNote;
use replyfold::event::{AgentEvent, EventRef, EventType};
use replyfold::log::OutcomeRef;
use replyfold::message::json::JsonObject;
use replyfold::message::{Block, ReplyId, ToolCallState};
use replyfold::reduce::{Note, NoteKind, ReduceOptions, Reply, SessionReducer};
use std::collections::HashSet;
use times::Times;

/// One thing that is wrong.
#[derive(Debug, PartialEq)]
pub(crate) struct Finding {
    /// A word for programs.
    pub(crate) kind: &'static str,
    /// Line of the record, as [`line::of`] has it; `None` when it is the log as a whole.
    pub(crate) line: Option<u64>,
    pub(crate) event: Option<String>,
    pub(crate) reply: Option<String>,
    pub(crate) sentence: String,
}

/// Watches a log go by.
pub(crate) struct Checker {
    session: SessionReducer,
    findings: Vec<Finding>,
    /// Line of each record, and whether its events were lifted: their ids are not of the log.
    lines: Lines,
    times: Times,
    replies: ByReply<Watched>,
    /// Positions of the ends after an end. Events need not have ids, so nothing else names one.
    second_ends: HashSet<u64>,
}

/// What is known of one reply.
#[derive(Default)]
struct Watched {
    ended: bool,
    /// Line of the event that last touched it.
    last: u64,
}

impl Checker {
    pub(crate) fn new(options: ReduceOptions) -> Self {
        Self {
            session: SessionReducer::with_options(options),
            findings: Vec::new(),
            lines: Lines::default(),
            times: Times::default(),
            replies: ByReply::default(),
            second_ends: HashSet::new(),
        }
    }

    pub(crate) fn see(&mut self, step: &Step<'_>, input: &Input) {
        let record = step.record;
        let line = line::of(record.place);
        self.lines.push(line, step.coarse.is_some());
        match record.outcome {
            OutcomeRef::Bad(bad) => self.see_bad(line, bad.is_torn(), input.reason(bad)),
            OutcomeRef::Event(read) => {
                for note in read.notes {
                    let kind = match note {
                        ReadNote::OtherDialect(_) => "other_dialect",
                        ReadNote::GuessedRun => "guessed_run",
                        ReadNote::AnonymousReply => "anonymous_reply",
                        ReadNote::ReplacedSurrogate => "replaced_surrogate",
                        _ => "read",
                    };
                    self.find(kind, line, Some(read.event), note.to_string());
                }
            }
        }
        // Nothing fine says that a tool ends which does not run.
        if let Some(CoarseEvent::ToolEnd { tool_name, tool_call_id, .. }) = &step.coarse
            && !step.events().any(|event| event.event_type() == Some(EventType::ToolResultEnd))
        {
            let sentence = format!("the result `{tool_call_id}` of `{tool_name}` has no call that runs");
            self.find("result_without_call", line, None, sentence);
        }
        for event in step.events() {
            self.see_event(event, record.position, line);
        }
    }

    fn see_bad(&mut self, line: u64, is_torn: bool, reason: String) {
        self.find(if is_torn { "torn_record" } else { "bad_record" }, line, None, reason);
    }

    fn see_event(&mut self, event: EventRef<'_>, position: u64, line: u64) {
        self.session.apply_at(position, event);
        if let Some(time) = event.created_at()
            && let Some((before, before_line)) = self.times.see(event.source(), time, line)
        {
            let sentence = format!("the time goes back: {time} after {before} of {}", line::words(before_line));
            self.find("time_goes_back", line, Some(event), sentence);
        }
        let Some(reply) = event.reply_id() else { return };
        let place = self.replies.place(event.source(), reply);
        let Some(watched) = self.replies.at(place) else { return };
        watched.last = line;
        let ended = match event.event_type() {
            Some(EventType::AgentStart) => false,
            Some(EventType::AgentEnd) => true,
            _ => return,
        };
        if std::mem::replace(&mut watched.ended, ended) && ended {
            self.second_ends.insert(position);
            self.find("second_end", line, Some(event), format!("reply `{reply}` ended already, and no start has continued it since"));
        }
    }

    fn find(&mut self, kind: &'static str, line: u64, event: Option<EventRef<'_>>, sentence: String) {
        let is_lifted = self.lines.is_last_lifted();
        self.findings.push(Finding {
            kind,
            line: Some(line),
            event: event.and_then(EventRef::id).filter(|_| !is_lifted).map(ToOwned::to_owned),
            reply: event.and_then(EventRef::reply_id).map(ToString::to_string),
            sentence,
        });
    }

    /// Everything that was found, in the order of the log, and the fold. What a log leaves undone is known of a whole one only.
    pub(crate) fn finish(mut self, end: &End, held: &[AgentEvent]) -> (SessionReducer, Vec<Finding>) {
        held.iter().for_each(|event| _ = self.session.apply(event));
        if let Some((place, is_torn, reason)) = end.bad() {
            let line = line::of(place);
            self.lines.push(line, false);
            self.see_bad(line, is_torn, reason.to_owned());
        }
        let notes = self.session.notes();
        let made_good = made_good(&self.session, &notes);
        for (reply, note) in notes {
            let told_elsewhere = match note.kind {
                // A second end is told better above.
                NoteKind::AfterReplyEnd => self.second_ends.contains(&note.position),
                // A block that stays open is told below, and one that a continuation closes is in order.
                NoteKind::OpenAtReplyEnd(_) => true,
                // Java ends a call and starts it again where pieces of parallel calls alternate.
                NoteKind::BadArguments => note.subject.as_deref().is_some_and(|call| made_good.contains(&(reply.as_str(), call))),
                _ => false,
            };
            if told_elsewhere {
                continue;
            }
            let place = self.lines.get(note.position);
            let subject =
                note.subject.as_ref().filter(|subject| !subject.is_empty()).map(|subject| format!(" (`{subject}`)")).unwrap_or_default();
            self.findings.push(Finding {
                kind: note.kind.as_str(),
                line: place.map(|(line, _)| line),
                event: note.event.as_ref().filter(|_| place.is_some_and(|(_, is_lifted)| !is_lifted)).map(ToString::to_string),
                reply: Some(reply.to_string()),
                sentence: format!("{}{subject}", note.kind),
            });
        }
        let mut at_end = Vec::new();
        for reply in self.session.replies().filter(|_| end.is_whole()) {
            let (source, id) = (reply.source(), reply.reducer().reply_id());
            let line = self.replies.get(source, id).map(|watched| watched.last);
            for (kind, sentence) in unkept(reply) {
                at_end.push(Finding { kind, line, event: None, reply: Some(id.to_string()), sentence });
            }
        }
        self.findings.extend(at_end);
        self.findings.sort_by_key(|finding| finding.line);
        (self.session, self.findings)
    }
}

/// The calls, by reply and id, whose arguments were bad once and are good at the end of the log. One pass finds all of them, however many
/// there are.
fn made_good<'a>(session: &'a SessionReducer, notes: &[(&'a ReplyId, &'a Note)]) -> HashSet<(&'a str, &'a str)> {
    let bad = notes.iter().filter(|(_, note)| note.kind == NoteKind::BadArguments);
    let bad: HashSet<(&str, &str)> = bad.filter_map(|(reply, note)| Some((reply.as_str(), note.subject.as_deref()?))).collect();
    if bad.is_empty() {
        return bad;
    }
    let blocks = session.messages().flat_map(|msg| msg.content.iter().map(|block| (msg.id.as_str(), block)));
    let calls = blocks.filter_map(|(reply, block)| match block {
        Block::ToolCall(call) => Some(((reply, call.id.as_str()), call)),
        _ => None,
    });
    calls.filter(|(key, call)| bad.contains(key) && JsonObject::parse(&call.content).is_ok()).map(|(key, _)| key).collect()
}

/// What a reply leaves undone at the end of the log.
fn unkept(reply: Reply<'_>) -> Vec<(&'static str, String)> {
    let (msg, fold) = (reply.message(), reply.reducer());
    let mut found = Vec::new();
    let waits = fold.awaited().next().is_some();
    if !fold.is_ended() && !waits {
        found.push(("reply_without_end", format!("reply `{}` has no end", msg.id)));
    }
    let calls: HashSet<&str> = msg.content.iter().filter_map(|block| call_id(block, true)).collect();
    let results: HashSet<&str> = msg.content.iter().filter_map(|block| call_id(block, false)).collect();
    for (index, block) in msg.content.iter().enumerate() {
        let id = block.id().unwrap_or_default();
        // The result of a call that was handed out is open as long as the reply waits for it.
        let waits_for = || matches!(block, Block::ToolResult(_)) && fold.awaited().any(|call| *call.id.as_str() == *id);
        if fold.is_open(index) && (fold.is_ended() || !waits_for()) {
            found.push(("block_never_closed", format!("{} block `{id}` was never closed", block.type_name())));
        }
        match block {
            // A declined call is finished without a result, and one that is asked about or handed out still waits.
            Block::ToolCall(call)
                if fold.is_ended()
                    && !results.contains(id)
                    && !matches!(call.state, ToolCallState::Finished | ToolCallState::Asking | ToolCallState::Submitted) =>
            {
                found.push(("call_without_result", format!("call `{id}` of `{}` has no result", call.name)));
            }
            Block::ToolResult(result) if !calls.contains(id) => {
                found.push(("result_without_call", format!("the result `{id}` of `{}` has no call", result.name)));
            }
            _ => {}
        }
    }
    found
}

fn call_id(block: &Block, call: bool) -> Option<&str> {
    match (block, call) {
        (Block::ToolCall(_), true) | (Block::ToolResult(_), false) => block.id(),
        _ => None,
    }
}
