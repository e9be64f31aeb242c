//! The templates of one log.

use super::{LineEnd, Template, is_predictable};
use crate::ReadEventRef;
use crate::camel::Camel;
use replyfold_event::AgentEvent;

/// Templates that are kept: one for each kind of piece, its start and its end, in two dialects.
const MOST: usize = 24;
/// Templates that may be made in a row without a line that fits one.
const CREDIT: u32 = 64;

/// The templates of one log, the one that fitted last tried first.
#[derive(Clone, Debug)]
pub(crate) struct Templates {
    known: Vec<Template>,
    last: usize,
    /// Whether the event of the last template is lent.
    lent: bool,
    /// Where the next template goes once there are enough.
    next: usize,
    /// A log whose lines are never alike should not pay for templates.
    credit: u32,
}

impl Default for Templates {
    fn default() -> Self {
        Self { known: Vec::new(), last: 0, lent: false, next: 0, credit: CREDIT }
    }
}

impl Templates {
    /// Reads the line at the start of `text` if it fits a template; lends its event. Gives the length of the line, its end included.
    pub(crate) fn fill(&mut self, text: &[u8], end: LineEnd, camel: &mut Camel) -> Option<usize> {
        self.lent = false;
        let order = std::iter::once(self.last).chain((0..self.known.len()).filter(|at| *at != self.last));
        for at in order {
            if let Some(template) = self.known.get_mut(at)
                && let Some(length) = template.fill(text, end, camel)
            {
                (self.last, self.lent, self.credit) = (at, true, CREDIT);
                return Some(length);
            }
        }
        None
    }

    /// The line that fitted last, which is what `text` begins with, if it fitted.
    pub(crate) fn lent<'a>(&'a self, text: &'a [u8]) -> Option<ReadEventRef<'a>> {
        self.known.get(self.last).filter(|_| self.lent)?.lend(text)
    }

    /// Whether a template of the line of this event would be taken.
    pub(crate) fn wants(&self, event: &AgentEvent) -> bool {
        self.credit > 0 && is_predictable(&event.payload)
    }

    pub(crate) fn learn(&mut self, template: Option<Template>) {
        self.credit = self.credit.saturating_sub(1);
        let Some(template) = template else { return };
        if self.known.len() < MOST {
            self.known.push(template);
        } else if let Some(place) = self.known.get_mut(self.next) {
            *place = template;
            self.next = (self.next + 1) % MOST;
        }
    }
}
