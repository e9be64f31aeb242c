//! Running cargo, and what it knows of the workspace.

use crate::Problems;
use serde_json::Value;
use std::process::Command;

/// Runs cargo in the workspace and shows what it prints.
pub(crate) fn run(args: &[&str], env: &[(&str, &str)]) -> Problems {
    println!("$ cargo {}", args.join(" "));
    let status = Command::new(env!("CARGO")).args(args).envs(env.iter().copied()).current_dir(crate::files::root()).status();
    match status {
        Ok(status) if status.success() => Problems::new(),
        Ok(status) => vec![format!("`cargo {}` failed: {status}", args.join(" "))],
        Err(err) => vec![format!("`cargo {}` did not run: {err}", args.join(" "))],
    }
}

/// What cargo prints.
pub(crate) fn output(args: &[&str]) -> Result<String, String> {
    let output = Command::new(env!("CARGO")).args(args).current_dir(crate::files::root()).output();
    let output = output.map_err(|err| format!("`cargo {}` did not run: {err}", args.join(" ")))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("`cargo {}` failed: {}", args.join(" "), String::from_utf8_lossy(&output.stderr))),
    }
}

/// The packages of the workspace.
pub(crate) fn packages() -> Result<Vec<Value>, String> {
    let text = output(&["metadata", "--format-version", "1", "--no-deps", "--offline"])?;
    let metadata: Value = serde_json::from_str(&text).map_err(|err| format!("cargo metadata is no JSON: {err}"))?;
    metadata["packages"].as_array().cloned().ok_or_else(|| "cargo metadata has no packages".to_owned())
}
