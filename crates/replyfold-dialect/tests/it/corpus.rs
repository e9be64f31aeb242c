//! The recorded corpus: folders and files that may be compressed.

use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/conformance").join(name)
}

/// The files of a folder whose names end in `suffix` or in `suffix` and `.zst`, sorted: name without the suffix, and text.
pub(crate) fn files(name: &str, suffix: &str) -> Vec<(String, String)> {
    let mut files: Vec<_> = fs::read_dir(folder(name))
        .unwrap()
        .filter_map(|entry| {
            let path = entry.unwrap().path();
            let file = path.file_name().unwrap().to_str().unwrap();
            let stem = file.strip_suffix(".zst").unwrap_or(file).strip_suffix(suffix)?.to_owned();
            Some((stem, read(&path)))
        })
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no {suffix} in {name}");
    files
}

pub(crate) fn read(path: &Path) -> String {
    let bytes = fs::read(path).unwrap_or_else(|err| panic!("{}: {err}", path.display()));
    let bytes = if path.extension().is_some_and(|end| end == "zst") { zstd::decode_all(&*bytes).unwrap() } else { bytes };
    String::from_utf8(bytes).unwrap()
}

/// The lines of a file: they end at `\n` only.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').filter(|line| !line.is_empty())
}

/// The names of the files in a folder that end in `suffix`, sorted.
pub(crate) fn names(folder: &Path, suffix: &str) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(suffix))
        .collect();
    names.sort();
    names
}
