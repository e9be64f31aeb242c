//! Reads canonical events from standard input, one a line, and prints what a simple front end is sent.
//!
//! ```sh
//! cargo run -p replyfold-coarse --example coarse_lines < run.jsonl
//! ```

use replyfold_coarse::SessionCollapser;
use replyfold_event::AgentEvent;
use std::error::Error;
use std::io::{self, BufRead, Write};

fn main() -> Result<(), Box<dyn Error>> {
    let mut session = SessionCollapser::new();
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        for shown in session.push(&AgentEvent::from_json(&line?)?) {
            writeln!(out, "{}\t{}", shown.reply_id, shown.event.to_json())?;
        }
    }
    for shown in session.finish() {
        writeln!(out, "{}\t{}", shown.reply_id, shown.event.to_json())?;
    }
    Ok(())
}
