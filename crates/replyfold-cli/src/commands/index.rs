//! `replyfold index`

use super::is_coarse;
use crate::args::Index as Args;
use crate::output::{Failure, Outcome, PLAIN, screen};
use replyfold::log::{IndexError, update_index};

pub(crate) fn run(args: &Args) -> Result<Outcome, Failure> {
    let input = &args.input;
    if input.is_stdin() {
        return Err(Failure::Usage("an index stands beside its log: standard input has no place for one".to_owned()));
    }
    if is_coarse(input.reader()?) {
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

fn failure(err: &IndexError) -> Failure {
    Failure::Log(err.to_string())
}
