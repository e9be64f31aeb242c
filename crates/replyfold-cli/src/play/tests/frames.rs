//! What is drawn.

use super::super::paper::Sheet;
use super::{Driver, LOG};
use crate::output::{PLAIN, Paper};
use ratatui::crossterm::event::KeyCode;
use unicode_width::UnicodeWidthStr;

#[test]
fn frames_at_80_by_24() {
    let mut driver = Driver::new(LOG);
    insta::assert_snapshot!("start", driver.screen(80, 24));
    insta::assert_snapshot!("text_with_wide_characters", driver.keys("10G").screen(80, 24));
    insta::assert_snapshot!("call_that_streams", driver.keys("13G").screen(80, 24));
    insta::assert_snapshot!("bad_record", driver.keys("18G").screen(80, 24));
    insta::assert_snapshot!("sub_agent", driver.keys("21G").screen(80, 24));
    insta::assert_snapshot!("end", driver.keys("G").screen(80, 24));
    insta::assert_snapshot!("help", driver.keys("?").screen(80, 24));
    driver.keys("x/wea");
    insta::assert_snapshot!("search", driver.screen(80, 24));
    driver.key(KeyCode::Backspace);
    insta::assert_snapshot!("nothing_found", driver.keys("st wind⏎").screen(80, 24));
}

#[test]
fn frames_that_are_narrow_wide_and_too_small() {
    let mut driver = Driver::new(LOG);
    driver.keys("24G");
    insta::assert_snapshot!("narrow", driver.screen(44, 20));
    insta::assert_snapshot!("wide", driver.screen(140, 30));
    assert_eq!(driver.screen(12, 4), "too small\n\n\n");
    // Any size can be drawn at any point.
    for at in [0, 10, 21, 32] {
        driver.player.go(at);
        for (width, height) in [(1, 1), (20, 6), (21, 7), (59, 9), (60, 9), (61, 40), (300, 3), (200, 100)] {
            driver.screen(width, height);
            driver.keys("?");
            driver.screen(width, height);
            driver.keys("x");
        }
    }
}

#[test]
fn backwards_shows_what_forwards_did() {
    for log in
        ["java/logs/confirm-partial.events.jsonl", "java/logs/subagent-twice.events.jsonl", "python/synthetic/all_event_types.events.jsonl"]
    {
        let mut driver = Driver::fixture(log);
        let mut frames = vec![driver.screen(80, 24)];
        while driver.at() < driver.player.records {
            driver.key(KeyCode::Right);
            frames.push(driver.screen(80, 24));
        }
        assert!(frames.len() > 10 && frames.windows(2).all(|pair| pair[0] != pair[1]), "{log}");
        while let Some(frame) = frames.pop() {
            assert_eq!(driver.screen(80, 24), frame, "{log} at {}", driver.at());
            driver.key(KeyCode::Left);
        }
    }
}

#[test]
fn nothing_of_a_log_reaches_the_terminal_as_it_is() {
    let poison = "\u{1b}]0;t\u{7}\u{1b}[7m\u{9b}7m\nforged\r\u{202e}\u{2066}\u{200b}\u{feff}x";
    let escaped = serde_json::to_string(poison).unwrap();
    let mut log: String =
        LOG.lines().take(31).map(|line| line.replace("\",\"", &format!("{}\",\"", escaped.trim_matches('"'))) + "\n").collect();
    log.push_str(&LOG.replace("\"Friday\"", &escaped).replace("\"weather\"", &escaped).replace("r1", "r9").replace("\"e", "\"f"));
    log.push_str(&format!("bad {poison}\n"));
    let mut driver = Driver::new(log);
    driver.player.name = poison.to_owned();
    driver.player.word = Some(poison.to_owned());
    for _ in 0..=driver.player.records {
        for cell in driver.buffer(100, 30).content() {
            let bad = |c: char| {
                c.is_control()
                    || matches!(c, '\u{200b}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
            };
            assert!(!cell.symbol().contains(bad), "{:?}", cell.symbol());
        }
        driver.key(KeyCode::Right);
    }
    driver.keys("/");
    driver.player.prompt = poison.to_owned();
    assert!(driver.screen(80, 24).ends_with("x█"));
}

#[test]
fn the_end_of_a_long_text_is_shown_and_its_other_lines_can_be_scrolled_to() {
    let text: String = (0..200_000).map(|number| format!("line {number}\\n")).collect();
    let line = |rest: &str| format!("{{\"type\":\"TEXT_BLOCK_{rest},\"replyId\":\"r\",\"blockId\":\"b\"}}\n");
    let log = format!("{}{}{}", line("START\""), line(&format!("DELTA\",\"delta\":\"{text}\"")), line("DELTA\",\"delta\":\"the end\""));
    let mut driver = Driver::new(log);
    let screen = driver.keys("G").screen(80, 24);
    assert!(screen.starts_with("  line 199979") && screen.contains("\n  the end ▌open"), "{screen}");
    driver.keys("100K");
    assert!(driver.screen(80, 24).starts_with("  line 199879"));
    driver.keys("99J");
    assert!(driver.screen(80, 24).starts_with("  line 199978"));
    // No further than there is something to see, and a step shows the point again.
    driver.keys("99999K");
    let top = driver.screen(80, 24);
    driver.keys("K");
    assert_eq!(driver.screen(80, 24), top);
    driver.key(KeyCode::Left);
    driver.key(KeyCode::Right);
    assert_eq!(driver.screen(80, 24), screen);
    // The transcript begins with its header, however far up one scrolls in a short one.
    let mut driver = Driver::new(LOG);
    let screen = driver.keys("6G").screen(80, 24);
    assert_eq!(driver.keys("9K").screen(80, 24), screen);
}

#[test]
fn lines_are_broken_at_blanks_within_the_columns_of_their_characters() {
    let broken = |text: &str, width| {
        let mut sheet = Sheet::default();
        sheet.put(PLAIN, "  ").unwrap().put(PLAIN, text).unwrap().end_line().unwrap();
        sheet.broken(width).iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(broken("one two three", 11), ["  one two ", "  three"]);
    assert_eq!(broken("天気を調べます", 8), ["  天気を", "  調べま", "  す"]);
    assert_eq!(broken("👩\u{200d}👩\u{200d}👧👩\u{200d}👩\u{200d}👧x", 6), ["  👩\u{200d}👩\u{200d}👧👩\u{200d}👩\u{200d}👧", "  x"]);
    assert_eq!(broken("e\u{301}e\u{301}e\u{301}", 4), ["  e\u{301}e\u{301}", "  e\u{301}"]);
    for width in 2..40 {
        for line in broken("a wide 漢字 and🦀emoji averyveryverylongword\u{301} x  y", width) {
            assert!(line.width() <= width.max(2), "{width}: {line:?}");
        }
    }
}
