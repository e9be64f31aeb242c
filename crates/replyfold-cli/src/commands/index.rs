//! `replyfold index`

use crate::args::Index as Args;
use crate::lifted::Lifted;
use crate::output::{Failure, Outcome, PLAIN, screen};
use replyfold::coarse::Language;
use replyfold::log::{IndexError, update_index};

pub(crate) fn run(args: &Args) -> Result<Outcome, Failure> {
    let input = &args.input;
    if input.is_stdin() {
        return Err(Failure::Usage("an index stands beside its log: standard input has no place for one".to_owned()));
    }
    if is_coarse(args)? {
        let told = "the log is of the coarse protocol, whose events are lifted where it is read: `replyfold convert` writes the fine ones";
        return Err(Failure::Log(format!("{}: {told}", input.name())));
    }
    let bar = input.progress();
    let built = update_index(&input.log, &input.index_options(), |read, _| {
        if let Some(bar) = &bar {
            bar.set_position(read);
        }
        true
    });
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    let built = built.map_err(|err| failure(&err))?;
    let mut out = screen();
    let records = if built.records == 1 { "record" } else { "records" };
    out.put(PLAIN, format_args!("{}: {} {records}, {} bytes", built.path.display(), built.records, built.bytes))?.end_line()?;
    out.flush()?;
    Ok(Outcome::Fine)
}

/// Whether the first event that shows it shows a log of the coarse protocol.
fn is_coarse(args: &Args) -> Result<bool, Failure> {
    let (mut reader, mut lifted) = (args.input.reader()?, Lifted::new(Language::default()));
    while !lifted.is_known() {
        match reader.next_ref() {
            Some(Ok(record)) => _ = lifted.step(record),
            // Building the index comes to the same place, and tells.
            Some(Err(_)) | None => break,
        }
    }
    Ok(lifted.is_coarse())
}

fn failure(err: &IndexError) -> Failure {
    Failure::Log(err.to_string())
}
