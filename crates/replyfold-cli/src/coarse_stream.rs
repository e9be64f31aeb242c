//! Logs as coarse streams.

use crate::args::{Collapse, Input, Point, Subagents};
use crate::commands::unknown_event;
use crate::input::Reading;
use crate::output::{End, Failure};
use replyfold::coarse::{CoarseEvent, CollapseOptions, Language, SessionCollapser, SubagentPolicy, ThinkOptions};
use replyfold::message::{EventId, ReplyId};
use std::collections::{HashMap, HashSet};

/// One coarse event of a log.
pub(crate) struct Shown {
    /// Records that were read when it was shown, its own included.
    pub(crate) records: u64,
    /// Index of its reply.
    pub(crate) reply: usize,
    pub(crate) event: CoarseEvent,
}

/// The coarse streams of a log.
pub(crate) struct Streams {
    /// In the order in which they began.
    pub(crate) replies: Vec<ReplyId>,
    pub(crate) shown: Vec<Shown>,
    /// Records that were read.
    pub(crate) records: u64,
    /// Place of each in `replies`.
    index: HashMap<ReplyId, usize>,
}

impl Streams {
    fn new(records: u64) -> Self {
        Self { replies: Vec::new(), shown: Vec::new(), records, index: HashMap::new() }
    }
}

impl Collapse {
    fn language(&self) -> Language {
        self.lang.into()
    }

    fn options(&self) -> CollapseOptions {
        let subagents = match self.subagents {
            Subagents::Drop => SubagentPolicy::Drop,
            Subagents::Thinking => SubagentPolicy::Thinking,
        };
        let options = CollapseOptions::new().with_language(self.language()).with_subagents(subagents);
        if self.think_tags { options.with_think_tags(ThinkOptions::new()) } else { options }
    }

    /// Collapses the records up to a point. `closed` ends the streams that just stop.
    pub(crate) fn read(&self, input: &Input, point: &Point, closed: bool) -> Result<(Streams, End), Failure> {
        let mut session = SessionCollapser::with_options(self.options());
        let mut seen: HashSet<EventId> = HashSet::new();
        let mut streams = Streams::new(0);
        let until = point.until.as_deref();
        let mut found = until.is_none();
        let Reading { end, held, .. } = input.read_at_most(point.at, self.language(), |step| {
            streams.records = step.record.position + 1;
            for event in step.events() {
                found |= until.is_some() && event.id() == until;
                // A log that was saved over a reconnect holds events twice.
                if event.id().is_none_or(|id| seen.insert(EventId::new(id))) {
                    session.push(event).for_each(|shown| streams.take(&shown.reply_id, shown.event));
                }
            }
            Ok(until.is_none() || !found)
        })?;
        // What a stopped reading lacks may stand after the bad record.
        if let (false, true, Some(id)) = (found, end.is_whole(), until) {
            return Err(unknown_event(id, &input.name()));
        }
        for event in &held {
            session.push(event).for_each(|shown| streams.take(&shown.reply_id, shown.event));
        }
        if closed {
            session.finish().for_each(|shown| streams.take(&shown.reply_id, shown.event));
        }
        if let Some(id) = &self.reply {
            match streams.keep(id, &input.name()) {
                // It may stand after the bad record.
                Err(_) if !end.is_whole() => streams = Streams::new(streams.records),
                kept => kept?,
            }
        }
        Ok((streams, end))
    }
}

impl Streams {
    fn take(&mut self, id: &ReplyId, event: CoarseEvent) {
        let reply = *self.index.entry(id.clone()).or_insert(self.replies.len());
        if reply == self.replies.len() {
            self.replies.push(id.clone());
        }
        self.shown.push(Shown { records: self.records, reply, event });
    }

    fn keep(&mut self, id: &str, log: &str) -> Result<(), Failure> {
        let Some(index) = self.replies.iter().position(|known| known.as_str() == id) else {
            let known: Vec<&str> = self.replies.iter().map(|id| id.as_str()).take(8).collect();
            let known = if known.is_empty() { "none does".to_owned() } else { format!("these do: {}", known.join(", ")) };
            return Err(Failure::Usage(format!("{log}: no reply `{id}` shows anything in what was read of the log; {known}")));
        };
        self.replies = vec![ReplyId::new(id)];
        self.index = [(ReplyId::new(id), 0)].into();
        self.shown.retain(|shown| shown.reply == index);
        self.shown.iter_mut().for_each(|shown| shown.reply = 0);
        Ok(())
    }

    /// The events of each reply, in the order of `replies`.
    pub(crate) fn by_reply(&self) -> Vec<Vec<&CoarseEvent>> {
        let mut streams = vec![Vec::new(); self.replies.len()];
        for shown in &self.shown {
            if let Some(stream) = streams.get_mut(shown.reply) {
                stream.push(&shown.event);
            }
        }
        streams
    }
}
