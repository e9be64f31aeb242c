//! `replyfold convert`

use crate::args::Convert;
use crate::output::{Failure, Outcome, complain, data};
use replyfold::dialect::{Loss, write_event};
use replyfold::event::Payload;
use replyfold::log::{Outcome as Read, Place};
use std::collections::BTreeMap;
use std::io::Write;

pub(crate) fn run(args: &Convert) -> Result<Outcome, Failure> {
    let mut out = data();
    let mut line = Vec::new();
    let mut losses = Losses::default();
    let end = args.input.read(|record| {
        let Read::Event(read) = &record.outcome else { return Ok(true) };
        if args.drop_unknown && matches!(read.event.payload, Payload::Unknown(_)) {
            return Ok(true);
        }
        line.clear();
        let lost = write_event(&read.event, args.to.into(), &mut line);
        losses.add(lost, record.place, args.input.verbose);
        if line.is_empty() {
            return Ok(true);
        }
        if let (true, Some(envelope)) = (args.keep_envelope, &record.frame.envelope) {
            line = envelope.wrap(&String::from_utf8_lossy(&line)).into_bytes();
        }
        // A line end can only stand between the tokens of an unknown event that came over several lines.
        line.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
        line.push(b'\n');
        out.write_all(&line)?;
        Ok(true)
    })?;
    let printed = out.flush().map_err(Failure::from);
    losses.tell();
    end.after(printed, Outcome::Fine)
}

/// The losses, each kind with its number and first place.
#[derive(Default)]
struct Losses(BTreeMap<String, (u64, Place)>);

impl Losses {
    fn add(&mut self, losses: Vec<Loss>, place: Place, verbose: bool) {
        for loss in losses {
            if verbose {
                complain(&format!("{place}: {loss}"));
            }
            self.0.entry(loss.to_string()).or_insert((0, place)).0 += 1;
        }
    }

    fn tell(&self) {
        for (loss, (count, place)) in &self.0 {
            let often = if *count == 1 { format!("at {place}") } else { format!("{count} times, first at {place}") };
            complain(&format!("{loss} ({often})"));
        }
    }
}
