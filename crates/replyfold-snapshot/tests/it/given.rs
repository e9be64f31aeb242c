//! Logs in every form, and their points.

use replyfold_dialect::Dialect;
use replyfold_event::message::Block;
use replyfold_log::segment_path;
use replyfold_reduce::ReduceOptions;
use replyfold_snapshot::{Given, coarse_snapshot, given, json, msg_snapshot, prefix_snapshots, story, timeline_snapshot};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// The sentence with which it fails.
fn failure<T>(run: impl FnOnce() -> T) -> String {
    let payload = catch_unwind(AssertUnwindSafe(run)).err().unwrap();
    payload.downcast_ref::<String>().unwrap().clone()
}

#[test]
fn a_path_a_text_events_and_a_story_are_the_same_log() {
    let folder = tempfile::tempdir().unwrap();
    let story = story().reply("r1").text("Hello").end();
    let text = story.to_jsonl(Dialect::Canonical).text;
    let path = folder.path().join("run.jsonl");
    std::fs::write(&path, &text).unwrap();
    let events = story.clone().into_events();
    let sse: String = text.lines().map(|line| format!("data: {line}\n\n")).collect();
    let array = format!("[{}]", text.lines().collect::<Vec<_>>().join(","));
    let expected = given(&story).end().message().clone();
    let texts = |log: &Given| [msg_snapshot(log), prefix_snapshots(log), coarse_snapshot(log), timeline_snapshot(log)];
    let shown = texts(&given(&story));
    for given in [
        given(&path),
        given(path.as_path()),
        given(path.to_str().unwrap()),
        given(text.as_str()),
        given(&text),
        given(sse),
        given(array),
        given(events.as_slice()),
        given(&events),
        given(&story),
        given(given(&story).end()),
        given(given(&story)),
    ] {
        assert_eq!((given.len(), given.events().count(), given.end().message()), (5, 5, &expected));
        assert_eq!(texts(&given), shown);
    }
    assert!(given("").is_empty() && given("").end().messages().is_empty());
}

#[test]
fn the_segments_of_a_log_are_one_log() {
    let folder = tempfile::tempdir().unwrap();
    let story = story().reply("r1").text("Hello").end();
    let text = story.to_jsonl(Dialect::Canonical).text;
    let (before, after) = text.split_at(text.match_indices('\n').nth(1).unwrap().0 + 1);
    let path = folder.path().join("run.jsonl");
    std::fs::write(&path, before).unwrap();
    assert_eq!(given(&path).len(), 2);
    std::fs::write(segment_path(&path, 1), after).unwrap();
    assert_eq!(given(&path).len(), 5);
    assert_eq!(prefix_snapshots(path), prefix_snapshots(story));
}

#[test]
fn points_count_records_readable_or_not() {
    let mut text = story().reply("r1").open_text("a").to_jsonl(Dialect::Canonical).text;
    text = text.replacen('\n', "\nnonsense\n", 1);
    let log = given(&text);
    assert_eq!((log.len(), log.events().count()), (4, 3));
    assert_eq!(log.at(2).message(), log.at(1).message());
    assert!(matches!(&log.until("e3").message().content[0], Block::Text(block) if block.text == "a"));
    assert_eq!(log.until("e2").position(), 3);
}

#[test]
fn what_is_not_there_fails_with_a_sentence_that_says_what_is() {
    let log = given(story().reply("r1").reply("r2"));
    assert_eq!(failure(|| log.at(3)), "there is no point after 3 records, the log has 2: ask for at(0) to at(2), or for end()");
    assert_eq!(failure(|| log.until("x")), r#"the log has no event with the id "x": ask for one of ["e1", "e2"], or for at(k)"#);
    assert_eq!(
        failure(|| log.end().message().clone()),
        r#"there are 2 messages after 2 records: ask for messages(), or for reply(id) with one of ["r1", "r2"]"#
    );
    assert_eq!(failure(|| log.at(0).message().clone()), "there are 0 messages after 0 records: ask for a later point");
    assert_eq!(failure(|| log.at(1).reply("r2").message().clone()), r#"there is no reply "r2" after 1 records: ask for one of ["r1"]"#);
    let told = failure(|| given("no/such/file.jsonl"));
    assert!(told.starts_with("the log cannot be read: no/such/file.jsonl: cannot open the log"), "{told}");
    assert!(told.ends_with("; a relative path begins at the folder of the package that is tested"), "{told}");
    assert_eq!(failure(|| msg_snapshot("no/such/file.jsonl")), told);
    let long = given((1..=12).fold(story(), |story, n| story.reply(&format!("\u{1b}{n}"))));
    let told = failure(|| long.end().message().clone());
    assert!(told.ends_with("\"\\u{1b}10\"] and 2 more") && !told.contains('\u{1b}'), "{told}");
    assert!(Given::read(Path::new("no/such/file.jsonl")).is_err());
}

#[test]
fn a_point_has_the_fold_its_notes_and_what_a_front_end_shows() {
    let log = given(story().reply("r1").tool("f", json!({})).require_confirm().in_reply("r2").text("x"));
    let point = log.end();
    assert_eq!(point.session().reply("r1").unwrap().reducer().awaited().count(), 1);
    assert_eq!(point.reply("r2").message().content.len(), 1);
    assert_eq!(point.notes().iter().map(|note| note.kind.as_str()).collect::<Vec<_>>(), ["head_missing"]);
    assert_eq!(point.coarse().len(), 1);
    assert_eq!(point.timeline("r2").content(), "x");
}

#[test]
fn events_are_folded_with_the_options_that_are_given() {
    let log = r#"{"type":"TEXT_BLOCK_DELTA","replyId":"r1","blockId":"b1","delta":"Hello"}"#;
    assert!(given(log).end().messages().is_empty());
    let opened = given(log).with_options(ReduceOptions::new().with_open_missing(true)).end();
    assert_eq!(opened.message().content.len(), 1);
    assert_eq!(msg_snapshot(given(log).end()), "no message\n");
}
