//! The `replyfold` command: replays, checks and converts recorded event logs of LLM agents.

mod args;
mod by_reply;
mod check;
mod coarse_stream;
mod commands;
mod hints;
mod input;
mod lifted;
mod output;
mod play;
mod stats;
mod transcript;

use clap::Parser;
use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    match args::Args::try_parse() {
        Ok(args) => run(&args),
        Err(shown) => show(&shown),
    }
}

fn run(args: &args::Args) -> ExitCode {
    match commands::run(args) {
        Ok(outcome) => outcome.into(),
        Err(err) => fail(&err),
    }
}

/// Help, the version, or what is wrong with the arguments.
fn show(shown: &clap::Error) -> ExitCode {
    match shown.print().and_then(|()| io::stdout().flush()).map_err(output::Failure::from) {
        Err(err) if !shown.use_stderr() => fail(&err),
        _ if shown.use_stderr() => ExitCode::from(2),
        _ => ExitCode::SUCCESS,
    }
}

fn fail(err: &output::Failure) -> ExitCode {
    // The reader of a pipe that went away wants no more, and no complaint.
    if !err.is_closed_pipe() {
        output::complain(&err.to_string());
    }
    err.exit_code()
}
