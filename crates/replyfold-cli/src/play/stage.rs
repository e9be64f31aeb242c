//! What the log has at the point that is shown.

use super::layout::{self, Anchor};
use super::scan::{Progress, Scan, is_error};
use super::state::Player;
use crate::transcript::text::{cut, line};
use ratatui::text::Line;
use replyfold::event::{AgentEvent, EventRef, Payload};
use replyfold::log::{Cursor, IndexError, Record};
use replyfold::message::Timestamp;
use replyfold::reduce::{Applied, Change};
use std::time::Duration;

/// Columns of a piece's text that can be seen at most.
const DETAIL: usize = 200;

/// The log, and where things are in it.
pub(crate) struct Stage {
    cursor: Cursor,
}

/// One record in the list.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) position: u64,
    /// Whether it is the last one of the point that is shown.
    pub(crate) is_here: bool,
    pub(crate) is_error: bool,
    pub(crate) kind: String,
    pub(crate) detail: String,
}

/// What is shown of the log.
#[derive(Debug)]
pub(crate) struct View {
    pub(crate) transcript: Vec<Line<'static>>,
    /// Lines by which the transcript is moved: no more than there are.
    pub(crate) scroll: i64,
    pub(crate) rows: Vec<Row>,
    /// The time of the last record.
    pub(crate) time: Option<String>,
}

/// Columns and lines of the transcript, and rows of the list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) rows: u64,
}

impl Stage {
    pub(crate) fn new(cursor: Cursor) -> Self {
        Self { cursor }
    }

    pub(crate) fn records(&self) -> u64 {
        self.cursor.records()
    }

    /// What there is to see at the point.
    pub(crate) fn view(&mut self, player: &Player, sizes: Sizes) -> Result<View, IndexError> {
        let last = player.at.checked_sub(1);
        let anchor = match last {
            Some(position) => self.anchor(position)?,
            None => Anchor::default(),
        };
        let shown = layout::lay_out(self.cursor.state(player.at)?, &anchor, (sizes.width, sizes.height), player.scroll);
        // Lines in memory are written without errors.
        let (transcript, scroll) = shown.map_or((Vec::new(), 0), |shown| (shown.lines, shown.scroll));
        let time = match last {
            Some(position) => self.time(position)?.map(|time| line(time.as_str())),
            None => None,
        };
        Ok(View { transcript, scroll, rows: self.rows(player.at, sizes.rows)?, time })
    }

    /// What the record at this position changed.
    fn anchor(&mut self, position: u64) -> Result<Anchor, IndexError> {
        let applied = self.cursor.step(position)?;
        let Some(event) = self.cursor.record(position)?.and_then(Record::event) else { return Ok(Anchor::default()) };
        let reply = event.reply_id().map(|id| (event.source.clone(), id.clone()));
        let block = match applied.map(|Applied { change, .. }| change) {
            Some(Change::Block(index) | Change::Appended(index)) => Some(index),
            _ => None,
        };
        Ok(Anchor { reply, block })
    }

    fn rows(&mut self, at: u64, count: u64) -> Result<Vec<Row>, IndexError> {
        let here = at.checked_sub(1);
        let first = here.unwrap_or(0).saturating_sub(count / 2).min(self.records().saturating_sub(count));
        let mut rows = Vec::new();
        for position in first..first.saturating_add(count) {
            let Some(record) = self.cursor.record(position)? else { break };
            rows.push(row(record, here == Some(position)));
        }
        Ok(rows)
    }

    fn time(&mut self, position: u64) -> Result<Option<Timestamp>, IndexError> {
        Ok(self.cursor.record(position)?.and_then(Record::event).and_then(|event| event.created_at.clone()))
    }

    /// How long after the record before it the log has the next one.
    pub(crate) fn gap(&mut self, at: u64) -> Result<Option<Duration>, IndexError> {
        let Some(before) = at.checked_sub(1) else { return Ok(Some(Duration::ZERO)) };
        let (Some(before), Some(after)) = (self.time(before)?, self.time(at)?) else { return Ok(None) };
        let (Some(before), Some(after)) = (before.to_datetime(), after.to_datetime()) else { return Ok(None) };
        Ok(Some(after.signed_duration_since(before).to_std().unwrap_or_default()))
    }

    /// Looks on, a slice of the log.
    pub(crate) fn scan(&mut self, scan: &mut Scan) -> Result<Progress, IndexError> {
        scan.go_on(&mut self.cursor)
    }
}

fn row(record: &Record, is_here: bool) -> Row {
    let (kind, detail, is_error) = match (record.event(), record.bad()) {
        (Some(event), _) => (line(event.type_name()), cut(&detail(event), DETAIL), is_error(event)),
        (None, Some(bad)) => ("bad record".to_owned(), line(&bad.reason), true),
        (None, None) => Default::default(),
    };
    Row { position: record.position, is_here, is_error, kind, detail }
}

/// What an event says beside its type, in a few words.
fn detail(event: &AgentEvent) -> String {
    let failed = |error: &replyfold::message::Failure| line(&error.message);
    match &event.payload {
        Payload::AgentStart(start) => start.name.as_deref().map(line).unwrap_or_default(),
        Payload::AgentEnd(end) => match (&end.error, end.finished_reason) {
            (Some(error), _) => failed(error),
            (None, Some(reason)) => reason.to_string(),
            (None, None) => String::new(),
        },
        Payload::ModelCallStart(start) => start.model_name.as_deref().map(line).unwrap_or_default(),
        Payload::ModelCallEnd(end) => end.error.as_deref().map(failed).unwrap_or_default(),
        Payload::ToolCallStart(start) => line(&start.tool_call_name),
        Payload::ToolResultStart(start) => line(&start.tool_call_name),
        Payload::ToolResultEnd(end) => end.state.to_string(),
        Payload::RequestStop(stop) => line(&stop.generate_reason.to_string()),
        Payload::DataBlockDelta(delta) => delta.media_type.as_deref().map(line).unwrap_or_default(),
        _ => match EventRef::from(event).text() {
            // A long piece need not be cleaned whole.
            Some(text) => format!("“{}”", line(&text.chars().take(DETAIL).collect::<String>())),
            None => event.block_id().map(|id| line(id.as_str())).unwrap_or_default(),
        },
    }
}
