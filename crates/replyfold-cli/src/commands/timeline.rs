//! `replyfold timeline`

use crate::args::{PageFormat, Timeline as Args};
use crate::coarse_stream::Streams;
use crate::output::{Failure, Outcome, PLAIN, Screen, data, screen};
use crate::transcript::text::lines;
use anstyle::{AnsiColor, Style};
use replyfold::coarse::{Entry, Timeline, ToolStatus};
use replyfold::message::json::{Style as Space, Writer};
use std::io::{self, Write};

const DIM: Style = Style::new().dimmed();
const BOLD: Style = Style::new().bold();
const BAD: Style = AnsiColor::Red.on_default();
const TOOL: Style = AnsiColor::Cyan.on_default();

/// The page; the log takes the place of the mark.
const PAGE: &str = include_str!("timeline/page.html");
const MARK: &str = "__LOG__";

pub(crate) fn run(args: &Args) -> Result<Outcome, Failure> {
    let (streams, end) = args.collapse.read(&args.input, &args.point, false)?;
    end.after(show(args, &streams), Outcome::Fine)
}

fn show(args: &Args, streams: &Streams) -> Result<(), Failure> {
    match args.format {
        PageFormat::Pretty => {
            let mut out = screen();
            if streams.replies.is_empty() {
                out.put(DIM, "nothing to show yet")?.end_line()?;
            }
            for (index, timeline) in timelines(streams).iter().enumerate() {
                if index > 0 {
                    out.end_line()?;
                }
                let id = streams.replies.get(index).map(|id| id.as_str()).unwrap_or_default();
                pretty(id, timeline, &mut out)?;
            }
            out.flush()?;
        }
        PageFormat::Json => {
            let list: Vec<String> = timelines(streams).iter().map(Timeline::to_json).collect();
            let mut out = data();
            writeln!(out, "[{}]", list.join(","))?;
            out.flush()?;
        }
        PageFormat::Html => {
            let mut out = data();
            out.write_all(PAGE.replacen(MARK, &log_of(streams), 1).as_bytes())?;
            out.flush()?;
        }
    }
    Ok(())
}

/// The timeline of each reply.
fn timelines(streams: &Streams) -> Vec<Timeline> {
    let mut timelines: Vec<Timeline> = streams.replies.iter().map(|_| Timeline::new()).collect();
    for shown in &streams.shown {
        if let Some(timeline) = timelines.get_mut(shown.reply) {
            timeline.apply(&shown.event);
        }
    }
    timelines
}

fn pretty(id: &str, timeline: &Timeline, out: &mut Screen<impl Write>) -> io::Result<()> {
    let state = match (timeline.is_complete(), timeline.is_expanded()) {
        (false, _) => "streaming, expanded",
        (true, true) => "complete, expanded",
        (true, false) => "complete, collapsed",
    };
    out.put(BOLD, id)?.put(PLAIN, " ")?.put(DIM, state)?.end_line()?;
    for entry in timeline.entries() {
        match entry {
            Entry::Thinking { content } => {
                out.put(PLAIN, "  ")?.put(DIM, "thinking ")?;
                indented(DIM, content, out)?;
            }
            Entry::Tool { tool_name, tool_call_id, status } => {
                let mark = if *status == ToolStatus::Running { "running" } else { "completed" };
                out.put(PLAIN, "  ")?.put(TOOL, "tool")?.put(PLAIN, format_args!(" {tool_name} "))?;
                out.put(DIM, tool_call_id)?.put(PLAIN, format_args!(" {mark}"))?.end_line()?;
            }
            Entry::Error { message } => {
                out.put(PLAIN, "  ")?.put(BAD, "error")?.put(PLAIN, " ")?;
                indented(PLAIN, message, out)?;
            }
            _ => out.put(PLAIN, format_args!("  {entry:?}"))?.end_line()?,
        }
    }
    if !timeline.content().is_empty() {
        for line in lines(timeline.content()) {
            out.put(PLAIN, line)?.end_line()?;
        }
    }
    Ok(())
}

/// A text that goes on under its first line.
fn indented(style: Style, text: &str, out: &mut Screen<impl Write>) -> io::Result<()> {
    for (index, line) in lines(text).enumerate() {
        if index > 0 {
            out.end_line()?;
            out.put(PLAIN, "    ")?;
        }
        out.put(style, line)?;
    }
    out.end_line()
}

/// The log as the page reads it: its number of records, its replies, and each coarse event with the records read and its reply.
fn log_of(streams: &Streams) -> String {
    let text = Writer::text(Space::Compact, |out| {
        out.object(|object| {
            object.key("records").number(streams.records);
            object.key("replies").array(&streams.replies, |out, id| out.string(id.as_str()));
            object.key("events").array(&streams.shown, |out, shown| {
                out.object(|object| {
                    object.key("at").number(shown.records);
                    object.key("reply").number(shown.reply as u64);
                    object.key("event").raw(&shown.event.to_json());
                });
            });
        });
    });
    // Within a script element no `<` may stand, whatever a log says; in JSON it stands in strings only.
    text.replace('<', "\\u003c")
}
