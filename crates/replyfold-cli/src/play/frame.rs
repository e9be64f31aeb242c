//! One frame on the screen.

use super::keys::{HELP, Mode};
use super::stage::{Row, Sizes, View};
use super::state::Player;
use crate::transcript::text::{cut, line};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Clear, Paragraph};
use unicode_width::UnicodeWidthStr;

/// Least columns and lines on which anything can be read.
const LEAST: (u16, u16) = (20, 6);
/// Columns below which the list stands under the transcript.
const NARROW: u16 = 60;

const DIM: Style = Style::new().add_modifier(Modifier::DIM);
const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);

/// Where everything stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Areas {
    transcript: Rect,
    line: Rect,
    list: Rect,
    status: Rect,
    is_small: bool,
}

impl Areas {
    pub(crate) fn of(screen: Rect) -> Self {
        let is_small = screen.width < LEAST.0 || screen.height < LEAST.1;
        let [main, status] = Layout::vertical([Constraint::Min(0), Constraint::Length(1)]).areas(screen);
        let [transcript, line, list] = if screen.width < NARROW {
            let rows = (main.height / 3).max(2);
            Layout::vertical([Constraint::Min(0), Constraint::Length(1), Constraint::Length(rows)]).areas(main)
        } else {
            let columns = (main.width * 2 / 5).clamp(30, 60);
            Layout::horizontal([Constraint::Min(0), Constraint::Length(1), Constraint::Length(columns)]).areas(main)
        };
        Self { transcript, line, list, status, is_small }
    }

    /// What is wanted of the log.
    pub(crate) fn sizes(self) -> Sizes {
        Sizes { width: self.transcript.width.into(), height: self.transcript.height.into(), rows: self.list.height.into() }
    }
}

pub(crate) fn draw(frame: &mut Frame<'_>, player: &Player, view: &View) {
    let areas = Areas::of(frame.area());
    if areas.is_small {
        frame.render_widget(Paragraph::new("too small"), frame.area());
        return;
    }
    frame.render_widget(Paragraph::new(view.transcript.clone()), areas.transcript);
    let border = if areas.line.height > 1 { Borders::LEFT } else { Borders::TOP };
    frame.render_widget(Block::new().borders(border).border_style(DIM), areas.line);
    let digits = player.records.to_string().len();
    let rows: Vec<Line<'_>> = view.rows.iter().map(|row| list_row(row, digits, areas.list.width.into())).collect();
    frame.render_widget(Paragraph::new(rows), areas.list);
    frame.render_widget(Paragraph::new(status(player, view, areas.status.width.into())), areas.status);
    if player.mode == Mode::Help {
        help(frame);
    }
}

fn list_row(row: &Row, digits: usize, width: usize) -> Line<'static> {
    let mark = if row.is_here { "▶" } else { " " };
    let number = format!("{mark}{:>digits$} ", row.position + 1);
    let kind = cut(&row.kind, width.saturating_sub(number.width()));
    let room = width.saturating_sub(number.width() + kind.width() + 1);
    let detail = if room > 1 { format!(" {}", cut(&row.detail, room)) } else { String::new() };
    let style = if row.is_error { Style::new().fg(Color::Red) } else { Style::new() };
    let style = if row.is_here { style.add_modifier(Modifier::BOLD | Modifier::REVERSED) } else { style };
    // The mark goes over the whole row.
    let used = number.width() + kind.width() + detail.width();
    let rest = if row.is_here { " ".repeat(width.saturating_sub(used)) } else { String::new() };
    Line::from(vec![
        Span::styled(number, if row.is_here { style } else { DIM }),
        Span::styled(kind, style),
        Span::styled(detail + &rest, if row.is_here { style } else { DIM }),
    ])
}

/// The state in one line: of the play, of the point, and what is going on.
fn status(player: &Player, view: &View, width: usize) -> Line<'static> {
    if player.mode == Mode::Prompt {
        // The end of a long text is what is being typed.
        let mut typed = line(&player.prompt);
        while typed.width() + 2 >= width {
            typed.remove(0);
        }
        return Line::from(vec![Span::raw(format!("/{typed}")), Span::styled("█", DIM)]);
    }
    let symbol = if player.clock.is_playing() { "▶" } else { "||" };
    let state = format!("{symbol} {}  {}/{}", player.clock.speed_word(), player.at, player.records);
    let told = match (player.searching, player.count, &player.word) {
        (Some(seen), ..) => format!("searching, {seen}% seen; Esc stops"),
        (None, Some(count), _) => format!("{count}_"),
        (None, None, Some(word)) => line(word),
        (None, None, None) => view.time.clone().unwrap_or_default(),
    };
    let hint = "? help";
    let room = width.saturating_sub(state.width() + hint.width() + 4);
    let told = cut(&told, room);
    let name_room = room.saturating_sub(told.width() + 2);
    // A name that is cut to a few letters says nothing.
    let name = if name_room >= 8 { cut(&line(&player.name), name_room) + "  " } else { String::new() };
    let used = state.width() + told.width() + name.width() + hint.width() + 2;
    Line::from(vec![
        Span::styled(state, BOLD),
        Span::raw(format!("  {told}{}", " ".repeat(width.saturating_sub(used)))),
        Span::styled(name, DIM),
        Span::styled(hint, DIM),
    ])
}

fn help(frame: &mut Frame<'_>) {
    let lines: Vec<Line<'_>> =
        HELP.iter().map(|(keys, what)| Line::from(vec![Span::styled(format!(" {keys:<14}"), BOLD), Span::raw(*what)])).collect();
    let area = frame.area();
    let height = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX).min(area.height);
    let width = 54.min(area.width);
    let page = Rect { x: (area.width - width) / 2, y: (area.height - height) / 2, width, height };
    frame.render_widget(Clear, page);
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title(" keys ")), page);
}
