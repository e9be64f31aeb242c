//! Takes the times: round after round over all rows, so that what disturbs the machine disturbs every row alike.

use crate::inputs::Inputs;
use crate::rows::{Row, Unit};
use replyfold::dialect::Dialect;
use std::collections::BTreeMap;
use std::time::Instant;

/// What was measured, by the name of the row and the dialect.
#[derive(Clone, Debug, Default)]
pub struct Results(BTreeMap<(&'static str, Dialect), f64>);

impl Results {
    /// Notes a result.
    pub fn set(&mut self, id: &'static str, dialect: Dialect, value: f64) {
        self.0.insert((id, dialect), value);
    }

    /// A result, in the unit of its row.
    #[must_use]
    pub fn get(&self, id: &'static str, dialect: Dialect) -> Option<f64> {
        self.0.get(&(id, dialect)).copied()
    }

    /// Whether any dialect has a result of this row.
    #[must_use]
    pub fn has(&self, id: &str) -> bool {
        self.0.keys().any(|(row, _)| *row == id)
    }
}

/// Measures these rows for each of these dialects: the medians of so many rounds.
#[must_use]
pub fn measure(rows: &[Row], dialects: &[Dialect], events: usize, rounds: usize) -> Results {
    let inputs: Vec<Inputs> = dialects.iter().map(|dialect| Inputs::new(*dialect, events)).collect();
    let mut works = Vec::new();
    for row in rows {
        for inputs in &inputs {
            works.push((row, inputs, (row.work)(inputs), Vec::with_capacity(rounds)));
        }
    }
    for round in 1..=rounds {
        for (_, _, work, times) in &mut works {
            let start = Instant::now();
            work();
            times.push(start.elapsed().as_secs_f64());
        }
        eprintln!("round {round} of {rounds}");
    }
    let mut results = Results::default();
    for (row, inputs, _, times) in &mut works {
        let (seconds, log) = (median(times), inputs.log(row.shape));
        let value = match row.unit {
            Unit::Event => seconds * 1e9 / log.events as f64,
            Unit::Media => log.media as f64 / seconds / 1e9,
        };
        results.set(row.id, inputs.dialect, value);
    }
    results
}

/// The median; of an even number the upper one of the two in the middle.
#[must_use]
pub fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}
