//! What each key means.

use super::scan::Mark;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use replyfold::log::Direction;

/// What a key asks for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Action {
    Quit,
    Toggle,
    /// So many records, times the number that was typed.
    Step(i64),
    /// So many pages of the list.
    Page(i64),
    Home,
    /// The end, or the point whose number was typed.
    End,
    Jump(Mark, Direction),
    /// The next match of the last search, in its direction or the other.
    Again(Direction),
    /// Faster, or slower.
    Speed(i32),
    /// Lines of the transcript.
    Scroll(i64),
    Search,
    Help,
    Digit(u64),
    /// Nothing, or the end of whatever is going on.
    Cancel,
    Redraw,
    // While a search is typed.
    Type(char),
    Erase,
    EraseAll,
    Enter,
}

/// What is on the screen that keys mean something else in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mode {
    Play,
    /// A text to search for is typed.
    Prompt,
    Help,
}

/// What a key asks for; `None` if it means nothing.
pub(crate) fn action(key: KeyEvent, mode: Mode) -> Option<Action> {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    if control && key.code == KeyCode::Char('c') {
        return Some(Action::Quit);
    }
    match mode {
        Mode::Prompt => prompt(key.code, control),
        Mode::Help => Some(if key.code == KeyCode::Char('q') { Action::Quit } else { Action::Cancel }),
        Mode::Play => play(key.code, control, key.modifiers.contains(KeyModifiers::SHIFT)),
    }
}

fn prompt(code: KeyCode, control: bool) -> Option<Action> {
    Some(match code {
        KeyCode::Esc => Action::Cancel,
        KeyCode::Enter => Action::Enter,
        KeyCode::Backspace => Action::Erase,
        KeyCode::Char('h') if control => Action::Erase,
        KeyCode::Char('u') if control => Action::EraseAll,
        KeyCode::Char(c) if !control && !c.is_control() => Action::Type(c),
        _ => return None,
    })
}

fn play(code: KeyCode, control: bool, shift: bool) -> Option<Action> {
    use Direction::{Backward, Forward};
    if control {
        return Some(match code {
            KeyCode::Char('f') => Action::Page(1),
            KeyCode::Char('b') => Action::Page(-1),
            KeyCode::Char('l') => Action::Redraw,
            _ => return None,
        });
    }
    Some(match code {
        KeyCode::Char('q') => Action::Quit,
        KeyCode::Char(' ') => Action::Toggle,
        KeyCode::Down if shift => Action::Scroll(1),
        KeyCode::Up if shift => Action::Scroll(-1),
        KeyCode::Right | KeyCode::Down | KeyCode::Char('l' | 'j') => Action::Step(1),
        KeyCode::Left | KeyCode::Up | KeyCode::Char('h' | 'k') => Action::Step(-1),
        KeyCode::PageDown => Action::Page(1),
        KeyCode::PageUp => Action::Page(-1),
        KeyCode::Home | KeyCode::Char('g') => Action::Home,
        KeyCode::End | KeyCode::Char('G') => Action::End,
        KeyCode::Char('r') => Action::Jump(Mark::Reply, Forward),
        KeyCode::Char('R') => Action::Jump(Mark::Reply, Backward),
        KeyCode::Char('b') => Action::Jump(Mark::Block, Forward),
        KeyCode::Char('B') => Action::Jump(Mark::Block, Backward),
        KeyCode::Char('t') => Action::Jump(Mark::Call, Forward),
        KeyCode::Char('T') => Action::Jump(Mark::Call, Backward),
        KeyCode::Char('e') => Action::Jump(Mark::Error, Forward),
        KeyCode::Char('E') => Action::Jump(Mark::Error, Backward),
        KeyCode::Char('n') => Action::Again(Forward),
        KeyCode::Char('N') => Action::Again(Backward),
        KeyCode::Char('+' | '=') => Action::Speed(1),
        KeyCode::Char('-') => Action::Speed(-1),
        KeyCode::Char('J') => Action::Scroll(1),
        KeyCode::Char('K') => Action::Scroll(-1),
        KeyCode::Char('/') => Action::Search,
        KeyCode::Char('?') | KeyCode::F(1) => Action::Help,
        KeyCode::Char(c) => Action::Digit(u64::from(c.to_digit(10)?)),
        KeyCode::Esc => Action::Cancel,
        _ => return None,
    })
}

/// The page of help: keys, and what they do.
pub(crate) const HELP: [(&str, &str); 17] = [
    ("space", "play, pause"),
    ("→ ↓ l j", "a record forwards"),
    ("← ↑ h k", "a record backwards"),
    ("PgDn PgUp", "a page forwards, backwards"),
    ("Home End g G", "start, end"),
    ("1371 G", "the point after 1371 records"),
    ("20 →", "20 records forwards"),
    ("r R", "next, previous reply"),
    ("b B", "next, previous block"),
    ("t T", "next, previous tool call"),
    ("e E", "next, previous error"),
    ("/", "search; n N next, previous match"),
    ("+ -", "faster, slower"),
    ("J K", "scroll the transcript"),
    ("Esc", "stop what is going on"),
    ("?", "this page"),
    ("q Ctrl-C", "quit"),
];
