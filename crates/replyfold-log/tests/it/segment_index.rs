//! Indexes of logs in several files: every answer is that of a scan over all of them.

use crate::corpus::{fixtures, names, read};
use crate::generate;
use crate::seeking::{check_scanned, place};
use proptest::prelude::*;
use proptest::sample::Index as At;
use replyfold_log::{Cursor, Index, IndexOptions, LogReader, build_index, index_path, segment_path, update_index};
use std::fs;
use std::path::{Path, PathBuf};

/// The log in files, cut at these bytes.
fn written(folder: &Path, log: &str, cuts: &[usize]) -> PathBuf {
    let (mut from, mut cuts) = (0, cuts.to_vec());
    cuts.sort_unstable();
    let base = place(folder, "");
    for (number, to) in (0..).zip(cuts.into_iter().chain([log.len()])) {
        fs::write(segment_path(&base, number), &log.as_bytes()[from..to]).unwrap();
        from = to;
    }
    base
}

/// As a writer leaves them: cut behind line ends only.
fn line_ends(log: &str) -> Vec<usize> {
    log.match_indices('\n').map(|(at, _)| at + 1).collect()
}

fn scan(base: &Path, options: &IndexOptions) -> LogReader {
    LogReader::open_with(base, options.log.clone()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Wherever the files are cut, in the middle of a record too.
    #[test]
    fn seeking_in_segments_equals_scanning_them(log in generate::log(), interval in 1..20_u64, block in 1..8_u64, cuts in proptest::collection::vec(any::<At>(), 0..4)) {
        let folder = tempfile::tempdir().unwrap();
        let options = IndexOptions::new().with_sizes(interval, block);
        let cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(log.len() + 1)).collect();
        let base = written(folder.path(), &log, &cuts);
        build_index(&base, &options, |_, _| true).unwrap();
        let mut index = Index::open(&base, &options).unwrap();
        index.verify().unwrap();
        let records = index.records();
        check_scanned(&log, scan(&base, &options), &mut index, &options, 0..=records + 1);
    }

    /// An index that goes on over new segments, and with a last one that grew, is the one that is built at once.
    #[test]
    fn an_index_goes_on_over_new_segments(log in generate::log(), interval in 1..12_u64, cuts in proptest::collection::vec(any::<At>(), 1..5), known in any::<At>()) {
        let ends = line_ends(&log);
        prop_assume!(!ends.is_empty());
        let cuts: Vec<usize> = cuts.iter().map(|cut| *cut.get(&ends)).collect();
        let known = log.floor_char_boundary(known.index(log.len() + 1));
        let folder = tempfile::tempdir().unwrap();
        let options = IndexOptions::new().with_sizes(interval, 3);
        let before: Vec<usize> = cuts.iter().copied().filter(|cut| *cut < known).collect();
        let base = written(folder.path(), &log[..known], &before);
        build_index(&base, &options, |_, _| true).unwrap();

        written(folder.path(), &log, &cuts);
        let grown = update_index(&base, &options, |_, _| true).unwrap();
        let bytes = fs::read(&grown.path).unwrap();
        let anew = build_index(&base, &options, |_, _| true).unwrap();
        prop_assert_eq!(&grown, &anew);
        prop_assert!(bytes == fs::read(&anew.path).unwrap());
    }
}

#[test]
fn recorded_logs_are_found_again_in_any_segments() {
    for folder in ["python/runs", "java/logs"] {
        let folder = fixtures().join("conformance").join(folder);
        for name in names(&folder, ".events.jsonl").iter().step_by(4) {
            let log = read(&folder.join(format!("{name}.events.jsonl")));
            let ends = line_ends(&log);
            let files = tempfile::tempdir().unwrap();
            let options = IndexOptions::new().with_sizes(6, 4);
            let base = written(files.path(), &log, &[ends[ends.len() / 3], ends[ends.len() / 2]]);
            build_index(&base, &options, |_, _| true).unwrap();
            let mut index = Index::open(&base, &options).unwrap();
            // Few points: a scan goes with each.
            let points = (0..=ends.len() as u64).step_by(1 + ends.len() / 4);
            check_scanned(&log, scan(&base, &options), &mut index, &options, points);
        }
    }
}

#[test]
fn a_log_whose_segments_are_others_is_not_the_one_that_was_indexed() {
    let folder = tempfile::tempdir().unwrap();
    let log = "{\"type\":\"CUSTOM\",\"replyId\":\"r\",\"name\":\"n\",\"value\":1}\n".repeat(6);
    let ends = line_ends(&log);
    let options = IndexOptions::new();
    let base = written(folder.path(), &log, &[ends[1], ends[3]]);
    build_index(&base, &options, |_, _| true).unwrap();
    assert_eq!(Index::open(&base, &options).unwrap().records(), 6);
    assert!(index_path(&base).exists() && !index_path(segment_path(&base, 1)).exists());

    // The same bytes in other files are another log: places count in their segments.
    written(folder.path(), &log, &[ends[2], ends[3]]);
    let err = Index::open(&base, &options).unwrap_err();
    assert!(err.is_stale() && err.to_string().ends_with("its segments are others"), "{err}");

    written(folder.path(), &log, &[ends[1], ends[3]]);
    build_index(&base, &options, |_, _| true).unwrap();
    fs::remove_file(segment_path(&base, 1)).unwrap();
    let err = Index::open(&base, &options).unwrap_err();
    assert!(err.to_string().contains("log.00001.jsonl") && err.to_string().contains("it is missing"), "{err}");
    fs::remove_file(segment_path(&base, 2)).unwrap();
    let err = Index::open(&base, &options).unwrap_err();
    assert!(err.is_stale(), "{err}");
}

/// No place of a packed segment can be found, so no place of the whole.
#[test]
fn a_log_with_a_packed_segment_has_no_index_and_a_cursor_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let line = "{\"type\":\"CUSTOM\",\"replyId\":\"r\",\"name\":\"n\",\"value\":1}\n";
    let base = place(folder.path(), line);
    fs::write(segment_path(&base, 1), zstd::encode_all(line.as_bytes(), 1).unwrap()).unwrap();
    let err = build_index(&base, &IndexOptions::new(), |_, _| true).unwrap_err();
    assert!(err.is_unfit() && err.to_string().contains("the log is packed"), "{err}");
    assert_eq!(Cursor::open(&base).unwrap().records(), 2);
    fs::write(segment_path(&base, 1), line).unwrap();
    let mut cursor = Cursor::open(&base).unwrap();
    assert_eq!((cursor.records(), cursor.record(1).unwrap().map(|record| record.place.segment)), (2, Some(1)));
}
