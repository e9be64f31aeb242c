//! How the messages of a log grow.

use crate::SnapshotOptions;
use crate::given::events;
use crate::log::{Log, LogRecord};
use crate::marks::{IdKind, Marks};
use crate::msg_node::{meet_ids, message};
use crate::node::{Node, changes};
use crate::quote::{quoted, word};
use replyfold_event::AgentEvent;
use replyfold_reduce::{BlockKind, Note, NoteKind, Reply, SessionReducer};

/// One reply as it stood after the last record.
struct Seen {
    source: Option<String>,
    id: String,
    node: Node,
}

/// Every record with what it changed.
pub(crate) fn text(log: &Log, options: &SnapshotOptions) -> String {
    let mut marks = Marks::new(options);
    marks.begin_at(events(&log.0).find_map(|event| event.created_at.as_ref()));
    let is_one = meet_all(log, options, &mut marks);
    let mut session = SessionReducer::with_options(options.reduce);
    let mut seen: Vec<Seen> = Vec::new();
    let mut out = String::new();
    for (position, record) in (0..).zip(log.0.iter()) {
        let mut lines = Vec::new();
        let what = match record {
            LogRecord::Bad(reason) => format!("bad record: {}", quoted(reason)),
            LogRecord::Event(event) => {
                session.apply_at(position, event.as_ref());
                update(&session, event, is_one, &mut seen, &mut marks, &mut lines);
                for note in session.last_notes() {
                    let subject = subject(note, event, &mut marks).map(|id| format!(" {id}"));
                    lines.push(format!("! {}{}", note.kind.as_str(), subject.unwrap_or_default()));
                }
                word(event.type_name())
            }
        };
        out.push_str(&format!("{} {what}", position + 1));
        match lines.as_slice() {
            [line] => out.push_str(&format!("  {line}")),
            lines => lines.iter().for_each(|line| out.push_str(&format!("\n  {line}"))),
        }
        out.push('\n');
    }
    if out.is_empty() { "no record\n".to_owned() } else { out }
}

/// Gives all ids of the log their marks in the order of appearance, and says whether there is one reply. It comes first, since a text that names
/// an id of a later record must not change when that record comes.
fn meet_all(log: &Log, options: &SnapshotOptions, marks: &mut Marks) -> bool {
    let mut session = SessionReducer::with_options(options.reduce);
    for event in events(&log.0) {
        session.apply(event);
        touched(&session, event).for_each(|reply| meet_ids(reply.message(), marks));
        session.last_notes().iter().for_each(|note| drop(subject(note, event, marks)));
    }
    session.replies().count() <= 1
}

/// The replies that the event may have changed.
fn touched<'a>(session: &'a SessionReducer, event: &'a AgentEvent) -> impl Iterator<Item = Reply<'a>> {
    session.replies().filter(|reply| Some(reply.reducer().reply_id()) == event.reply_id())
}

/// What the note is about.
fn subject(note: &Note, event: &AgentEvent, marks: &mut Marks) -> Option<String> {
    let id = note.subject.as_deref()?;
    let kind = match note.kind {
        NoteKind::DuplicateEvent => IdKind::Event,
        NoteKind::ForeignReply => IdKind::Reply,
        NoteKind::DeltaWithoutStart(kind)
        | NoteKind::EndWithoutStart(kind)
        | NoteKind::DuplicateStart(kind)
        | NoteKind::DeltaAfterEnd(kind)
        | NoteKind::EndAfterEnd(kind)
        | NoteKind::OpenAtReplyEnd(kind)
        | NoteKind::NewestOpen(kind)
        | NoteKind::OpenedForDelta(kind) => match kind {
            BlockKind::Call | BlockKind::Result => IdKind::Call,
            BlockKind::Text | BlockKind::Thinking | BlockKind::Data => IdKind::Block,
        },
        NoteKind::NoMedia
        | NoteKind::CallFinished
        | NoteKind::UnknownCall
        | NoteKind::NotAsking
        | NoteKind::ResultPresent
        | NoteKind::BadArguments => IdKind::Call,
        // Of a block's piece or of a result's.
        NoteKind::BadBase64 | NoteKind::Base64AfterUrl => match event.tool_call_id().is_some_and(|call| call.as_str() == id) {
            true => IdKind::Call,
            false => IdKind::Block,
        },
        // The rest has no subject; a kind that this crate does not know may have one.
        _ => IdKind::Other,
    };
    Some(marks.id(kind, id))
}

/// Compares the replies that the event may have changed with what they were.
fn update(session: &SessionReducer, event: &AgentEvent, is_one: bool, seen: &mut Vec<Seen>, marks: &mut Marks, lines: &mut Vec<String>) {
    for reply in touched(session, event) {
        let (source, id) = (source_of(reply), reply.message().id.as_str());
        let node = message(reply.message(), source.as_deref(), marks);
        let path = if is_one { String::new() } else { root(&node, source.as_deref()) };
        match seen.iter_mut().find(|seen| seen.id == id && seen.source == source) {
            Some(seen) => {
                changes(&seen.node, &node, &path, lines);
                seen.node = node;
            }
            None => {
                lines.push(format!("+ {}", node.to_flow()));
                seen.push(Seen { source, id: id.to_owned(), node });
            }
        }
    }
}

pub(crate) fn source_of(reply: Reply<'_>) -> Option<String> {
    reply.source().map(|path| path.as_str().to_owned())
}

/// The name of a reply among several: its id, and the agent's path if it has one.
fn root(node: &Node, source: Option<&str>) -> String {
    let id = match node {
        Node::Map(entries) => entries.first().map(|(_, id)| id.to_flow()),
        _ => None,
    };
    format!("{}{}", id.unwrap_or_default(), source.map(|path| format!("@{}", word(path))).unwrap_or_default())
}
