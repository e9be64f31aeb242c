//! The `replyfold` command: replays, checks and converts recorded event logs of LLM agents.

mod args;
mod check;
mod coarse_stream;
mod commands;
mod hints;
mod input;
mod lifted;
mod output;
mod stats;
mod transcript;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = args::Args::parse();
    match commands::run(&args) {
        Ok(outcome) => outcome.into(),
        Err(err) => {
            // The reader of a pipe that went away wants no more, and no complaint.
            if !err.is_closed_pipe() {
                output::complain(&err.to_string());
            }
            err.exit_code()
        }
    }
}
