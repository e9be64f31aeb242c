//! What keys do.

use super::super::keys::Mode;
use super::super::state::Effect;
use super::{Driver, LOG};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The points that a key leads to, from one on.
fn points(driver: &mut Driver, from: u64, key: char) -> Vec<u64> {
    driver.player.go(from);
    let mut points = Vec::new();
    loop {
        driver.keys(&key.to_string());
        if points.last().copied().unwrap_or(from) == driver.at() {
            return points;
        }
        points.push(driver.at());
    }
}

#[test]
fn steps_pages_and_numbers_move_the_point() {
    let mut driver = Driver::new(LOG);
    driver.screen(80, 24);
    assert_eq!((driver.player.records, driver.player.page), (32, 23));
    let mut at = |keys: &[KeyCode]| {
        keys.iter().for_each(|key| _ = driver.key(*key));
        driver.at()
    };
    assert_eq!(at(&[KeyCode::Right, KeyCode::Down, KeyCode::Char('l'), KeyCode::Char('j')]), 4);
    assert_eq!(at(&[KeyCode::Left, KeyCode::Up, KeyCode::Char('h')]), 1);
    assert_eq!(at(&[KeyCode::Left, KeyCode::Left]), 0);
    assert_eq!(at(&[KeyCode::PageDown]), 22);
    assert_eq!(at(&[KeyCode::PageDown]), 32);
    assert_eq!(at(&[KeyCode::PageUp]), 10);
    assert_eq!(at(&[KeyCode::End, KeyCode::Right]), 32);
    assert_eq!(at(&[KeyCode::Home]), 0);
    assert_eq!(at(&[KeyCode::Char('1'), KeyCode::Char('2'), KeyCode::Right]), 12);
    assert_eq!(at(&[KeyCode::Char('5'), KeyCode::Char('k')]), 7);
    assert_eq!(at(&[KeyCode::Char('2'), KeyCode::Char('0'), KeyCode::Char('g')]), 20);
    // A number that was typed is forgotten when asked, and beyond the end it is told.
    assert_eq!(at(&[KeyCode::Char('3'), KeyCode::Esc, KeyCode::Right]), 21);
    assert_eq!(at(&[KeyCode::Char('9'), KeyCode::Char('9'), KeyCode::Char('G')]), 32);
    assert_eq!(driver.player.word.as_deref(), Some("99 is beyond the end: the log has 32 records"));
    let number = "9".repeat(40);
    assert_eq!(driver.keys(&number).keys("h").at(), 0);
}

#[test]
fn jumps_lead_to_what_they_name_in_both_directions() {
    let mut driver = Driver::new(LOG);
    for (keys, forwards) in
        [(('r', 'R'), vec![1, 19]), (('b', 'B'), vec![3, 7, 12, 17, 20, 27]), (('t', 'T'), vec![12]), (('e', 'E'), vec![18, 25])]
    {
        assert_eq!(points(&mut driver, 0, keys.0), forwards, "{keys:?}");
        assert!(driver.player.word.as_deref().is_some_and(|word| word.ends_with(" after this point")), "{:?}", driver.player.word);
        let backwards: Vec<u64> = forwards.into_iter().rev().collect();
        assert_eq!(points(&mut driver, 32, keys.1), backwards, "{keys:?}");
        assert!(driver.player.word.as_deref().is_some_and(|word| word.ends_with(" before this point")));
    }
}

#[test]
fn a_text_is_found_where_it_ends_also_in_several_pieces() {
    let mut driver = Driver::new(LOG);
    assert_eq!(driver.keys("/city do⏎").at(), 5);
    assert_eq!(driver.keys("gg/weather⏎").at(), 12);
    assert_eq!(points(&mut driver, 0, 'n'), [12, 17, 29]);
    assert_eq!(points(&mut driver, 32, 'N'), [29, 17, 12]);
    assert_eq!(driver.player.word.as_deref(), Some("no “weather” before this point"));
    // With a capital letter it is found as it is written, and an empty search is the last one.
    assert_eq!(driver.keys("g/friday⏎").at(), 1);
    assert_eq!(driver.keys("g/WEATHER⏎").at(), 0);
    assert_eq!(driver.keys("/調べます⏎").at(), 8);
    assert_eq!(driver.keys("g/⏎").at(), 8);
    // What cannot be read can be found.
    assert_eq!(driver.keys("g/nonsense⏎").at(), 18);
    assert_eq!(Driver::new(LOG).keys("n").player.word.as_deref(), Some("nothing was searched for yet: / searches"));
}

#[test]
fn long_logs_are_searched_in_slices_with_the_same_result() {
    // Pieces of one letter each: what is searched for lies across every border of a slice.
    let line = |number: usize| {
        let letter = b"abc"[number % 3] as char;
        format!("{{\"type\":\"TEXT_BLOCK_DELTA\",\"replyId\":\"r\",\"blockId\":\"b\",\"delta\":\"{letter}\"}}\n")
    };
    let mut driver = Driver::new((0..10_000).map(line).collect::<String>());
    driver.keys("/abca⏎");
    assert_eq!(driver.at(), 4);
    let found = points(&mut driver, 0, 'n');
    assert_eq!(found, (4..=10_000).step_by(3).collect::<Vec<u64>>());
    assert_eq!(points(&mut driver, 10_000, 'N'), found.into_iter().rev().filter(|at| *at < 10_000).collect::<Vec<_>>());
}

#[test]
fn what_is_typed_can_be_changed_and_given_up() {
    let mut driver = Driver::new(LOG);
    driver.keys("/qx");
    assert_eq!((driver.player.mode, driver.player.prompt.as_str()), (Mode::Prompt, "qx"));
    driver.key(KeyCode::Backspace);
    driver.pressed(KeyEvent::new(KeyCode::Char('u'), KeyModifiers::CONTROL));
    assert_eq!(driver.player.prompt, "");
    driver.key(KeyCode::Backspace);
    assert_eq!(driver.player.mode, Mode::Play);
    driver.keys("/x");
    driver.key(KeyCode::Esc);
    assert_eq!((driver.player.mode, driver.at()), (Mode::Play, 0));
    driver.keys("?");
    assert_eq!(driver.player.mode, Mode::Help);
    assert_eq!((driver.key(KeyCode::Char('x')), driver.player.mode), (Effect::None, Mode::Play));
}

#[test]
fn it_ends_from_wherever_one_is() {
    let control_c = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    for keys in ["", "?", "/abc", "12"] {
        assert_eq!(Driver::new(LOG).keys(keys).pressed(control_c), Effect::Quit, "{keys}");
    }
    assert_eq!(Driver::new(LOG).key(KeyCode::Char('q')), Effect::Quit);
    assert_eq!(Driver::new(LOG).keys("?").key(KeyCode::Char('q')), Effect::Quit);
    assert_eq!(Driver::new(LOG).pressed(KeyEvent::new(KeyCode::Char('l'), KeyModifiers::CONTROL)), Effect::Redraw);
}

#[test]
fn an_empty_log_can_be_looked_at() {
    let mut driver = Driver::new("");
    for keys in ["", "G", "g", "r", "B", " ", "/x⏎", "K"] {
        let screen = driver.keys(keys).screen(80, 24);
        assert!(screen.starts_with("no message yet") && screen.contains("0/0"), "{keys}: {screen}");
    }
}
