//! The commands, one file each.

mod check;
mod coarse;
mod compact;
mod convert;
mod index;
mod play;
mod prefixes;
mod record;
mod replay;
mod run;
mod stats;
mod timeline;

use crate::args::{Args, Command, Input};
use crate::lifted::Lifted;
use crate::output::{Failure, Outcome, complain};
use replyfold::coarse::Language;
use replyfold::dialect::{Dialect, Loss, write_msg};
use replyfold::log::LogReader;
use replyfold::message::json::{Style, Writer};
use replyfold::reduce::{Reply, SessionReducer};
use std::collections::BTreeSet;

pub(crate) fn run(args: &Args) -> Result<Outcome, Failure> {
    match &args.command {
        Command::Replay(args) => replay::run(args),
        Command::Prefixes(args) => prefixes::run(args),
        Command::Convert(args) => convert::run(args),
        Command::Check(args) => check::run(args),
        Command::Stats(args) => stats::run(args),
        Command::Coarse(args) => coarse::run(args),
        Command::Timeline(args) => timeline::run(args),
        Command::Compact(args) => compact::run(args),
        Command::Index(args) => index::run(args),
        Command::Record(args) => record::run(args),
        Command::Play(args) => play::run(args),
        Command::Run(args) => run::run(args),
    }
}

/// Appends the JSON of a reply's message, and gives what the dialect cannot carry.
fn write_message(reply: Reply<'_>, dialect: Dialect, with_source: bool, out: &mut Vec<u8>) -> Vec<Loss> {
    let losses = write_msg(reply.message(), dialect, out);
    if let (true, Some(source)) = (with_source, reply.source()) {
        // The message is an object with fields; its last byte closes it.
        out.pop();
        out.extend_from_slice(b",\"source\":");
        Writer::new(out, Style::Compact).string(source.as_str());
        out.push(b'}');
    }
    losses
}

/// What the dialect of the messages cannot carry, told with `--verbose`: each loss once a reply.
struct Lost<'a> {
    input: &'a Input,
    losses: BTreeSet<(String, String)>,
}

impl<'a> Lost<'a> {
    fn new(input: &'a Input) -> Self {
        Self { input, losses: BTreeSet::new() }
    }

    fn add(&mut self, reply: Reply<'_>, losses: Vec<Loss>) {
        if self.input.verbose {
            self.losses.extend(losses.into_iter().map(|loss| (reply.message().id.to_string(), loss.to_string())));
        }
    }

    fn tell(&self) {
        for (reply, loss) in &self.losses {
            complain(&format!("{}: reply `{reply}`: {loss}", self.input.name()));
        }
    }
}

/// Refuses a reply that the log does not have.
fn known_reply(session: &SessionReducer, id: Option<&str>, log: &str) -> Result<(), Failure> {
    match id {
        Some(id) if session.reply(id).is_none() => {
            let known: Vec<&str> = session.messages().map(|msg| msg.id.as_str()).take(KNOWN).collect();
            Err(unknown_reply(id, &known, log))
        }
        _ => Ok(()),
    }
}

/// Replies that are named where one is not known.
const KNOWN: usize = 8;

fn unknown_reply(id: &str, known: &[&str], log: &str) -> Failure {
    let known = if known.is_empty() { "it has none".to_owned() } else { format!("it has {}", known.join(", ")) };
    Failure::Usage(format!("{log}: no reply `{id}` in what was read of the log; {known}"))
}

/// Refuses an event that the log does not have.
pub(crate) fn unknown_event(id: &str, log: &str) -> Failure {
    Failure::Usage(format!("{log}: no event has the id `{id}`"))
}

/// Tells of the option that shows what is in a capture without starts.
fn tell_lacking_starts(lacks_starts: bool, name: &str) {
    if lacks_starts {
        complain(&format!("{name}: the log holds pieces of blocks and no starts; --open-missing shows what is in them"));
    }
}

/// Whether the first event that shows it shows a log of the coarse protocol.
fn is_coarse(mut reader: LogReader) -> bool {
    let mut lifted = Lifted::new(Language::default());
    while !lifted.is_known() {
        match reader.next_ref() {
            Some(Ok(record)) => _ = lifted.step(record),
            // Whoever reads the log comes to the same place, and tells.
            Some(Err(_)) | None => break,
        }
    }
    lifted.is_coarse()
}
