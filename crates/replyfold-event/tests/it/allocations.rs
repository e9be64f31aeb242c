//! What reading a delta allocates.

use allocation_counter::measure;
use replyfold_event::AgentEvent;

#[test]
fn reading_a_delta_allocates_for_its_fields_and_its_text_but_for_no_id() {
    let line = r#"{"type":"TEXT_BLOCK_DELTA","id":"0123456789abcdef0123456789abcdef","createdAt":"2026-08-22T15:15:56.123456789Z","replyId":"0123456789abcdef0123456789abcdef","blockId":"c1b1d1f0-0000-4000-8000-000000000001","delta":"Hello"}"#;
    let read = measure(|| assert!(AgentEvent::from_json(line).is_ok()));
    assert_eq!(read.count_total, 2);

    let event = AgentEvent::from_json(line).unwrap();
    let copied = measure(|| assert_eq!(event.clone(), event));
    assert_eq!(copied.count_total, 1);
}
