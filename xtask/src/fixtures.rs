//! The fixtures: sizes, forms, and that every folder is described.

use crate::{Problems, files};
use std::fs;

/// All fixtures together, in bytes.
const MOST: u64 = 12 * 1000 * 1000;
/// One plain text file, in bytes; what is larger is packed.
const PLAIN: u64 = 128 * 1024;

pub(crate) fn check() -> Problems {
    let mut problems = Problems::new();
    let described = files::read("fixtures/README.md").unwrap_or_else(|problem| {
        problems.push(problem);
        String::new()
    });
    let mut total = 0;
    for path in files::under("fixtures") {
        let name = path.to_string_lossy().replace('\\', "/");
        let bytes = match fs::read(files::root().join(&path)) {
            Ok(bytes) => bytes,
            Err(err) => {
                problems.push(format!("{name}: {err}"));
                continue;
            }
        };
        total += bytes.len() as u64;
        let folder = name.trim_start_matches("fixtures/").rsplit_once('/').map_or("", |(folder, _)| folder);
        if !described.contains(&format!("`{folder}/`")) && !folder.is_empty() {
            problems.push(format!("{name}: fixtures/README.md does not say what `{folder}/` is"));
        }
        if name.ends_with(".zst") {
            continue;
        }
        if bytes.len() as u64 > PLAIN {
            problems.push(format!("{name}: {} bytes; pack what is above {PLAIN} with zstd", bytes.len()));
        }
        match std::str::from_utf8(&bytes) {
            Err(err) if !name.contains("/fuzz/") => problems.push(format!("{name}: not UTF-8 at byte {}", err.valid_up_to())),
            Ok(text) if name.ends_with(".json") => {
                if let Err(err) = serde_json::from_str::<&serde_json::value::RawValue>(text) {
                    problems.push(format!("{name}: {err}"));
                }
            }
            _ => {}
        }
    }
    println!("fixtures: {total} bytes");
    if total > MOST {
        problems.push(format!("fixtures hold {total} bytes, more than {MOST}"));
    }
    problems
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_fixtures_are_in_order() {
        assert_eq!(super::check(), super::Problems::new());
    }
}
