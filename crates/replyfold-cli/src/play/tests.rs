//! Frames as they are drawn, and what keys do.

mod clock;
mod frames;
mod moves;

use super::frame::{self, Areas};
use super::keys::action;
use super::scan::{Progress, Scan};
use super::state::Effect;
use super::{Player, Stage};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Rect;
use replyfold::log::{Cursor, LogReader};
use replyfold::reduce::ReduceOptions;
use std::path::Path;
use std::time::Duration;
use unicode_width::UnicodeWidthStr;

/// A run with everything that is shown in a way of its own, and texts that a terminal would obey.
const LOG: &str = include_str!("tests/run.jsonl");

/// The player without a terminal and without a clock.
struct Driver {
    player: Player,
    stage: Stage,
}

impl Driver {
    fn new(log: impl Into<Vec<u8>>) -> Self {
        let cursor = Cursor::from_reader(LogReader::new(std::io::Cursor::new(log.into())), ReduceOptions::new()).unwrap();
        let stage = Stage::new(cursor);
        Self { player: Player::new("run.jsonl".to_owned(), stage.records(), 1.0), stage }
    }

    fn fixture(path: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/conformance").join(path);
        Self::new(std::fs::read(path).unwrap())
    }

    fn key(&mut self, code: KeyCode) -> Effect {
        self.pressed(KeyEvent::new(code, KeyModifiers::NONE))
    }

    fn pressed(&mut self, key: KeyEvent) -> Effect {
        let Some(action) = action(key, self.player.mode) else { return Effect::None };
        let effect = self.player.handle(action, Duration::ZERO);
        if let Effect::Find { wanted, direction } = &effect {
            let mut scan = Scan::new(wanted.clone(), *direction, self.player.at);
            loop {
                match self.stage.scan(&mut scan).unwrap() {
                    Progress::Going(_) => {}
                    Progress::Found(position) => break self.player.found(wanted, *direction, Some(position)),
                    Progress::Nothing => break self.player.found(wanted, *direction, None),
                }
            }
        }
        effect
    }

    /// Presses the keys of these characters; `⏎` is Enter.
    fn keys(&mut self, keys: &str) -> &mut Self {
        for c in keys.chars() {
            self.key(if c == '⏎' { KeyCode::Enter } else { KeyCode::Char(c) });
        }
        self
    }

    fn buffer(&mut self, width: u16, height: u16) -> Buffer {
        let sizes = Areas::of(Rect::new(0, 0, width, height)).sizes();
        let view = self.stage.view(&self.player, sizes).unwrap();
        (self.player.scroll, self.player.page) = (view.scroll, sizes.rows);
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| frame::draw(frame, &self.player, &view)).unwrap();
        terminal.backend().buffer().clone()
    }

    /// What is on the screen, line by line.
    fn screen(&mut self, width: u16, height: u16) -> String {
        let buffer = self.buffer(width, height);
        let mut lines = Vec::new();
        for y in 0..height {
            let (mut line, mut x) = (String::new(), 0);
            while x < width {
                let symbol = buffer[(x, y)].symbol();
                line.push_str(symbol);
                x += u16::try_from(symbol.width().max(1)).unwrap();
            }
            lines.push(line.trim_end().to_owned());
        }
        lines.join("\n")
    }

    fn at(&self) -> u64 {
        self.player.at
    }
}
