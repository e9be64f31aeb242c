//! The folds at the beginnings of intervals that a cursor keeps, so that it need not begin anew.

use replyfold_reduce::SessionReducer;
use std::collections::BTreeMap;

/// Blocks and replies in all folds that are kept: they share their content, and what is left of a block takes some hundred bytes.
const BUDGET: usize = 400_000;
/// Folds behind the last one asked for, by the intervals between.
const NEAR: [u64; 5] = [0, 1, 4, 16, 64];

struct Kept {
    position: u64,
    session: SessionReducer,
    /// Blocks and replies.
    size: usize,
    is_near: bool,
}

/// Folds by the number of the interval that they are at the beginning of.
pub(super) struct Checkpoints {
    kept: BTreeMap<u64, Kept>,
    /// Every so many intervals there is one, wherever the cursor is.
    spacing: u64,
    budget: usize,
}

impl Default for Checkpoints {
    fn default() -> Self {
        Self { kept: BTreeMap::new(), spacing: 8, budget: BUDGET }
    }
}

impl Checkpoints {
    /// The newest fold at or before the beginning of this interval: its interval, position and state.
    pub(super) fn before(&self, interval: u64) -> Option<(u64, u64, &SessionReducer)> {
        self.kept.range(..=interval).next_back().map(|(interval, kept)| (*interval, kept.position, &kept.session))
    }

    /// The cursor goes to this interval: what was near before is so no longer.
    pub(super) fn aim(&mut self, target: u64) {
        let spacing = self.spacing;
        self.kept.retain(|interval, kept| {
            kept.is_near = is_near(*interval, target);
            kept.is_near || interval.is_multiple_of(spacing)
        });
    }

    /// The fold at the beginning of this interval, on the way to another.
    pub(super) fn pass(&mut self, interval: u64, position: u64, target: u64, session: &SessionReducer) {
        let is_near = is_near(interval, target);
        if self.kept.contains_key(&interval) || !(is_near || interval.is_multiple_of(self.spacing)) {
            return;
        }
        let size = session.replies().map(|reply| 1 + reply.message().content.len()).sum();
        self.kept.insert(interval, Kept { position, session: session.clone(), size, is_near });
        // Too much: every second of those that are everywhere goes.
        while self.kept.values().map(|kept| kept.size).sum::<usize>() > self.budget && self.kept.values().any(|kept| !kept.is_near) {
            self.spacing *= 2;
            let spacing = self.spacing;
            self.kept.retain(|interval, kept| kept.is_near || interval.is_multiple_of(spacing) && *interval > 0);
        }
    }
}

fn is_near(interval: u64, target: u64) -> bool {
    target.checked_sub(interval).is_some_and(|between| NEAR.contains(&between))
}

#[cfg(test)]
mod tests {
    use super::*;
    use replyfold_event::{AgentEvent, HintBlock};
    use replyfold_message::Hint;

    #[test]
    fn what_is_kept_stays_within_the_budget() {
        let mut checkpoints = Checkpoints { budget: 2_000, ..Checkpoints::default() };
        let mut session = SessionReducer::new();
        checkpoints.aim(200);
        for interval in 0..=200 {
            checkpoints.pass(interval, interval * 10, 200, &session);
            let hint = HintBlock::new("r", "b", Hint::Text("h".to_owned()));
            session.apply(&AgentEvent::new(hint));
            assert!(checkpoints.kept.values().map(|kept| kept.size).sum::<usize>() <= 2_000);
        }
        assert!(checkpoints.spacing > 8 && checkpoints.kept.len() > NEAR.len());
        for between in NEAR {
            let (interval, position, session) = checkpoints.before(200 - between).unwrap();
            assert_eq!((interval, position), (200 - between, (200 - between) * 10));
            assert_eq!(session.messages().next().map(|msg| msg.content.len() as u64), Some(interval));
        }
        checkpoints.aim(3);
        assert!(checkpoints.kept.keys().all(|interval| interval.is_multiple_of(checkpoints.spacing)));
    }
}
