//! The fold of a log of many replies.

mod undo;

pub use undo::Undo;

use crate::{Applied, MsgReducer, Note, NoteKind, ReduceOptions};
use foldhash::HashMap;
use replyfold_event::{AgentEvent, EventRef, Payload, SubagentExposed};
use replyfold_message::{AgentPath, Msg, ReplyId};

/// Folds the events of a log, each into the message of its reply.
///
/// There is one message for each pair of `source` and reply, in the order in which they were opened. Events of a sub-agent carry its
/// `source`, so they never touch the parent's message.
///
/// ```
/// use replyfold_event::{AgentEvent, AgentStart, TextBlockStart};
/// use replyfold_message::Role;
/// use replyfold_reduce::SessionReducer;
///
/// let mut session = SessionReducer::new();
/// session.apply(&AgentEvent::new(AgentStart::new("r1", Role::Assistant)));
/// session.apply(&AgentEvent::new(AgentStart::new("r2", Role::Assistant)).with_source("main/helper"));
/// session.apply(&AgentEvent::new(TextBlockStart::new("r2", "b1")).with_source("main/helper"));
///
/// let blocks: Vec<_> = session.replies().map(|reply| (reply.message().id.as_str(), reply.message().content.len())).collect();
/// assert_eq!(blocks, [("r1", 0), ("r2", 1)]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct SessionReducer {
    options: ReduceOptions,
    replies: Vec<(Option<AgentPath>, MsgReducer)>,
    index: HashMap<ReplyId, SameId>,
    /// Indexes of the opened ones in the order of their opening.
    opened: Vec<usize>,
    /// The reply of the last event: most events are of the same one.
    last: Option<usize>,
    exposed: Vec<SubagentExposed>,
    position: u64,
}

/// The replies with one id: hardly ever more than one.
#[derive(Clone, Debug)]
struct SameId {
    first: usize,
    /// Those of other speakers than the first one's.
    others: Option<Box<HashMap<Option<AgentPath>, usize>>>,
}

/// The state of a session's fold at one point of its log.
#[derive(Clone, Debug)]
pub struct SessionCheckpoint(SessionReducer);

/// One reply of a session.
#[derive(Clone, Copy, Debug)]
pub struct Reply<'a> {
    source: Option<&'a AgentPath>,
    reducer: &'a MsgReducer,
}

impl<'a> Reply<'a> {
    /// Path of the agent that spoke; the top-level agent has none.
    #[must_use]
    pub fn source(self) -> Option<&'a AgentPath> {
        self.source
    }

    /// Path of the agent that the speaker works for: its source without the last part. `None` for the top-level agent.
    #[must_use]
    pub fn parent(self) -> Option<&'a str> {
        self.source.map(|path| path.as_str().rsplit_once('/').map_or("", |(parent, _)| parent))
    }

    /// The message so far.
    #[must_use]
    pub fn message(self) -> &'a Msg {
        self.reducer.message()
    }

    /// The fold of the reply: its notes, its open blocks, what is awaited.
    #[must_use]
    pub fn reducer(self) -> &'a MsgReducer {
        self.reducer
    }
}

impl SessionReducer {
    /// A fold with the usual options.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A fold with these options.
    #[must_use]
    pub fn with_options(options: ReduceOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Folds the next event; its position is one after the last one's.
    pub fn apply<'e>(&mut self, event: impl Into<EventRef<'e>>) -> Applied {
        self.apply_at(self.position, event)
    }

    /// Folds the event at this position of its log, counted in records from 0. Positions only serve the notes.
    pub fn apply_at<'e>(&mut self, position: u64, event: impl Into<EventRef<'e>>) -> Applied {
        self.fold(position, event.into())
    }

    fn fold(&mut self, position: u64, event: EventRef<'_>) -> Applied {
        self.position = position + 1;
        let Some(reply) = event.reply_id() else {
            self.last = None;
            if let Some(AgentEvent { payload: Payload::SubagentExposed(exposed), .. }) = event.as_event() {
                self.exposed.push(exposed.clone());
            }
            return Applied::default();
        };
        let index = self.place(event.source(), reply);
        let Some((_, reducer)) = self.replies.get_mut(index) else { return Applied::default() };
        let applied = reducer.apply_mine(position, event);
        if applied.opened {
            self.opened.push(index);
        }
        applied
    }

    /// Notes the event at this position, which is known to have been folded into its reply before: what [`apply_at`](Self::apply_at) does
    /// with a duplicate, for those who know the duplicates of a log and have no need to look for them
    /// ([`ReduceOptions::check_duplicates`]).
    pub fn note_repeat(&mut self, position: u64, source: Option<&AgentPath>, reply: &ReplyId, id: &str) -> Applied {
        self.position = position + 1;
        let index = self.place(source, reply);
        self.replies.get_mut(index).map(|(_, reducer)| reducer.note_repeat(position, id)).unwrap_or_default()
    }

    /// The reply's place, which most events have in common with the one before.
    fn place(&mut self, source: Option<&AgentPath>, reply: &ReplyId) -> usize {
        let index = match self.last {
            Some(last) if self.is_of(last, source, reply) => last,
            _ => self.find(source, reply),
        };
        self.last = Some(index);
        index
    }

    fn is_of(&self, index: usize, source: Option<&AgentPath>, reply: &ReplyId) -> bool {
        self.replies.get(index).is_some_and(|(path, reducer)| path.as_ref() == source && reducer.reply_id() == reply)
    }

    /// The reply's place, made if it is new.
    fn find(&mut self, source: Option<&AgentPath>, reply: &ReplyId) -> usize {
        let new = self.replies.len();
        let index = match self.index.get_mut(reply) {
            None => {
                self.index.insert(reply.clone(), SameId { first: new, others: None });
                new
            }
            Some(same_id) => match self.replies.get(same_id.first) {
                Some((first, _)) if first.as_ref() == source => same_id.first,
                _ => *same_id.others.get_or_insert_default().entry(source.cloned()).or_insert(new),
            },
        };
        if index == new {
            self.replies.push((source.cloned(), MsgReducer::with_options(reply, self.options)));
        }
        index
    }

    /// The replies whose message is opened, in the order of their opening.
    pub fn replies(&self) -> impl Iterator<Item = Reply<'_>> {
        self.opened.iter().filter_map(|index| self.reply_at(*index))
    }

    fn reply_at(&self, index: usize) -> Option<Reply<'_>> {
        self.replies.get(index).map(|(source, reducer)| Reply { source: source.as_ref(), reducer })
    }

    /// The messages that are opened, in the order of their opening.
    pub fn messages(&self) -> impl Iterator<Item = &Msg> {
        self.replies().map(Reply::message)
    }

    /// The opened reply with this id, of the top-level agent first if several agents use the id.
    #[must_use]
    pub fn reply(&self, id: &str) -> Option<Reply<'_>> {
        let same_id = self.index.get(id)?;
        let opened = |index: &usize| self.reply_at(*index).filter(|reply| reply.reducer.is_opened());
        let others = same_id.others.iter().flat_map(|others| others.values());
        let mut indexes: Vec<&usize> = std::iter::once(&same_id.first).chain(others).filter(|index| opened(index).is_some()).collect();
        // The order of the hash map does not show.
        indexes.sort_unstable();
        let top_level = indexes.iter().find(|index| opened(index).is_some_and(|reply| reply.source.is_none()));
        opened(top_level.or(indexes.first())?)
    }

    /// Every note, in the order of the log.
    #[must_use]
    pub fn notes(&self) -> Vec<(&ReplyId, &Note)> {
        let mut notes: Vec<_> =
            self.replies.iter().flat_map(|(_, reducer)| reducer.notes().iter().map(|note| (reducer.reply_id(), note))).collect();
        notes.sort_by_key(|(_, note)| note.position);
        notes
    }

    /// What the last event caused to be noted.
    #[must_use]
    pub fn last_notes(&self) -> &[Note] {
        let notes = self.last.and_then(|last| self.replies.get(last)).map_or(&[][..], |(_, reducer)| reducer.notes());
        let caused = notes.iter().rev().take_while(|note| note.position + 1 == self.position).count();
        notes.get(notes.len() - caused..).unwrap_or_default()
    }

    /// Whether there are notes, and all of them say that pieces came for blocks that were never started: then the log is a capture
    /// without starts, and [`ReduceOptions::open_missing`] shows what is in it.
    #[must_use]
    pub fn lacks_starts(&self) -> bool {
        let notes = self.notes();
        let lacks = |kind| matches!(kind, NoteKind::DeltaWithoutStart(_));
        notes.iter().any(|(_, note)| lacks(note.kind))
            && notes.iter().all(|(_, note)| lacks(note.kind) || matches!(note.kind, NoteKind::HeadMissing | NoteKind::EndWithoutStart(_)))
    }

    /// Sub-agents that can be seen, of events that name no reply, in their order; those of a reply are the reply's.
    #[must_use]
    pub fn exposed(&self) -> &[SubagentExposed] {
        &self.exposed
    }

    /// The state at this point; see [`MsgReducer::checkpoint`].
    #[must_use]
    pub fn checkpoint(&self) -> SessionCheckpoint {
        SessionCheckpoint(self.clone())
    }

    /// A fold that goes on from a checkpoint.
    #[must_use]
    pub fn resume(checkpoint: SessionCheckpoint) -> Self {
        checkpoint.0
    }

    /// Folds the events one by one and shows the session after each. The first prefix is the empty one, so `n` events give `n + 1`
    /// prefixes; all of them together cost the fold of all events once.
    pub fn prefixes<'e, I>(self, events: I) -> Prefixes<I::IntoIter>
    where
        I: IntoIterator<Item = &'e AgentEvent>,
    {
        Prefixes { session: self, events: events.into_iter(), started: false }
    }
}

/// The prefixes of a log, one after the other; made by [`SessionReducer::prefixes`].
///
/// It lends the session at each prefix, so it is no `Iterator`: call [`next`](Self::next) in a `while let`.
#[derive(Debug)]
pub struct Prefixes<I> {
    session: SessionReducer,
    events: I,
    started: bool,
}

impl<'e, I: Iterator<Item = &'e AgentEvent>> Prefixes<I> {
    /// The session at the next prefix.
    #[expect(clippy::should_implement_trait, reason = "it lends the session, which `Iterator` cannot")]
    pub fn next(&mut self) -> Option<&SessionReducer> {
        if std::mem::replace(&mut self.started, true) {
            self.session.apply(self.events.next()?);
        }
        Some(&self.session)
    }
}
