//! `replyfold prefixes`

use super::{known_reply, tell_lacking_starts, write_message};
use crate::args::Prefixes;
use crate::output::{Failure, Outcome, data};
use replyfold::dialect::Dialect;
use replyfold::log::Outcome as Read;
use replyfold::reduce::SessionReducer;
use std::collections::HashSet;
use std::io::Write;

pub(crate) fn run(args: &Prefixes) -> Result<Outcome, Failure> {
    let mut session = SessionReducer::with_options(args.input.reduce());
    let mut lines =
        Lines { dialect: args.dialect.into(), reply: args.reply.clone(), texts: Vec::new(), changed: HashSet::new(), printed: None };
    let mut out = data();
    let mut records = 0;
    args.input.read(|record| {
        if records == 0 {
            lines.print(0, &session, &mut out)?;
        }
        records = record.position + 1;
        if let Read::Event(read) = &record.outcome
            && session.apply_at(record.position, &read.event).is_change()
            && let Some(id) = read.event.reply_id()
        {
            lines.changed.insert((read.event.source.as_ref().map(ToString::to_string), id.to_string()));
        }
        if records.is_multiple_of(args.every) {
            lines.print(records, &session, &mut out)?;
        }
        Ok(true)
    })?;
    lines.print(records, &session, &mut out)?;
    out.flush()?;
    tell_lacking_starts(&session, &args.input.name());
    known_reply(&session, args.reply.as_deref())?;
    Ok(Outcome::Fine)
}

/// Prints lines, writing anew only the messages that changed since the last one.
struct Lines {
    dialect: Dialect,
    reply: Option<String>,
    texts: Vec<Vec<u8>>,
    changed: HashSet<(Option<String>, String)>,
    printed: Option<u64>,
}

impl Lines {
    fn print(&mut self, records: u64, session: &SessionReducer, out: &mut impl Write) -> Result<(), Failure> {
        if self.printed.replace(records) == Some(records) {
            return Ok(());
        }
        out.write_all(b"[")?;
        let mut first = true;
        for (index, reply) in session.replies().enumerate() {
            let key = (reply.source().map(ToString::to_string), reply.message().id.to_string());
            if index >= self.texts.len() {
                self.texts.push(Vec::new());
            }
            let Some(text) = self.texts.get_mut(index) else { continue };
            if text.is_empty() || self.changed.contains(&key) {
                text.clear();
                write_message(reply, self.dialect, false, text);
            }
            if self.reply.as_deref().is_none_or(|id| reply.message().id == id) {
                if !std::mem::take(&mut first) {
                    out.write_all(b",")?;
                }
                out.write_all(text)?;
            }
        }
        self.changed.clear();
        out.write_all(b"]\n")?;
        Ok(())
    }
}
