//! When a failed model call is tried again.

use std::time::Duration;

/// How failed model calls are retried; the default is that of the coarse protocol: three times, 10 seconds after each failure, any error,
/// announced (`coarse.md` sections 5 and 11).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RetryPolicy {
    /// Retries of one model call at most; the first attempt is none. They count anew with each round.
    pub max_retries: u64,
    /// The wait before each.
    pub delay: Delay,
    /// The longest wait that a provider may ask for; 60 seconds by default. What it asks for is waited if it is longer than [`delay`](Self::delay),
    /// and up to this. If it asks for more, the same model is not tried again: the fallback is asked at once, and without one the call has failed.
    pub max_wait: Duration,
    /// Whether a call that failed after it had begun to answer is retried. Its blocks are withdrawn then.
    pub retry_midstream: bool,
    /// Whether retries are told: a failed attempt ends with `MODEL_CALL_END` with `error` and `retry`. Else the attempts look like one call,
    /// whose `MODEL_CALL_END` counts the tokens of all of them, and one that has answered already cannot be retried.
    pub announce: bool,
    /// Whether only failures that may pass are retried ([`ModelErrorKind::is_transient`](crate::ModelErrorKind::is_transient)).
    pub only_transient: bool,
}

/// How long to wait before a retry.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Delay {
    /// Always as long.
    Fixed(Duration),
    /// Twice as long each time, up to a limit; a part of it is by chance, so that many agents do not come back at once.
    Exponential {
        /// The first wait.
        first: Duration,
        /// The longest.
        most: Duration,
        /// The part that is by chance, from 0 to 1.
        jitter: f64,
    },
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_retries: 3,
            delay: Delay::Fixed(Duration::from_secs(10)),
            max_wait: Duration::from_secs(60),
            retry_midstream: true,
            announce: true,
            only_transient: false,
        }
    }
}

impl RetryPolicy {
    /// The default.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Nothing is retried.
    #[must_use]
    pub fn never() -> Self {
        Self { max_retries: 0, ..Self::default() }
    }

    /// So many retries at most.
    #[must_use]
    pub fn with_max_retries(mut self, most: u64) -> Self {
        self.max_retries = most;
        self
    }

    /// With this wait.
    #[must_use]
    pub fn with_delay(mut self, delay: Delay) -> Self {
        self.delay = delay;
        self
    }

    /// With this wait at most that a provider may ask for.
    #[must_use]
    pub fn with_max_wait(mut self, most: Duration) -> Self {
        self.max_wait = most;
        self
    }

    /// Whether a call that had begun to answer is retried.
    #[must_use]
    pub fn with_retry_midstream(mut self, retry: bool) -> Self {
        self.retry_midstream = retry;
        self
    }

    /// Whether retries are told.
    #[must_use]
    pub fn with_announce(mut self, announce: bool) -> Self {
        self.announce = announce;
        self
    }

    /// Whether only failures that may pass are retried.
    #[must_use]
    pub fn with_only_transient(mut self, only: bool) -> Self {
        self.only_transient = only;
        self
    }
}

impl RetryPolicy {
    /// How long to wait for the same model before retry number `attempt`; `None` if the provider asks for more than is waited.
    pub(crate) fn wait(&self, attempt: u64, chance: f64, asked: Option<Duration>) -> Option<Duration> {
        let own = self.delay.before(attempt, chance);
        // What is waited anyway is not too long.
        asked.map_or(Some(own), |asked| (asked <= own.max(self.max_wait)).then_some(own.max(asked)))
    }
}

impl Delay {
    /// The wait before retry number `attempt`, from 1; `chance` is from 0 to 1.
    #[must_use]
    pub fn before(&self, attempt: u64, chance: f64) -> Duration {
        match self {
            Self::Fixed(wait) => *wait,
            Self::Exponential { first, most, jitter } => {
                let doubled = u32::try_from(attempt.saturating_sub(1)).unwrap_or(u32::MAX);
                let whole = 2_u32.checked_pow(doubled).map_or(*most, |times| first.saturating_mul(times)).min(*most);
                // Up to the whole wait, down by the part that is by chance. A part that is no number is none, and the longest of all waits is
                // rounded to one that is longer still.
                let part = 1.0 - jitter.clamp(0.0, 1.0) * chance.clamp(0.0, 1.0);
                Duration::try_from_secs_f64(whole.as_secs_f64() * part).unwrap_or(whole)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_limit() {
        let delay = Delay::Exponential { first: Duration::from_secs(1), most: Duration::from_secs(5), jitter: 0.5 };
        let waits: Vec<u128> = (1..=5).map(|attempt| delay.before(attempt, 0.0).as_millis()).collect();
        assert_eq!(waits, [1000, 2000, 4000, 5000, 5000]);
        assert_eq!(delay.before(2, 1.0).as_millis(), 1000);
        assert_eq!(delay.before(u64::MAX, 0.0).as_millis(), 5000);
        assert_eq!(RetryPolicy::default().delay.before(3, 0.7), Duration::from_secs(10));
    }

    #[test]
    fn no_policy_is_a_panic() {
        let first = Duration::from_secs(1);
        let delay = Delay::Exponential { first, most: Duration::MAX, jitter: f64::NAN };
        assert_eq!((delay.before(1, 0.5), delay.before(u64::MAX, 0.5)), (first, Duration::MAX));
        let delay = Delay::Exponential { first: Duration::MAX, most: Duration::MAX, jitter: 0.5 };
        assert_eq!((delay.before(1, 0.0), delay.before(1, f64::NAN)), (Duration::MAX, Duration::MAX));
    }
}
