//! The line of every record, kept small.

/// Line of each record by its position, and whether its events were lifted.
///
/// Records mostly follow each other at the same distance, so a log of lines is one run, however long it is.
#[derive(Default)]
pub(crate) struct Lines {
    runs: Vec<Run>,
}

/// Records that follow each other at the same distance.
struct Run {
    /// Position and line of the first one.
    position: u64,
    line: u64,
    /// Lines from one to the next, once there are two.
    step: Option<u64>,
    /// Position of the last one.
    last: u64,
    is_lifted: bool,
}

impl Lines {
    /// Adds the next record.
    pub(crate) fn push(&mut self, line: u64, is_lifted: bool) {
        let position = match self.runs.last_mut() {
            Some(run) => {
                let distance = line.saturating_sub(run.line_of(run.last));
                if run.is_lifted == is_lifted && *run.step.get_or_insert(distance) == distance {
                    run.last += 1;
                    return;
                }
                run.last + 1
            }
            None => 0,
        };
        self.runs.push(Run { position, line, step: None, last: position, is_lifted });
    }

    /// Line of the record at this position, and whether its events were lifted.
    pub(crate) fn get(&self, position: u64) -> Option<(u64, bool)> {
        let after = self.runs.partition_point(|run| run.position <= position);
        let run = self.runs.get(after.checked_sub(1)?).filter(|run| position <= run.last)?;
        Some((run.line_of(position), run.is_lifted))
    }

    /// Whether the events of the last record were lifted.
    pub(crate) fn is_last_lifted(&self) -> bool {
        self.runs.last().is_some_and(|run| run.is_lifted)
    }
}

impl Run {
    fn line_of(&self, position: u64) -> u64 {
        self.line + (position - self.position) * self.step.unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_record_has_the_line_it_was_given() {
        let regular: Vec<(u64, bool)> = (1..=1_000).map(|line| (line, false)).collect();
        let array = vec![(1, false); 50];
        let blanks = [1, 2, 5, 6, 7, 9, 11, 13, 14, 14, 14, 20].map(|line| (line, false)).to_vec();
        let lifted = [(1, false), (2, true), (3, true), (4, false), (6, true), (7, true)].to_vec();
        for (given, runs) in [(regular, 1), (array, 1), (blanks, 5), (lifted, 4), (Vec::new(), 0)] {
            let mut lines = Lines::default();
            for (line, is_lifted) in &given {
                lines.push(*line, *is_lifted);
                assert_eq!(lines.is_last_lifted(), *is_lifted);
            }
            let told: Vec<_> = (0..given.len() as u64).filter_map(|position| lines.get(position)).collect();
            assert_eq!((&told, lines.get(given.len() as u64), lines.runs.len()), (&given, None, runs), "{given:?}");
        }
    }
}
