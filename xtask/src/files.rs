//! The files of the workspace.

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the workspace.
pub(crate) fn root() -> &'static Path {
    // The package lies right under it.
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// Every file under a folder of the workspace, sorted, as a path from the root; build output and hidden folders are left out.
pub(crate) fn under(folder: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    walk(&root().join(folder), &mut files);
    files.sort();
    files
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        if name == "target" || name == ".git" {
            continue;
        }
        if path.is_dir() {
            walk(&path, files);
        } else {
            files.push(path.strip_prefix(root()).unwrap_or(&path).to_owned());
        }
    }
}

/// The text of a file, given from the root.
pub(crate) fn read(path: impl AsRef<Path>) -> Result<String, String> {
    let path = path.as_ref();
    fs::read_to_string(root().join(path)).map_err(|err| format!("{}: {err}", path.display()))
}
