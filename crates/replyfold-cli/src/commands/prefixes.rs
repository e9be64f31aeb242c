//! `replyfold prefixes`

use super::{Lost, known_reply, tell_lacking_starts, write_message};
use crate::args::Prefixes;
use crate::input::Reading;
use crate::output::{Failure, Outcome, data};
use replyfold::dialect::Dialect;
use replyfold::message::{AgentPath, ReplyId};
use replyfold::reduce::{Applied, SessionReducer};
use std::collections::HashSet;
use std::io::Write;

pub(crate) fn run(args: &Prefixes) -> Result<Outcome, Failure> {
    let mut session = SessionReducer::with_options(args.input.reduce());
    // One reply is folded for itself too, so that a line costs that reply and not a walk over all others.
    let mut chosen = args.reply.as_ref().map(|id| (id, SessionReducer::with_options(args.input.reduce())));
    let mut lines = Lines::new(args);
    let mut out = data();
    let mut records = 0;
    let Reading { end, .. } = args.input.read(|step| {
        let position = step.record.position;
        if position == 0 {
            lines.print(0, shown(&session, &chosen), &mut out)?;
        }
        records = position + 1;
        for event in step.events() {
            let Some(reply) = event.reply_id() else { continue };
            let mut applied = session.apply_at(position, event);
            if let Some((id, chosen)) = &mut chosen {
                // What changes another reply changes no line.
                applied = if *reply == id.as_str() { chosen.apply_at(position, event) } else { Applied::default() };
            }
            if applied.is_change() {
                lines.mark(event.source(), reply);
            }
        }
        if records.is_multiple_of(args.every) {
            lines.print(records, shown(&session, &chosen), &mut out)?;
        }
        Ok(true)
    })?;
    tell_lacking_starts(session.lacks_starts(), &args.input.name());
    // The reply of a stopped reading may stand after the bad record.
    if end.is_whole() {
        known_reply(&session, args.reply.as_deref(), &args.input.name())?;
    }
    let printed = lines.print(records, shown(&session, &chosen), &mut out);
    let printed = printed.and_then(|()| lines.print_held(&mut out)).and_then(|()| Ok(out.flush()?));
    lines.lost.tell();
    end.after(printed, Outcome::Fine)
}

/// The session whose messages a line shows.
fn shown<'a>(all: &'a SessionReducer, chosen: &'a Option<(&String, SessionReducer)>) -> &'a SessionReducer {
    chosen.as_ref().map_or(all, |(_, session)| session)
}

/// Prints lines, writing anew only the messages that changed since the last one.
struct Lines<'a> {
    dialect: Dialect,
    texts: Vec<Vec<u8>>,
    changed: HashSet<(Option<AgentPath>, ReplyId)>,
    printed: Option<u64>,
    /// Lines before the chosen reply, all of them empty arrays: nothing is printed for a reply that the log does not have.
    held: Option<u64>,
    lost: Lost<'a>,
}

impl<'a> Lines<'a> {
    fn new(args: &'a Prefixes) -> Self {
        Self {
            dialect: args.dialect.into(),
            texts: Vec::new(),
            changed: HashSet::new(),
            printed: None,
            held: args.reply.as_ref().map(|_| 0),
            lost: Lost::new(&args.input),
        }
    }

    /// The message of this reply has to be written anew.
    fn mark(&mut self, source: Option<&AgentPath>, reply: &ReplyId) {
        self.changed.insert((source.cloned(), reply.clone()));
    }

    fn print(&mut self, records: u64, session: &SessionReducer, out: &mut impl Write) -> Result<(), Failure> {
        if self.printed.replace(records) == Some(records) {
            return Ok(());
        }
        if let Some(held) = &mut self.held
            && session.replies().next().is_none()
        {
            *held += 1;
            return Ok(());
        }
        self.print_held(out)?;
        out.write_all(b"[")?;
        for (index, reply) in session.replies().enumerate() {
            let key = (reply.source().cloned(), reply.reducer().reply_id().clone());
            if index >= self.texts.len() {
                self.texts.push(Vec::new());
            }
            let Some(text) = self.texts.get_mut(index) else { continue };
            if text.is_empty() || self.changed.contains(&key) {
                text.clear();
                let losses = write_message(reply, self.dialect, false, text);
                self.lost.add(reply, losses);
            }
            if index > 0 {
                out.write_all(b",")?;
            }
            out.write_all(text)?;
        }
        self.changed.clear();
        out.write_all(b"]\n")?;
        Ok(())
    }

    fn print_held(&mut self, out: &mut impl Write) -> Result<(), Failure> {
        for _ in 0..self.held.take().unwrap_or(0) {
            out.write_all(b"[]\n")?;
        }
        Ok(())
    }
}
