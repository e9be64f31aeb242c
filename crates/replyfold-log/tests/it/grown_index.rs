//! Indexes that go on with those of logs that have grown.

use crate::corpus::{fixtures, names, read};
use crate::generate;
use crate::seeking::place;
use proptest::prelude::*;
use replyfold_log::{IndexOptions, build_index, update_index};
use std::fs;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// An index that went on with an earlier one is, to the byte, the one that is built at once.
    #[test]
    fn an_index_that_is_gone_on_with_is_the_one_that_is_built_at_once(log in generate::log(), interval in 1..12_u64, cut in any::<prop::sample::Index>()) {
        let folder = tempfile::tempdir().unwrap();
        let options = IndexOptions::new().with_sizes(interval, 3);
        let path = place(folder.path(), &log[..log.floor_char_boundary(cut.index(log.len() + 1))]);
        build_index(&path, &options, |_, _| true).unwrap();
        fs::write(&path, &log).unwrap();
        let grown = update_index(&path, &options, |_, _| true).unwrap();
        let bytes = fs::read(&grown.path).unwrap();
        let anew = build_index(&path, &options, |_, _| true).unwrap();
        prop_assert_eq!(&grown, &anew);
        prop_assert!(bytes == fs::read(&anew.path).unwrap());
        // One that fits stays.
        prop_assert_eq!(&update_index(&path, &options, |_, _| false).unwrap(), &anew);
    }
}

#[test]
fn recorded_logs_that_grow_have_the_index_of_the_whole() {
    let folder = fixtures().join("conformance/java/logs");
    for name in names(&folder, ".events.jsonl") {
        let log = read(&folder.join(format!("{name}.events.jsonl")));
        let place_of = tempfile::tempdir().unwrap();
        let options = IndexOptions::new().with_sizes(5, 2);
        let path = place(place_of.path(), &log[..log.len() / 2]);
        build_index(&path, &options, |_, _| true).unwrap();
        fs::write(&path, &log).unwrap();
        let bytes = fs::read(update_index(&path, &options, |_, _| true).unwrap().path).unwrap();
        assert!(bytes == fs::read(build_index(&path, &options, |_, _| true).unwrap().path).unwrap(), "{name}");
    }
}
