//! Where the player is, and what a key does to it.

use super::clock::Clock;
use super::keys::{Action, Mode};
use super::scan::{Mark, Needle, Wanted};
use replyfold::log::Direction;
use std::time::Duration;

/// What is to be done in the log, or with the program.
#[derive(Debug, PartialEq)]
pub(crate) enum Effect {
    None,
    Quit,
    /// All of the screen is to be drawn anew.
    Redraw,
    /// The next record of this kind is wanted, from a point on.
    Find {
        wanted: Wanted,
        direction: Direction,
    },
}

/// The player: a point of the log, and how it is looked at.
#[derive(Debug)]
pub(crate) struct Player {
    /// Name of the log.
    pub(crate) name: String,
    /// Records of the log.
    pub(crate) records: u64,
    /// Records up to the point that is shown.
    pub(crate) at: u64,
    pub(crate) clock: Clock,
    pub(crate) mode: Mode,
    /// What is typed of a search.
    pub(crate) prompt: String,
    /// What was last searched for.
    pub(crate) needle: Option<Needle>,
    /// The number that was typed.
    pub(crate) count: Option<u64>,
    /// Lines by which the transcript is moved from where the point is.
    pub(crate) scroll: i64,
    /// Rows of the list, and lines of the transcript, when it was last drawn.
    pub(crate) page: u64,
    /// What is told in the status line until the next key.
    pub(crate) word: Option<String>,
    /// A search that goes on: how much of the log it has seen, of 100.
    pub(crate) searching: Option<u64>,
}

impl Player {
    pub(crate) fn new(name: String, records: u64, speed: f64) -> Self {
        Self {
            name,
            records,
            at: 0,
            clock: Clock::new(speed),
            mode: Mode::Play,
            prompt: String::new(),
            needle: None,
            count: None,
            scroll: 0,
            page: 10,
            word: None,
            searching: None,
        }
    }

    /// Does what a key asks for, at this time.
    pub(crate) fn handle(&mut self, action: Action, now: Duration) -> Effect {
        self.word = None;
        let was_searching = self.searching.take().is_some();
        match self.mode {
            Mode::Prompt => self.type_prompt(action),
            Mode::Help => {
                self.mode = Mode::Play;
                if action == Action::Quit { Effect::Quit } else { Effect::None }
            }
            Mode::Play => {
                let count = if matches!(action, Action::Digit(_)) { None } else { self.count.take() };
                self.play(action, count, was_searching, now)
            }
        }
    }

    fn play(&mut self, action: Action, count: Option<u64>, was_searching: bool, now: Duration) -> Effect {
        match action {
            Action::Quit => return Effect::Quit,
            Action::Redraw => return Effect::Redraw,
            Action::Toggle if self.clock.is_playing() => self.clock.pause(),
            // Who plays at the end wants to see it once more.
            Action::Toggle => {
                if self.at == self.records {
                    self.go(0);
                }
                self.clock.play(now);
            }
            Action::Step(by) => self.pause_and_go(by.saturating_mul(times(count))),
            Action::Page(by) => {
                let rows = i64::try_from(self.page.saturating_sub(1).max(1)).unwrap_or(i64::MAX);
                self.pause_and_go(by.saturating_mul(rows).saturating_mul(times(count)));
            }
            Action::Home | Action::End => {
                self.clock.pause();
                let end = if action == Action::Home { 0 } else { self.records };
                if let Some(past) = count.filter(|count| *count > self.records) {
                    self.word = Some(format!("{past} is beyond the end: the log has {} records", self.records));
                }
                self.go(count.unwrap_or(end).min(self.records));
            }
            Action::Jump(mark, direction) => return self.find(Wanted::Mark(mark), direction),
            Action::Again(direction) => match self.needle.clone() {
                Some(needle) => return self.find(Wanted::Text(needle), direction),
                None => self.word = Some("nothing was searched for yet: / searches".to_owned()),
            },
            Action::Speed(by) => {
                self.clock.change_speed(by, now);
                self.word = Some(format!("speed {}", self.clock.speed_word()));
            }
            Action::Scroll(by) => self.scroll = self.scroll.saturating_add(by.saturating_mul(times(count))),
            Action::Search => (self.mode, self.prompt) = (Mode::Prompt, String::new()),
            Action::Help => self.mode = Mode::Help,
            Action::Digit(digit) => {
                let typed = self.count.unwrap_or(0).checked_mul(10).and_then(|count| count.checked_add(digit));
                self.count = typed.or(self.count).filter(|count| *count > 0);
            }
            Action::Cancel if was_searching => self.word = Some("the search was stopped".to_owned()),
            Action::Cancel => (self.count, self.scroll) = (None, 0),
            Action::Type(_) | Action::Erase | Action::EraseAll | Action::Enter => {}
        }
        Effect::None
    }

    fn type_prompt(&mut self, action: Action) -> Effect {
        match action {
            Action::Quit => return Effect::Quit,
            Action::Type(c) => self.prompt.push(c),
            Action::Erase if self.prompt.is_empty() => self.mode = Mode::Play,
            Action::Erase => _ = self.prompt.pop(),
            Action::EraseAll => self.prompt.clear(),
            Action::Cancel => self.mode = Mode::Play,
            Action::Enter => {
                self.mode = Mode::Play;
                // An empty search is the last one once more, as in a pager.
                let typed = std::mem::take(&mut self.prompt);
                let needle = if typed.is_empty() { self.needle.clone() } else { Some(Needle::new(&typed)) };
                let Some(needle) = needle else { return Effect::None };
                self.needle = Some(needle.clone());
                return self.find(Wanted::Text(needle), Direction::Forward);
            }
            _ => {}
        }
        Effect::None
    }

    fn find(&mut self, wanted: Wanted, direction: Direction) -> Effect {
        self.clock.pause();
        self.searching = Some(0);
        Effect::Find { wanted, direction }
    }

    /// A record was found, or none.
    pub(crate) fn found(&mut self, wanted: &Wanted, direction: Direction, position: Option<u64>) {
        self.searching = None;
        match position {
            Some(position) => self.go(position + 1),
            None => {
                let side = if direction == Direction::Forward { "after" } else { "before" };
                let what = match wanted {
                    Wanted::Mark(Mark::Reply) => "no reply starts".to_owned(),
                    Wanted::Mark(Mark::Block) => "no block starts".to_owned(),
                    Wanted::Mark(Mark::Call) => "no tool is called".to_owned(),
                    Wanted::Mark(Mark::Error) => "nothing fails".to_owned(),
                    Wanted::Text(needle) => format!("no “{}”", needle.as_str()),
                };
                self.word = Some(format!("{what} {side} this point"));
            }
        }
    }

    fn pause_and_go(&mut self, by: i64) {
        self.clock.pause();
        self.go(self.at.saturating_add_signed(by).min(self.records));
    }

    /// Shows this point.
    pub(crate) fn go(&mut self, at: u64) {
        (self.at, self.scroll) = (at, 0);
    }

    /// The next record is due: shows it.
    pub(crate) fn advance(&mut self) {
        self.go((self.at + 1).min(self.records));
        if self.at == self.records {
            self.clock.pause();
        }
    }
}

fn times(count: Option<u64>) -> i64 {
    i64::try_from(count.unwrap_or(1)).unwrap_or(i64::MAX)
}
