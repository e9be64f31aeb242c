use super::*;
use replyfold::log::{LogReader, Outcome};
use replyfold::message::{Block, DataSource};
use replyfold::reduce::SessionReducer;
use std::io::Cursor;

/// Events of the realistic log in these tests.
const EVENTS: usize = 4_000;

fn every() -> impl Iterator<Item = Corpus> {
    Dialect::ALL.into_iter().flat_map(|dialect| Shape::ALL.map(|shape| Corpus::new(shape, dialect, shape.size(EVENTS))))
}

fn fold(corpus: &Corpus) -> SessionReducer {
    let mut session = SessionReducer::new();
    let mut count = 0;
    for record in LogReader::new(Cursor::new(Arc::clone(&corpus.bytes))) {
        let record = record.unwrap();
        let Outcome::Event(read) = record.outcome else { panic!("{:?} {}: {:?}", corpus.shape, corpus.dialect, record.outcome) };
        assert_eq!(read.notes, [], "{:?} {}", corpus.shape, corpus.dialect);
        assert_eq!(read.dialect, corpus.dialect, "{:?}", corpus.shape);
        session.apply(&read.event);
        count += 1;
    }
    assert_eq!(count, corpus.events);
    session
}

#[test]
fn a_log_is_the_same_bytes_each_time_it_is_made() {
    for corpus in every() {
        let again = Corpus::new(corpus.shape, corpus.dialect, corpus.shape.size(EVENTS));
        assert!(corpus.bytes == again.bytes, "{:?} {}", corpus.shape, corpus.dialect);
    }
}

#[test]
fn every_log_is_read_without_a_bad_record_and_folds_without_a_note() {
    for corpus in every() {
        let session = fold(&corpus);
        assert_eq!(session.notes(), [], "{:?} {}", corpus.shape, corpus.dialect);
        let replies = match corpus.shape {
            Shape::TextOnly | Shape::ManyTools | Shape::BigMedia => 1,
            Shape::Interleaved => EVENTS / 10,
            Shape::ManyReplies => EVENTS / 2,
            Shape::React => session.messages().count(),
        };
        assert_eq!(session.messages().count(), replies, "{:?} {}", corpus.shape, corpus.dialect);
    }
}

#[test]
fn the_dialects_say_the_same() {
    let said = |block: &Block| match block {
        Block::Text(text) => text.text.clone(),
        Block::Thinking(thinking) => thinking.thinking.clone(),
        Block::ToolCall(call) => call.content.to_string(),
        Block::ToolResult(result) => format!("{:?} {}", result.state, result.output.len()),
        Block::Data(data) => format!("{} bytes", matches!(&data.source, DataSource::Base64 { data, .. } if data.as_bytes().is_some())),
        other => panic!("{other:?}"),
    };
    for shape in Shape::ALL {
        let [canonical, java, python] = Dialect::ALL.map(|dialect| {
            let session = fold(&Corpus::new(shape, dialect, shape.size(EVENTS)));
            session.messages().map(|msg| (msg.usage, msg.content.iter().map(said).collect::<Vec<_>>())).collect::<Vec<_>>()
        });
        assert!(canonical == java && java == python, "{shape:?}");
    }
}

#[test]
fn an_event_of_a_realistic_log_has_the_size_that_recorded_ones_have() {
    for dialect in Dialect::ALL {
        let corpus = Corpus::new(Shape::React, dialect, EVENTS);
        let mean = corpus.bytes.len() / corpus.events;
        assert!((215..=265).contains(&mean), "{dialect}: {mean} bytes an event");
    }
}

#[test]
fn java_repeats_the_type_and_the_log_for_serde_does_not() {
    let size = Shape::React.size(EVENTS);
    let (twice, once) = (Corpus::new(Shape::React, Dialect::Java, size), Corpus::with_single_type(Shape::React, Dialect::Java, size));
    for (twice, once) in twice.lines().zip(once.lines()) {
        let (twice, once) = (std::str::from_utf8(twice).unwrap(), std::str::from_utf8(once).unwrap());
        assert!(twice.starts_with(once.strip_suffix('}').unwrap()), "{twice}\n{once}");
        assert_eq!(twice.matches("\"type\":\"").count(), once.matches("\"type\":\"").count() + 1);
    }
}

#[test]
fn a_log_that_is_written_out_begins_like_one_in_memory() {
    let mut out = Vec::new();
    let events = write_react(Dialect::Java, 1, &mut out).unwrap();
    assert_eq!(lines(&out).count(), events);
    assert!(out.starts_with(&Corpus::new(Shape::React, Dialect::Java, 100).bytes));
}
