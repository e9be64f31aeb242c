//! When the next record is due. The time is told, never read.

use std::time::Duration;

/// Speeds that keys choose from.
const SPEEDS: [f64; 11] = [0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0];
/// Longest wait for a record, in the time of the log: nobody watches a tool that runs for minutes.
const LONGEST: Duration = Duration::from_secs(2);
/// Wait where the log does not tell the time.
const UNTOLD: Duration = Duration::from_millis(50);

/// Playing, or not.
#[derive(Debug)]
pub(crate) struct Clock {
    speed: f64,
    /// When the last record was due, while it plays; the next one counts from there, so drawing costs no time of the log.
    last: Option<Duration>,
}

impl Clock {
    pub(crate) fn new(speed: f64) -> Self {
        Self { speed, last: None }
    }

    pub(crate) fn is_playing(&self) -> bool {
        self.last.is_some()
    }

    pub(crate) fn play(&mut self, now: Duration) {
        self.last = Some(now);
    }

    pub(crate) fn pause(&mut self) {
        self.last = None;
    }

    /// The next or previous of the speeds.
    pub(crate) fn change_speed(&mut self, by: i32, now: Duration) {
        let chosen = if by > 0 {
            SPEEDS.iter().find(|speed| **speed > self.speed).or(SPEEDS.last())
        } else {
            SPEEDS.iter().rev().find(|speed| **speed < self.speed).or(SPEEDS.first())
        };
        self.speed = chosen.copied().unwrap_or(self.speed);
        self.last = self.last.map(|_| now);
    }

    pub(crate) fn speed_word(&self) -> String {
        format!("{}×", self.speed)
    }

    /// When the next record is due, which the log has this long after the one before; `None` while it does not play.
    pub(crate) fn due(&self, gap: Option<Duration>) -> Option<Duration> {
        let wait = gap.map_or(UNTOLD, |gap| gap.min(LONGEST)).div_f64(self.speed.max(0.001));
        self.last.map(|last| last.saturating_add(wait))
    }

    /// The record that was due at this time is shown.
    pub(crate) fn shown(&mut self, due: Duration) {
        if self.last.is_some() {
            self.last = Some(due);
        }
    }
}
