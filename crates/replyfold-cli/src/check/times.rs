//! Whether the time of a speaker goes back.

use replyfold::message::{AgentPath, Timestamp};
use std::collections::HashMap;

/// The last time of each speaker. Most events are of the speaker of the event before them, so that one is compared and not looked up.
#[derive(Default)]
pub(crate) struct Times {
    speakers: Vec<Speaker>,
    index: HashMap<Option<AgentPath>, usize>,
    last: usize,
}

struct Speaker {
    source: Option<AgentPath>,
    time: Timestamp,
    line: u64,
}

impl Times {
    /// The time of the next event of a speaker. If it is before the one of that speaker's last event, gives that one and its line.
    pub(crate) fn see(&mut self, source: Option<&AgentPath>, now: &str, line: u64) -> Option<(Timestamp, u64)> {
        if self.speakers.get(self.last).is_none_or(|speaker| speaker.source.as_ref() != source) {
            let place = *self.index.entry(source.cloned()).or_insert(self.speakers.len());
            self.last = place;
            if place == self.speakers.len() {
                self.speakers.push(Speaker { source: source.cloned(), time: Timestamp::new(now), line });
                return None;
            }
        }
        let speaker = self.speakers.get_mut(self.last)?;
        let earlier = is_earlier(now, &speaker.time).then(|| (speaker.time.clone(), speaker.line));
        if speaker.time.assign(now.as_bytes()).is_err() {
            speaker.time = Timestamp::new(now);
        }
        speaker.line = line;
        earlier
    }
}

/// Whether both are times and the first is before the other.
fn is_earlier(now: &str, then: &Timestamp) -> bool {
    // Reading a time costs more than reading its record.
    if reads_as_not_earlier(now.as_bytes(), then.as_bytes()) {
        return false;
    }
    matches!((Timestamp::new(now).to_datetime(), then.to_datetime()), (Some(now), Some(then)) if now < then)
}

/// Whether the texts alone show that the first is not before the other: they differ in digits only, the zone is the same, and the first
/// digits that differ are greater.
fn reads_as_not_earlier(now: &[u8], then: &[u8]) -> bool {
    if now.len() != then.len() || !now.first().is_some_and(u8::is_ascii_digit) {
        return false;
    }
    // A sign behind the date begins the zone, whose digits count the other way.
    let clock = now.iter().rposition(|byte| matches!(byte, b'+' | b'-')).filter(|sign| *sign > 10).unwrap_or(now.len());
    let alike = |(a, b): (&u8, &u8)| a == b || (a.is_ascii_digit() && b.is_ascii_digit());
    now >= then && now.get(clock..) == then.get(clock..) && now.iter().zip(then).all(alike)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_decide_only_what_the_times_say_too() {
        let times = [
            "2026-08-22T15:15:56Z",
            "2026-08-22T15:15:57Z",
            "2026-08-22T15:15:56.5Z",
            "2026-08-22T15:15:56.123456789Z",
            "2026-08-22T15:15:57.000000000Z",
            "2026-08-22 15:15:58",
            "2026-08-22T15:15:57",
            "2026-08-22T15:15:57.25",
            "2026-08-22 23:15:56.123",
            "2026-08-22T01:15:56.123",
            "2026-08-22T15:15:56+02:00",
            "2026-08-22T15:15:57+02:00",
            "2026-08-22T15:15:57+03:00",
            "2026-08-22T15:15:57-03:00",
            "2026-08-22t15:15:57z",
            "-001-08-22T15:15:57",
            "-002-08-22T15:15:57",
            "2026-8-22T15:15:57",
            "2026-12-2T15:15:57",
            "yesterday",
            "",
        ];
        let mut decided = 0;
        for now in times {
            for then in times {
                let by_value =
                    matches!((Timestamp::new(now).to_datetime(), Timestamp::new(then).to_datetime()), (Some(a), Some(b)) if a < b);
                assert_eq!(is_earlier(now, &Timestamp::new(then)), by_value, "{now} {then}");
                decided += usize::from(reads_as_not_earlier(now.as_bytes(), then.as_bytes()));
            }
        }
        // Each that begins with a digit is not before itself, and some are not before others.
        let with_digit = times.iter().filter(|time| time.starts_with(|first: char| first.is_ascii_digit())).count();
        assert!(decided > with_digit, "{decided}");
    }

    #[test]
    fn each_speaker_has_a_time_of_its_own() {
        let (mut times, helper) = (Times::default(), AgentPath::new("main/helper"));
        assert_eq!(times.see(None, "2026-01-01T00:00:02Z", 1), None);
        assert_eq!(times.see(Some(&helper), "2026-01-01T00:00:01Z", 2), None);
        assert_eq!(times.see(Some(&helper), "2026-01-01T00:00:03Z", 3), None);
        assert_eq!(times.see(None, "2026-01-01T00:00:01Z", 4), Some((Timestamp::new("2026-01-01T00:00:02Z"), 1)));
        assert_eq!(times.see(Some(&helper), "2026-01-01T00:00:02Z", 5), Some((Timestamp::new("2026-01-01T00:00:03Z"), 3)));
    }
}
