//! Every recorded log.

use crate::script::is_well_formed;
use replyfold_coarse::{CoarseEvent, Collapser, SessionCollapser};
use replyfold_event::message::{Block, ReplyId};
use replyfold_event::{AgentEvent, Payload};
use replyfold_log::LogReader;
use replyfold_reduce::{NoteKind, SessionReducer};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The coarse streams of a log, by reply.
pub(crate) type Streams = BTreeMap<ReplyId, Vec<CoarseEvent>>;

fn visit(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            visit(&path, found);
        } else if name.contains("events.jsonl") || name.ends_with(".sse") {
            found.push(path);
        }
    }
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// Every log under `fixtures/`, found by listing.
pub(crate) fn logs() -> Vec<PathBuf> {
    let mut found = Vec::new();
    visit(&fixtures(), &mut found);
    found.sort();
    assert!(found.len() > 100, "the corpus is there");
    found
}

/// The events of a log; what cannot be read is for the tests of the log crate.
pub(crate) fn events(log: &Path) -> Vec<AgentEvent> {
    LogReader::open(log).unwrap().filter_map(|record| record.unwrap().event().cloned()).collect()
}

pub(crate) fn collapse(events: &[AgentEvent]) -> Streams {
    let mut session = SessionCollapser::new();
    let mut streams = Streams::new();
    for event in events {
        session.push(event).for_each(|shown| streams.entry(shown.reply_id).or_default().push(shown.event));
    }
    session.finish().for_each(|shown| streams.entry(shown.reply_id).or_default().push(shown.event));
    streams
}

#[test]
fn every_log_gives_one_well_formed_stream_a_reply() {
    for log in logs() {
        for (reply, stream) in collapse(&events(&log)) {
            assert!(is_well_formed(&stream), "{} {reply}: {stream:#?}", log.display());
        }
    }
}

#[test]
fn text_is_shown_as_it_came_but_not_between_a_tool_call_and_the_next_model_call() {
    let mut shown_somewhere = 0;
    for log in logs() {
        let mut session = SessionCollapser::new();
        let (mut hidden, mut complete) = (BTreeSet::new(), BTreeSet::new());
        let (mut expected, mut shown): (BTreeMap<ReplyId, String>, BTreeMap<ReplyId, String>) = Default::default();
        for event in events(&log) {
            let reply = event.reply_id().cloned().filter(|_| event.source.as_ref().is_none_or(|source| source.is_empty()));
            if let Some(reply) = &reply {
                match &event.payload {
                    Payload::ModelCallStart(_) => {
                        hidden.remove(reply);
                    }
                    Payload::ToolCallStart(_) => {
                        hidden.insert(reply.clone());
                    }
                    Payload::TextBlockDelta(piece) if !hidden.contains(reply) && !complete.contains(reply) => {
                        expected.entry(reply.clone()).or_default().push_str(&piece.delta);
                    }
                    _ => {}
                }
            }
            for out in session.push(&event) {
                match &out.event {
                    CoarseEvent::Text { content } => {
                        assert!(!hidden.contains(&out.reply_id), "{}", log.display());
                        shown.entry(out.reply_id).or_default().push_str(content.as_deref().unwrap());
                    }
                    CoarseEvent::Thinking { .. } => assert!(!hidden.contains(&out.reply_id), "{}", log.display()),
                    CoarseEvent::Complete => {
                        complete.insert(out.reply_id);
                    }
                    _ => {}
                }
            }
        }
        expected.retain(|_, text| !text.is_empty());
        shown_somewhere += shown.len();
        assert_eq!(shown, expected, "{}", log.display());
    }
    assert!(shown_somewhere > 100);
}

/// What was sent of a reply, as far as the order matters.
#[derive(Clone, Default)]
struct Sent {
    open: BTreeSet<String>,
    complete: bool,
}

impl Sent {
    fn take(&mut self, event: &CoarseEvent, place: &str) {
        assert!(!self.complete, "{place}: something after complete");
        match event {
            CoarseEvent::ToolStart { tool_call_id, .. } => assert!(self.open.insert(tool_call_id.clone()), "{place}"),
            CoarseEvent::ToolEnd { tool_call_id, .. } => assert!(self.open.remove(tool_call_id), "{place}"),
            CoarseEvent::Complete => self.complete = true,
            _ => {}
        }
    }
}

#[test]
fn every_prefix_of_every_log_can_be_closed() {
    for log in logs() {
        let mut replies: BTreeMap<ReplyId, (Collapser, Sent)> = BTreeMap::new();
        for (k, event) in events(&log).iter().enumerate() {
            let Some(id) = event.reply_id().filter(|_| event.source.as_ref().is_none_or(|source| source.is_empty())) else { continue };
            let place = format!("{} after {k} events, reply {id}", log.display());
            let (collapser, sent) = replies.entry(id.clone()).or_insert_with(|| (Collapser::new().for_reply(id.clone()), Sent::default()));
            collapser.push(event).for_each(|event| sent.take(&event, &place));
            let (mut closed, mut sent) = (collapser.clone(), sent.clone());
            closed.finish().for_each(|event| sent.take(&event, &place));
            assert!(sent.complete && sent.open.is_empty(), "{place}");
        }
    }
}

/// Logs in which a `tool_start` has other arguments than the call in the message, with the reason.
const OTHER_ARGUMENTS: &[(&str, &str)] = &[
    ("conformance/python/fuzz/fuzz_0007.events.jsonl.zst", TOLD_OUTSIDE),
    ("conformance/python/fuzz/fuzz_0014.events.jsonl.zst", TOLD_OUTSIDE),
    ("conformance/python/fuzz/fuzz_0034.events.jsonl.zst", TOLD_OUTSIDE),
    ("conformance/python/fuzz/fuzz_0047.events.jsonl", TOLD_OUTSIDE),
    ("conformance/python/fuzz/fuzz_0058.events.jsonl", TOLD_OUTSIDE),
    (
        "conformance/python/synthetic/after_end.events.jsonl",
        "a piece after the end of its call is not taken (B029); the message keeps its text",
    ),
];

const TOLD_OUTSIDE: &str =
    "the call has no arguments, and REQUIRE_EXTERNAL_EXECUTION tells them; \"Reduction\" takes them from a question only";

/// Section 11, "`arguments` of `tool_start`": the joined text of the call, as the message has it when the tool starts.
#[test]
fn a_tool_starts_with_the_arguments_that_its_call_has_in_the_message() {
    let (mut compared, mut others) = (0, BTreeSet::new());
    for log in logs() {
        let (mut session, mut messages) = (SessionCollapser::new(), SessionReducer::new());
        for (position, event) in (0..).zip(events(&log)) {
            messages.apply_at(position, &event);
            let is_again =
                |(_, note): &(&ReplyId, &replyfold_reduce::Note)| note.position == position && note.kind == NoteKind::DuplicateEvent;
            // Each event is for the collapser once.
            if messages.notes().iter().any(is_again) {
                continue;
            }
            for shown in session.push(&event) {
                let CoarseEvent::ToolStart { tool_call_id, arguments, .. } = &shown.event else { continue };
                let id = event.tool_call_id().map_or(tool_call_id.as_str(), |id| id.as_str());
                let reply = messages.reply(shown.reply_id.as_str()).unwrap();
                let call = reply.message().content.iter().rev().find_map(|block| match block {
                    Block::ToolCall(call) if call.id.as_str() == id => Some(call),
                    _ => None,
                });
                compared += 1;
                if arguments.as_deref().unwrap_or_default() != call.map_or("", |call| &call.content) {
                    others.insert(log.strip_prefix(fixtures()).unwrap().to_string_lossy().into_owned());
                }
            }
        }
    }
    assert!(compared > 300, "{compared}");
    let listed: BTreeSet<String> = OTHER_ARGUMENTS.iter().map(|(log, _)| (*log).to_owned()).collect();
    assert_eq!(others, listed);
}

/// Two recorded runs end with an error because the answer was no good; the reply takes the next one.
#[test]
fn a_recorded_reply_goes_on_after_a_run_that_refused_an_answer() {
    // The refused answer of the second was shown when it came: "Coarse protocol" section 11 does not wait for pieces of an open tool.
    for (log, result) in [("python/service/svc_external", "out"), ("python/runs/external_ask_user", "bad")] {
        let streams = collapse(&events(&fixtures().join(format!("conformance/{log}.events.jsonl"))));
        let [stream] = &streams.values().collect::<Vec<_>>()[..] else { panic!("{log}: one reply") };
        let mut types: Vec<&str> = stream.iter().map(CoarseEvent::type_name).collect();
        types.dedup();
        assert_eq!(types, ["tool_start", "tool_end", "text", "complete"], "{log}");
        assert!(matches!(&stream[1], CoarseEvent::ToolEnd { result: Some(found), .. } if found == result), "{log}: {stream:?}");
    }
}
