//! What a program that depends on the event crate alone compiles.

use crate::{Problems, cargo, files};
use std::collections::BTreeSet;

/// Most crates in all, the event crate included.
const MOST: usize = 24;
/// What none of them is: async runtimes, and what derives need to compile.
const REFUSED: [&str; 7] = ["tokio", "futures", "async-std", "syn", "quote", "proc-macro2", "serde_derive"];

pub(crate) fn check() -> Problems {
    let tree = cargo::output(&["tree", "-p", "replyfold-event", "-e", "normal,build", "--prefix", "none", "--locked"]);
    let tree = match tree {
        Ok(tree) => tree,
        Err(problem) => return vec![problem],
    };
    let crates: BTreeSet<&str> = tree.lines().filter_map(|line| line.split(' ').next()).filter(|name| !name.is_empty()).collect();
    println!("the event crate alone compiles {} crates: {}", crates.len(), crates.iter().copied().collect::<Vec<_>>().join(", "));
    let mut problems = Problems::new();
    if crates.len() > MOST {
        problems.push(format!("the event crate alone compiles {} crates, more than {MOST}", crates.len()));
    }
    let told = format!("the event crate alone compiles {} crates in all", crates.len());
    match files::read("README.md") {
        Ok(readme) if readme.contains(&told) => {}
        Ok(_) => problems.push(format!("README.md does not say that {told}")),
        Err(problem) => problems.push(problem),
    }
    for name in REFUSED {
        if crates.contains(name) {
            problems.push(format!("the event crate alone compiles `{name}`"));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_event_crate_alone_stays_small() {
        assert_eq!(super::check(), super::Problems::new());
    }
}
