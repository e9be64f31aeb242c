//! Coarse streams and timelines as text.

use crate::marks::{IdKind, Marks};
use crate::node::Node;
use crate::quote::{json, quoted, word};
use replyfold_coarse::{CoarseEvent, Entry, Timeline};

fn said(text: Option<&str>) -> String {
    // No quoted text and no word is a dash.
    text.map_or_else(|| "-".to_owned(), quoted)
}

/// Gives the id of an event its mark: before anything is written, since the text of an error may name one that comes later.
pub(crate) fn meet_ids(event: &CoarseEvent, marks: &mut Marks) {
    if let CoarseEvent::ToolStart { tool_call_id, .. } | CoarseEvent::ToolEnd { tool_call_id, .. } = event {
        marks.id(IdKind::Call, tool_call_id);
    }
}

/// One event in one line.
pub(crate) fn event(event: &CoarseEvent, marks: &mut Marks) -> String {
    match event {
        CoarseEvent::Text { content } => format!("text {}", said(content.as_deref())),
        CoarseEvent::Thinking { content } => format!("thinking {}", said(content.as_deref())),
        CoarseEvent::ToolStart { tool_name, tool_call_id, arguments } => {
            let id = marks.id(IdKind::Call, tool_call_id);
            format!("tool_start {} {id} {}", word(tool_name), said(arguments.as_deref()))
        }
        CoarseEvent::ToolEnd { tool_name, tool_call_id, result } => {
            let id = marks.id(IdKind::Call, tool_call_id);
            format!("tool_end {} {id} {}", word(tool_name), said(result.as_deref()))
        }
        CoarseEvent::Error { code, message, detail } => {
            let marked = |text: &Option<String>| text.as_deref().map(|text| marks.within(text));
            let code = code.as_deref().map_or_else(|| "-".to_owned(), word);
            format!("error {code} {} {}", said(marked(message).as_deref()), said(marked(detail).as_deref()))
        }
        CoarseEvent::Complete => "complete".to_owned(),
        CoarseEvent::Other(other) => format!("other {}", json(other.text.as_str())),
        // Demanded by `#[non_exhaustive]`: a type that this crate does not know is shown whole.
        other => format!("other {}", json(&other.to_json())),
    }
}

/// As above, of a timeline.
pub(crate) fn meet_timeline(timeline: &Timeline, marks: &mut Marks) {
    for entry in timeline.entries() {
        if let Entry::Tool { tool_call_id, .. } = entry {
            marks.id(IdKind::Call, tool_call_id);
        }
    }
}

/// A timeline as a tree.
pub(crate) fn timeline(timeline: &Timeline, marks: &mut Marks) -> Vec<(&'static str, Node)> {
    let plain = |text: &str| Node::Plain(text.to_owned());
    meet_timeline(timeline, marks);
    let mut entries = vec![("content", Node::Text(timeline.content().to_owned()))];
    if !timeline.thinking().is_empty() {
        entries.push(("thinking", Node::Plain(Node::List(timeline.thinking().iter().cloned().map(Node::Text).collect()).to_flow())));
    }
    let shown = timeline.entries().iter().map(|entry| match entry {
        Entry::Thinking { content } => Node::Map(vec![("thinking", Node::Text(content.clone()))]),
        Entry::Tool { tool_name, tool_call_id, status } => Node::Map(vec![
            ("tool", Node::Plain(word(tool_name))),
            ("id", Node::Plain(marks.id(IdKind::Call, tool_call_id))),
            ("status", plain(status.as_str())),
        ]),
        Entry::Error { message } => Node::Map(vec![("error", Node::Text(marks.within(message)))]),
        // As above.
        other => Node::Map(vec![("other", Node::Plain(json(&serde_json::to_string(other).unwrap_or_default())))]),
    });
    entries.push(("timeline", Node::List(shown.collect())));
    for (key, items) in [("reference", timeline.reference().collect::<Vec<_>>()), ("recommend", timeline.recommend().collect())] {
        if !items.is_empty() {
            entries.push((key, Node::List(items.into_iter().map(|item| Node::Plain(json(item))).collect())));
        }
    }
    entries.push(("expanded", plain(if timeline.is_expanded() { "yes" } else { "no" })));
    entries.push(("complete", plain(if timeline.is_complete() { "yes" } else { "no" })));
    entries
}
