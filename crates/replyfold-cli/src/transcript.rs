//! Messages as a transcript that a person likes to read.

pub(crate) mod blocks;
mod growing;
pub(crate) mod text;

pub(crate) use growing::{Growing, as_text};

use crate::output::{PLAIN, Paper, Screen};
use anstyle::{AnsiColor, Style};
use replyfold::message::{FinishedReason, Msg, Role, ToolCallState, Usage};
use replyfold::reduce::{MsgReducer, Reply};
use std::io::{self, Write};

pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default();
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();
pub(crate) const TOOL: Style = AnsiColor::Cyan.on_default();

/// Writes the messages, one after the other.
pub(crate) fn write<'a>(replies: impl Iterator<Item = Reply<'a>>, out: &mut Screen<impl Write>) -> io::Result<()> {
    let width = text::width();
    let mut first = true;
    for reply in replies {
        if !std::mem::take(&mut first) {
            out.end_line()?;
        }
        write_reply(reply, width, out)?;
    }
    if first {
        out.put(DIM, "no message yet")?.end_line()?;
    }
    Ok(())
}

fn write_reply(reply: Reply<'_>, width: usize, out: &mut Screen<impl Write>) -> io::Result<()> {
    let (msg, fold) = (reply.message(), reply.reducer());
    header(msg, reply, out)?;
    for (index, block) in msg.content.iter().enumerate() {
        blocks::write(block, fold, index, width, out)?;
    }
    footer(msg, fold, out)
}

pub(crate) fn header(msg: &Msg, reply: Reply<'_>, out: &mut impl Paper) -> io::Result<()> {
    let style = match msg.role {
        Role::User => AnsiColor::Blue.on_default().bold(),
        Role::System => AnsiColor::Magenta.on_default().bold(),
        _ => AnsiColor::Green.on_default().bold(),
    };
    out.put(style, &msg.role)?;
    if !msg.name.is_empty() {
        out.put(PLAIN, " ")?.put(BOLD, &msg.name)?;
    }
    if let Some(source) = reply.source() {
        out.put(PLAIN, " ")?.put(TOOL, format_args!("@{source}"))?;
    }
    out.put(PLAIN, "  ")?.put(DIM, &msg.id)?;
    if let Some(time) = &msg.created_at {
        out.put(DIM, format_args!("  {time}"))?;
    }
    out.end_line()
}

pub(crate) fn footer(msg: &Msg, fold: &MsgReducer, out: &mut impl Paper) -> io::Result<()> {
    if let Some(error) = &msg.error {
        let kind = error.kind.as_deref().map(|kind| format!(" ({kind})")).unwrap_or_default();
        out.put(PLAIN, "  ")?.put(BAD, format_args!("failed{kind}: {}", error.message))?.end_line()?;
    }
    out.put(PLAIN, "  ")?.put(DIM, "──")?.put(PLAIN, " ")?;
    match (msg.finished_reason, fold.is_ended()) {
        (Some(FinishedReason::Completed), _) => out.put(GOOD, "completed")?,
        (Some(reason @ FinishedReason::Error), _) => out.put(BAD, reason)?,
        (Some(reason), _) => out.put(WARN, reason)?,
        (None, true) => out.put(PLAIN, "ended")?,
        (None, false) => out.put(WARN, "still going on")?,
    };
    for part in [msg.usage.as_ref().map(tokens), duration(msg)].into_iter().flatten() {
        out.put(PLAIN, " ")?.put(DIM, "·")?.put(PLAIN, format_args!(" {part}"))?;
    }
    out.end_line()?;
    for call in fold.awaited() {
        let what = match call.state {
            ToolCallState::Asking => format!("waits for an answer: may {} run?", call.name),
            _ => format!("waits for a result from outside: {}", call.name),
        };
        out.put(PLAIN, "  ")?.put(WARN, what)?.put(PLAIN, " ")?.put(DIM, &call.id)?.end_line()?;
    }
    if let Some(reason) = fold.stop_reason() {
        out.put(PLAIN, "  ")?.put(DIM, format_args!("stopped: {reason}"))?.end_line()?;
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
