//! Lines of a transcript that are laid out for a part of the screen.

use crate::output::{Clean, Paper};
use anstyle::{AnsiColor, Color, Effects};
use ratatui::style::{self, Modifier};
use ratatui::text::{Line, Span};
use std::fmt::Display;
use std::io;
use unicode_width::UnicodeWidthStr;

/// Lines as they were written, not yet broken.
#[derive(Default)]
pub(super) struct Sheet {
    lines: Vec<Vec<(anstyle::Style, String)>>,
    current: Vec<(anstyle::Style, String)>,
}

impl Paper for Sheet {
    fn put(&mut self, style: anstyle::Style, text: impl Display) -> io::Result<&mut Self> {
        self.current.push((style, Clean(text).to_string()));
        Ok(self)
    }

    fn end_line(&mut self) -> io::Result<()> {
        self.lines.push(std::mem::take(&mut self.current));
        Ok(())
    }
}

impl Sheet {
    /// The lines, broken at this width; what continues one is moved in like it.
    pub(super) fn broken(self, width: usize) -> Vec<Line<'static>> {
        self.lines.into_iter().flat_map(|line| break_line(line, width)).collect()
    }
}

/// Breaks a line at blanks, and within words that are longer than it.
fn break_line(parts: Vec<(anstyle::Style, String)>, width: usize) -> Vec<Line<'static>> {
    let indent = parts.iter().flat_map(|(_, text)| text.chars()).take_while(|c| *c == ' ').count();
    let indent = indent.min(width / 2).min(width.saturating_sub(2));
    let mut broken = Broken { width: width.max(2), indent, lines: Vec::new(), line: Vec::new(), used: 0, blank: None };
    for (style, text) in &parts {
        let style = convert(*style);
        let span = Span::styled(text.as_str(), style);
        for grapheme in span.styled_graphemes(style::Style::default()) {
            broken.add(grapheme.symbol, grapheme.style);
        }
    }
    broken.end()
}

struct Broken {
    width: usize,
    indent: usize,
    lines: Vec<Line<'static>>,
    line: Vec<(style::Style, String)>,
    used: usize,
    /// The last blank of the line: how many parts, bytes of the last part and columns stand up to it.
    blank: Option<(usize, usize, usize)>,
}

impl Broken {
    fn add(&mut self, symbol: &str, style: style::Style) {
        let columns = symbol.width();
        if self.used + columns > self.width {
            self.break_here(symbol == " ");
            if symbol == " " {
                return;
            }
        }
        match self.line.last_mut() {
            Some((last, text)) if *last == style => text.push_str(symbol),
            _ => self.line.push((style, symbol.to_owned())),
        }
        self.used += columns;
        if symbol == " " && self.used > self.indent {
            self.blank = Some((self.line.len(), self.line.last().map_or(0, |(_, text)| text.len()), self.used));
        }
    }

    fn break_here(&mut self, at_blank: bool) {
        let mut rest = Vec::new();
        let mut used = 0;
        // A word goes to the next line whole, unless the line is mostly that word.
        if let Some((parts, bytes, columns)) = self.blank.take().filter(|(.., columns)| !at_blank && *columns * 2 > self.width) {
            rest = self.line.split_off(parts);
            if let Some((style, text)) = self.line.last_mut() {
                let moved = text.split_off(bytes);
                if !moved.is_empty() {
                    rest.insert(0, (*style, moved));
                }
            }
            used = self.used - columns;
        }
        self.blank = None;
        let full = std::mem::take(&mut self.line);
        self.lines.push(line(full));
        self.line.push((style::Style::default(), " ".repeat(self.indent)));
        self.line.extend(rest);
        self.used = self.indent + used;
    }

    fn end(mut self) -> Vec<Line<'static>> {
        self.lines.push(line(self.line));
        self.lines
    }
}

fn line(parts: Vec<(style::Style, String)>) -> Line<'static> {
    Line::from(parts.into_iter().map(|(style, text)| Span::styled(text, style)).collect::<Vec<_>>())
}

/// The style as the screen's library has it.
pub(super) fn convert(from: anstyle::Style) -> style::Style {
    let mut to = style::Style::default();
    if let Some(Color::Ansi(color)) = from.get_fg_color() {
        to = to.fg(match color {
            AnsiColor::Red | AnsiColor::BrightRed => style::Color::Red,
            AnsiColor::Green | AnsiColor::BrightGreen => style::Color::Green,
            AnsiColor::Yellow | AnsiColor::BrightYellow => style::Color::Yellow,
            AnsiColor::Blue | AnsiColor::BrightBlue => style::Color::Blue,
            AnsiColor::Magenta | AnsiColor::BrightMagenta => style::Color::Magenta,
            AnsiColor::Cyan | AnsiColor::BrightCyan => style::Color::Cyan,
            AnsiColor::Black | AnsiColor::BrightBlack | AnsiColor::White | AnsiColor::BrightWhite => style::Color::Reset,
        });
    }
    let effects = from.get_effects();
    for (effect, modifier) in [(Effects::BOLD, Modifier::BOLD), (Effects::DIMMED, Modifier::DIM)] {
        if effects.contains(effect) {
            to = to.add_modifier(modifier);
        }
    }
    to
}
