//! `replyfold replay --follow`

use super::super::{Lost, known_reply, tell_lacking_starts, unknown_event, write_message};
use crate::args::{DialectArg, Format, Replay};
use crate::input::{Moment, Reading};
use crate::output::{Failure, Outcome, Screen, data, screen};
use crate::transcript::Growing;
use replyfold::event::{AgentEvent, EventRef, Payload};
use replyfold::message::{AgentPath, ReplyId};
use replyfold::reduce::{Reply, SessionReducer};
use std::collections::HashSet;
use std::io::Write;

pub(super) fn run(args: &Replay) -> Result<Outcome, Failure> {
    match args.format {
        Format::Pretty => follow(args, Transcript { args, growing: Growing::default(), screen: screen() }),
        Format::Json => follow(args, Lines { args, out: data(), changed: HashSet::new(), lost: Lost::new(&args.input) }),
    }
}

/// What shows a session that grows.
trait View {
    /// An event changed a reply.
    fn changed(&mut self, session: &SessionReducer, event: EventRef<'_>) -> Result<(), Failure>;
    /// All that is there was folded, and something is new.
    fn show(&mut self, session: &SessionReducer) -> Result<(), Failure>;
    /// Nothing more comes.
    fn end(&mut self, session: &SessionReducer) -> Result<(), Failure>;
}

fn follow(args: &Replay, mut view: impl View) -> Result<Outcome, Failure> {
    let mut session = SessionReducer::with_options(args.input.reduce());
    let mut found = args.point.until.is_none();
    let fold = |session: &mut SessionReducer, event: EventRef<'_>, position: u64, view: &mut dyn View| {
        if session.apply_at(position, event).is_change() { view.changed(session, event) } else { Ok(()) }
    };
    let Reading { end, held, .. } = args.input.follow(args.point.at, |moment| match moment {
        Moment::Record(step) => {
            for event in step.events() {
                fold(&mut session, event, step.record.position, &mut view)?;
                found |= args.point.until.as_deref().is_some_and(|id| event.id() == Some(id));
            }
            Ok(args.point.until.is_none() || !found)
        }
        Moment::Idle => {
            view.show(&session)?;
            Ok(!(args.until_end && has_ended(args, &session)))
        }
    })?;
    for event in &held {
        session.apply(event);
        view.changed(&session, event.into())?;
    }
    tell_lacking_starts(session.lacks_starts(), &args.input.name());
    let shown = view.end(&session);
    if end.is_whole() && shown.is_ok() {
        if let (false, Some(id)) = (found, &args.point.until) {
            return Err(unknown_event(id, &args.input.name()));
        }
        known_reply(&session, args.reply.as_deref(), &args.input.name())?;
    }
    end.after(shown, Outcome::Fine)
}

/// The replies that were asked for.
fn wanted<'a>(args: &Replay, session: &'a SessionReducer) -> impl Iterator<Item = Reply<'a>> {
    session.replies().filter(|reply| args.reply.as_deref().is_none_or(|id| reply.message().id == id))
}

/// Whether there is a reply, and each has ended or paused.
fn has_ended(args: &Replay, session: &SessionReducer) -> bool {
    let mut replies = wanted(args, session).peekable();
    replies.peek().is_some() && replies.all(|reply| reply.reducer().is_ended())
}

/// A transcript that grows.
struct Transcript<'a, W> {
    args: &'a Replay,
    growing: Growing,
    screen: Screen<W>,
}

impl<W: Write> View for Transcript<'_, W> {
    fn changed(&mut self, _session: &SessionReducer, _event: EventRef<'_>) -> Result<(), Failure> {
        Ok(())
    }

    fn show(&mut self, session: &SessionReducer) -> Result<(), Failure> {
        Ok(self.growing.show(wanted(self.args, session), &mut self.screen)?)
    }

    fn end(&mut self, session: &SessionReducer) -> Result<(), Failure> {
        Ok(self.growing.end(wanted(self.args, session), &mut self.screen)?)
    }
}

/// Messages as JSON, a line each time a reply ends.
struct Lines<'a, W> {
    args: &'a Replay,
    out: W,
    /// Replies that changed since they were printed.
    changed: HashSet<(Option<AgentPath>, ReplyId)>,
    lost: Lost<'a>,
}

impl<W: Write> Lines<'_, W> {
    fn print(&mut self, reply: Reply<'_>) -> Result<(), Failure> {
        let mut text = Vec::new();
        let dialect = self.args.dialect.unwrap_or(DialectArg::Canonical);
        self.lost.add(reply, write_message(reply, dialect.into(), self.args.with_source, &mut text));
        text.push(b'\n');
        Ok(self.out.write_all(&text)?)
    }
}

impl<W: Write> View for Lines<'_, W> {
    fn changed(&mut self, session: &SessionReducer, event: EventRef<'_>) -> Result<(), Failure> {
        let Some(id) = event.reply_id() else { return Ok(()) };
        let key = (event.source().cloned(), id.clone());
        let is_end = matches!(event.as_event(), Some(AgentEvent { payload: Payload::AgentEnd(_), .. }));
        if !is_end {
            self.changed.insert(key);
            return Ok(());
        }
        self.changed.remove(&key);
        let is_it = |reply: &Reply<'_>| reply.source() == event.source() && reply.reducer().reply_id() == id;
        match session.reply(id.as_str()).filter(is_it).or_else(|| session.replies().find(is_it)) {
            Some(reply) if self.args.reply.as_deref().is_none_or(|wanted| reply.message().id == wanted) => self.print(reply),
            _ => Ok(()),
        }
    }

    fn show(&mut self, _session: &SessionReducer) -> Result<(), Failure> {
        Ok(self.out.flush()?)
    }

    fn end(&mut self, session: &SessionReducer) -> Result<(), Failure> {
        let args = self.args;
        for reply in wanted(args, session) {
            if self.changed.contains(&(reply.source().cloned(), reply.reducer().reply_id().clone())) {
                self.print(reply)?;
            }
        }
        self.lost.tell();
        Ok(self.out.flush()?)
    }
}
