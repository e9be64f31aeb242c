//! Messages as a transcript that a person likes to read.

mod blocks;
pub(crate) mod text;

use anstyle::{AnsiColor, Style};
use replyfold::message::{FinishedReason, Msg, Role, ToolCallState, Usage};
use replyfold::reduce::{MsgReducer, Reply};
use std::io::{self, Write};

const DIM: Style = Style::new().dimmed();
const BOLD: Style = Style::new().bold();
const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default();
const WARN: Style = AnsiColor::Yellow.on_default();
const TOOL: Style = AnsiColor::Cyan.on_default();

/// Writes the messages, one after the other.
pub(crate) fn write<'a>(replies: impl Iterator<Item = Reply<'a>>, out: &mut impl Write) -> io::Result<()> {
    let width = text::width();
    let mut first = true;
    for reply in replies {
        if !std::mem::take(&mut first) {
            writeln!(out)?;
        }
        write_reply(reply, width, out)?;
    }
    if first {
        writeln!(out, "{DIM}no message yet{DIM:#}")?;
    }
    Ok(())
}

fn write_reply(reply: Reply<'_>, width: usize, out: &mut impl Write) -> io::Result<()> {
    let (msg, fold) = (reply.message(), reply.reducer());
    header(msg, reply, out)?;
    for (index, block) in msg.content.iter().enumerate() {
        blocks::write(block, fold, index, width, out)?;
    }
    footer(msg, fold, out)
}

fn header(msg: &Msg, reply: Reply<'_>, out: &mut impl Write) -> io::Result<()> {
    let style = match msg.role {
        Role::User => AnsiColor::Blue.on_default().bold(),
        Role::System => AnsiColor::Magenta.on_default().bold(),
        _ => AnsiColor::Green.on_default().bold(),
    };
    write!(out, "{style}{}{style:#}", msg.role)?;
    if !msg.name.is_empty() {
        write!(out, " {BOLD}{}{BOLD:#}", text::line(&msg.name))?;
    }
    if let Some(source) = reply.source() {
        write!(out, " {TOOL}@{}{TOOL:#}", text::line(source.as_str()))?;
    }
    write!(out, "  {DIM}{}", text::line(msg.id.as_str()))?;
    if let Some(time) = &msg.created_at {
        write!(out, "  {}", text::line(time.as_str()))?;
    }
    writeln!(out, "{DIM:#}")
}

fn footer(msg: &Msg, fold: &MsgReducer, out: &mut impl Write) -> io::Result<()> {
    if let Some(error) = &msg.error {
        let kind = error.kind.as_deref().map(|kind| format!(" ({})", text::line(kind))).unwrap_or_default();
        writeln!(out, "  {BAD}failed{kind}: {}{BAD:#}", text::line(&error.message))?;
    }
    let mut parts = Vec::new();
    match (msg.finished_reason, fold.is_ended()) {
        (Some(FinishedReason::Completed), _) => parts.push(format!("{GOOD}completed{GOOD:#}")),
        (Some(reason @ FinishedReason::Error), _) => parts.push(format!("{BAD}{reason}{BAD:#}")),
        (Some(reason), _) => parts.push(format!("{WARN}{reason}{WARN:#}")),
        (None, true) => parts.push("ended".to_owned()),
        (None, false) => parts.push(format!("{WARN}still going on{WARN:#}")),
    }
    if let Some(usage) = &msg.usage {
        parts.push(tokens(usage));
    }
    if let Some(took) = duration(msg) {
        parts.push(took);
    }
    writeln!(out, "  {DIM}──{DIM:#} {}", parts.join(&format!(" {DIM}·{DIM:#} ")))?;
    for call in fold.awaited() {
        let what = if call.state == ToolCallState::Asking { "an answer: may" } else { "a result from outside:" };
        let verb = if call.state == ToolCallState::Asking { " run?" } else { "" };
        writeln!(out, "  {WARN}waits for {what} {}{verb}{WARN:#} {DIM}{}{DIM:#}", text::line(&call.name), text::line(call.id.as_str()))?;
    }
    if let Some(reason) = fold.stop_reason() {
        writeln!(out, "  {DIM}stopped: {reason}{DIM:#}")?;
    }
    Ok(())
}

fn tokens(usage: &Usage) -> String {
    let mut text = format!("{} tokens in, {} out", usage.input_tokens, usage.output_tokens);
    if usage.cache_input_tokens > 0 {
        text.push_str(&format!(", {} from the cache", usage.cache_input_tokens));
    }
    text
}

fn duration(msg: &Msg) -> Option<String> {
    let (start, end) = (msg.created_at.as_ref()?.to_datetime()?, msg.finished_at.as_ref()?.to_datetime()?);
    let micros = end.signed_duration_since(start).num_microseconds()?;
    (micros >= 0).then(|| text::seconds(micros as f64 / 1e6))
}
