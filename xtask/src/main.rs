//! Tasks of this workspace: `cargo xtask ci`, `gen`, `layers`, `fixtures`, `bench`.
#![expect(clippy::print_stdout, reason = "a task talks to the person who runs it")]

mod bench;
mod cargo;
mod ci;
mod deps;
mod files;
mod fixtures;
mod generate;
mod hygiene;
mod layers;
mod msrv;
mod readme;
mod web;

use std::process::ExitCode;

/// What a task that failed has to say, a line a problem.
pub(crate) type Problems = Vec<String>;

const USAGE: &str = "\
usage: cargo xtask <task>

  ci [job]        every job, or one of: fmt clippy test docs layers gen fixtures msrv deps hygiene readme web bench fuzz
  gen [--check]   write the generated pages under docs/, or name those that are stale
  layers          compare the crates' dependencies with the table of allowed ones
  fixtures        check sizes, forms and the list in fixtures/README.md
  bench [--write] [-- <arguments>]
                  measure everything, and write docs/performance.md; `-- --help` names the arguments";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let problems = match args.as_slice() {
        ["ci"] => ci::all(),
        ["ci", job] => ci::one(job),
        ["gen"] => generate::write(),
        ["gen", "--check"] => generate::check(),
        ["layers"] => layers::check(),
        ["fixtures"] => fixtures::check(),
        ["bench", args @ ..] => bench::run(args),
        _ => vec![USAGE.to_owned()],
    };
    for problem in &problems {
        println!("{problem}");
    }
    if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
