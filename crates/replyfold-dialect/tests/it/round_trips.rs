//! There and back in every dialect: equal where no loss is reported, and every loss is one that the table lists.

use crate::generate::{event, message};
use proptest::prelude::*;
use replyfold_dialect::{Dialect, Loss, LossKind, read_event, read_msg, write_event, write_msg};
use replyfold_event::AgentEvent;

fn written(event: &AgentEvent, dialect: Dialect) -> (String, Vec<Loss>) {
    let mut out = Vec::new();
    let losses = write_event(event, dialect, &mut out);
    (String::from_utf8(out).unwrap(), losses)
}

/// A camelCase line that nothing marks may be Java's or canonical: what Java cannot say is not kept as if Java had said it.
#[test]
fn canonical_block_with_fields_of_its_own_is_written_as_java_without_them() {
    let line =
        r#"{"type":"ALL_TOOLS_DENIED","deniedToolCalls":[{"type":"tool_use","id":"c","name":"n","input":{},"createdAt":"T","new":1}]}"#;
    let event = read_event(line, Dialect::Canonical).unwrap();
    let (text, losses) = written(&event, Dialect::Java);
    assert_eq!(losses.iter().map(|loss| &*loss.what).collect::<Vec<_>>(), ["createdAt"]);
    assert!(!text.contains("createdAt"), "{text}");
}

#[test]
fn unmarked_block_with_fields_of_java_alone_keeps_them() {
    let image = r#"{"type":"image","source":{"type":"url","url":"u"},"minPixels":4}"#;
    let line = format!(r#"{{"type":"TOOL_RESULT_DATA_DELTA","replyId":"r","toolCallId":"c","data":{image}}}"#);
    let (text, losses) = written(&read_event(&line, Dialect::Canonical).unwrap(), Dialect::Java);
    assert_eq!((text, losses), (line, vec![]));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn events_read_back_from_their_canonical_json_as_themselves(event in event()) {
        let is_left_out = matches!(&event.payload, replyfold_event::Payload::ToolResultDataDelta(delta) if delta.media == replyfold_event::MediaDelta::None);
        if !is_left_out {
            prop_assert_eq!(&AgentEvent::from_json(&event.to_json()).unwrap(), &event);
        }
    }

    #[test]
    fn events_read_back_from_every_dialect_as_themselves_unless_a_loss_is_reported(event in event()) {
        for dialect in Dialect::ALL {
            let (text, losses) = written(&event, dialect);
            if losses.is_empty() {
                let read = read_event(&text, dialect);
                prop_assert!(read.is_ok(), "{}: {:?}\n{}", dialect, read, text);
                prop_assert_eq!(&read.unwrap(), &event, "{}: {}", dialect, text);
            } else if !text.is_empty() && !losses.iter().any(|loss| loss.kind == LossKind::WrittenInvalid) {
                // What is left can still be read.
                let read = read_event(&text, dialect);
                prop_assert!(read.is_ok(), "{}: {:?}\n{}", dialect, read, text);
            }
        }
    }

    #[test]
    fn messages_read_back_from_every_dialect_as_themselves_unless_a_loss_is_reported(message in message()) {
        for dialect in Dialect::ALL {
            let mut out = Vec::new();
            let losses = write_msg(&message, dialect, &mut out);
            let text = String::from_utf8(out).unwrap();
            let read = read_msg(&text, dialect);
            let is_valid = !losses.iter().any(|loss| loss.kind == LossKind::WrittenInvalid);
            prop_assert!(read.is_ok() || !is_valid, "{}: {:?}\n{}", dialect, read, text);
            if losses.is_empty() {
                prop_assert_eq!(&read.unwrap(), &message, "{}: {}", dialect, text);
            }
        }
    }

    /// Reading the canonical wire in between changes nothing of what another dialect gets, and of what it is said not to get.
    #[test]
    fn a_detour_through_the_canonical_wire_changes_nothing(event in event()) {
        let (canonical, losses) = written(&event, Dialect::Canonical);
        if losses.is_empty() {
            let read = read_event(&canonical, Dialect::Canonical).unwrap();
            for dialect in Dialect::ALL {
                prop_assert_eq!(written(&read, dialect), written(&event, dialect), "{}", dialect);
            }
        }
    }
}
