//! `replyfold convert`

use crate::args::{Convert, Input};
use crate::output::{Failure, Outcome, complain, data};
use replyfold::dialect::{EventWriter, Loss};
use replyfold::event::{AgentEvent, Payload};
use replyfold::log::{Envelope, Place};
use std::collections::BTreeMap;
use std::io::Write;

pub(crate) fn run(args: &Convert) -> Result<Outcome, Failure> {
    let mut out = data();
    let mut losses = Losses::new(&args.input);
    let mut last = Place::default();
    let mut writer = EventWriter::new(args.to.into());
    let reading = args.input.read(|step| {
        last = step.record.place;
        for event in step.events() {
            let (line, lost) = line_of(&mut writer, &event.to_cow(), step.record.frame.envelope.as_ref(), args);
            losses.add(lost, last);
            out.write_all(&line)?;
        }
        Ok(true)
    })?;
    let mut held = || {
        for event in &reading.held {
            let (line, lost) = line_of(&mut writer, event, None, args);
            losses.add(lost, last);
            out.write_all(&line)?;
        }
        out.flush()
    };
    let printed = held().map_err(Failure::from);
    if reading.is_coarse {
        complain(&format!("{}: coarse records were lifted to fine events", args.input.name()));
    }
    losses.tell();
    reading.end.after(printed, Outcome::Fine)
}

/// The line of an event, empty if it is left out, and what the dialect cannot carry of it.
fn line_of(writer: &mut EventWriter, event: &AgentEvent, envelope: Option<&Envelope>, args: &Convert) -> (Vec<u8>, Vec<Loss>) {
    let mut line = Vec::new();
    if args.drop_unknown && matches!(event.payload, Payload::Unknown(_)) {
        return (line, Vec::new());
    }
    let lost = writer.write(event, &mut line);
    if line.is_empty() {
        return (line, lost);
    }
    if let (true, Some(envelope)) = (args.keep_envelope, envelope) {
        line = envelope.wrap(&String::from_utf8_lossy(&line)).into_bytes();
    }
    // A line end can only stand between the tokens of an unknown event that came over several lines.
    line.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
    line.push(b'\n');
    (line, lost)
}

/// The losses, each kind with its number and first place.
pub(super) struct Losses<'a> {
    input: &'a Input,
    told: BTreeMap<String, (u64, Place)>,
}

impl<'a> Losses<'a> {
    pub(super) fn new(input: &'a Input) -> Self {
        Self { input, told: BTreeMap::new() }
    }

    pub(super) fn add(&mut self, losses: Vec<Loss>, place: Place) {
        for loss in losses {
            if self.input.verbose {
                complain(&format!("{}: {place}: {loss}", self.input.name()));
            }
            self.told.entry(loss.to_string()).or_insert((0, place)).0 += 1;
        }
    }

    pub(super) fn tell(&self) {
        for (loss, (count, place)) in &self.told {
            let often = if *count == 1 { format!("at {place}") } else { format!("{count} times, first at {place}") };
            complain(&format!("{}: {loss} ({often})", self.input.name()));
        }
    }
}
