//! Reads canonical events from standard input, one a line, and prints what a simple front end is sent.
//!
//! ```sh
//! cargo run -p replyfold-coarse --example coarse_lines < run.jsonl
//! ```

use replyfold_coarse::SessionCollapser;
use replyfold_event::AgentEvent;
use std::error::Error;
use std::io::{self, BufRead, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(err) => {
            let _ = writeln!(io::stderr(), "coarse_lines: {err}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let mut session = SessionCollapser::new();
    let mut out = io::stdout().lock();
    for (number, line) in (1..).zip(io::stdin().lock().lines()) {
        let event = AgentEvent::from_json(&line?).map_err(|err| format!("line {number}: {err}"))?;
        for shown in session.push(&event) {
            writeln!(out, "{}\t{}", shown.reply_id, shown.event.to_json())?;
        }
    }
    for shown in session.finish() {
        writeln!(out, "{}\t{}", shown.reply_id, shown.event.to_json())?;
    }
    Ok(())
}
