//! Stories written by hand for rules that no recorded log shows: the messages and notes at the end, and every prefix reads.

use crate::corpus::{fixtures, json, read};
use replyfold_log::{LogReader, replay_with};
use replyfold_message::Msg;
use replyfold_reduce::ReduceOptions;
use serde_json::Value;
use std::fs;
use std::io::Cursor;

#[test]
fn stories_end_as_they_are_told() {
    let folder = fixtures().join("stories");
    let mut stories: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    stories.sort();
    assert!(stories.len() >= 8);
    for story in stories {
        let name = story.file_name().unwrap().to_string_lossy().into_owned();
        let log = read(&story.join("events.jsonl"));
        let replay = |records| replay_with(LogReader::new(Cursor::new(log.clone())), ReduceOptions::new(), records).unwrap();
        let whole = replay(u64::MAX);
        assert!(whole.bad.is_empty(), "{name}: {:?}", whole.bad);
        let messages = Value::Array(whole.session.messages().map(|msg| serde_json::to_value(msg).unwrap()).collect());
        assert_eq!(messages, json(&story.join("messages.json")), "{name}");
        let notes = whole.session.notes().into_iter().map(|(_, note)| {
            let event = note.event.as_ref().map_or("-", |id| id.as_str());
            format!("{} {} {event} {}\n", note.position, note.kind.as_str(), note.subject.as_deref().unwrap_or("-"))
        });
        assert_eq!(notes.collect::<String>(), read(&story.join("notes.txt")), "{name}");
        for k in 0..whole.records {
            for msg in replay(k).session.messages() {
                assert_eq!(Msg::from_json(&msg.to_json()).unwrap(), *msg, "{name}, k = {k}");
            }
        }
    }
}
