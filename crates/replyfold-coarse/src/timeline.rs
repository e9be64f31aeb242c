//! What a front end shows of a coarse stream.

use crate::{CoarseEvent, OtherEvent};
use replyfold_event::message::json::{Fields, Value, ValueKind};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::value::RawValue;
use std::collections::HashMap;

/// The client's message: the answer, and the timeline of how it came about ("Coarse protocol" section 6).
///
/// It is serialised in the names that pages of this protocol use, so a page can take it as it is.
///
/// ```
/// use replyfold_coarse::{CoarseEvent, Timeline};
///
/// let mut timeline = Timeline::new();
/// timeline.apply(&CoarseEvent::tool_start("bash", "c1", None));
/// assert!(timeline.is_expanded() && !timeline.is_settled());
/// timeline.apply(&CoarseEvent::tool_end("bash", "c1", "ok"));
/// timeline.apply(&CoarseEvent::text("Done."));
/// timeline.apply(&CoarseEvent::Complete);
/// assert!(!timeline.is_expanded() && timeline.is_settled());
/// assert_eq!(
///     timeline.to_json(),
///     concat!(
///         r#"{"content":"Done.","thinking":[],"timeline":[{"type":"tool","toolName":"bash","toolCallId":"c1","status":"completed"}],"#,
///         r#""reference":[],"recommend":[],"showTimeline":false,"hasThinking":false}"#
///     )
/// );
/// ```
#[derive(Clone, Debug)]
pub struct Timeline {
    content: String,
    thinking: Vec<String>,
    entries: Vec<Entry>,
    reference: Vec<Box<RawValue>>,
    recommend: Vec<Box<RawValue>>,
    expanded: bool,
    complete: bool,
    /// Places of the tool entries by call id.
    tools: HashMap<String, usize>,
}

/// One entry of the timeline. Text is none.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Entry {
    /// A run of thinking.
    Thinking {
        /// Its pieces, joined.
        content: String,
    },
    /// A tool.
    Tool {
        /// Name of the tool.
        tool_name: String,
        /// The call.
        tool_call_id: String,
        /// How it stands.
        status: ToolStatus,
    },
    /// An error; a retry notice is one too.
    Error {
        /// What is said to people.
        message: String,
    },
}

/// How a tool stands. A failed one is completed too: the failure is in its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolStatus {
    /// It runs.
    Running,
    /// It ended.
    Completed,
}

impl ToolStatus {
    /// The word in the timeline.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Completed => "completed",
        }
    }
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self {
            Self::Thinking { content } => {
                map.serialize_entry("type", "thinking")?;
                map.serialize_entry("content", content)?;
            }
            Self::Tool { tool_name, tool_call_id, status } => {
                map.serialize_entry("type", "tool")?;
                map.serialize_entry("toolName", tool_name)?;
                map.serialize_entry("toolCallId", tool_call_id)?;
                map.serialize_entry("status", status.as_str())?;
            }
            Self::Error { message } => {
                map.serialize_entry("type", "error")?;
                map.serialize_entry("message", message)?;
            }
        }
        map.end()
    }
}

impl Default for Timeline {
    fn default() -> Self {
        Self::new()
    }
}

impl Timeline {
    /// An empty message: expanded, nothing in it.
    #[must_use]
    pub fn new() -> Self {
        Self {
            content: String::new(),
            thinking: Vec::new(),
            entries: Vec::new(),
            reference: Vec::new(),
            recommend: Vec::new(),
            expanded: true,
            complete: false,
            tools: HashMap::new(),
        }
    }

    /// Takes the next event. Types that are not known are ignored.
    pub fn apply(&mut self, event: &CoarseEvent) {
        match event {
            CoarseEvent::Text { content } => self.content.push_str(content.as_deref().unwrap_or_default()),
            CoarseEvent::Thinking { content } => self.think(content.as_deref().unwrap_or_default()),
            CoarseEvent::ToolStart { tool_name, tool_call_id, .. } => self.start_tool(tool_name, tool_call_id),
            CoarseEvent::ToolEnd { tool_call_id, .. } => self.end_tool(tool_call_id),
            CoarseEvent::Error { message, .. } => self.entries.push(Entry::Error { message: message.clone().unwrap_or_default() }),
            CoarseEvent::Complete => {
                self.complete = true;
                self.expanded = self.entries.iter().any(|entry| matches!(entry, Entry::Error { .. }));
            }
            CoarseEvent::Other(other) => self.other(other),
        }
    }

    fn think(&mut self, piece: &str) {
        if piece.is_empty() {
            return;
        }
        self.thinking.push(piece.to_owned());
        match self.entries.last_mut() {
            Some(Entry::Thinking { content }) => content.push_str(piece),
            Some(Entry::Tool { .. } | Entry::Error { .. }) | None => self.entries.push(Entry::Thinking { content: piece.to_owned() }),
        }
    }

    fn start_tool(&mut self, name: &str, id: &str) {
        // A start that comes twice makes no second entry.
        if !self.tools.contains_key(id) {
            self.tools.insert(id.to_owned(), self.entries.len());
            self.entries.push(Entry::Tool { tool_name: name.to_owned(), tool_call_id: id.to_owned(), status: ToolStatus::Running });
        }
    }

    fn end_tool(&mut self, id: &str) {
        if let Some(Entry::Tool { status, .. }) = self.tools.get(id).and_then(|index| self.entries.get_mut(*index)) {
            *status = ToolStatus::Completed;
        }
    }

    fn other(&mut self, other: &OtherEvent) {
        let list = match other.type_name.as_str() {
            "reference" => &mut self.reference,
            "recommend" => &mut self.recommend,
            _ => return,
        };
        let Ok(fields) = Fields::parse(other.text.as_str()) else { return };
        let Some(content) = fields.present("content") else { return };
        // Older agents send the list itself, or its JSON text.
        let text = content.string().unwrap_or_default();
        let content =
            Value::parse(&text).ok().filter(|value| matches!(value.kind(), ValueKind::Array | ValueKind::Object)).unwrap_or(content);
        let items = content.array().unwrap_or_else(|_| vec![content]);
        list.extend(items.into_iter().filter_map(|item| RawValue::from_string(item.text().to_owned()).ok()));
    }

    /// The answer.
    #[must_use]
    pub fn content(&self) -> &str {
        &self.content
    }

    /// The pieces of thinking, as they came.
    #[must_use]
    pub fn thinking(&self) -> &[String] {
        &self.thinking
    }

    /// The entries in the order in which they came.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// References of older agents, each as JSON text.
    pub fn reference(&self) -> impl ExactSizeIterator<Item = &str> {
        self.reference.iter().map(|item| item.get())
    }

    /// Recommendations of older agents, each as JSON text.
    pub fn recommend(&self) -> impl ExactSizeIterator<Item = &str> {
        self.recommend.iter().map(|item| item.get())
    }

    /// Whether the timeline is shown: always while the stream goes on, and after its end if there is an error.
    #[must_use]
    pub fn is_expanded(&self) -> bool {
        self.expanded
    }

    /// Whether `complete` came.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Whether `complete` came and no tool is left running.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.complete && !self.entries.iter().any(|entry| matches!(entry, Entry::Tool { status: ToolStatus::Running, .. }))
    }

    /// The message as JSON, in one line.
    #[must_use]
    pub fn to_json(&self) -> String {
        // All keys are strings and every part is JSON, so there is no error to give.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl Serialize for Timeline {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(7))?;
        map.serialize_entry("content", &self.content)?;
        map.serialize_entry("thinking", &self.thinking)?;
        map.serialize_entry("timeline", &self.entries)?;
        map.serialize_entry("reference", &self.reference)?;
        map.serialize_entry("recommend", &self.recommend)?;
        map.serialize_entry("showTimeline", &self.expanded)?;
        map.serialize_entry("hasThinking", &!self.thinking.is_empty())?;
        map.end()
    }
}
