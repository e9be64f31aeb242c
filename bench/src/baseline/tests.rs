//! A baseline that does less, or gives something else, measures nothing.

use super::port::Kind;
use super::tagged::Form;
use super::{coarse, flat, floor, port, tagged};
use crate::corpus::{Corpus, Shape};
use crate::inputs::Inputs;
use crate::ours;
use replyfold::dialect::Dialect;
use replyfold::message::{Block, DataSource, Msg};
use replyfold::reduce::SessionReducer;

const EVENTS: usize = 3_000;

fn every() -> impl Iterator<Item = (Corpus, Corpus)> {
    Dialect::ALL.into_iter().flat_map(|dialect| {
        Shape::ALL.map(|shape| {
            let size = shape.size(EVENTS);
            (Corpus::new(shape, dialect, size), Corpus::with_single_type(shape, dialect, size))
        })
    })
}

fn messages(session: &SessionReducer) -> Vec<String> {
    session.messages().map(Msg::to_json).collect()
}

#[test]
fn serde_and_our_fold_give_the_messages_that_we_give() {
    for (log, single) in every() {
        let ours = messages(&ours::parse_and_fold(&log.bytes));
        for form in [Form::Tagged, Form::Flattened] {
            assert!(messages(&tagged::fold(log.dialect, form, &single.bytes)) == ours, "{:?} {} {form:?}", log.shape, log.dialect);
        }
    }
}

#[test]
fn the_port_gives_the_text_that_we_give() {
    for (log, single) in every() {
        let mut ours: Vec<String> = ours::parse_and_fold(&log.bytes).messages().flat_map(|msg| msg.content.iter().map(said)).collect();
        let port = port::fold(log.dialect, &single.bytes);
        let of_port = |block: &port::Block| match block.kind {
            Kind::Data => format!("{:?} {} bytes", block.kind, block.media.len()),
            _ => format!("{:?} {}", block.kind, block.text),
        };
        let mut theirs: Vec<String> = port.messages.iter().flat_map(|msg| msg.blocks.iter().map(of_port)).collect();
        // It makes a message of each model call of a Java log.
        ours.sort();
        theirs.sort();
        assert!(ours == theirs, "{:?} {}", log.shape, log.dialect);
    }
}

fn said(block: &Block) -> String {
    match block {
        Block::Text(text) => format!("Text {}", text.text),
        Block::Thinking(thinking) => format!("Thinking {}", thinking.thinking),
        Block::ToolCall(call) => format!("Call {}", call.content),
        Block::ToolResult(result) => format!("Result {}", result.output.iter().map(text_of).collect::<String>()),
        Block::Data(data) => match &data.source {
            DataSource::Base64 { data, .. } => format!("Data {} bytes", data.len()),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

fn text_of(block: &Block) -> &str {
    match block {
        Block::Text(text) => &text.text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn serde_gives_the_coarse_bytes_that_we_give() {
    for (log, single) in every() {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        ours::collapse(&log.bytes, &mut ours);
        coarse::collapse(log.dialect, &single.bytes, &mut theirs);
        assert!(ours == theirs && !ours.is_empty(), "{:?} {}", log.shape, log.dialect);
    }
}

#[test]
fn every_parser_reads_every_event() {
    for (log, single) in every() {
        assert_eq!(flat::serde(log.dialect, &single.bytes), log.events);
        assert_eq!(flat::sonic(log.dialect, &single.bytes), log.events);
        assert_eq!(tagged::parse(log.dialect, Form::Tagged, &single.bytes), log.events);
        assert_eq!(tagged::parse(log.dialect, Form::Flattened, &single.bytes), log.events);
    }
}

/// Values, since order and space differ; numbers, texts and keys do not.
#[test]
fn what_serde_writes_says_what_we_write() {
    let values =
        |text: &[u8]| -> Vec<serde_json::Value> { crate::corpus::lines(text).map(|line| serde_json::from_slice(line).unwrap()).collect() };
    for dialect in Dialect::ALL {
        let inputs = Inputs::new(dialect, EVENTS);
        let [mut ours, mut serde, mut sonic] = [const { Vec::new() }; 3];
        ours::write(dialect, &inputs.events(), &mut ours);
        inputs.tagged_events().write(&mut serde);
        inputs.tagged_events().write_with_sonic(&mut sonic);
        assert_eq!(values(&serde), values(&sonic));
        for (ours, serde) in values(&ours).iter().zip(values(&serde)) {
            // Python writes the fields that are null.
            let mut ours = ours.clone();
            ours.as_object_mut().unwrap().retain(|_, value| !value.is_null());
            assert_eq!(ours, serde, "{dialect}");
        }
    }
}

#[test]
fn the_floor_pushes_all_the_text_there_is() {
    let inputs = Inputs::new(Dialect::Canonical, EVENTS);
    let pushed: usize = inputs.handles().push(&inputs.events()).iter().map(String::len).sum();
    let session = ours::parse_and_fold(&inputs.log(Shape::React).bytes);
    let folded: usize =
        session.messages().flat_map(|msg| msg.content.iter().map(|block| said(block).split_once(' ').unwrap().1.len())).sum();
    assert_eq!(pushed, folded);
    let log = inputs.log(Shape::React);
    assert_eq!((floor::split_lines(&log.bytes), floor::check_utf8(&log.bytes)), (log.events, log.bytes.len()));
}
