//! `replyfold check`

use super::tell_lacking_starts;
use crate::args::{Check, Format};
use crate::check::{Checker, Finding};
use crate::output::{Failure, Outcome, data, stdout};
use anstyle::{AnsiColor, Style};
use replyfold::message::json::{Style as Json, Writer};
use std::io::Write;

pub(crate) fn run(args: &Check) -> Result<Outcome, Failure> {
    let mut checker = Checker::new(args.input.reduce());
    args.input.read(|record| {
        checker.see(&record);
        Ok(true)
    })?;
    let (session, findings) = checker.finish();
    tell_lacking_starts(&session, &args.input.name());
    match args.format {
        Format::Json => print_json(&findings)?,
        Format::Pretty => print(&findings)?,
    }
    Ok(if findings.is_empty() { Outcome::Fine } else { Outcome::Findings })
}

fn print(findings: &[Finding]) -> Result<(), Failure> {
    let mut out = stdout();
    let (bold, dim) = (Style::new().bold().fg_color(Some(AnsiColor::Yellow.into())), Style::new().dimmed());
    for finding in findings {
        let line = finding.line.map_or_else(|| "end".to_owned(), |line| format!("line {line}"));
        write!(out, "{bold}{line}{bold:#}: {} {dim}[{}", finding.sentence, finding.kind)?;
        for (name, id) in [("event", &finding.event), ("reply", &finding.reply)] {
            if let Some(id) = id {
                write!(out, ", {name} {id}")?;
            }
        }
        writeln!(out, "]{dim:#}")?;
    }
    match findings.len() {
        0 => writeln!(out, "nothing found")?,
        1 => writeln!(out, "1 finding")?,
        count => writeln!(out, "{count} findings")?,
    }
    out.flush()?;
    Ok(())
}

fn print_json(findings: &[Finding]) -> Result<(), Failure> {
    let mut text = Vec::new();
    Writer::new(&mut text, Json::Compact).array(findings, |out, finding| {
        out.object(|object| {
            object.string("kind", finding.kind);
            object.field("line", &finding.line);
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
