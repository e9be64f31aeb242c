//! AgentScope Python as it is shipped, on the log that we are measured with.

use crate::corpus::{Corpus, Shape};
use crate::ours;
use replyfold::dialect::Dialect;
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// Name of its row.
pub const AGENTSCOPE: &str = "parse-fold/agentscope-python";

/// The version that the fixtures were recorded with.
const REQUIREMENT: &str = "agentscope==2.0.11";
/// Events of the log: it takes hundreds of times as long as ours.
const EVENTS: usize = 10_000;
const SCRIPT: &str = include_str!("../peers/agentscope.py");

/// Installs it into a folder of its own, where it stays for the next run, and gives the nanoseconds an event takes.
///
/// # Errors
///
/// It cannot be installed or does not fold the log as we do; why.
pub fn agentscope() -> Result<f64, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/agentscope");
    let python = folder.join("bin/python");
    if !run(Command::new(&python).args(["-I", "-c", "import agentscope"])).is_ok_and(|text| text.is_empty()) {
        eprintln!("installing {REQUIREMENT} from PyPI");
        run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
        run(Command::new(&python).args(["-m", "pip", "install", "--quiet", REQUIREMENT]))?;
    }
    let corpus = Corpus::new(Shape::React, Dialect::Python, EVENTS);
    let mut log = tempfile::NamedTempFile::new().map_err(|err| err.to_string())?;
    log.write_all(&corpus.bytes).map_err(|err| err.to_string())?;
    let told = measure(&python, log.path())?;
    let session = ours::parse_and_fold(&corpus.bytes);
    let ours = (session.messages().count(), session.messages().map(|msg| msg.content.len()).sum::<usize>());
    match told {
        (nanos, messages, blocks) if (messages, blocks) == ours => Ok(nanos),
        (_, messages, blocks) => Err(format!("it made {messages} messages of {blocks} blocks, we made {} of {}", ours.0, ours.1)),
    }
}

fn measure(python: &Path, log: &Path) -> Result<(f64, usize, usize), String> {
    let text = run(Command::new(python).args(["-I", "-c", SCRIPT]).arg(log))?;
    let mut numbers = text.split_whitespace();
    let mut next = || numbers.next().ok_or_else(|| format!("it printed `{text}`"));
    let wrong = |err: &dyn std::fmt::Display| format!("it printed `{text}`: {err}");
    Ok((
        next()?.parse().map_err(|err| wrong(&err))?,
        next()?.parse().map_err(|err| wrong(&err))?,
        next()?.parse().map_err(|err| wrong(&err))?,
    ))
}

/// What a program prints.
fn run(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|err| format!("`{name}` did not run: {err}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
        false => {
            let errors = String::from_utf8_lossy(&output.stderr);
            Err(format!("`{name}` failed: {}", errors.lines().last().unwrap_or_default()))
        }
    }
}
