//! The mapping as data, for reference pages.

use replyfold_event::EventType;

/// What a fine type becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mapping {
    /// Types of the coarse events that it may cause, `-` for none.
    pub coarse: &'static str,
    /// What decides.
    pub details: &'static str,
}

/// What a fine type becomes ("Coarse protocol" sections 7 and 11).
#[must_use]
pub fn mapping_of(event_type: EventType) -> Mapping {
    let (coarse, details) = match event_type {
        EventType::AgentStart => ("-", "a start with the same reply id goes on with the same stream"),
        EventType::AgentEnd => (
            "`complete`",
            "after `tool_end` of open tools, and `error` if the reply failed or its limit of rounds left it without an answer; nothing if the reply waits, unless a person interrupted it",
        ),
        EventType::ModelCallStart => ("-", "text is shown again"),
        EventType::ModelCallEnd => ("`error`", "with `retry` the notice of it, with `error` alone the failure; else nothing"),
        EventType::TextBlockStart => ("-", ""),
        EventType::TextBlockDelta => {
            ("`text`", "unless a tool was called in this model call, or the piece is empty; think tags are split on request")
        }
        EventType::TextBlockEnd => ("-", "what the think splitter held back"),
        EventType::ThinkingBlockStart => ("-", ""),
        EventType::ThinkingBlockDelta => ("`thinking`", "unless a tool was called in this model call, or the piece is empty"),
        EventType::ThinkingBlockEnd => ("-", ""),
        EventType::DataBlockStart | EventType::DataBlockDelta | EventType::DataBlockEnd => ("-", "there is no carrier for media"),
        EventType::ToolCallStart => ("-", "text is hidden until the next model call"),
        EventType::ToolCallDelta => ("-", "the arguments are collected"),
        EventType::ToolCallEnd => ("-", "the tool does not run yet"),
        EventType::ToolResultStart => ("`tool_start`", "once a call; an id that is used again gets `#2`"),
        EventType::ToolResultTextDelta => ("-", "the answer is collected"),
        EventType::ToolResultDataDelta => ("-", "media are counted"),
        EventType::ToolResultEnd => {
            ("`tool_end`", "after `tool_start` if the tool was never started; nothing with state `running`, or when it ended before")
        }
        EventType::ExceedMaxIters => ("-", "told before `complete` if the last model call showed no text"),
        EventType::RequestStop => ("-", "the reply waits"),
        EventType::RequireUserConfirm => ("-", "the reply waits; on request `error` and `complete`"),
        EventType::UserConfirmResult => ("-", "edited arguments are taken"),
        EventType::RequireExternalExecution => ("-", "the reply waits; `tool_start` came before"),
        EventType::ExternalExecutionResult => ("`tool_end`", "of open tools that have no answer yet"),
        EventType::SubagentExposed => ("-", ""),
        // The enum may grow; what is new shows nothing until it has a row here.
        _ => ("-", "not known"),
    };
    Mapping { coarse, details }
}

/// The whole mapping as a Markdown table.
#[must_use]
pub fn mapping_table() -> String {
    let mut table = "| fine event | coarse events | details |\n| --- | --- | --- |\n".to_owned();
    for event_type in EventType::ALL {
        let Mapping { coarse, details } = mapping_of(event_type);
        table.push_str(&format!("| `{event_type}` | {coarse} | {details} |\n"));
    }
    table
}
