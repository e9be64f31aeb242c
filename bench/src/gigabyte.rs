//! The command on a log of 1 GB: wall time, processor time and peak memory of whole processes.

use crate::corpus::write_react;
use crate::measure::median;
use crate::table::Table;
use nix::sys::resource::{Usage, UsageWho, getrusage};
use replyfold::dialect::Dialect;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

/// First argument of the process that runs one command and tells what it took.
///
/// The system keeps the peak memory of ended children as one maximum, so each command gets a parent of its own; a fresh and small one,
/// since a child begins with the memory of its parent.
pub const SPAWNED: &str = "--spawned";

/// Bytes of the log.
const SIZE: u64 = 1_000_000_000;

/// What a command took.
struct Took {
    wall: f64,
    cpu: f64,
    /// Peak memory in megabytes.
    peak: f64,
}

/// Makes the log in a temporary file and runs the command's jobs on it, round after round.
///
/// # Errors
///
/// The log cannot be written or a command fails; why.
pub fn run(dialect: Dialect, replyfold: &Path, rounds: usize) -> Result<Table, String> {
    let log = tempfile::NamedTempFile::new().map_err(|err| err.to_string())?;
    let mut out = BufWriter::new(log.as_file());
    let events = write_react(dialect, SIZE, &mut out).map_err(|err| err.to_string())?;
    out.flush().map_err(|err| err.to_string())?;
    drop(out);
    eprintln!("a {dialect} log of {events} events");

    let path = log.path();
    let messages = output_size(replyfold, path)?;
    let jobs: [(&str, &[&str]); 3] = [("replay", &["replay", "--format", "json"]), ("stats", &["stats"]), ("check", &["check"])];
    let mut took: Vec<Vec<Took>> = jobs.iter().map(|_| Vec::new()).collect();
    for round in 1..=rounds {
        for ((_, args), took) in jobs.iter().zip(&mut took) {
            took.push(spawn(replyfold, args, path)?);
        }
        eprintln!("round {round} of {rounds}");
    }

    let mut table = Table::new(["command", "seconds", "target", "processor seconds", "peak MB", "beyond the messages, MB", "target"]);
    let mut replay = 0.0;
    for ((name, _), took) in jobs.iter().zip(took) {
        let of = |part: fn(&Took) -> f64| median(&mut took.iter().map(part).collect::<Vec<_>>());
        let (wall, peak) = (of(|took| took.wall), of(|took| took.peak));
        // The JSON text of the messages is near enough to what they hold.
        let (limit, beyond, most) = match *name {
            "replay" => ("≤ 1.0 s".to_owned(), format!("{:.0}", peak - messages as f64 / 1e6), "≤ 64"),
            _ => (format!("≤ 1.5 × replay: {:.2}", wall / replay), String::new(), ""),
        };
        if *name == "replay" {
            replay = wall;
        }
        table.push(vec![
            format!("`replyfold {name}`"),
            format!("{wall:.2}"),
            limit,
            format!("{:.2}", of(|took| took.cpu)),
            format!("{peak:.0}"),
            beyond,
            most.to_owned(),
        ]);
    }
    Ok(table)
}

/// Bytes of the messages as JSON.
fn output_size(replyfold: &Path, log: &Path) -> Result<u64, String> {
    let out = tempfile::NamedTempFile::new().map_err(|err| err.to_string())?;
    let stdout: File = out.reopen().map_err(|err| err.to_string())?;
    let status = Command::new(replyfold).args(["replay", "--format", "json"]).arg(log).stdout(stdout).status();
    match status {
        Ok(status) if status.success() => out.as_file().metadata().map(|metadata| metadata.len()).map_err(|err| err.to_string()),
        Ok(status) => Err(format!("`{} replay` failed: {status}", replyfold.display())),
        Err(err) => Err(format!("`{}` did not run: {err}", replyfold.display())),
    }
}

fn spawn(replyfold: &Path, args: &[&str], log: &Path) -> Result<Took, String> {
    let program = std::env::current_exe().map_err(|err| err.to_string())?;
    let output = Command::new(program).arg(SPAWNED).arg(replyfold).args(args).arg(log).output().map_err(|err| err.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut numbers = text.split_whitespace().map(str::parse::<f64>);
    match (output.status.success(), numbers.next(), numbers.next(), numbers.next()) {
        (true, Some(Ok(wall)), Some(Ok(cpu)), Some(Ok(peak))) => Ok(Took { wall, cpu, peak }),
        _ => Err(format!("`replyfold {}` failed: {}", args.join(" "), String::from_utf8_lossy(&output.stderr))),
    }
}

/// Runs a command, shows nothing of its output, and prints wall seconds, processor seconds and peak megabytes.
#[must_use]
pub fn spawned(command: &[String]) -> ExitCode {
    let Some((program, args)) = command.split_first() else { return ExitCode::from(2) };
    let start = Instant::now();
    let status = Command::new(program).args(args).stdout(Stdio::null()).status();
    let wall = start.elapsed().as_secs_f64();
    if !status.is_ok_and(|status| status.success()) {
        return ExitCode::FAILURE;
    }
    let Ok(usage) = getrusage(UsageWho::RUSAGE_CHILDREN) else { return ExitCode::FAILURE };
    // Linux counts the peak in KiB.
    println!("{wall} {} {}", cpu(usage), usage.max_rss() as f64 * 1024.0 / 1e6);
    ExitCode::SUCCESS
}

fn cpu(usage: Usage) -> f64 {
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    seconds(usage.user_time()) + seconds(usage.system_time())
}
