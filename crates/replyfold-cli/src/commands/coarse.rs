//! `replyfold coarse`

use crate::args::{Coarse, Point};
use crate::coarse_stream::Streams;
use crate::output::{Failure, Outcome, data};
use std::io::Write;

pub(crate) fn run(args: &Coarse) -> Result<Outcome, Failure> {
    let (streams, end) = args.collapse.read(&args.input, &Point::default(), true)?;
    end.after(show(args, &streams), Outcome::Fine)
}

fn show(args: &Coarse, streams: &Streams) -> Result<(), Failure> {
    let mut stdout = data();
    // Coarse events do not say which reply they are of, so the streams stand one after the other.
    for event in streams.by_reply().concat() {
        match args.sse {
            true => write!(stdout, "{}", event.to_sse())?,
            false => writeln!(stdout, "{}", event.to_json())?,
        }
    }
    stdout.flush()?;
    Ok(())
}
