//! What no file of the workspace may hold, and how long one may be.

use crate::{Problems, files};

/// Lines of a source file; what is longer is split.
const LONGEST: usize = 600;

pub(crate) fn check() -> Problems {
    // Put together here, so that this file does not hold them itself.
    let open = ["todo", "unimplemented", "dbg"].map(|word| format!("{word}!("));
    let ignored = ["#[", "ignore"].concat();
    let mut problems = Problems::new();
    let mut lengths = Vec::new();
    for path in files::under("").into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "rs")) {
        let text = match files::read(&path) {
            Ok(text) => text,
            Err(problem) => {
                problems.push(problem);
                continue;
            }
        };
        for (number, line) in text.lines().enumerate() {
            let place = format!("{}:{}", path.display(), number + 1);
            if open.iter().any(|word| line.contains(word.as_str())) {
                problems.push(format!("{place}: left open; finish it"));
            }
            if line.contains(&ignored) {
                problems.push(format!("{place}: a test that does not run shows nothing; assert what holds today"));
            }
        }
        lengths.push((text.lines().count(), path));
    }
    lengths.sort();
    println!("the longest files:");
    for (length, path) in lengths.iter().rev().take(10) {
        println!("  {length:>5} {}", path.display());
        if *length > LONGEST {
            problems.push(format!("{}: {length} lines, more than {LONGEST}; split it", path.display()));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_files_are_in_order() {
        assert_eq!(super::check(), super::Problems::new());
    }
}
