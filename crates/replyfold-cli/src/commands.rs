//! The commands, one file each.

mod check;
mod coarse;
mod convert;
mod prefixes;
mod replay;
mod stats;
mod timeline;

use crate::args::{Args, Command};
use crate::output::{Failure, Outcome, complain};
use replyfold::dialect::{Dialect, write_msg};
use replyfold::message::json::{Style, Writer};
use replyfold::reduce::{Reply, SessionReducer};

pub(crate) fn run(args: &Args) -> Result<Outcome, Failure> {
    match &args.command {
        Command::Replay(args) => replay::run(args),
        Command::Prefixes(args) => prefixes::run(args),
        Command::Convert(args) => convert::run(args),
        Command::Check(args) => check::run(args),
        Command::Stats(args) => stats::run(args),
        Command::Coarse(args) => coarse::run(args),
        Command::Timeline(args) => timeline::run(args),
    }
}

/// Appends the JSON of a reply's message.
fn write_message(reply: Reply<'_>, dialect: Dialect, with_source: bool, out: &mut Vec<u8>) {
    write_msg(reply.message(), dialect, out);
    if let (true, Some(source)) = (with_source, reply.source()) {
        // The message is an object with fields; its last byte closes it.
        out.pop();
        out.extend_from_slice(b",\"source\":");
        Writer::new(out, Style::Compact).string(source.as_str());
        out.push(b'}');
    }
}

/// Refuses a reply that the log does not have.
fn known_reply(session: &SessionReducer, id: Option<&str>) -> Result<(), Failure> {
    match id {
        Some(id) if session.reply(id).is_none() => {
            let known: Vec<&str> = session.messages().map(|msg| msg.id.as_str()).take(8).collect();
            let known = if known.is_empty() { "it has none".to_owned() } else { format!("it has {}", known.join(", ")) };
            Err(Failure::Usage(format!("no reply `{id}` in what was read of the log; {known}")))
        }
        _ => Ok(()),
    }
}

/// Tells of the option that shows what is in a capture without starts.
fn tell_lacking_starts(session: &SessionReducer, name: &str) {
    if session.lacks_starts() {
        complain(&format!("{name}: the log holds pieces of blocks and no starts; --open-missing shows what is in them"));
    }
}
