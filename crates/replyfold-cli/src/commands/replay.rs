//! `replyfold replay`

mod follow;
mod sought;

use super::{Lost, known_reply, tell_lacking_starts, unknown_event, write_message};
use crate::args::{DialectArg, Format, Replay};
use crate::input::Reading;
use crate::output::{Failure, Outcome, data, screen};
use crate::transcript;
use replyfold::coarse::Language;
use replyfold::reduce::SessionReducer;
use std::io::Write;

pub(crate) fn run(args: &Replay) -> Result<Outcome, Failure> {
    if args.format == Format::Pretty && (args.dialect.is_some() || args.with_source) {
        return Err(Failure::Usage("--dialect and --with-source say how JSON is written: they need --format json".to_owned()));
    }
    if args.follow {
        return follow::run(args);
    }
    if let Some(sought) = sought::seek(args) {
        let session = sought.tell(args)?;
        show(args, &session)?;
        return Ok(Outcome::Fine);
    }
    let mut session = SessionReducer::with_options(args.input.reduce());
    let mut found = args.point.until.is_none();
    let Reading { end, held, .. } = args.input.read_at_most(args.point.at, Language::default(), |step| {
        for event in step.events() {
            session.apply_at(step.record.position, event);
            found |= args.point.until.as_deref().is_some_and(|id| event.id() == Some(id));
        }
        Ok(args.point.until.is_none() || !found)
    })?;
    for event in &held {
        session.apply(event);
    }
    tell_lacking_starts(session.lacks_starts(), &args.input.name());
    // What a stopped reading lacks may stand after the bad record.
    if end.is_whole() {
        if let (false, Some(id)) = (found, &args.point.until) {
            return Err(unknown_event(id, &args.input.name()));
        }
        known_reply(&session, args.reply.as_deref(), &args.input.name())?;
    }
    end.after(show(args, &session), Outcome::Fine)
}

fn show(args: &Replay, session: &SessionReducer) -> Result<(), Failure> {
    let dialect = args.dialect.unwrap_or(DialectArg::Canonical);
    let wanted = session.replies().filter(|reply| args.reply.as_deref().is_none_or(|id| reply.message().id == id));
    match args.format {
        Format::Json => {
            let (mut out, mut lost) = (data(), Lost::new(&args.input));
            // One message at a time: the text of all of them would take as much memory again as they do.
            let mut text = Vec::new();
            out.write_all(b"[")?;
            for (index, reply) in wanted.enumerate() {
                text.clear();
                if index > 0 {
                    text.push(b',');
                }
                lost.add(reply, write_message(reply, dialect.into(), args.with_source, &mut text));
                out.write_all(&text)?;
            }
            out.write_all(b"]\n")?;
            lost.tell();
            out.flush()?;
        }
        Format::Pretty => {
            let mut screen = screen();
            transcript::write(wanted, &mut screen)?;
            screen.flush()?;
        }
    }
    Ok(())
}
