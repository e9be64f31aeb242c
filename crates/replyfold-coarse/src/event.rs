//! The six events and their wire form.

use replyfold_event::Error;
use replyfold_event::message::json::{DecodeError, Fields, JsonText, ObjectWriter, Style, Writer};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
use serde_json::value::RawValue;

/// One event of the coarse protocol ("Coarse protocol" sections 1 and 11).
///
/// A text field that is absent is written as `null`, so the fields of a type are always the same ones in the same order.
///
/// ```
/// use replyfold_coarse::CoarseEvent;
///
/// let line = r#"{"type":"tool_start","toolName":"bash","toolCallId":"call_1","arguments":null}"#;
/// let event = CoarseEvent::from_json(line)?;
/// assert_eq!(event, CoarseEvent::tool_start("bash", "call_1", None));
/// assert_eq!(event.to_json(), line);
/// // Types beyond the six are kept with their text.
/// let reference = CoarseEvent::from_json(r#"{"type":"reference","content":[]}"#)?;
/// assert_eq!(reference.type_name(), "reference");
/// # Ok::<(), replyfold_coarse::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CoarseEvent {
    /// A piece of the answer.
    Text {
        /// The piece.
        content: Option<String>,
    },
    /// A piece of the reasoning.
    Thinking {
        /// The piece.
        content: Option<String>,
    },
    /// A tool begins to run.
    ToolStart {
        /// Name of the tool.
        tool_name: String,
        /// The call; the `tool_end` has the same.
        tool_call_id: String,
        /// The text of the arguments; `None` when there are none.
        arguments: Option<String>,
    },
    /// A tool ended, well or not.
    ToolEnd {
        /// Name of the tool.
        tool_name: String,
        /// The call.
        tool_call_id: String,
        /// What it answered; of a failed tool the text of a JSON object, see [`failed_result`](crate::failed_result).
        result: Option<String>,
    },
    /// Something went wrong: a retry is announced, or the reply failed.
    Error {
        /// What, for programs; ours are in [`ErrorCode`](crate::ErrorCode).
        code: Option<String>,
        /// What, for people.
        message: Option<String>,
        /// Technical detail.
        detail: Option<String>,
    },
    /// The reply is complete: sent once, last.
    Complete,
    /// Another type, kept with its text: `reference` and `recommend` of older agents.
    Other(OtherEvent),
}

/// An event beyond the six, with its exact text.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct OtherEvent {
    /// The `type` on the wire.
    pub type_name: String,
    /// The whole event.
    pub text: JsonText,
}

impl CoarseEvent {
    /// A piece of the answer.
    #[must_use]
    pub fn text(content: impl Into<String>) -> Self {
        Self::Text { content: Some(content.into()) }
    }

    /// A piece of the reasoning.
    #[must_use]
    pub fn thinking(content: impl Into<String>) -> Self {
        Self::Thinking { content: Some(content.into()) }
    }

    /// A tool begins to run.
    #[must_use]
    pub fn tool_start(tool_name: impl Into<String>, tool_call_id: impl Into<String>, arguments: Option<String>) -> Self {
        Self::ToolStart { tool_name: tool_name.into(), tool_call_id: tool_call_id.into(), arguments }
    }

    /// A tool ended with this result.
    #[must_use]
    pub fn tool_end(tool_name: impl Into<String>, tool_call_id: impl Into<String>, result: impl Into<String>) -> Self {
        Self::ToolEnd { tool_name: tool_name.into(), tool_call_id: tool_call_id.into(), result: Some(result.into()) }
    }

    /// Something went wrong.
    #[must_use]
    pub fn error(code: impl Into<String>, message: impl Into<String>, detail: Option<String>) -> Self {
        Self::Error { code: Some(code.into()), message: Some(message.into()), detail }
    }

    /// The `type` on the wire.
    #[must_use]
    pub fn type_name(&self) -> &str {
        match self {
            Self::Text { .. } => "text",
            Self::Thinking { .. } => "thinking",
            Self::ToolStart { .. } => "tool_start",
            Self::ToolEnd { .. } => "tool_end",
            Self::Error { .. } => "error",
            Self::Complete => "complete",
            Self::Other(other) => &other.type_name,
        }
    }

    /// Reads an event. Fields that a type does not have are ignored; a type beyond the six is kept with its text.
    ///
    /// # Errors
    ///
    /// The text is no JSON object, has no `type`, or a known type's field is no string, or a tool event has no name or call id.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let fields = Fields::parse(text).map_err(|err| Error::new(None, err))?;
        let type_name = fields.tag().map_err(|err| Error::new(None, err))?;
        Self::read(&type_name, &fields, text).map_err(|err| Error::new(Some(&type_name), err))
    }

    fn read(type_name: &str, fields: &Fields<'_>, text: &str) -> Result<Self, DecodeError> {
        Ok(match type_name {
            "text" => Self::Text { content: fields.required("content")? },
            "thinking" => Self::Thinking { content: fields.required("content")? },
            "tool_start" => Self::ToolStart {
                tool_name: fields.required("toolName")?,
                tool_call_id: fields.required("toolCallId")?,
                arguments: fields.required("arguments")?,
            },
            "tool_end" => Self::ToolEnd {
                tool_name: fields.required("toolName")?,
                tool_call_id: fields.required("toolCallId")?,
                result: fields.required("result")?,
            },
            "error" => {
                Self::Error { code: fields.required("code")?, message: fields.required("message")?, detail: fields.required("detail")? }
            }
            "complete" => Self::Complete,
            other => Self::Other(OtherEvent { type_name: other.to_owned(), text: JsonText::parse(text)? }),
        })
    }

    /// Whether a line looks like an event of the coarse protocol: its `type` is one of the six or a legacy one.
    ///
    /// A log is told from a fine one by this, since no fine type is in lower case.
    #[must_use]
    pub fn is_coarse_type(type_name: &str) -> bool {
        matches!(type_name, "text" | "thinking" | "tool_start" | "tool_end" | "error" | "complete" | "reference" | "recommend")
    }

    /// The event on the wire, in one line; one beyond the six is its text, whatever stands between its tokens.
    ///
    /// U+0085, U+2028 and U+2029 in the six are written as escapes: hosts put this text into server-sent events, and the line splitters of
    /// some clients break there.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = Vec::new();
        self.write_json(&mut out);
        // The writer is given UTF-8 only.
        String::from_utf8(out).unwrap_or_default()
    }

    /// Appends the event to a buffer, without a line end.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        if let Self::Other(other) = self {
            out.extend_from_slice(other.text.as_str().as_bytes());
            return;
        }
        let start = out.len();
        self.write_fields(&mut Writer::new(out, Style::Compact));
        // Most lines are ASCII, and the separators are not.
        let line = out.get(start..).filter(|line| !line.is_ascii());
        let escaped = line.and_then(|line| std::str::from_utf8(line).ok()).and_then(escape_separators);
        if let Some(escaped) = escaped {
            out.truncate(start);
            out.extend_from_slice(escaped.as_bytes());
        }
    }

    /// The event as a server-sent event: one `data` line and the blank line after it.
    ///
    /// Nothing in it ends a line for any client: the separators of [`to_json`](Self::to_json) are escapes in events beyond the six too, and
    /// line ends between the tokens of those are blanks.
    ///
    /// ```
    /// use replyfold_coarse::CoarseEvent;
    ///
    /// assert_eq!(CoarseEvent::text("a\u{2028}b").to_sse(), "data: {\"type\":\"text\",\"content\":\"a\\u2028b\"}\n\n");
    /// ```
    #[must_use]
    pub fn to_sse(&self) -> String {
        let json = self.to_json();
        let json = escape_separators(&json).unwrap_or(json);
        format!("data: {}\n\n", json.replace(['\n', '\r'], " "))
    }

    fn write_fields(&self, out: &mut Writer<'_>) {
        out.object(|object| {
            object.string("type", self.type_name());
            match self {
                Self::Text { content } | Self::Thinking { content } => text_or_null(object, "content", content.as_deref()),
                Self::ToolStart { tool_name, tool_call_id, arguments } => {
                    object.string("toolName", tool_name);
                    object.string("toolCallId", tool_call_id);
                    text_or_null(object, "arguments", arguments.as_deref());
                }
                Self::ToolEnd { tool_name, tool_call_id, result } => {
                    object.string("toolName", tool_name);
                    object.string("toolCallId", tool_call_id);
                    text_or_null(object, "result", result.as_deref());
                }
                Self::Error { code, message, detail } => {
                    text_or_null(object, "code", code.as_deref());
                    text_or_null(object, "message", message.as_deref());
                    text_or_null(object, "detail", detail.as_deref());
                }
                Self::Complete | Self::Other(_) => {}
            }
        });
    }
}

/// JSON with every U+0085, U+2028 and U+2029 as an escape; `None` without any. They stand in strings only.
fn escape_separators(json: &str) -> Option<String> {
    const SEPARATORS: [char; 3] = ['\u{85}', '\u{2028}', '\u{2029}'];
    json.contains(SEPARATORS).then(|| {
        json.chars().fold(String::with_capacity(json.len() + 16), |mut escaped, char| {
            match SEPARATORS.contains(&char) {
                true => escaped.push_str(&format!("\\u{:04x}", u32::from(char))),
                false => escaped.push(char),
            }
            escaped
        })
    })
}

fn text_or_null(object: &mut ObjectWriter<'_>, key: &str, text: Option<&str>) {
    match text {
        Some(text) => object.string(key, text),
        None => object.key(key).null(),
    }
}

impl Serialize for CoarseEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(self.to_json()).map_err(ser::Error::custom)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for CoarseEvent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Self::from_json(raw.get()).map_err(de::Error::custom)
    }
}
