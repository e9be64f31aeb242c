//! `replyfold compact`

use crate::args::Compact;
use crate::output::{Failure, Outcome, PLAIN, screen};
use replyfold::log::{CompactError, compact};

pub(crate) fn run(args: &Compact) -> Result<Outcome, Failure> {
    let reader = args.input.reader()?;
    let done = compact(reader, &args.output, args.force).map_err(|err| failure(&err, args))?;
    let mut out = screen();
    out.put(PLAIN, format_args!("{} records became {}: ", done.records_before, done.records_after))?;
    out.put(PLAIN, format_args!("{} joined, {} repeated ones left out; ", done.joined, done.duplicates))?;
    out.put(PLAIN, format_args!("{} bytes became {}", done.bytes_before, done.bytes_after))?.end_line()?;
    out.flush()?;
    Ok(Outcome::Fine)
}

fn failure(err: &CompactError, args: &Compact) -> Failure {
    match err.log_error() {
        Some(log) if log.is_bad_record() => Failure::BadRecord(err.to_string()),
        Some(_) => Failure::Log(err.to_string()),
        None if err.is_existing() => Failure::Usage(format!("{err}: --force replaces it")),
        // Standard input has no name of its own.
        None => Failure::Log(if args.input.is_stdin() { format!("{}: {err}", args.input.name()) } else { err.to_string() }),
    }
}
