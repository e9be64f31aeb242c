//! A transcript that grows at its end: what was printed stays as it is.

use super::text::{self, line};
use super::{DIM, WARN, blocks, footer, header};
use crate::output::{PLAIN, Screen};
use anstyle::Style;
use replyfold::message::{AgentPath, Block, ReplyId, Timestamp};
use replyfold::reduce::Reply;
use std::collections::HashMap;
use std::io::{self, Write};

/// Looks for which another reply waits while a text of this one is open and does not grow.
const PATIENCE: u32 = 8;

/// What of the replies of a session is printed.
///
/// One reply speaks at a time, block by block in their order: a text as it grows, anything else once it is whole. Another one has its turn
/// when no text is open, or the open one has not grown for a while.
#[derive(Default)]
pub(crate) struct Growing {
    replies: HashMap<(Option<AgentPath>, ReplyId), Shown>,
    /// The reply that spoke last.
    speaker: Option<(Option<AgentPath>, ReplyId)>,
    /// Whether the line of a text of the speaker is open.
    is_text_open: bool,
    /// Looks since it grew.
    idle: u32,
}

/// What of one reply is printed.
#[derive(Default)]
struct Shown {
    is_begun: bool,
    /// The blocks that are printed to their ends.
    blocks: Vec<Printed>,
    /// The block after them, a text that grows, and what is printed of it.
    growing: Option<(Printed, String)>,
    is_ended: bool,
}

/// A block that is printed: a call that failed and is made again may bring other blocks in its place.
#[derive(PartialEq)]
struct Printed {
    kind: &'static str,
    id: Box<str>,
    created_at: Option<Timestamp>,
}

impl Growing {
    /// Prints what is new; of the replies, in the order in which they were opened.
    pub(crate) fn show<'a>(&mut self, replies: impl Iterator<Item = Reply<'a>>, out: &mut Screen<impl Write>) -> io::Result<()> {
        let replies: Vec<Reply<'a>> = replies.collect();
        self.idle = self.idle.saturating_add(1);
        if self.is_text_open
            && let Some(reply) = replies.iter().find(|reply| self.is_speaker(**reply))
        {
            self.go_on(*reply, false, out)?;
        }
        for reply in replies {
            if self.is_text_open && self.idle <= PATIENCE {
                break;
            }
            self.go_on(reply, false, out)?;
        }
        out.flush()
    }

    /// Prints what is left, open or not, when nothing more comes.
    pub(crate) fn end<'a>(&mut self, replies: impl Iterator<Item = Reply<'a>>, out: &mut Screen<impl Write>) -> io::Result<()> {
        let replies: Vec<Reply<'a>> = replies.collect();
        if let Some(reply) = replies.iter().find(|reply| self.is_speaker(**reply)) {
            self.go_on(*reply, true, out)?;
        }
        for reply in &replies {
            self.go_on(*reply, true, out)?;
        }
        if replies.is_empty() {
            out.put(DIM, "no message yet")?.end_line()?;
        }
        out.flush()
    }

    fn go_on(&mut self, reply: Reply<'_>, is_last: bool, out: &mut Screen<impl Write>) -> io::Result<()> {
        let key = key(reply);
        let mut shown = self.replies.remove(&key).unwrap_or_default();
        let is_over = reply.reducer().is_ended();
        if shown.is_ended && !is_over && !is_last {
            // It goes on after a pause.
            (shown.is_begun, shown.is_ended) = (false, false);
        }
        let result = self.print(reply, &mut shown, is_over || is_last, out);
        self.replies.insert(key, shown);
        result
    }

    /// Prints what is new of a reply, and all of it if it is over.
    fn print(&mut self, reply: Reply<'_>, shown: &mut Shown, is_over: bool, out: &mut Screen<impl Write>) -> io::Result<()> {
        let (content, fold) = (&reply.message().content, reply.reducer());
        let kept = shown.blocks.iter().zip(content).take_while(|(was, is)| **was == Printed::of(is)).count();
        let text_stays = shown.growing.as_ref().is_none_or(|(was, text)| {
            let is = content.get(shown.blocks.len());
            is.is_some_and(|is| *was == Printed::of(is) && as_text(is).is_some_and(|(is, ..)| is.starts_with(text)))
        });
        let gone = shown.blocks.len() - kept + usize::from(!text_stays);
        if gone > 0 {
            if self.is_open_line(reply) {
                self.is_text_open = false;
                out.end_line()?;
            }
            self.begin(reply, shown, out)?;
            let blocks = if gone == 1 { "block".to_owned() } else { format!("{gone} blocks") };
            out.put(PLAIN, "  ")?.put(WARN, format_args!("✗ taken back: the last {blocks} above"))?.end_line()?;
            shown.blocks.truncate(kept);
            shown.growing = None;
        }
        while let Some(block) = content.get(shown.blocks.len()) {
            let index = shown.blocks.len();
            let is_open = fold.is_open(index);
            let is_whole = !is_open || is_over;
            match as_text(block) {
                Some(_) => {
                    self.print_text(reply, shown, block, is_whole, out)?;
                    if is_whole && self.is_open_line(reply) {
                        self.is_text_open = false;
                        blocks::end(is_open, out)?;
                    }
                }
                None if is_whole => {
                    self.begin(reply, shown, out)?;
                    blocks::write(block, fold, index, text::width(), out)?;
                }
                None => {}
            }
            if !is_whole {
                return Ok(());
            }
            shown.blocks.push(Printed::of(block));
            shown.growing = None;
        }
        if is_over && !shown.is_ended {
            self.begin(reply, shown, out)?;
            footer(reply.message(), fold, out)?;
            shown.is_ended = true;
        }
        Ok(())
    }

    /// Prints what a text has grown; its line stays open.
    fn print_text(
        &mut self,
        reply: Reply<'_>,
        shown: &mut Shown,
        block: &Block,
        is_whole: bool,
        out: &mut Screen<impl Write>,
    ) -> io::Result<()> {
        let Some((text, style, margin)) = as_text(block) else { return Ok(()) };
        let printed = shown.growing.as_ref().map_or(0, |(_, text)| text.len());
        let mut new = text.get(printed..).unwrap_or_default();
        if !is_whole {
            // The line end that it may be a half of is not there yet.
            new = new.strip_suffix('\r').unwrap_or(new);
        }
        if new.is_empty() && (!is_whole || shown.growing.is_some()) {
            return Ok(());
        }
        if !self.is_open_line(reply) {
            self.begin(reply, shown, out)?;
            out.put(DIM, margin)?;
            self.is_text_open = true;
        }
        self.idle = 0;
        shown.growing.get_or_insert_with(|| (Printed::of(block), String::new())).1.push_str(new);
        let mut parts = new.split('\n').peekable();
        while let Some(part) = parts.next() {
            let is_ended = parts.peek().is_some();
            let part = if is_ended || is_whole { part.strip_suffix('\r').unwrap_or(part) } else { part };
            out.put(style, line(part))?;
            if is_ended {
                out.end_line()?;
                out.put(DIM, margin)?;
            }
        }
        Ok(())
    }

    /// Whether the line of a text of this reply is open.
    fn is_open_line(&self, reply: Reply<'_>) -> bool {
        self.is_text_open && self.is_speaker(reply)
    }

    fn is_speaker(&self, reply: Reply<'_>) -> bool {
        self.speaker.as_ref().is_some_and(|(source, id)| source.as_ref() == reply.source() && id == reply.reducer().reply_id())
    }

    /// Gives the reply the word, if another one has it.
    fn begin(&mut self, reply: Reply<'_>, shown: &mut Shown, out: &mut Screen<impl Write>) -> io::Result<()> {
        if shown.is_begun && self.is_speaker(reply) {
            return Ok(());
        }
        if std::mem::take(&mut self.is_text_open) {
            out.put(DIM, " …")?.end_line()?;
        }
        if self.speaker.is_some() {
            out.end_line()?;
        }
        header(reply.message(), reply, out)?;
        (shown.is_begun, self.speaker) = (true, Some(key(reply)));
        Ok(())
    }
}

fn key(reply: Reply<'_>) -> (Option<AgentPath>, ReplyId) {
    (reply.source().cloned(), reply.reducer().reply_id().clone())
}

impl Printed {
    fn of(block: &Block) -> Self {
        Self { kind: block.type_name(), id: block.id().unwrap_or_default().into(), created_at: block.created_at().cloned() }
    }
}

/// What grows piece by piece: its text, style and margin.
pub(crate) fn as_text(block: &Block) -> Option<(&str, Style, &'static str)> {
    match block {
        Block::Text(text) => Some((&text.text, PLAIN, "  ")),
        Block::Thinking(thinking) => Some((&thinking.thinking, DIM, "  ┆ ")),
        _ => None,
    }
}
