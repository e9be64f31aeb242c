//! When records are due.

use super::super::clock::Clock;
use super::{Driver, LOG};
use std::time::Duration;

/// The times at which the records of a log are shown, in milliseconds, if it is played from its start.
fn shown_at(driver: &mut Driver) -> Vec<u64> {
    let mut times = Vec::new();
    driver.player.clock.play(Duration::ZERO);
    while driver.player.clock.is_playing() {
        let gap = driver.stage.gap(driver.at()).unwrap();
        let due = driver.player.clock.due(gap).unwrap();
        driver.player.clock.shown(due);
        driver.player.advance();
        times.push(u64::try_from(due.as_millis()).unwrap());
    }
    times
}

#[test]
fn records_come_as_they_were_recorded_and_long_waits_are_short() {
    let mut driver = Driver::new(LOG);
    let times = shown_at(&mut driver);
    assert_eq!(driver.at(), 32);
    assert_eq!(times[..3], [0, 100, 200]);
    // Around the record that cannot be read nothing tells the time.
    assert_eq!(times[15..19], [1500, 1600, 1650, 1700]);
    // A tool that took five seconds takes two.
    assert_eq!(times[22..24], [2100, 4100]);
    // At the end playing starts anew.
    assert!(!driver.player.clock.is_playing());
    driver.keys(" ");
    assert_eq!((driver.player.clock.is_playing(), driver.at()), (true, 0));
    driver.keys(" ");
    assert!(!driver.player.clock.is_playing());
    // A step pauses.
    driver.keys(" l");
    assert_eq!((driver.player.clock.is_playing(), driver.at()), (false, 1));
}

#[test]
fn speed_divides_every_wait() {
    let mut driver = Driver::new(LOG);
    driver.keys("++");
    assert_eq!(driver.player.word.as_deref(), Some("speed 4×"));
    assert_eq!(shown_at(&mut driver)[..3], [0, 25, 50]);
    let mut clock = Clock::new(3.0);
    clock.change_speed(1, Duration::ZERO);
    assert_eq!(clock.speed_word(), "4×");
    for (by, last) in [(1, "128×"), (-1, "0.1×")] {
        (0..20).for_each(|_| clock.change_speed(by, Duration::ZERO));
        assert_eq!(clock.speed_word(), last);
    }
    // One that does not play has nothing due, and a change of speed does not start it.
    assert_eq!(clock.due(None), None);
}

#[test]
fn times_that_go_back_or_cannot_be_read_wait_for_nothing_much() {
    let line = |time: &str| format!("{{\"type\":\"AGENT_START\",\"replyId\":\"r\",\"createdAt\":\"{time}\"}}\n");
    let log = [line("2026-01-01T00:00:09Z"), line("2026-01-01T00:00:01Z"), line("soon"), line("2026-01-01T00:00:01.5Z")].concat();
    assert_eq!(shown_at(&mut Driver::new(log)), [0, 0, 50, 100]);
}
