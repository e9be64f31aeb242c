//! What CI runs, job by job.

use crate::{Problems, bench, cargo, deps, fixtures, generate, hygiene, layers, msrv, readme, web};

/// A job and its name.
type Job = (&'static str, fn() -> Problems);

const JOBS: [Job; 14] = [
    ("fmt", || cargo::run(&["fmt", "--all", "--check"], &[])),
    ("layers", layers::check),
    ("gen", generate::check),
    ("fixtures", fixtures::check),
    ("hygiene", hygiene::check),
    ("deps", deps::check),
    ("clippy", || cargo::run(&["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"], &[])),
    // The README's test command, as it stands there.
    ("test", || cargo::run(&["test", "--workspace"], &[("INSTA_UPDATE", "no")])),
    ("docs", || cargo::run(&["doc", "--workspace", "--no-deps", "--locked"], &[("RUSTDOCFLAGS", "-D warnings")])),
    ("readme", readme::check),
    ("web", web::check),
    ("msrv", msrv::check),
    ("bench", bench::check),
    // The targets need a nightly toolchain to build; what they do is a test of its own, and this holds their lock file to the crates.
    ("fuzz", || cargo::run(&["fetch", "--locked", "--manifest-path", "fuzz/Cargo.toml"], &[])),
];

pub(crate) fn all() -> Problems {
    let mut problems = Problems::new();
    for (name, job) in JOBS {
        let found = report(name, job);
        problems.extend(found);
    }
    match problems.is_empty() {
        true => println!("ci: {} jobs passed", JOBS.len()),
        false => println!("ci: {} problems", problems.len()),
    }
    problems
}

pub(crate) fn one(name: &str) -> Problems {
    match JOBS.iter().find(|(job, _)| *job == name) {
        Some((_, job)) => report(name, *job),
        None => vec![format!("no job `{name}`; there are {}", JOBS.map(|(job, _)| job).join(", "))],
    }
}

fn report(name: &str, job: fn() -> Problems) -> Problems {
    println!("--- {name}");
    let problems = job();
    println!("--- {name}: {}", if problems.is_empty() { "ok" } else { "FAILED" });
    problems.into_iter().map(|problem| format!("{name}: {problem}")).collect()
}
