//! Prints what each macro would compare, of a story or of the log that is given.
//!
//! ```sh
//! cargo run -p replyfold-snapshot --example snapshots
//! cargo run -p replyfold-snapshot --example snapshots fixtures/conformance/java/logs/confirm-partial.events.jsonl
//! ```

use replyfold_event::message::Usage;
use replyfold_snapshot::{Given, coarse_snapshot, json, msg_snapshot, prefix_snapshots, story, timeline_snapshot};
use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(err) => {
            let _ = writeln!(io::stderr(), "snapshots: {err}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let log = match std::env::args_os().nth(1) {
        Some(path) => Given::read(PathBuf::from(path))?,
        None => Given::read(
            story()
                .reply("r1")
                .model_call("small-model")
                .tool("search", json!({ "q": "x" }))
                .model_call_end(Usage::new(10, 5))
                .result("two hits")
                .model_call("small-model")
                .text(["Found ", "two."])
                .model_call_end(Usage::new(20, 4))
                .end(),
        )?,
    };
    let mut out = io::stdout().lock();
    writeln!(out, "# the message\n\n{}", msg_snapshot(&log))?;
    writeln!(out, "# how it grows\n\n{}", prefix_snapshots(&log))?;
    writeln!(out, "# what a front end is sent\n\n{}", coarse_snapshot(&log))?;
    writeln!(out, "# what it shows\n\n{}", timeline_snapshot(&log))?;
    Ok(())
}
