//! Which crate may use which: the table of the architecture page, against what cargo knows.

use crate::{Problems, cargo};
use serde_json::Value;

/// Each crate with those of this workspace that it may use, dev-dependencies included. Lowest first.
const MAY_USE: [(&str, &[&str]); 12] = [
    ("replyfold-message", &[]),
    ("replyfold-event", &["replyfold-message"]),
    ("replyfold-dialect", &["replyfold-event", "replyfold-message"]),
    ("replyfold-reduce", &["replyfold-event", "replyfold-message"]),
    ("replyfold-log", &["replyfold-event", "replyfold-message", "replyfold-dialect", "replyfold-reduce"]),
    // Its tests read the corpus and fold what was lifted.
    ("replyfold-coarse", &["replyfold-event", "replyfold-log", "replyfold-reduce"]),
    // It shows what the others make, and writes logs of every dialect to test with (ADR 0014). None of them uses it, for their tests either: what
    // they test with it stands among its own tests.
    (
        "replyfold-snapshot",
        &["replyfold-event", "replyfold-message", "replyfold-dialect", "replyfold-reduce", "replyfold-log", "replyfold-coarse"],
    ),
    // Its tests hold what it emits to the coarse protocol.
    ("replyfold-runtime", &["replyfold-event", "replyfold-message", "replyfold-reduce", "replyfold-coarse"]),
    // What models think between tags is split as front ends split it.
    ("replyfold-model", &["replyfold-message", "replyfold-runtime", "replyfold-coarse"]),
    (
        "replyfold",
        &[
            "replyfold-event",
            "replyfold-message",
            "replyfold-dialect",
            "replyfold-reduce",
            "replyfold-log",
            "replyfold-coarse",
            "replyfold-runtime",
            "replyfold-model",
        ],
    ),
    ("replyfold-cli", &["replyfold"]),
    ("xtask", &["replyfold-event", "replyfold-dialect", "replyfold-reduce", "replyfold-coarse"]),
];

/// Crates that only the runtime and what is above it may use.
const RUNTIME_ONLY: [&str; 9] =
    ["tokio", "tokio-util", "futures-util", "async-std", "smol", "rand", "fastrand", "tracing-subscriber", "reqwest"];
/// The runtime and what is above it.
const RUNTIME: [&str; 3] = ["replyfold-runtime", "replyfold-model", "replyfold-cli"];

pub(crate) fn check() -> Problems {
    let mut problems = match cargo::packages() {
        Ok(packages) => compare(&packages),
        Err(problem) => vec![problem],
    };
    problems.extend(undescribed());
    problems
}

/// Crates without a section on the architecture page, and sections without a crate.
fn undescribed() -> Problems {
    let page = match crate::files::read("docs/ARCHITECTURE.md") {
        Ok(page) => page,
        Err(problem) => return vec![problem],
    };
    let sections: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("## `")?.strip_suffix('`')).collect();
    let crates = MAY_USE.iter().map(|(name, _)| *name).filter(|name| *name != "xtask");
    let missing =
        crates.clone().filter(|name| !sections.contains(name)).map(|name| format!("docs/ARCHITECTURE.md has no section on `{name}`"));
    let extra = sections.iter().filter(|section| !MAY_USE.iter().any(|(name, _)| name == *section));
    missing.chain(extra.map(|section| format!("docs/ARCHITECTURE.md describes `{section}`, which is no crate"))).collect()
}

fn compare(packages: &[Value]) -> Problems {
    let mut problems = Problems::new();
    for package in packages {
        let name = package["name"].as_str().unwrap_or_default();
        let Some((_, allowed)) = MAY_USE.iter().find(|(known, _)| *known == name) else {
            problems
                .push(format!("crate `{name}` is not in the table; add it to xtask/src/layers.rs with an ADR that says what it may use"));
            continue;
        };
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let used = dependency["name"].as_str().unwrap_or_default();
            // The tests of a crate may name it for its features.
            let ours = used != name && MAY_USE.iter().any(|(known, _)| *known == used);
            if ours && !allowed.contains(&used) {
                problems.push(format!(
                    "`{name}` uses `{used}`, which lies beside or above it; move what it needs down, or change the table with an ADR"
                ));
            }
            if RUNTIME_ONLY.contains(&used) && !RUNTIME.contains(&name) {
                problems.push(format!("`{name}` uses `{used}`, which belongs to the runtime"));
            }
        }
    }
    for (name, _) in MAY_USE {
        if !packages.iter().any(|package| package["name"] == name) {
            problems.push(format!("the table names `{name}`, which is no crate of the workspace"));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workspace_keeps_its_layers() {
        assert_eq!(check(), Problems::new());
    }

    #[test]
    fn an_arrow_that_points_up_is_found() {
        let package = |name: &str, uses: &[&str]| {
            let uses: Vec<Value> = uses.iter().map(|used| serde_json::json!({ "name": used })).collect();
            serde_json::json!({ "name": name, "dependencies": uses })
        };
        let mut packages: Vec<Value> = MAY_USE.iter().map(|(name, allowed)| package(name, allowed)).collect();
        assert_eq!(compare(&packages), Problems::new());
        packages[0] = package("replyfold-message", &["replyfold-event", "tokio"]);
        packages.push(package("replyfold-new", &[]));
        assert_eq!(compare(&packages).len(), 3);
    }
}
