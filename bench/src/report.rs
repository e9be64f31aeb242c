//! The results as tables.

use crate::measure::Results;
use crate::peers;
use crate::rows::{ROWS, Unit};
use crate::table::Table;
use crate::targets::{Bound, TARGETS};
use replyfold::dialect::Dialect;

/// The rows that were measured.
#[must_use]
pub fn rows(results: &Results, dialects: &[Dialect]) -> Table {
    let head = ["row", "work"].into_iter().chain(dialects.iter().map(|dialect| dialect.as_str())).chain(["at the outset"]);
    let mut table = Table::new(head);
    for row in ROWS.iter().filter(|row| results.has(row.id)) {
        let unit = |value: f64| match row.unit {
            Unit::Event => number(value),
            Unit::Media => format!("{value:.2} GB/s"),
        };
        let known = match row.unit {
            Unit::Media if !row.known.is_empty() => format!("{} GB/s", row.known),
            _ => row.known.to_owned(),
        };
        let measured = dialects.iter().map(|dialect| results.get(row.id, *dialect).map_or_else(String::new, unit));
        table.push([row.id.to_owned(), row.what.to_owned()].into_iter().chain(measured).chain([known]).collect());
    }
    if results.has(peers::AGENTSCOPE) {
        let measured = dialects.iter().map(|dialect| match dialect {
            Dialect::Python => results.get(peers::AGENTSCOPE, *dialect).map_or_else(String::new, number),
            _ => String::new(),
        });
        let name = [peers::AGENTSCOPE.to_owned(), "parse + fold, AgentScope Python as shipped".to_owned()];
        table.push(name.into_iter().chain(measured).chain(["41,700".to_owned()]).collect());
    }
    table
}

/// What was reached of the targets that the measured rows tell.
#[must_use]
pub fn targets(results: &Results, dialects: &[Dialect]) -> Table {
    let mut table = Table::new(["ratio", "target"].into_iter().chain(dialects.iter().map(|dialect| dialect.as_str())));
    for target in TARGETS {
        let reached: Vec<_> = dialects.iter().map(|dialect| target.reached(results, *dialect)).collect();
        if reached.iter().all(Option::is_none) {
            continue;
        }
        let bound = match target.bound {
            Bound::AtLeast(least) => format!("≥ {least}"),
            Bound::AtMost(most) => format!("≤ {most}"),
        };
        let cell = |reached: Option<f64>| match reached {
            Some(reached) if target.is_met(reached) => format!("{reached:.2}"),
            Some(reached) => format!("{reached:.2} (short)"),
            None => String::new(),
        };
        table.push([target.what.to_owned(), bound].into_iter().chain(reached.into_iter().map(cell)).collect());
    }
    table
}

/// Three digits, thousands apart.
fn number(value: f64) -> String {
    match value {
        ..100.0 => format!("{value:.1}"),
        ..10_000.0 => format!("{value:.0}"),
        _ => format!("{},{:03}", value as u64 / 1_000, value as u64 % 1_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::measure;

    #[test]
    fn a_run_of_all_rows_shows_each_of_them_and_every_target_it_can_tell() {
        let results = measure(ROWS, &Dialect::ALL, 400, 1);
        let rows = rows(&results, &Dialect::ALL).show(false);
        for row in ROWS {
            assert!(rows.contains(row.id), "{}", row.id);
        }
        let targets = targets(&results, &Dialect::ALL).show(true);
        for target in TARGETS {
            assert_eq!(targets.contains(target.what), target.against != Some(peers::AGENTSCOPE), "{}", target.what);
        }
    }

    #[test]
    fn numbers_have_three_digits() {
        assert_eq!([8.94, 633.4, 41_700.2].map(number), ["8.9", "633", "41,700"]);
    }
}
