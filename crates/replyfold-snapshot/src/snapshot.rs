//! Values as the text of a snapshot.

use crate::log::Log;
use crate::marks::{IdKind, Marks};
use crate::msg_node::{meet_ids, message};
use crate::node::Node;
use crate::prefixes::{self, source_of};
use crate::{Given, Point, SnapshotOptions, Story, WithOptions, Written, coarse_text, given::events, given::read};
use replyfold_coarse::{CoarseEvent, SessionCollapser, SessionEvent, Timeline};
use replyfold_event::AgentEvent;
use replyfold_message::Msg;
use replyfold_reduce::{MsgReducer, Reply, SessionReducer};
use std::path::{Path, PathBuf};

/// What a snapshot may show of a value.
pub mod of {
    /// The messages.
    #[derive(Clone, Copy, Debug)]
    #[non_exhaustive]
    pub struct Messages;

    /// How the messages grow, record by record.
    #[derive(Clone, Copy, Debug)]
    #[non_exhaustive]
    pub struct Prefixes;

    /// What a front end of the coarse protocol shows.
    #[derive(Clone, Copy, Debug)]
    #[non_exhaustive]
    pub struct Timelines;

    /// The coarse events.
    #[derive(Clone, Copy, Debug)]
    #[non_exhaustive]
    pub struct Coarse;
}

/// A value that a snapshot can show something of: its messages, its prefixes, its timelines, its coarse events (see [`of`]).
///
/// Logs in every form of [`ReadLog`](crate::ReadLog) show all four. Messages, folds and replies show themselves, so do timelines and coarse events.
pub trait Snapshot<Of> {
    /// The text of the snapshot. It ends with a line break, and no line ends in white space.
    ///
    /// # Panics
    ///
    /// A log cannot be read.
    #[track_caller]
    fn to_snapshot(&self, options: &SnapshotOptions) -> String;
}

impl<Of, T: Snapshot<Of> + ?Sized> Snapshot<Of> for &T {
    fn to_snapshot(&self, options: &SnapshotOptions) -> String {
        T::to_snapshot(self, options)
    }
}

impl<Of, T: Snapshot<Of> + ?Sized> Snapshot<Of> for WithOptions<'_, T> {
    /// Its own options count.
    fn to_snapshot(&self, _options: &SnapshotOptions) -> String {
        self.value.to_snapshot(&self.options)
    }
}

/// The text that [`assert_msg_snapshot!`](crate::assert_msg_snapshot) compares.
#[must_use]
#[track_caller]
pub fn msg_snapshot(value: impl Snapshot<of::Messages>) -> String {
    value.to_snapshot(&SnapshotOptions::new())
}

/// The text that [`assert_prefix_snapshots!`](crate::assert_prefix_snapshots) compares.
#[must_use]
#[track_caller]
pub fn prefix_snapshots(value: impl Snapshot<of::Prefixes>) -> String {
    value.to_snapshot(&SnapshotOptions::new())
}

/// The text that [`assert_timeline_snapshot!`](crate::assert_timeline_snapshot) compares.
#[must_use]
#[track_caller]
pub fn timeline_snapshot(value: impl Snapshot<of::Timelines>) -> String {
    value.to_snapshot(&SnapshotOptions::new())
}

/// The text that [`assert_coarse_snapshot!`](crate::assert_coarse_snapshot) compares.
#[must_use]
#[track_caller]
pub fn coarse_snapshot(value: impl Snapshot<of::Coarse>) -> String {
    value.to_snapshot(&SnapshotOptions::new())
}

/// Makes something a log that shows all four.
macro_rules! logs {
    ($($({$($generics:tt)*})? $log:ty),+ $(,)?) => {$(
        impl$(<$($generics)*>)? Snapshot<of::Messages> for $log {
            fn to_snapshot(&self, options: &SnapshotOptions) -> String {
                messages_of(&read(self), options)
            }
        }

        impl$(<$($generics)*>)? Snapshot<of::Prefixes> for $log {
            fn to_snapshot(&self, options: &SnapshotOptions) -> String {
                prefixes::text(&read(self), options)
            }
        }

        impl$(<$($generics)*>)? Snapshot<of::Timelines> for $log {
            fn to_snapshot(&self, options: &SnapshotOptions) -> String {
                timelines_of(&collapse(&read(self), options), options)
            }
        }

        impl$(<$($generics)*>)? Snapshot<of::Coarse> for $log {
            fn to_snapshot(&self, options: &SnapshotOptions) -> String {
                Snapshot::<of::Coarse>::to_snapshot(collapse(&read(self), options).as_slice(), options)
            }
        }
    )+};
}

logs! {
    Log, Path, PathBuf, str, String, [AgentEvent], Vec<AgentEvent>, {const N: usize} [AgentEvent; N], Story, Written, Given, Point,
}

fn messages_of(log: &Log, options: &SnapshotOptions) -> String {
    let mut marks = Marks::new(options);
    marks.begin_at(events(&log.0).find_map(|event| event.created_at.as_ref()));
    session_text(Point::new(log.clone(), options.reduce).session(), &mut marks)
}

/// Several messages stand below each other, parted as the documents of a YAML stream are.
fn join(messages: impl Iterator<Item = Node>) -> String {
    let texts: Vec<String> = messages.map(|node| node.to_lines()).collect();
    if texts.is_empty() { "no message\n".to_owned() } else { texts.join("---\n") }
}

fn session_text(session: &SessionReducer, marks: &mut Marks) -> String {
    session.messages().for_each(|msg| meet_ids(msg, marks));
    join(session.replies().map(|reply| message(reply.message(), source_of(reply).as_deref(), marks)))
}

impl Snapshot<of::Messages> for SessionReducer {
    fn to_snapshot(&self, options: &SnapshotOptions) -> String {
        session_text(self, &mut Marks::new(options))
    }
}

impl Snapshot<of::Messages> for MsgReducer {
    fn to_snapshot(&self, options: &SnapshotOptions) -> String {
        let mut marks = Marks::new(options);
        join(self.is_opened().then(|| message(self.message(), None, &mut marks)).into_iter())
    }
}

impl Snapshot<of::Messages> for Reply<'_> {
    fn to_snapshot(&self, options: &SnapshotOptions) -> String {
        message(self.message(), source_of(*self).as_deref(), &mut Marks::new(options)).to_lines()
    }
}

impl Snapshot<of::Messages> for Msg {
    fn to_snapshot(&self, options: &SnapshotOptions) -> String {
        message(self, None, &mut Marks::new(options)).to_lines()
    }
}

/// Messages of one conversation share their marks and their first time.
impl Snapshot<of::Messages> for [Msg] {
    fn to_snapshot(&self, options: &SnapshotOptions) -> String {
        let mut marks = Marks::new(options);
        self.iter().for_each(|msg| meet_ids(msg, &mut marks));
        join(self.iter().map(|msg| message(msg, None, &mut marks)))
    }
}

fn collapse(log: &Log, options: &SnapshotOptions) -> Vec<SessionEvent> {
    let mut session = SessionCollapser::with_options(options.collapse.clone());
    events(&log.0).flat_map(|event| session.push(event).collect::<Vec<_>>()).collect()
}

/// The events, behind the mark of their reply if there are several.
impl Snapshot<of::Coarse> for [SessionEvent] {
    fn to_snapshot(&self, options: &SnapshotOptions) -> String {
        let mut marks = Marks::new(options);
        let is_one = options.ids && self.iter().all(|shown| Some(&shown.reply_id) == self.first().map(|first| &first.reply_id));
        for shown in self {
            marks.id(IdKind::Reply, shown.reply_id.as_str());
            coarse_text::meet_ids(&shown.event, &mut marks);
        }
        let lines = self.iter().map(|shown| {
            let reply = marks.id(IdKind::Reply, shown.reply_id.as_str());
            let line = coarse_text::event(&shown.event, &mut marks);
            if is_one { line } else { format!("{reply} {line}") }
        });
        stream(lines)
    }
}

impl Snapshot<of::Coarse> for [CoarseEvent] {
    fn to_snapshot(&self, options: &SnapshotOptions) -> String {
        let mut marks = Marks::new(options);
        self.iter().for_each(|event| coarse_text::meet_ids(event, &mut marks));
        stream(self.iter().map(|event| coarse_text::event(event, &mut marks)))
    }
}

fn stream(lines: impl Iterator<Item = String>) -> String {
    let text: String = lines.map(|line| line + "\n").collect();
    if text.is_empty() { "no event\n".to_owned() } else { text }
}

fn timelines_of(shown: &[SessionEvent], options: &SnapshotOptions) -> String {
    let mut timelines: Vec<(&str, Timeline)> = Vec::new();
    for shown in shown {
        let id = shown.reply_id.as_str();
        match timelines.iter_mut().find(|(reply, _)| *reply == id) {
            Some((_, timeline)) => timeline.apply(&shown.event),
            None => {
                let mut timeline = Timeline::new();
                timeline.apply(&shown.event);
                timelines.push((id, timeline));
            }
        }
    }
    let (mut marks, is_one) = (Marks::new(options), options.ids && timelines.len() == 1);
    for (reply, timeline) in &timelines {
        marks.id(IdKind::Reply, reply);
        coarse_text::meet_timeline(timeline, &mut marks);
    }
    let texts = timelines.iter().map(|(reply, timeline)| {
        let mut entries = vec![("reply", Node::Plain(marks.id(IdKind::Reply, reply)))];
        if is_one {
            entries.clear();
        }
        entries.extend(coarse_text::timeline(timeline, &mut marks));
        Node::Map(entries).to_lines()
    });
    let texts: Vec<String> = texts.collect();
    if texts.is_empty() { "no timeline\n".to_owned() } else { texts.join("---\n") }
}

/// A timeline a reply.
impl Snapshot<of::Timelines> for [SessionEvent] {
    fn to_snapshot(&self, options: &SnapshotOptions) -> String {
        timelines_of(self, options)
    }
}

impl Snapshot<of::Timelines> for Timeline {
    fn to_snapshot(&self, options: &SnapshotOptions) -> String {
        Node::Map(coarse_text::timeline(self, &mut Marks::new(options))).to_lines()
    }
}

impl Snapshot<of::Timelines> for [CoarseEvent] {
    fn to_snapshot(&self, options: &SnapshotOptions) -> String {
        let mut timeline = Timeline::new();
        self.iter().for_each(|event| timeline.apply(event));
        timeline.to_snapshot(options)
    }
}

/// Makes vectors and arrays show what slices of the same show.
macro_rules! as_slices {
    ($($item:ty: $of:ident),+ $(,)?) => {$(
        impl Snapshot<of::$of> for Vec<$item> {
            fn to_snapshot(&self, options: &SnapshotOptions) -> String {
                Snapshot::<of::$of>::to_snapshot(self.as_slice(), options)
            }
        }

        impl<const N: usize> Snapshot<of::$of> for [$item; N] {
            fn to_snapshot(&self, options: &SnapshotOptions) -> String {
                Snapshot::<of::$of>::to_snapshot(self.as_slice(), options)
            }
        }
    )+};
}

as_slices! { Msg: Messages, CoarseEvent: Coarse, CoarseEvent: Timelines, SessionEvent: Coarse, SessionEvent: Timelines }
