//! Text on a terminal: widths and folding.

use crate::output::Clean;
use std::io::IsTerminal;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns when standard output is no terminal.
const COLUMNS: usize = 100;

/// Columns of the terminal.
pub(super) fn width() -> usize {
    let told = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let columns = if std::io::stdout().is_terminal() { told } else { None };
    columns.unwrap_or(COLUMNS).clamp(40, 200)
}

/// The text on one line, as a screen shows it: what is cut is measured like this.
pub(crate) fn line(text: &str) -> String {
    Clean(text).to_string()
}

/// The text line by line, each as a screen shows it.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split('\n').map(|part| line(part.strip_suffix('\r').unwrap_or(part)))
}

/// The text cut to so many columns, with `…` where something is missing.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut used = 0;
    let mut cut = String::new();
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used >= columns {
            break;
        }
        cut.push(c);
    }
    cut + "…"
}

/// The first lines of a text, each cut to so many columns, and how many lines are left out.
pub(super) fn fold(text: &str, most: usize, columns: usize) -> (Vec<String>, usize) {
    let all: Vec<String> = lines(text.trim_end()).collect();
    // A fold that hides one line only would take as much room as the line.
    let shown = if all.len() <= most + 1 { all.len() } else { most };
    let left_out = all.len() - shown;
    (all.into_iter().take(shown).map(|text| cut(&text, columns)).collect(), left_out)
}

/// A number of bytes, as people say it.
pub(super) fn bytes(count: usize) -> String {
    let units = ["bytes", "kB", "MB", "GB"];
    let mut size = count as f64;
    let mut unit = 0;
    while size >= 1000.0 && unit + 1 < units.len() {
        size /= 1000.0;
        unit += 1;
    }
    if count == 1 {
        "1 byte".to_owned()
    } else if unit == 0 {
        format!("{count} bytes")
    } else {
        format!("{size:.1} {}", units.get(unit).unwrap_or(&"GB"))
    }
}

/// A duration in seconds, as people say it.
pub(crate) fn seconds(seconds: f64) -> String {
    if seconds < 0.001 {
        format!("{:.0} µs", seconds * 1e6)
    } else if seconds < 1.0 {
        format!("{:.1} ms", seconds * 1e3)
    } else if seconds < 120.0 {
        format!("{seconds:.1} s")
    } else {
        format!("{:.0} min", seconds / 60.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_at_columns_and_never_inside_a_character() {
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("abcd", 3), "ab…");
        assert_eq!(cut("漢字漢字", 5), "漢字…");
        assert_eq!(cut("🦀🦀🦀", 4), "🦀…");
    }

    #[test]
    fn folding_hides_two_lines_or_none() {
        assert_eq!(fold("a\nb\nc\n", 2, 9), (vec!["a".to_owned(), "b".to_owned(), "c".to_owned()], 0));
        assert_eq!(fold("a\nb\nc\nd", 2, 9), (vec!["a".to_owned(), "b".to_owned()], 2));
    }

    #[test]
    fn sizes_and_times_read_as_people_say_them() {
        assert_eq!(
            (bytes(1), bytes(999), bytes(1500), bytes(16 << 20)),
            ("1 byte".into(), "999 bytes".into(), "1.5 kB".into(), "16.8 MB".into())
        );
        assert_eq!(
            (seconds(0.000_138), seconds(0.25), seconds(3.0), seconds(600.0)),
            ("138 µs".into(), "250.0 ms".into(), "3.0 s".into(), "10 min".into())
        );
    }
}
