//! Measuring, and the page that tells what was measured.

use crate::{Problems, cargo, files};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const MANIFEST: &str = "bench/Cargo.toml";
const PAGE: &str = "docs/performance.md";

/// What was measured stands between these; the rest of the page is written by hand.
const FROM: &str = "<!-- from here: made by `cargo xtask bench --write` -->\n\n";
const TO: &str = "\n<!-- to here -->";

/// Builds the command and the measuring program as they are shipped and runs the program with these arguments; those before `--` are ours.
pub(crate) fn run(args: &[&str]) -> Problems {
    let (own, args) = match args.iter().position(|arg| *arg == "--") {
        Some(end) => (args.get(..end).unwrap_or_default(), args.get(end + 1..).unwrap_or_default()),
        None => (args, [].as_slice()),
    };
    let write = match own {
        [] => false,
        ["--write"] => true,
        _ => return vec!["usage: cargo xtask bench [--write] [-- <arguments of the program>]".to_owned()],
    };
    let command = match release() {
        Ok(command) => command,
        Err(problem) => return vec![problem],
    };
    let command = command.to_string_lossy();
    let args = [&["--replyfold", &*command], args].concat();
    if !write {
        let call = [&["run", "--release", "--locked", "--manifest-path", MANIFEST, "--"], args.as_slice()].concat();
        return cargo::run(&call, &[]);
    }
    let tables = program(&["--release"], &[args.as_slice(), &["--markdown"]].concat());
    let written = tables.and_then(|tables| with_tables(&files::read(PAGE)?, &tables));
    match written.and_then(|page| fs::write(files::root().join(PAGE), page).map_err(|err| err.to_string())) {
        Ok(()) => {
            println!("wrote {PAGE}");
            Problems::new()
        }
        Err(problem) => vec![format!("{PAGE}: {problem}")],
    }
}

/// Builds the `replyfold` command; gives where it is.
fn release() -> Result<PathBuf, String> {
    let problems = cargo::run(&["build", "--release", "--locked", "--package", "replyfold-cli"], &[]);
    match problems.into_iter().next() {
        Some(problem) => Err(problem),
        None => {
            let metadata = cargo::output(&["metadata", "--format-version", "1", "--no-deps", "--offline"])?;
            let metadata: Value = serde_json::from_str(&metadata).map_err(|err| format!("cargo metadata is no JSON: {err}"))?;
            let target = metadata["target_directory"].as_str().ok_or("cargo metadata names no target directory")?;
            Ok(PathBuf::from(target).join("release/replyfold"))
        }
    }
}

/// What the measuring program prints; what it says of its progress is shown.
fn program(profile: &[&str], args: &[&str]) -> Result<String, String> {
    let call = [&["run", "--quiet", "--locked", "--manifest-path", MANIFEST], profile, &["--"], args].concat();
    let output = Command::new(env!("CARGO")).args(&call).current_dir(files::root()).stderr(Stdio::inherit()).output();
    let output = output.map_err(|err| format!("`cargo {}` did not run: {err}", call.join(" ")))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("`cargo {}` failed: {}", call.join(" "), output.status)),
    }
}

/// The page with these tables between its marks.
fn with_tables(page: &str, tables: &str) -> Result<String, String> {
    let (before, rest) = page.split_once(FROM).ok_or("the mark `from here` is missing")?;
    let (_, after) = rest.split_once(TO).ok_or("the mark `to here` is missing")?;
    Ok(format!("{before}{FROM}{}\n{TO}{after}", tables.trim_end()))
}

/// Builds the package, runs its tests, and shows that a run tells every row; no time is held to anything.
pub(crate) fn check() -> Problems {
    let mut problems = cargo::run(&["fmt", "--manifest-path", MANIFEST, "--check"], &[]);
    let clippy = ["clippy", "--manifest-path", MANIFEST, "--all-targets", "--locked", "--", "-D", "warnings"];
    problems.extend(cargo::run(&clippy, &[]));
    problems.extend(cargo::run(&["test", "--manifest-path", MANIFEST, "--all-targets", "--locked"], &[]));
    if problems.is_empty() {
        problems.extend(tiny_run());
    }
    problems
}

fn tiny_run() -> Problems {
    let run = || Ok((program(&[], &["--list"])?, program(&[], &["--events", "2000", "--rounds", "1"])?));
    let (rows, output) = match run() {
        Ok(told) => told,
        Err(problem) => return vec![problem],
    };
    println!("{output}");
    let shown = |row: &&str| output.lines().any(|line| line.split(' ').next() == Some(*row));
    rows.lines().filter(|row| !shown(row)).map(|row| format!("the run does not tell the row `{row}`")).collect()
}

#[cfg(test)]
mod tests {
    use super::{FROM, PAGE, TO, with_tables};

    #[test]
    fn the_tables_replace_what_stands_between_the_marks_and_nothing_else() {
        let page = |tables: &str| format!("# Performance\n\n{FROM}{tables}\n{TO}\n\n## What limits it\n");
        assert_eq!(with_tables(&page("| old |"), "| new |\n\n"), Ok(page("| new |")));
        assert_eq!(with_tables("# Performance\n", ""), Err("the mark `from here` is missing".to_owned()));
    }

    #[test]
    fn the_page_has_the_marks() {
        let page = crate::files::read(PAGE);
        assert!(page.is_ok_and(|page| with_tables(&page, "").is_ok()));
    }
}
