//! The session at a point of a log that has an index: what a reading from the start comes to, without it.

use super::super::{KNOWN, tell_lacking_starts, unknown_event, unknown_reply};
use crate::args::Replay;
use crate::input::TOLD;
use crate::output::{Failure, complain};
use replyfold::coarse::CoarseEvent;
use replyfold::log::{BadRecord, Index, IndexError, Place};
use replyfold::reduce::SessionReducer;

/// What was found, and what a reading would have told.
pub(super) struct Sought {
    session: SessionReducer,
    lacks_starts: bool,
    /// How many bad records there are, and the first of them.
    bad: u64,
    told: Vec<(Place, BadRecord)>,
    /// The end of the log, if a point behind it was asked for.
    beyond: Option<u64>,
    is_found: bool,
    /// The replies that there are, if the one asked for is not among them.
    known: Option<Vec<String>>,
}

/// Seeks, if a point or a reply is asked for and there is an index that knows; else the log is to be read.
pub(super) fn seek(args: &Replay) -> Option<Sought> {
    let input = &args.input;
    let is_asked = args.point.at.is_some() || args.point.until.is_some() || args.reply.is_some();
    // What `--verbose` tells is how the log is read.
    if !is_asked || input.is_stdin() || input.verbose {
        return None;
    }
    let sought = Index::open(&input.log, &input.index_options()).and_then(|mut index| {
        // A log that begins like one of the coarse protocol is lifted, which is a matter of reading.
        if index.unknown_types().any(CoarseEvent::is_coarse_type) {
            return Ok(None);
        }
        find(args, &mut index)
    });
    sought.unwrap_or_else(|err| {
        if err.is_stale() {
            tell_stale(&err.to_string());
        }
        None
    })
}

fn tell_stale(what: &str) {
    complain(&format!("{what}; the log is read from its start, and `replyfold index` makes a new index"));
}

fn find(args: &Replay, index: &mut Index) -> Result<Option<Sought>, IndexError> {
    let records = index.records();
    let event = args.point.until.as_deref().map(|id| index.find_event(id)).transpose()?.flatten();
    let is_found = args.point.until.is_none() || event.is_some();
    let point = args.point.at.or(event.map(|position| position + 1)).unwrap_or(u64::MAX);
    if index.is_grown() && point > records {
        tell_stale(&format!("{}: the log has grown since it was indexed", args.input.name()));
        return Ok(None);
    }
    let (bad, told) = index.bad_records(point, TOLD)?;
    if args.input.strict && bad > 0 {
        // The first of them ends the reading.
        return Ok(None);
    }
    let session = match &args.reply {
        _ if !is_found => SessionReducer::new(),
        Some(id) => index.reply_at(id, point)?,
        None => index.session_at(point)?,
    };
    let known = match &args.reply {
        Some(id) if is_found && session.reply(id).is_none() => Some(opened(index, point)?),
        _ => None,
    };
    let beyond = args.point.at.is_some_and(|at| at > records).then_some(records);
    Ok(Some(Sought { session, lacks_starts: index.lacks_starts(point), bad, told, beyond, is_found, known }))
}

/// The first replies whose message is opened at this point.
fn opened(index: &mut Index, point: u64) -> Result<Vec<String>, IndexError> {
    let mut replies = index.replies()?;
    replies.retain(|reply| reply.opened.is_some_and(|opened| opened < point));
    replies.sort_by_key(|reply| reply.opened);
    Ok(replies.into_iter().take(KNOWN).map(|reply| reply.reply.to_string()).collect())
}

impl Sought {
    /// Tells what a reading would have told, and gives the session.
    pub(super) fn tell(self, args: &Replay) -> Result<SessionReducer, Failure> {
        let (input, name) = (&args.input, args.input.name());
        for (place, bad) in &self.told {
            input.tell_bad(*place, bad);
        }
        input.tell_more_bad(self.bad);
        if let (Some(records), Some(at)) = (self.beyond, args.point.at) {
            input.tell_beyond(records, at);
        }
        tell_lacking_starts(self.lacks_starts, &name);
        if let (false, Some(id)) = (self.is_found, &args.point.until) {
            return Err(unknown_event(id, &name));
        }
        if let (Some(known), Some(id)) = (&self.known, &args.reply) {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            return Err(unknown_reply(id, &known, &name));
        }
        Ok(self.session)
    }
}
