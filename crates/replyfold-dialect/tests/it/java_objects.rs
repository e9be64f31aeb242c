//! Every event, message, block and small object that Java wrote, read and written back.

use crate::corpus;
use crate::java_values::{read, same, write};
use replyfold_dialect::{Dialect, EventReader, write_event};
use replyfold_message::json::Value;
use std::collections::BTreeSet;

struct Object {
    file: String,
    target: String,
    /// The file's bytes.
    text: String,
    /// The same object with the repeated `type` collapsed.
    object: String,
}

fn objects(folder: &str) -> Vec<Object> {
    let folder = corpus::folder(folder);
    let manifest = corpus::read(&folder.join("manifest.json"));
    let entries = Value::parse(&manifest).unwrap().array().unwrap();
    let objects: Vec<_> = entries
        .into_iter()
        .map(|entry| {
            let fields = entry.object().unwrap();
            let string = |key| fields.get(key).unwrap().string().unwrap().into_owned();
            let file = string("file");
            let text = corpus::read(&folder.join(&file)).trim_end_matches('\n').to_owned();
            Object { file, target: string("target"), text, object: fields.get("object").unwrap().text().to_owned() }
        })
        .collect();
    let listed: BTreeSet<_> = objects.iter().map(|object| object.file.clone()).collect();
    let there: BTreeSet<_> = corpus::names(&folder, ".json").into_iter().filter(|name| name != "manifest.json").collect();
    assert_eq!(listed, there, "the manifest lists the folder");
    objects
}

#[test]
fn events_that_java_wrote_are_written_back_as_they_were() {
    for Object { file, target, text, object } in objects("java/events") {
        let event = read(&target, &text).unwrap_or_else(|err| panic!("{file}: {err}"));
        let written = write(&target, &event);
        assert!(same(&written, &object), "{file}\n{object}\n{written}");
        // Java's bytes, but for the second `type` and the case of escapes.
        let at = text.rfind(r#","type":"#).unwrap();
        assert_eq!(written, format!("{}}}", &text[..at]).replace(r"\u001B", r"\u001b"), "{file}");
    }
}

#[test]
fn events_that_java_wrote_are_told_and_written_back_from_a_log() {
    for Object { file, text, object, .. } in objects("java/events") {
        let read = EventReader::default().read(&text).unwrap_or_else(|err| panic!("{file}: {err}"));
        assert_eq!(read.dialect, Dialect::Java, "{file}");
        let mut written = Vec::new();
        assert_eq!(write_event(&read.event, Dialect::Java, &mut written), [], "{file}");
        let written = String::from_utf8(written).unwrap();
        assert!(same(&written, &object), "{file}\n{object}\n{written}");
    }
}

#[test]
fn messages_blocks_and_small_objects_that_java_wrote_are_written_back_as_they_were() {
    for Object { file, target, text, object } in objects("java/msgs") {
        let value = read(&target, &text).unwrap_or_else(|err| panic!("{file}: {err}"));
        let written = write(&target, &value);
        assert!(same(&written, &object), "{file}\n{object}\n{written}");
    }
}
