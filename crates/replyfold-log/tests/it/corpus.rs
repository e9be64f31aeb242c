//! The recorded corpus: folders, manifests, compressed files.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// The text of a file that may be compressed; the name is given without `.zst`.
pub(crate) fn read(path: &Path) -> String {
    let packed = PathBuf::from(format!("{}.zst", path.display()));
    let bytes = if packed.exists() { zstd::decode_all(&*fs::read(packed).unwrap()).unwrap() } else { fs::read(path).unwrap() };
    String::from_utf8(bytes).unwrap()
}

/// The lines of a log: they end at `\n` only.
pub(crate) fn lines(text: &str) -> Vec<&str> {
    text.split('\n').filter(|line| !line.is_empty()).collect()
}

pub(crate) fn json(path: &Path) -> Value {
    serde_json::from_str(&read(path)).unwrap_or_else(|err| panic!("{}: {err}", path.display()))
}

/// The names of the files in a folder that end in `suffix`, without it, sorted.
pub(crate) fn names(folder: &Path, suffix: &str) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| {
            let name = entry.unwrap().file_name().into_string().unwrap();
            name.strip_suffix(".zst").unwrap_or(&name).strip_suffix(suffix).map(str::to_owned)
        })
        .collect();
    names.sort();
    assert!(!names.is_empty(), "no {suffix} in {}", folder.display());
    names
}
