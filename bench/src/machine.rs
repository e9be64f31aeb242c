//! On what it was measured.

use std::fs;

/// The processor, the number of cores at hand and the operating system, in one line. No name of the machine.
#[must_use]
pub fn name() -> String {
    let read = |path: &str, key: &str| {
        let text = fs::read_to_string(path).ok()?;
        let line = text.lines().find(|line| line.starts_with(key))?;
        line.split_once([':', '=']).map(|(_, value)| value.trim().trim_matches('"').to_owned())
    };
    let processor = read("/proc/cpuinfo", "model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let system = read("/etc/os-release", "PRETTY_NAME").unwrap_or_else(|| std::env::consts::OS.to_owned());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{processor}, {cores} cores, {system}")
}
