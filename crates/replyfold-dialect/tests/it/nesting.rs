//! Blocks that stand in each other: Java writes any block into a result's output.

use replyfold_dialect::{Dialect, EventReader, write_event};
use replyfold_message::Block;

/// An answer whose results stand in each other, `depth` in all. Each holds a field that no other dialect has, so its text is kept.
fn results(depth: usize) -> String {
    let (open, close) = (r#"{"type":"tool_result","id":"c","name":"n","own":1,"output":["#, r#"],"metadata":{},"state":"success"}"#);
    let results = open.repeat(depth) + &close.repeat(depth);
    format!(
        r#"{{"type":"EXTERNAL_EXECUTION_RESULT","id":"e","createdAt":"2026-01-01T00:00:00Z","source":null,"replyId":"r1","toolResults":[{results}],"type":"EXTERNAL_EXECUTION_RESULT"}}"#
    )
}

/// What the canonical wire has nothing for is kept as text at each level, and neither reading nor writing does a level's work again for
/// each level around it: with the work doubled at each of 32 levels this test would not end.
#[test]
fn results_in_each_other_are_read_and_written_back() {
    let line = results(Block::MAX_DEPTH);
    let read = EventReader::default().read(&line).unwrap();
    assert_eq!(read.dialect, Dialect::Java);
    let mut written = Vec::new();
    assert_eq!(write_event(&read.event, Dialect::Java, &mut written), []);
    let written = String::from_utf8(written).unwrap();
    assert_eq!(written.matches(r#""own":1"#).count(), Block::MAX_DEPTH);

    let canonical = read.event.to_json();
    assert_eq!(replyfold_event::AgentEvent::from_json(&canonical).unwrap(), read.event);
}

#[test]
fn blocks_too_deep_in_each_other_are_refused_with_their_place() {
    for depth in [Block::MAX_DEPTH + 1, 66, 3_000] {
        let error = EventReader::default().read(&results(depth)).unwrap_err().to_string();
        assert!(error.contains("blocks stand in each other more than 32 deep"), "{error}");
        assert!(error.contains("toolResults[0].output[0].output[0]"), "{error}");
    }
    let hint = r#"{"type":"hint","hint":["#.repeat(3_000) + &"]}".repeat(3_000);
    let canonical = format!(r#"{{"type":"HINT_BLOCK","replyId":"r1","blockId":"b","hint":[{hint}]}}"#);
    for error in [
        EventReader::default().read(&canonical).unwrap_err().to_string(),
        replyfold_event::AgentEvent::from_json(&canonical).unwrap_err().to_string(),
    ] {
        assert!(error.contains("blocks stand in each other more than 32 deep"), "{error}");
    }
}
