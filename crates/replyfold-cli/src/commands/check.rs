//! `replyfold check`

use super::tell_lacking_starts;
use crate::args::{Check, Format};
use crate::check::{Checker, Finding, line};
use crate::input::Reading;
use crate::output::{Failure, Outcome, PLAIN, data, screen};
use anstyle::{AnsiColor, Style};
use replyfold::message::json::{Style as Json, Writer};
use std::io::Write;

pub(crate) fn run(args: &Check) -> Result<Outcome, Failure> {
    let mut checker = Checker::new(args.input.reduce());
    let Reading { end, held, .. } = args.input.read(|step| {
        checker.see(&step, &args.input);
        Ok(true)
    })?;
    let (session, findings) = checker.finish(&end, &held);
    tell_lacking_starts(session.lacks_starts(), &args.input.name());
    let shown = match args.format {
        Format::Json => print_json(&findings),
        Format::Pretty => print(&findings, end.is_whole()),
    };
    end.after(shown, if findings.is_empty() { Outcome::Fine } else { Outcome::Findings })
}

fn print(findings: &[Finding], whole: bool) -> Result<(), Failure> {
    let mut out = screen();
    let (bold, dim) = (Style::new().bold().fg_color(Some(AnsiColor::Yellow.into())), Style::new().dimmed());
    for finding in findings {
        match finding.line {
            Some(line) => out.put(bold, line::words(line))?,
            None => out.put(bold, "end")?,
        };
        out.put(PLAIN, format_args!(": {} ", finding.sentence))?.put(dim, format_args!("[{}", finding.kind))?;
        for (name, id) in [("event", &finding.event), ("reply", &finding.reply)] {
            if let Some(id) = id {
                out.put(dim, format_args!(", {name} {id}"))?;
            }
        }
        out.put(dim, "]")?.end_line()?;
    }
    match findings.len() {
        0 => out.put(PLAIN, "nothing found")?,
        1 => out.put(PLAIN, "1 finding")?,
        count => out.put(PLAIN, format_args!("{count} findings"))?,
    };
    if !whole {
        out.put(PLAIN, " in what was read")?;
    }
    out.end_line()?;
    out.flush()?;
    Ok(())
}

fn print_json(findings: &[Finding]) -> Result<(), Failure> {
    let mut text = Vec::new();
    Writer::new(&mut text, Json::Compact).array(findings, |out, finding| {
        out.object(|object| {
            object.string("kind", finding.kind);
            let place = finding.line.map(line::parts);
            if let Some((segment, _)) = place.filter(|(segment, _)| *segment > 0) {
                object.field("segment", &segment);
            }
            object.field("line", &place.map(|(_, line)| line));
            object.field("event", &finding.event);
            object.field("reply", &finding.reply);
            object.string("sentence", &finding.sentence);
        });
    });
    text.push(b'\n');
    let mut out = data();
    out.write_all(&text)?;
    out.flush()?;
    Ok(())
}
