//! The stories of the fixtures, at every prefix: how they end is held by the tests of the log crate.

use crate::corpus::fixtures;
use replyfold_snapshot::assert_prefix_snapshots;
use std::fs;

#[test]
fn stories_grow_as_they_are_told() {
    let mut stories: Vec<_> = fs::read_dir(fixtures().join("stories")).unwrap().map(|entry| entry.unwrap().path()).collect();
    stories.sort();
    assert!(stories.len() >= 8);
    for story in stories {
        let name = story.file_name().unwrap().to_string_lossy().into_owned();
        assert_prefix_snapshots!(format!("story__{name}"), story.join("events.jsonl"));
    }
}
