//! The part of the transcript that is shown: the end of what the last record changed stands at the bottom.

use super::paper::Sheet;
use crate::output::{PLAIN, Paper};
use crate::transcript::{self, as_text, blocks, text};
use anstyle::Style;
use ratatui::text::Line;
use replyfold::message::{AgentPath, ReplyId};
use replyfold::reduce::{Reply, SessionReducer};
use std::collections::VecDeque;
use std::io;

/// Bytes of a long text that are laid out, on the side of the point.
const LAID_OUT: usize = 32 * 1024;
/// Lines that can be scrolled to, on each side of the point.
const REACH: i64 = 2000;

/// What the last record changed.
#[derive(Clone, Debug, Default)]
pub(super) struct Anchor {
    pub(super) reply: Option<(Option<AgentPath>, ReplyId)>,
    /// Index of the block; `None` is the end of the reply.
    pub(super) block: Option<usize>,
}

/// What is shown, and by how many lines it is moved.
pub(super) struct Shown {
    pub(super) lines: Vec<Line<'static>>,
    pub(super) scroll: i64,
}

/// A part of the transcript, and where it is.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Header,
    Block(usize),
    Footer,
}

struct Layout<'a> {
    replies: Vec<Reply<'a>>,
    width: usize,
}

/// Lays out so many lines around the anchor, moved by some.
pub(super) fn lay_out(session: &SessionReducer, anchor: &Anchor, size: (usize, usize), scroll: i64) -> io::Result<Shown> {
    let (width, height) = size;
    let layout = Layout { replies: session.replies().collect(), width };
    let Some(last) = layout.replies.len().checked_sub(1) else {
        let mut sheet = Sheet::default();
        sheet.put(transcript::DIM, "no message yet")?.end_line()?;
        return Ok(Shown { lines: sheet.broken(width), scroll: 0 });
    };
    let at = anchor.reply.as_ref().and_then(|(source, id)| {
        layout.replies.iter().position(|reply| reply.source() == source.as_ref() && reply.reducer().reply_id() == id)
    });
    let reply = at.unwrap_or(last);
    let blocks = layout.blocks(reply);
    let block = anchor.block.filter(|block| at.is_some() && block + 1 < blocks).map_or(Part::Footer, Part::Block);
    let scroll = scroll.clamp(-REACH, REACH);
    let [up, down] = [-scroll, scroll].map(|lines| usize::try_from(lines).unwrap_or_default());

    let mut before = VecDeque::new();
    let mut next = Some((reply, block));
    while let Some((reply, part)) = next.filter(|_| before.len() < height + up) {
        layout.part(reply, part, true)?.into_iter().rev().for_each(|line| before.push_front(line));
        next = layout.previous(reply, part);
    }
    let wanted = (height + down).saturating_sub(if down == 0 { before.len() } else { 0 });
    let mut after = Vec::new();
    let mut next = layout.next(reply, block);
    while let Some((reply, part)) = next.filter(|_| after.len() < wanted) {
        after.extend(layout.part(reply, part, false)?);
        next = layout.next(reply, part);
    }
    let bottom = i64::try_from(before.len()).unwrap_or(i64::MAX);
    let mut lines: Vec<_> = before.into();
    lines.extend(after);
    let all = i64::try_from(lines.len()).unwrap_or(i64::MAX);
    let end = (bottom + scroll).clamp(all.min(i64::try_from(height).unwrap_or(i64::MAX)), all);
    let first = usize::try_from(end).unwrap_or_default().saturating_sub(height);
    // A transcript shorter than the screen cannot be moved.
    let scroll = if scroll == 0 || bottom.max(all) <= i64::try_from(height).unwrap_or(i64::MAX) { 0 } else { end - bottom };
    Ok(Shown { lines: lines.into_iter().skip(first).take(height).collect(), scroll })
}

impl<'a> Layout<'a> {
    fn blocks(&self, reply: usize) -> usize {
        self.replies.get(reply).map_or(0, |reply| reply.message().content.len())
    }

    fn previous(&self, reply: usize, part: Part) -> Option<(usize, Part)> {
        Some(match part {
            Part::Header => (reply.checked_sub(1)?, Part::Footer),
            Part::Block(0) => (reply, Part::Header),
            Part::Block(block) => (reply, Part::Block(block - 1)),
            Part::Footer => (reply, self.blocks(reply).checked_sub(1).map_or(Part::Header, Part::Block)),
        })
    }

    fn next(&self, reply: usize, part: Part) -> Option<(usize, Part)> {
        let after = |block| if block < self.blocks(reply) { Part::Block(block) } else { Part::Footer };
        match part {
            Part::Header => Some((reply, after(0))),
            Part::Block(block) => Some((reply, after(block + 1))),
            Part::Footer => (reply + 1 < self.replies.len()).then_some((reply + 1, Part::Header)),
        }
    }

    /// The lines of a part; of a long text the end of it, or the start.
    fn part(&self, reply: usize, part: Part, is_end: bool) -> io::Result<Vec<Line<'static>>> {
        let mut sheet = Sheet::default();
        let Some(told) = self.replies.get(reply) else { return Ok(Vec::new()) };
        let (message, fold) = (told.message(), told.reducer());
        match part {
            Part::Header => {
                if reply > 0 {
                    sheet.end_line()?;
                }
                transcript::header(message, *told, &mut sheet)?;
            }
            Part::Footer => transcript::footer(message, fold, &mut sheet)?,
            Part::Block(index) => match message.content.get(index).map(|block| (block, as_text(block))) {
                Some((_, Some(text))) => write_text(text, fold.is_open(index), is_end, &mut sheet)?,
                Some((block, None)) => blocks::write(block, fold, index, self.width.max(24), &mut sheet)?,
                None => {}
            },
        }
        Ok(sheet.broken(self.width))
    }
}

/// A text line by line, as the transcript has it; of a long one the end, or the start.
fn write_text((whole, style, margin): (&str, Style, &str), is_open: bool, is_end: bool, sheet: &mut Sheet) -> io::Result<()> {
    let part = if is_end { end_of(whole) } else { start_of(whole) };
    let is_cut = part.len() < whole.len();
    if is_cut && is_end {
        sheet.put(transcript::DIM, margin)?.put(transcript::DIM, "…")?.end_line()?;
    }
    let mut lines = text::lines(part).peekable();
    while let Some(line) = lines.next() {
        sheet.put(transcript::DIM, margin)?.put(style, line)?;
        match lines.peek() {
            Some(_) => sheet.end_line()?,
            None if is_cut && !is_end => sheet.put(PLAIN, " ")?.put(transcript::DIM, "…")?.end_line()?,
            None => blocks::end(is_open, sheet)?,
        }
    }
    Ok(())
}

/// The last lines of a long text; of a long line its end.
fn end_of(text: &str) -> &str {
    let mut first = text.len().saturating_sub(LAID_OUT);
    if first == 0 {
        return text;
    }
    while !text.is_char_boundary(first) {
        first += 1;
    }
    let part = text.get(first..).unwrap_or_default();
    part.split_once('\n').map_or(part, |(_, lines)| if lines.is_empty() { part } else { lines })
}

/// The first lines of a long text.
fn start_of(text: &str) -> &str {
    let mut end = text.len().min(LAID_OUT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}
