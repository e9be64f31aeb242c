//! Every line of the recorded Java runs, read as a log that nobody said anything about, and written back.

use crate::corpus;
use crate::java_values::same;
use replyfold_dialect::{Dialect, EventReader, write_event};
use replyfold_message::json::Fields;

#[test]
fn recorded_lines_are_written_back_as_they_were() {
    let logs = corpus::files("java/logs", ".events.jsonl").into_iter().chain(corpus::files("java/remote", ".events.jsonl"));
    for (stem, text) in logs {
        let mut reader = EventReader::default();
        for line in corpus::lines(&text) {
            let read = reader.read(line).unwrap_or_else(|err| panic!("{stem}: {err}\n{line}"));
            assert_eq!(read.dialect, Dialect::Java, "{stem}\n{line}");
            let mut written = Vec::new();
            let losses = write_event(&read.event, Dialect::Java, &mut written);
            let written = String::from_utf8(written).unwrap();
            assert!(losses.is_empty() && same(&written, &once(line)), "{stem} {losses:?}\n{line}\n{written}");
        }
    }
}

/// The line with its second `type` left out, which Java's writer repeats.
fn once(line: &str) -> String {
    let fields = Fields::parse(line).unwrap();
    assert_eq!(fields.iter().filter(|(key, _)| *key == "type").count(), 2, "{line}");
    fields.iter().take(fields.iter().count() - 1).collect::<replyfold_message::json::JsonObject>().as_str().to_owned()
}
