//! The oldest toolchain that builds the workspace, as the root manifest names it.

use crate::{Problems, cargo, files};
use std::process::{Command, Stdio};

pub(crate) fn check() -> Problems {
    let manifest = match files::read("Cargo.toml") {
        Ok(manifest) => manifest,
        Err(problem) => return vec![problem],
    };
    let version = manifest.lines().find_map(|line| line.strip_prefix("rust-version = \"")?.strip_suffix('"'));
    let Some(version) = version else { return vec!["Cargo.toml names no rust-version".to_owned()] };
    let toolchain = format!("+{version}");
    let installed = Command::new("cargo").args([&toolchain, "--version"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !installed.is_ok_and(|status| status.success()) {
        // Cargo itself refuses a dependency whose own rust-version is above ours, so the lock file is held to it all the same.
        println!("toolchain {version} is not installed; building with the one at hand, which still holds the lock file to {version}");
        return cargo::run(&["check", "--workspace", "--locked"], &[("CARGO_RESOLVER_INCOMPATIBLE_RUST_VERSIONS", "fallback")]);
    }
    match Command::new("cargo").args([&toolchain, "check", "--workspace", "--locked"]).current_dir(files::root()).status() {
        Ok(status) if status.success() => Problems::new(),
        other => vec![format!("the workspace does not build with Rust {version}: {other:?}")],
    }
}
