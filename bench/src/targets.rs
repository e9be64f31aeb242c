//! What the results should come to.

use crate::measure::Results;
use crate::peers;
use replyfold::dialect::Dialect;

/// On which side of its number a target lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// At least so many times, or so much.
    AtLeast(f64),
    /// At most so many times.
    AtMost(f64),
}

/// One target.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// What it is about.
    pub what: &'static str,
    /// The number.
    pub bound: Bound,
    /// Our row.
    pub ours: &'static str,
    /// The row it is measured against; none where the number stands for itself.
    pub against: Option<&'static str>,
}

const fn target(what: &'static str, bound: Bound, ours: &'static str, against: &'static str) -> Target {
    Target { what, bound, ours, against: Some(against) }
}

/// Every target that a run of the rows tells.
pub const TARGETS: &[Target] = &[
    target("parse + fold against serde tagged with the same fold", Bound::AtLeast(6.0), "parse-fold/ours", "parse-fold/serde-tagged"),
    target("parse + fold against serde structs and first-match scan", Bound::AtLeast(7.0), "parse-fold/ours", "parse-fold/port"),
    target("parse + fold against AgentScope Python as shipped", Bound::AtLeast(350.0), "parse-fold/ours", peers::AGENTSCOPE),
    target("1,000 interleaved replies against serde tagged", Bound::AtLeast(3.5), "interleaved/ours", "interleaved/serde-tagged"),
    target("fold alone, no duplicate check, to `push_str` by handle", Bound::AtMost(1.5), "fold/ours", "floor/push-str"),
    target("fold alone, duplicates checked, to `push_str` by handle", Bound::AtMost(3.0), "fold/ours-duplicates", "floor/push-str"),
    target("one owned event against serde tagged", Bound::AtLeast(2.3), "one-event/ours", "parse/serde-tagged"),
    target("write against serde_json", Bound::AtLeast(4.0), "write/ours", "write/serde"),
    target("bytes to coarse bytes against serde tagged", Bound::AtLeast(5.0), "coarse/ours", "coarse/serde-tagged"),
    Target { what: "media, GB/s", bound: Bound::AtLeast(2.0), ours: "media/ours", against: None },
];

impl Target {
    /// What was reached, if all of it was measured.
    #[must_use]
    pub fn reached(&self, results: &Results, dialect: Dialect) -> Option<f64> {
        let ours = results.get(self.ours, dialect)?;
        let Some(against) = self.against else { return Some(ours) };
        let against = results.get(against, dialect)?;
        Some(match self.bound {
            Bound::AtLeast(_) => against / ours,
            Bound::AtMost(_) => ours / against,
        })
    }

    /// Whether that is enough.
    #[must_use]
    pub fn is_met(&self, reached: f64) -> bool {
        match self.bound {
            Bound::AtLeast(least) => reached >= least,
            Bound::AtMost(most) => reached <= most,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::ROWS;

    #[test]
    fn every_target_is_about_rows_that_exist() {
        let exists = |id: &str| id == peers::AGENTSCOPE || ROWS.iter().any(|row| row.id == id);
        for target in TARGETS {
            assert!(exists(target.ours), "{}", target.ours);
            assert!(target.against.is_none_or(exists), "{:?}", target.against);
        }
    }

    #[test]
    fn a_ratio_is_taken_in_the_direction_of_its_bound() {
        let mut results = Results::default();
        for (id, value) in [("parse-fold/ours", 100.0), ("parse-fold/serde-tagged", 600.0), ("fold/ours", 60.0), ("floor/push-str", 30.0)] {
            results.set(id, Dialect::Java, value);
        }
        let reached = |index: usize| TARGETS[index].reached(&results, Dialect::Java);
        assert_eq!((reached(0), reached(4), reached(1)), (Some(6.0), Some(2.0), None));
        assert!(TARGETS[0].is_met(6.0) && !TARGETS[4].is_met(2.0));
    }
}
