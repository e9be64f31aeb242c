//! `replyfold stats`

use crate::args::{Format, Stats as Args};
use crate::input::Reading;
use crate::output::{Failure, Outcome, PLAIN, Screen, data, screen};
use crate::stats::{Stats, spread};
use crate::transcript::text::seconds;
use anstyle::{AnsiColor, Style};
use replyfold::message::json::{FieldValue, ObjectWriter, Style as Json, Writer};
use replyfold::reduce::SessionReducer;
use std::io::{self, Write};

/// Columns of the longest bar.
const BAR: u64 = 30;
const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const COLOR: Style = AnsiColor::Cyan.on_default();

pub(crate) fn run(args: &Args) -> Result<Outcome, Failure> {
    let mut stats = Stats::default();
    let mut session = SessionReducer::with_options(args.input.reduce());
    let Reading { end, held, .. } = args.input.read(|step| {
        stats.records += 1;
        stats.bad += u64::from(step.record.bad().is_some());
        for event in step.events() {
            let applied = session.apply_at(step.record.position, event);
            stats.see(event, applied);
        }
        Ok(true)
    })?;
    for event in &held {
        let applied = session.apply(event);
        stats.see(event.into(), applied);
    }
    if end.bad().is_some() {
        stats.records += 1;
        stats.bad += 1;
    }
    stats.replies = session.messages().count() as u64;
    end.after(show(args, &stats), Outcome::Fine)
}

fn show(args: &Args, stats: &Stats) -> Result<(), Failure> {
    match args.format {
        Format::Json => {
            let mut text = Vec::new();
            write_json(stats, &mut Writer::new(&mut text, Json::Compact));
            text.push(b'\n');
            let mut out = data();
            out.write_all(&text)?;
            out.flush()?;
        }
        Format::Pretty => {
            let mut out = screen();
            write_tables(stats, &mut out)?;
            out.flush()?;
        }
    }
    Ok(())
}

fn write_tables(stats: &Stats, out: &mut Screen<impl Write>) -> io::Result<()> {
    let counts = [counted(stats.records, "record", "records"), format!("{} bad", stats.bad), counted(stats.replies, "reply", "replies")];
    out.put(BOLD, "log")?.put(PLAIN, format_args!("  {}", counts.join(", ")))?.end_line()?;
    if stats.repeated > 0 {
        let events = counted(stats.repeated, "event", "events");
        out.put(BOLD, "repeated")?.put(PLAIN, format_args!("  {events}, in no count but that of events"))?.end_line()?;
    }
    let usage = &stats.usage;
    let (read, written) = (usage.cache_input_tokens, usage.cache_creation_input_tokens);
    let tokens = format!("{} in, {} out, {read} from the cache, {written} to the cache", usage.input_tokens, usage.output_tokens);
    out.put(BOLD, "tokens")?.put(PLAIN, format_args!("  {tokens}"))?.end_line()?;
    write_events(stats, out)?;
    write_tools(stats, out)?;
    write_times(stats, out)
}

fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn write_events(stats: &Stats, out: &mut Screen<impl Write>) -> io::Result<()> {
    let mut events: Vec<_> = stats.events().into_iter().collect();
    if events.is_empty() {
        return Ok(());
    }
    out.end_line()?;
    out.put(BOLD, "events")?.end_line()?;
    events.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let most = events.first().map_or(1, |(_, count)| *count);
    let width = column(events.iter().map(|(name, _)| *name));
    for (name, count) in events {
        out.put(PLAIN, format_args!("  {name:<width$} {count:>8}  "))?.put(COLOR, bar(count, most))?.end_line()?;
    }
    Ok(())
}

fn write_tools(stats: &Stats, out: &mut Screen<impl Write>) -> io::Result<()> {
    if stats.tools.is_empty() {
        return Ok(());
    }
    title("tools", "calls, failures, latency least / median / greatest", out)?;
    let most = stats.tools.values().map(|tool| tool.calls).max().unwrap_or(1);
    let width = column(stats.tools.keys().map(String::as_str));
    for (name, tool) in &stats.tools {
        let latency = spread(&tool.latency).map(|numbers| numbers.map(seconds).join(" / ")).unwrap_or_default();
        out.put(PLAIN, format_args!("  {name:<width$} {:>6} {:>6}  ", tool.calls, tool.failures))?
            .put(COLOR, bar(tool.calls, most))?
            .put(PLAIN, format_args!("  {latency}"))?
            .end_line()?;
    }
    Ok(())
}

fn write_times(stats: &Stats, out: &mut Screen<impl Write>) -> io::Result<()> {
    let times = [
        ("first token", spread(&stats.first_token).map(|numbers| numbers.map(seconds)), stats.first_token.len()),
        ("text", spread(&stats.speed).map(|numbers| numbers.map(|speed| format!("{speed:.0} characters/s"))), stats.speed.len()),
        ("output", spread(&stats.token_speed).map(|numbers| numbers.map(|speed| format!("{speed:.0} tokens/s"))), stats.token_speed.len()),
    ];
    if times.iter().any(|(_, spread, _)| spread.is_some()) {
        title("times", "least / median / greatest", out)?;
        for (name, spread, count) in times {
            if let Some(spread) = spread {
                out.put(PLAIN, format_args!("  {name:<12} {}  ", spread.join(" / ")))?.put(DIM, format_args!("of {count}"))?.end_line()?;
            }
        }
    }
    Ok(())
}

/// A blank line, and the title of a table with what its columns are.
fn title(name: &str, columns: &str, out: &mut Screen<impl Write>) -> io::Result<()> {
    out.end_line()?;
    out.put(BOLD, name)?.put(PLAIN, "  ")?.put(DIM, columns)?.end_line()
}

/// Characters of the longest name, within reason.
fn column<'a>(names: impl Iterator<Item = &'a str>) -> usize {
    names.map(|name| name.chars().count()).max().unwrap_or(0).min(40)
}

/// A bar of eighths of a column, at least one of them for anything at all.
fn bar(count: u64, most: u64) -> String {
    let eighths = (count.saturating_mul(BAR * 8)).checked_div(most).unwrap_or(0).max(u64::from(count > 0));
    let full = "█".repeat(usize::try_from(eighths / 8).unwrap_or(0));
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"].get(usize::try_from(eighths % 8).unwrap_or(0)).copied().unwrap_or("");
    format!("{full}{rest}")
}

fn write_json(stats: &Stats, out: &mut Writer<'_>) {
    out.object(|object| {
        object.field("records", &stats.records);
        object.field("bad", &stats.bad);
        object.field("replies", &stats.replies);
        object.field("repeated", &stats.repeated);
        object.key("events").object(|events| {
            for (name, count) in stats.events() {
                events.field(name, &count);
            }
        });
        stats.usage.write(&mut object.key("usage"));
        object.key("tools").object(|tools| {
            for (name, tool) in &stats.tools {
                tools.key(name).object(|object| {
                    object.field("calls", &tool.calls);
                    object.field("failures", &tool.failures);
                    write_spread(object, "latencySeconds", &tool.latency);
                });
            }
        });
        write_spread(object, "firstTokenSeconds", &stats.first_token);
        write_spread(object, "charactersPerSecond", &stats.speed);
        write_spread(object, "tokensPerSecond", &stats.token_speed);
    });
}

fn write_spread(object: &mut ObjectWriter<'_>, key: &str, numbers: &[f64]) {
    match spread(numbers) {
        Some([least, median, greatest]) => object.key(key).object(|object| {
            object.field("count", &(numbers.len() as u64));
            for (key, number) in [("least", least), ("median", median), ("greatest", greatest)] {
                object.key(key).raw(&format!("{number}"));
            }
        }),
        None => object.key(key).null(),
    }
}
