//! Finding records: of a kind, or with a text.

use replyfold::event::{AgentEvent, EventType, Extension, Payload};
use replyfold::log::{Cursor, Direction, IndexError, Record};
use replyfold::message::{FinishedReason, ToolResultState};

/// Records that are looked at before keys are: a few milliseconds. The first slice is short, since the last match of a slice is the first one
/// backwards, and often near.
const SLICES: std::ops::RangeInclusive<u64> = 64..=4096;

/// What records are wanted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Wanted {
    Mark(Mark),
    Text(Needle),
}

/// Kinds of records that one jumps to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mark {
    /// The start of a reply, or of its next run.
    Reply,
    /// The start of a block.
    Block,
    /// The start of a tool call.
    Call,
    /// What failed, or cannot be read.
    Error,
}

/// A text to search for: with a capital letter it is found as it is, else in any case.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Needle {
    text: String,
    is_exact: bool,
}

impl Needle {
    pub(crate) fn new(text: &str) -> Self {
        let is_exact = text.chars().any(char::is_uppercase);
        Self { text: text.to_owned(), is_exact }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    fn is_in(&self, text: &str) -> bool {
        if self.is_exact { text.contains(&self.text) } else { text.to_lowercase().contains(&self.text) }
    }
}

/// A search that goes on, a slice of the log at a time.
pub(crate) struct Scan {
    pub(crate) wanted: Wanted,
    pub(crate) direction: Direction,
    /// Where it goes on: forwards from this position, backwards from the one before.
    from: u64,
    /// Where it began.
    start: u64,
    /// Records of the next slice.
    slice: u64,
}

/// How a search stands.
#[derive(Debug, PartialEq)]
pub(crate) enum Progress {
    /// So much of what there is to see was seen, of 100.
    Going(u64),
    Found(u64),
    Nothing,
}

impl Scan {
    /// From the point after `at` records: the record that led there is not found again.
    pub(crate) fn new(wanted: Wanted, direction: Direction, at: u64) -> Self {
        let from = match direction {
            Direction::Forward => at,
            Direction::Backward => at.saturating_sub(1),
        };
        Self { wanted, direction, from, start: from, slice: *SLICES.start() }
    }

    /// Looks at the next slice.
    pub(crate) fn go_on(&mut self, log: &mut Cursor) -> Result<Progress, IndexError> {
        let records = log.records();
        let (first, end) = match self.direction {
            Direction::Forward => (self.from, (self.from + self.slice).min(records)),
            Direction::Backward => (self.from.saturating_sub(self.slice), self.from),
        };
        self.slice = (self.slice * 2).min(*SLICES.end());
        // A text may stand in as many pieces as it has bytes.
        let before = match &self.wanted {
            Wanted::Text(needle) => needle.text.len() as u64,
            Wanted::Mark(_) => 0,
        };
        let mut found = None;
        let mut matcher = Matcher { wanted: &self.wanted, block: None, text: String::new() };
        for position in first.saturating_sub(before)..end {
            let Some(record) = log.record(position)? else { break };
            if matcher.is_match(record) && position >= first {
                found = Some(position);
                if self.direction == Direction::Forward {
                    break;
                }
            }
        }
        if let Some(found) = found {
            return Ok(Progress::Found(found));
        }
        self.from = if self.direction == Direction::Forward { end } else { first };
        let (seen, all) = match self.direction {
            Direction::Forward => (self.from - self.start, records.saturating_sub(self.start)),
            Direction::Backward => (self.start - self.from, self.start),
        };
        Ok(if seen >= all { Progress::Nothing } else { Progress::Going(seen.saturating_mul(100) / all.max(1)) })
    }
}

/// Looks at records one after the other.
struct Matcher<'a> {
    wanted: &'a Wanted,
    /// The block of the last piece.
    block: Option<(String, String)>,
    /// The end of its text: what is searched for may stand in several pieces.
    text: String,
}

impl Matcher<'_> {
    fn is_match(&mut self, record: &Record) -> bool {
        match self.wanted {
            Wanted::Mark(mark) => is_marked(record, *mark),
            Wanted::Text(needle) => self.has_text(record, needle),
        }
    }

    fn has_text(&mut self, record: &Record, needle: &Needle) -> bool {
        let Some(event) = record.event() else {
            self.block = None;
            return record.bad().is_some_and(|bad| needle.is_in(&String::from_utf8_lossy(&bad.text)));
        };
        let Some(piece) = replyfold::event::EventRef::from(event).text() else {
            self.block = None;
            return needle.is_in(&event.to_json());
        };
        let id = event.block_id().map(ToString::to_string).or_else(|| event.tool_call_id().map(ToString::to_string));
        let block = (event.reply_id().map(ToString::to_string).unwrap_or_default(), id.unwrap_or_default());
        if self.block.as_ref() != Some(&block) {
            self.text.clear();
            self.block = Some(block);
        }
        self.text.push_str(&piece);
        let is_match = needle.is_in(&self.text);
        // Too little for another match: each is of the piece in which it ends.
        let keep = needle.text.len().saturating_sub(1);
        let mut cut = self.text.len().saturating_sub(keep);
        while !self.text.is_char_boundary(cut) {
            cut += 1;
        }
        self.text.drain(..cut);
        is_match
    }
}

fn is_marked(record: &Record, mark: Mark) -> bool {
    let Some(event) = record.event() else { return mark == Mark::Error };
    match mark {
        Mark::Reply => event.event_type() == Some(EventType::AgentStart),
        Mark::Call => event.event_type() == Some(EventType::ToolCallStart),
        Mark::Block => starts_block(event),
        Mark::Error => is_error(event),
    }
}

fn starts_block(event: &AgentEvent) -> bool {
    matches!(
        event.payload,
        Payload::TextBlockStart(_)
            | Payload::ThinkingBlockStart(_)
            | Payload::DataBlockStart(_)
            | Payload::ToolCallStart(_)
            | Payload::ToolResultStart(_)
            | Payload::Extension(Extension::HintBlock(_))
    )
}

/// Whether the event says that something failed.
pub(crate) fn is_error(event: &AgentEvent) -> bool {
    match &event.payload {
        Payload::AgentEnd(end) => end.error.is_some() || end.finished_reason == Some(FinishedReason::Error),
        Payload::ModelCallEnd(end) => end.error.is_some(),
        Payload::ToolResultEnd(end) => matches!(end.state, ToolResultState::Error | ToolResultState::Denied),
        Payload::ExceedMaxIters(_) => true,
        _ => false,
    }
}
