//! What the README shows is what the command prints.

use crate::{Problems, cargo, files};

/// Marks the block of the README that is real output: the command stands in the first line, after `$ `.
const FENCE: &str = "```console\n$ ";

pub(crate) fn check() -> Problems {
    let readme = match files::read("README.md") {
        Ok(readme) => readme,
        Err(problem) => return vec![problem],
    };
    let mut problems = Problems::new();
    let mut shown = 0;
    for block in readme.split(FENCE).skip(1) {
        let Some((block, _)) = block.split_once("```") else { continue };
        let Some((command, wanted)) = block.split_once('\n') else { continue };
        let args: Vec<&str> = command.split(' ').skip(1).collect();
        let args: Vec<&str> = if command.starts_with("cargo ") { args } else { continue };
        shown += 1;
        match cargo::output(&[&["run", "--quiet"], args.get(1..).unwrap_or_default()].concat()) {
            Ok(output) if output == wanted => {}
            Ok(output) => problems.push(format!("README.md shows other output of `{command}` than this:\n{output}")),
            Err(problem) => problems.push(problem),
        }
    }
    if shown == 0 {
        problems.push("README.md shows no output that could be checked".to_owned());
    }
    problems
}
