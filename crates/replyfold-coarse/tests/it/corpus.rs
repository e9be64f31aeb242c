//! Every recorded log.

use crate::script::is_well_formed;
use replyfold_coarse::{CoarseEvent, Collapser, SessionCollapser};
use replyfold_event::message::ReplyId;
use replyfold_event::{AgentEvent, Payload};
use replyfold_log::LogReader;
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

/// Every log under `fixtures/`, found by listing.
pub(crate) fn logs() -> Vec<PathBuf> {
    let mut found = Vec::new();
    visit(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures"), &mut found);
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
