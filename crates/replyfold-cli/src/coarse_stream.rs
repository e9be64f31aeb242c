//! Logs as coarse streams: fine logs collapsed, coarse ones lifted and collapsed like them.

use crate::args::{Collapse, Input, Lang, Subagents};
use crate::output::{End, Failure};
use replyfold::coarse::{CoarseEvent, CollapseOptions, Language, Lifter, SessionCollapser, SubagentPolicy, ThinkOptions};
use replyfold::event::{AgentEvent, Payload};
use replyfold::log::Outcome;
use replyfold::message::{EventId, ReplyId};
use std::collections::{HashMap, HashSet};

/// Id of the first reply of a coarse log, which has none.
const LIFTED: &str = "coarse";

/// Gives the events of a log as fine ones, whichever they are.
pub(crate) struct Lifted(Lifter);

impl Lifted {
    pub(crate) fn new(language: Language) -> Self {
        Self(Lifter::new(LIFTED).with_language(language))
    }

    pub(crate) fn push(&mut self, event: &AgentEvent, mut take: impl FnMut(&AgentEvent)) {
        // No fine event has a type in lower case, so the reader kept a coarse one as an unknown one with its text.
        match &event.payload {
            Payload::Unknown(unknown) if CoarseEvent::is_coarse_type(&unknown.event_type) => match CoarseEvent::from_json(&unknown.text) {
                Ok(coarse) => self.0.push(&coarse).for_each(|fine| take(&fine)),
                Err(_) => take(event),
            },
            _ => take(event),
        }
    }

    /// What was held back until the log ended.
    pub(crate) fn finish(&mut self, take: impl FnMut(AgentEvent)) {
        self.0.finish().for_each(take);
    }
}

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
        match self.lang {
            Lang::Zh => Language::Chinese,
            Lang::En => Language::English,
        }
    }

    fn options(&self) -> CollapseOptions {
        let subagents = match self.subagents {
            Subagents::Drop => SubagentPolicy::Drop,
            Subagents::Thinking => SubagentPolicy::Thinking,
        };
        let options = CollapseOptions::new().with_language(self.language()).with_subagents(subagents);
        if self.think_tags { options.with_think_tags(ThinkOptions::new()) } else { options }
    }

    /// Collapses at most the first `at` records. `closed` ends the streams that just stop.
    pub(crate) fn read(&self, input: &Input, at: Option<u64>, closed: bool) -> Result<(Streams, End), Failure> {
        let mut session = SessionCollapser::with_options(self.options());
        let mut lifted = Lifted::new(self.language());
        let mut seen: HashSet<EventId> = HashSet::new();
        let mut streams = Streams::new(0);
        let end = input.read_at_most(at, |record| {
            streams.records = record.position + 1;
            if let Outcome::Event(read) = &record.outcome {
                lifted.push(&read.event, |event| {
                    // A log that was saved over a reconnect holds events twice.
                    if event.id.as_ref().is_none_or(|id| seen.insert(id.clone())) {
                        session.push(event).for_each(|shown| streams.take(&shown.reply_id, shown.event));
                    }
                });
            }
            Ok(true)
        })?;
        lifted.finish(|event| session.push(&event).for_each(|shown| streams.take(&shown.reply_id, shown.event)));
        if closed {
            session.finish().for_each(|shown| streams.take(&shown.reply_id, shown.event));
        }
        if let Some(id) = &self.reply {
            match streams.keep(id) {
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

    fn keep(&mut self, id: &str) -> Result<(), Failure> {
        let Some(index) = self.replies.iter().position(|known| known.as_str() == id) else {
            let known: Vec<&str> = self.replies.iter().map(|id| id.as_str()).take(8).collect();
            return Err(Failure::Usage(format!(
                "no reply `{id}` shows anything in what was read of the log; these do: {}",
                known.join(", ")
            )));
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
