//! `replyfold replay`

use super::{known_reply, tell_lacking_starts, write_message};
use crate::args::{Format, Replay};
use crate::coarse_stream::Lifted;
use crate::output::{Failure, Outcome, data, screen};
use crate::transcript;
use replyfold::coarse::Language;
use replyfold::log::Outcome as Read;
use replyfold::reduce::SessionReducer;
use std::io::Write;

pub(crate) fn run(args: &Replay) -> Result<Outcome, Failure> {
    let mut session = SessionReducer::with_options(args.input.reduce());
    let mut lifted = Lifted::new(Language::Chinese);
    let mut found = args.until.is_none();
    let end = args.input.read_at_most(args.at, |record| {
        if let Read::Event(read) = &record.outcome {
            lifted.push(&read.event, |event| {
                session.apply_at(record.position, event);
            });
            found |= args.until.as_deref().is_some_and(|id| read.event.id.as_ref().is_some_and(|event| *event == id));
        }
        Ok(args.until.is_none() || !found)
    })?;
    lifted.finish(|event| {
        session.apply(&event);
    });
    tell_lacking_starts(&session, &args.input.name());
    // What a stopped reading lacks may stand after the bad record.
    if end.is_whole() {
        if let (false, Some(id)) = (found, &args.until) {
            return Err(Failure::Usage(format!("{}: no event has the id `{id}`", args.input.name())));
        }
        known_reply(&session, args.reply.as_deref())?;
    }
    end.after(show(args, &session), Outcome::Fine)
}

fn show(args: &Replay, session: &SessionReducer) -> Result<(), Failure> {
    let wanted = session.replies().filter(|reply| args.reply.as_deref().is_none_or(|id| reply.message().id == id));
    match args.format {
        Format::Json => {
            let mut out = vec![b'['];
            for (index, reply) in wanted.enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_message(reply, args.dialect.into(), args.with_source, &mut out);
            }
            out.extend_from_slice(b"]\n");
            let mut stdout = data();
            stdout.write_all(&out)?;
            stdout.flush()?;
        }
        Format::Pretty => {
            let mut screen = screen();
            transcript::write(wanted, &mut screen)?;
            screen.flush()?;
        }
    }
    Ok(())
}
