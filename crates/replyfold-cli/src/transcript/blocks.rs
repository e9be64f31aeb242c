//! One block of a transcript.

use super::text::{bytes, cut, fold, line, lines};
use super::{BAD, DIM, GOOD, TOOL, WARN};
use crate::output::{PLAIN, Paper};
use anstyle::Style;
use replyfold::message::json::{JsonObject, Value, ValueKind};
use replyfold::message::{Block, DataBlock, DataSource, Hint, ToolCallBlock, ToolCallState, ToolResultBlock, ToolResultState};
use replyfold::reduce::MsgReducer;
use std::io;

/// Lines of a tool's output that are shown.
const LINES: usize = 4;

pub(crate) fn write(block: &Block, reducer: &MsgReducer, index: usize, width: usize, out: &mut impl Paper) -> io::Result<()> {
    let open = reducer.is_open(index);
    match block {
        Block::Text(text) => body(&text.text, PLAIN, "  ", open, out),
        Block::Thinking(thinking) => body(&thinking.thinking, DIM, "  ┆ ", open, out),
        Block::Data(data) => {
            out.put(PLAIN, "  ")?.put(TOOL, "▣")?.put(PLAIN, format_args!(" {}", media(data, width)))?;
            end(open, out)
        }
        Block::ToolCall(call) => write_call(call, reducer.partial_input(index).unwrap_or_default(), open, width, out),
        Block::ToolResult(result) => write_result(result, open, width, out),
        Block::Hint(hint) => {
            let source = hint.source.as_deref().map(|source| format!(" ({})", cut(&line(source), 40))).unwrap_or_default();
            let text = match &hint.hint {
                Hint::Text(text) => text.clone(),
                Hint::Blocks(blocks) => blocks.iter().map(part).collect::<Vec<_>>().join("\n"),
            };
            let (shown, left_out) = fold(&text, LINES, width.saturating_sub(6));
            out.put(PLAIN, "  ")?.put(DIM, format_args!("hint{source}:"))?.end_line()?;
            write_folded(&shown, left_out, DIM, out)
        }
        // A kind that this program does not know yet.
        other => out.put(PLAIN, "  ")?.put(DIM, format_args!("[{}]", other.type_name()))?.end_line(),
    }
}

/// Text in full, line by line.
fn body(text: &str, style: Style, margin: &str, open: bool, out: &mut impl Paper) -> io::Result<()> {
    let mut lines = lines(text).peekable();
    while let Some(text) = lines.next() {
        out.put(DIM, margin)?.put(style, text)?;
        match lines.peek() {
            Some(_) => out.end_line()?,
            None => end(open, out)?,
        }
    }
    Ok(())
}

/// Ends the last line of a block, and marks an open one.
pub(crate) fn end(open: bool, out: &mut impl Paper) -> io::Result<()> {
    if open {
        out.put(PLAIN, " ")?.put(WARN, "▌open")?;
    }
    out.end_line()
}

fn write_call(call: &ToolCallBlock, input: JsonObject, open: bool, width: usize, out: &mut impl Paper) -> io::Result<()> {
    let arguments = arguments(&input, &call.content);
    let state = match call.state {
        ToolCallState::Asking | ToolCallState::Submitted => WARN,
        ToolCallState::Finished => GOOD,
        _ => DIM,
    };
    let name = cut(&line(&call.name), 40);
    let room = width.saturating_sub(name.chars().count() + 20);
    out.put(PLAIN, "  ")?.put(TOOL, format_args!("● {name}"))?.put(PLAIN, format_args!("({})  ", cut(&arguments, room)))?;
    out.put(state, call.state)?;
    end(open, out)?;
    if call.state == ToolCallState::Asking {
        for rule in &call.suggested_rules {
            let content = rule.rule_content.as_deref().map(|content| format!(" {content}")).unwrap_or_default();
            let suggested = format_args!("suggested: {} {}{content}", rule.behavior, rule.tool_name);
            out.put(PLAIN, "      ")?.put(DIM, suggested)?.end_line()?;
        }
    }
    Ok(())
}

/// The arguments as `key=value`, or their text where it is no object.
fn arguments(input: &JsonObject, text: &str) -> String {
    if input.is_empty() {
        let text = text.trim();
        return if matches!(text, "" | "{}") { String::new() } else { line(text) };
    }
    let fields = input.fields();
    let shown: Vec<String> = fields.iter().map(|(key, value)| format!("{}={}", line(key), argument(value))).collect();
    shown.join(", ")
}

fn argument(value: Value<'_>) -> String {
    match (value.kind(), value.string()) {
        (ValueKind::String, Ok(text)) => format!("\"{}\"", line(&text)),
        _ => line(value.text()),
    }
}

fn write_result(result: &ToolResultBlock, open: bool, width: usize, out: &mut impl Paper) -> io::Result<()> {
    let style = match result.state {
        ToolResultState::Success => GOOD,
        ToolResultState::Error | ToolResultState::Denied => BAD,
        _ => WARN,
    };
    let (name, id) = (cut(&line(&result.name), 40), cut(&line(result.id.as_str()), 40));
    out.put(PLAIN, "    ")?.put(DIM, "↳")?.put(PLAIN, " ")?.put(style, result.state)?;
    out.put(PLAIN, " ")?.put(DIM, format_args!("{name} {id}"))?;
    end(open, out)?;
    let text = result.output.iter().map(part).collect::<Vec<_>>().join("\n");
    if text.is_empty() {
        return Ok(());
    }
    let (shown, left_out) = fold(&text, LINES, width.saturating_sub(6));
    write_folded(&shown, left_out, PLAIN, out)
}

fn write_folded(shown: &[String], left_out: usize, style: Style, out: &mut impl Paper) -> io::Result<()> {
    for text in shown {
        out.put(PLAIN, "      ")?.put(style, text)?.end_line()?;
    }
    if left_out > 0 {
        out.put(PLAIN, "      ")?.put(DIM, format_args!("… {left_out} more lines"))?.end_line()?;
    }
    Ok(())
}

/// A part of a tool's output as text.
fn part(block: &Block) -> String {
    match block {
        Block::Text(text) => text.text.clone(),
        Block::Data(data) => format!("▣ {}", media(data, 100)),
        other => format!("[{}]", other.type_name()),
    }
}

/// Media as type and size, or where it is.
fn media(data: &DataBlock, width: usize) -> String {
    let name = data.name.as_deref().map(|name| format!("  {}", line(name))).unwrap_or_default();
    match &data.source {
        DataSource::Base64 { media_type, data, .. } => {
            let note = if data.as_bytes().is_none() { ", not base64" } else { "" };
            format!("{} ({}{note}){name}", line(media_type), bytes(data.len()))
        }
        DataSource::Url { url, media_type, .. } => {
            let media_type = media_type.as_deref().map(|media_type| format!(" ({})", line(media_type))).unwrap_or_default();
            format!("{}{media_type}{name}", cut(&line(url), width.saturating_sub(30)))
        }
        _ => format!("media{name}"),
    }
}
