//! The table of what a dialect cannot carry is what the writers report: no more, no less.

use crate::generate::{event_of, message, type_names};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, TestRunner};
use replyfold_dialect::{CANNOT_CARRY, Dialect, EventWriter, Loss, LossKind, read_event, write_event, write_msg};
use replyfold_event::{AgentEvent, Extension, Payload};
use replyfold_message::{Block, DataBlock, DataSource, Msg, Origin, Role};
use std::collections::BTreeSet;

/// Events of each type that is generated.
const EVENTS_OF_A_TYPE: usize = 400;

/// A row of the table: dialect, whose, what, what becomes of it.
type Row = (Dialect, &'static str, &'static str, LossKind);

fn rows() -> Vec<Row> {
    CANNOT_CARRY.iter().map(|row| (row.dialect, row.of, row.what, row.kind)).collect()
}

/// The rows that may be meant by a loss of an event that holds blocks or a message, or does not.
fn row_of(loss: &Loss, holds_blocks: bool, holds_message: bool) -> Option<Row> {
    let of = |of: &str| {
        of == &*loss.event_type
            || (of == "every event" && &*loss.event_type != "message")
            || (of == "blocks" && holds_blocks)
            || (of == "messages" && holds_message)
    };
    rows().into_iter().find(|row| row.0 == loss.dialect && of(row.1) && row.2 == &*loss.what && row.3 == loss.kind)
}

fn written(event: &AgentEvent, dialect: Dialect) -> Vec<Loss> {
    write_event(event, dialect, &mut Vec::new())
}

fn holds(event: &AgentEvent) -> (bool, bool) {
    match &event.payload {
        Payload::RequireUserConfirm(_)
        | Payload::UserConfirmResult(_)
        | Payload::RequireExternalExecution(_)
        | Payload::ExternalExecutionResult(_)
        | Payload::Extension(Extension::AllToolsDenied(_) | Extension::HintBlock(_)) => (true, false),
        Payload::Extension(Extension::AgentResult(_)) => (true, true),
        _ => (false, false),
    }
}

#[test]
fn every_reported_loss_is_a_row_of_the_table_and_every_row_is_reported() {
    let mut runner = TestRunner::new_with_rng(Config::default(), proptest::test_runner::TestRng::deterministic_rng(Default::default()));
    let mut reported = BTreeSet::new();
    let mut note = |losses: Vec<Loss>, (blocks, message): (bool, bool), of: &dyn std::fmt::Debug| {
        for loss in losses {
            let row = row_of(&loss, blocks, message);
            reported.insert(row.unwrap_or_else(|| panic!("{loss:?} of {of:?} is not in the table")));
        }
    };
    for name in type_names() {
        let events = event_of(name);
        for _ in 0..EVENTS_OF_A_TYPE {
            let event = events.new_tree(&mut runner).unwrap().current();
            assert_eq!(event.type_name(), name);
            for dialect in Dialect::ALL {
                note(written(&event, dialect), holds(&event), &event);
            }
        }
    }
    let messages = message();
    let odd = Msg::new("m", Role::Other("robot".into()));
    let odd = std::iter::once(odd.with_content([opened_by_an_event()].into_iter().collect::<replyfold_message::Content>()));
    let generated = (0..EVENTS_OF_A_TYPE).map(|_| messages.new_tree(&mut runner).unwrap().current());
    for message in odd.chain(generated) {
        for dialect in Dialect::ALL {
            note(write_msg(&message, dialect, &mut Vec::new()), (!message.content.is_empty(), true), &message);
        }
    }
    for event in without_ids() {
        for dialect in Dialect::ALL {
            note(written(&event, dialect), holds(&event), &event);
        }
    }
    for dialect in Dialect::ALL {
        let mut writer = EventWriter::new(dialect);
        for event in with_a_foreign_id() {
            note(writer.write(&event, &mut Vec::new()), holds(&event), &event);
        }
    }
    let unreported: Vec<Row> = rows().into_iter().filter(|row| !reported.contains(row)).collect();
    assert_eq!(unreported, []);
}

/// A block without an id, of which is known by which event it was opened.
fn opened_by_an_event() -> Block {
    let mut block = DataBlock::new(DataSource::url("https://example.com/", None));
    block.origin = Origin::new(Some("e1".into()));
    block.into()
}

/// Events whose ids their lines left out.
fn without_ids() -> Vec<AgentEvent> {
    [r#"{"type":"TEXT_BLOCK_DELTA","delta":"x"}"#, r#"{"type":"TOOL_CALL_DELTA","delta":"x"}"#]
        .into_iter()
        .map(|line| read_event(line, Dialect::Java).unwrap())
        .collect()
}

/// A log in which one event names a reply that was not started.
fn with_a_foreign_id() -> [AgentEvent; 2] {
    [r#"{"type":"AGENT_START","replyId":"r1"}"#, r#"{"type":"TEXT_BLOCK_DELTA","replyId":"ghost","blockId":"b","delta":"x"}"#]
        .map(|line| read_event(line, Dialect::Canonical).unwrap())
}

#[test]
fn no_row_of_the_table_stands_twice() {
    let rows = rows();
    assert_eq!(rows.iter().collect::<BTreeSet<_>>().len(), rows.len());
}
