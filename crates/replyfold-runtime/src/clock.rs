//! Times, ids and chance: the only place of the runtime that is not determined by its input.

use crate::state::AgentState;
use chrono::{DateTime, SecondsFormat, Utc};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use uuid::{Builder, ContextV7, Timestamp, Uuid};

/// Where times and ids come from.
///
/// Ids are UUIDs of version 7 with a counter, so that those of one source sort in the order in which they were made.
pub trait Clock: Send + Sync {
    /// The time.
    fn now(&self) -> SystemTime;

    /// A new id, greater than any before.
    fn id(&self) -> String;

    /// A number from 0 to 1, by chance.
    fn chance(&self) -> f64;
}

impl<T: Clock + ?Sized> Clock for Arc<T> {
    fn now(&self) -> SystemTime {
        (**self).now()
    }

    fn id(&self) -> String {
        (**self).id()
    }

    fn chance(&self) -> f64 {
        (**self).chance()
    }
}

/// A time as events carry it: RFC 3339 in UTC, with microseconds.
pub(crate) fn written(time: SystemTime) -> String {
    DateTime::<Utc>::from(time).to_rfc3339_opts(SecondsFormat::Micros, true)
}

/// The clock and the chance of the system.
#[derive(Debug, Default)]
pub struct SystemClock(Mutex<ContextV7>);

impl SystemClock {
    /// The clock of the system.
    #[must_use]
    pub fn new() -> Self {
        Self(Mutex::new(ContextV7::new()))
    }
}

impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    fn id(&self) -> String {
        let context = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Uuid::new_v7(Timestamp::now(&*context)).to_string()
    }

    fn chance(&self) -> f64 {
        fastrand::f64()
    }
}

/// A clock for tests and demonstrations: the same seed gives the same times, ids and chance. It goes on by a millisecond with each event.
#[derive(Debug)]
pub struct SeededClock(Mutex<Seeded>);

#[derive(Debug)]
struct Seeded {
    millis: u64,
    count: u64,
    chance: fastrand::Rng,
}

/// 2026-01-01, midnight.
const START: u64 = 1_767_225_600_000;

impl SeededClock {
    /// The clock of this seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(Mutex::new(Seeded { millis: START, count: 0, chance: fastrand::Rng::with_seed(seed) }))
    }

    /// Goes on behind all that stands in this state: an agent that goes on with it makes no id twice.
    #[must_use]
    pub fn behind(self, state: &AgentState) -> Self {
        let messages = state.context.iter().flat_map(|msg| [&msg.created_at, &msg.finished_at]);
        let events = state.parked.iter().flat_map(|parked| parked.events.iter().map(|event| &event.created_at));
        let times = messages.chain(events).flatten().filter_map(|time| DateTime::parse_from_rfc3339(time.as_str()).ok());
        let newest = times.filter_map(|time| u64::try_from(time.timestamp_millis()).ok()).max();
        {
            let mut seeded = self.seeded();
            seeded.millis = newest.unwrap_or(0).max(seeded.millis);
        }
        self
    }

    fn seeded(&self) -> MutexGuard<'_, Seeded> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clock for SeededClock {
    fn now(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(self.seeded().millis)
    }

    fn id(&self) -> String {
        let mut seeded = self.seeded();
        seeded.count += 1;
        seeded.millis += 1;
        // The count stands where the counter of version 7 does, chance behind it.
        let mut bytes = [0; 10];
        let (count, rest) = bytes.split_at_mut(4);
        count.copy_from_slice(&((seeded.count & 0x0fff_ffff) as u32).to_be_bytes());
        let chance = seeded.chance.u64(..).to_be_bytes();
        rest.copy_from_slice(chance.get(..6).unwrap_or(&[0; 6]));
        Builder::from_unix_timestamp_millis(seeded.millis, &bytes).into_uuid().to_string()
    }

    fn chance(&self) -> f64 {
        self.seeded().chance.f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_ascend_and_a_seed_repeats_them() {
        for clock in [&SystemClock::new() as &dyn Clock, &SeededClock::new(1)] {
            let ids: Vec<String> = (0..5000).map(|_| clock.id()).collect();
            assert!(ids.is_sorted_by(|one, other| one < other));
        }
        let ids = |seed| (0..3).map(|_| SeededClock::new(seed).id()).collect::<Vec<_>>();
        assert_eq!(ids(7), ids(7));
        assert_ne!(ids(7), ids(8));
        assert_eq!(written(SeededClock::new(0).now()), "2026-01-01T00:00:00.000000Z");
    }
}
