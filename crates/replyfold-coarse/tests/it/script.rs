//! Fine events in a short notation, and what comes of them.

use replyfold_coarse::{CoarseEvent, CollapseOptions, Collapser, SessionCollapser};
use replyfold_event::AgentEvent;

/// The reply of scripts that name none.
pub(crate) const REPLY: &str = "r1";

/// Reads a script: one event a line, its words parted by a blank, the last one being the rest of the line.
///
/// `start`, `end [reason [failure]]`, `call`, `called [retry n/m] [failure]`, `think TEXT`, `text TEXT`, `text-end`, `tool ID NAME`, `args ID TEXT`,
/// `tool-end ID`, `run ID NAME`, `out ID TEXT`, `data ID BLOCK`, `ran ID STATE`, or a whole event as JSON.
pub(crate) fn fine(script: &str) -> Vec<AgentEvent> {
    script.lines().map(str::trim).filter(|line| !line.is_empty()).map(event).collect()
}

fn event(line: &str) -> AgentEvent {
    let json = match line.starts_with('{') {
        true => line.to_owned(),
        false => {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            let (type_name, fields) = fields(word, rest);
            format!(r#"{{"type":"{type_name}","replyId":"{REPLY}"{fields}}}"#)
        }
    };
    AgentEvent::from_json(&json).unwrap_or_else(|err| panic!("{json}: {err}"))
}

fn fields(word: &str, rest: &str) -> (&'static str, String) {
    let quoted = |text: &str| serde_json::to_string(text).unwrap();
    let (id, tail) = rest.split_once(' ').unwrap_or((rest, ""));
    let call = format!(r#","toolCallId":"{id}""#);
    match word {
        "start" => ("AGENT_START", String::new()),
        "end" if rest.is_empty() => ("AGENT_END", String::new()),
        "end" if tail.is_empty() => ("AGENT_END", format!(r#","finishedReason":"{id}""#)),
        "end" => ("AGENT_END", format!(r#","finishedReason":"{id}","error":{{"message":{}}}"#, quoted(tail))),
        "call" => ("MODEL_CALL_START", String::new()),
        "called" if rest.is_empty() => ("MODEL_CALL_END", String::new()),
        "called" if id == "retry" => {
            let (numbers, failure) = tail.split_once(' ').unwrap();
            let (attempt, limit) = numbers.split_once('/').unwrap();
            let retry = format!(
                r#","error":{{"message":{}}},"retry":{{"attempt":{attempt},"maxRetries":{limit},"delayMs":10000}}"#,
                quoted(failure)
            );
            ("MODEL_CALL_END", retry)
        }
        "called" => ("MODEL_CALL_END", format!(r#","error":{{"message":{}}}"#, quoted(rest))),
        "think" => ("THINKING_BLOCK_DELTA", format!(r#","blockId":"k1","delta":{}"#, quoted(rest))),
        "text" => ("TEXT_BLOCK_DELTA", format!(r#","blockId":"x1","delta":{}"#, quoted(rest))),
        "text-end" => ("TEXT_BLOCK_END", r#","blockId":"x1""#.to_owned()),
        "tool" => ("TOOL_CALL_START", format!(r#"{call},"toolCallName":"{tail}""#)),
        "args" => ("TOOL_CALL_DELTA", format!(r#"{call},"delta":{}"#, quoted(tail))),
        "tool-end" => ("TOOL_CALL_END", call),
        "run" => ("TOOL_RESULT_START", format!(r#"{call},"toolCallName":"{tail}""#)),
        "out" => ("TOOL_RESULT_TEXT_DELTA", format!(r#"{call},"delta":{}"#, quoted(tail))),
        "data" => ("TOOL_RESULT_DATA_DELTA", format!(r#"{call},"blockId":"{tail}","mediaType":"image/png","data":"AAAA""#)),
        "ran" => ("TOOL_RESULT_END", format!(r#"{call},"state":"{tail}""#)),
        _ => panic!("no such word: {word}"),
    }
}

/// The lines that a script shows, as far as it goes.
pub(crate) fn lines(script: &str) -> Vec<String> {
    lines_with(script, CollapseOptions::new())
}

pub(crate) fn lines_with(script: &str, options: CollapseOptions) -> Vec<String> {
    let mut collapser = Collapser::with_options(options);
    let mut out = Vec::new();
    for event in fine(script) {
        out.extend(collapser.push(&event).map(|event| event.to_json()));
    }
    out
}

/// The same, and the stream is closed after the script.
pub(crate) fn closed(script: &str) -> Vec<String> {
    let mut collapser = Collapser::new();
    let mut out = Vec::new();
    for event in fine(script) {
        out.extend(collapser.push(&event));
    }
    out.extend(collapser.finish());
    assert!(collapser.ending().is_complete() && collapser.finish().next().is_none());
    out.iter().map(CoarseEvent::to_json).collect()
}

/// The lines of every reply, each behind its id.
pub(crate) fn session(script: &str, options: CollapseOptions) -> Vec<String> {
    let mut session = SessionCollapser::with_options(options);
    let mut out = Vec::new();
    for event in fine(script) {
        out.extend(session.push(&event).map(|shown| format!("{} {}", shown.reply_id, shown.event.to_json())));
    }
    out
}

/// Whether a stream keeps its promises: `complete` once and last, every start with one later end, no end without a start.
pub(crate) fn is_well_formed(stream: &[CoarseEvent]) -> bool {
    let completes = stream.iter().filter(|event| **event == CoarseEvent::Complete).count();
    let mut open = Vec::new();
    let mut seen = Vec::new();
    for event in stream {
        match event {
            CoarseEvent::ToolStart { tool_call_id, .. } => {
                if seen.contains(tool_call_id) {
                    return false;
                }
                seen.push(tool_call_id.clone());
                open.push(tool_call_id.clone());
            }
            CoarseEvent::ToolEnd { tool_call_id, .. } => match open.iter().position(|id| id == tool_call_id) {
                Some(index) => {
                    open.remove(index);
                }
                None => return false,
            },
            _ => {}
        }
    }
    completes == 1 && stream.last() == Some(&CoarseEvent::Complete) && open.is_empty()
}
