//! Which block an event is about, duplicates, and what is lenient.

use crate::logs::{assert_content, events, fold, fold_events, words};
use replyfold_event::AgentEvent;
use replyfold_reduce::{MsgReducer, ReduceOptions};

const START: &str = r#"{"type":"AGENT_START","replyId":"r1","role":"assistant"}"#;

#[test]
fn an_event_addresses_the_newest_block_of_its_kind_with_its_id() {
    let log = r#"
        {"type":"TEXT_BLOCK_START","replyId":"r1","blockId":"b"}
        {"type":"TEXT_BLOCK_END","replyId":"r1","blockId":"b"}
        {"type":"TEXT_BLOCK_START","replyId":"r1","blockId":"b"}
        {"type":"THINKING_BLOCK_START","replyId":"r1","blockId":"b"}
        {"type":"TEXT_BLOCK_DELTA","replyId":"r1","blockId":"b","delta":"x"}
        {"type":"THINKING_BLOCK_DELTA","replyId":"r1","blockId":"b","delta":"y"}"#;
    let reducer = fold(&format!("{START}{log}"));
    assert_content(
        &reducer,
        r#"[{"type":"text","id":"b","text":""},{"type":"text","id":"b","text":"x"},{"type":"thinking","id":"b","thinking":"y"}]"#,
    );
    assert!(reducer.notes().is_empty());
}

#[test]
fn a_start_of_an_open_block_of_the_kind_has_no_effect() {
    for start in [
        r#"{"type":"TEXT_BLOCK_START","replyId":"r1","blockId":"b"}"#,
        r#"{"type":"THINKING_BLOCK_START","replyId":"r1","blockId":"b"}"#,
        r#"{"type":"DATA_BLOCK_START","replyId":"r1","blockId":"b","mediaType":"image/png"}"#,
        r#"{"type":"TOOL_CALL_START","replyId":"r1","toolCallId":"b","toolCallName":"f"}"#,
    ] {
        let reducer = fold(&format!("{START}\n{start}\n{start}"));
        assert_eq!(reducer.message().content.len(), 1, "{start}");
        assert_eq!(words(&reducer), ["duplicate_start"], "{start}");
    }
}

#[test]
fn a_piece_after_the_end_of_its_block_is_appended() {
    let log = r#"
        {"type":"TEXT_BLOCK_START","replyId":"r1","blockId":"b"}
        {"type":"TEXT_BLOCK_END","replyId":"r1","blockId":"b","text":"x"}
        {"type":"TEXT_BLOCK_DELTA","replyId":"r1","blockId":"b","delta":"y"}"#;
    let reducer = fold(&format!("{START}{log}"));
    assert_content(&reducer, r#"[{"type":"text","id":"b","text":"xy"}]"#);
    assert!(!reducer.is_open(0));
    assert_eq!(words(&reducer), ["delta_after_end"]);
}

#[test]
fn ends_and_pieces_of_unknown_ids_and_events_of_other_replies_have_no_effect() {
    for (line, word) in [
        (r#"{"type":"TEXT_BLOCK_DELTA","replyId":"r1","blockId":"b","delta":"x"}"#, "delta_without_start"),
        (r#"{"type":"TEXT_BLOCK_END","replyId":"r1","blockId":"b","text":"x"}"#, "end_without_start"),
        (r#"{"type":"TOOL_CALL_DELTA","replyId":"r1","toolCallId":"c","delta":"{"}"#, "delta_without_start"),
        (r#"{"type":"TOOL_CALL_END","replyId":"r1","toolCallId":"c"}"#, "end_without_start"),
        (r#"{"type":"TOOL_RESULT_TEXT_DELTA","replyId":"r1","toolCallId":"c","delta":"x"}"#, "delta_without_start"),
        (r#"{"type":"TOOL_RESULT_END","replyId":"r1","toolCallId":"c","state":"success"}"#, "end_without_start"),
        (r#"{"type":"TEXT_BLOCK_START","replyId":"r2","blockId":"b"}"#, "foreign_reply"),
    ] {
        let reducer = fold(&format!("{START}\n{line}"));
        assert_eq!(reducer.message(), fold(START).message(), "{line}");
        assert_eq!(words(&reducer), [word], "{line}");
    }
}

const TWICE: &str = r#"
    {"type":"TEXT_BLOCK_START","id":"e1","replyId":"r1","blockId":"b"}
    {"type":"TEXT_BLOCK_DELTA","id":"e2","replyId":"r1","blockId":"b","delta":"x"}
    {"type":"TEXT_BLOCK_DELTA","id":"e2","replyId":"r1","blockId":"b","delta":"x"}"#;

#[test]
fn an_event_whose_id_was_folded_already_has_no_effect() {
    let reducer = fold(&format!("{START}{TWICE}"));
    assert_content(&reducer, r#"[{"type":"text","id":"b","text":"x"}]"#);
    assert_eq!(words(&reducer), ["duplicate_event"]);
}

#[test]
fn events_without_id_are_always_folded() {
    let log = TWICE.replace(r#""id":"e2","#, "");
    assert_content(&fold(&format!("{START}{log}")), r#"[{"type":"text","id":"b","text":"xx"}]"#);
}

#[test]
fn the_check_for_duplicates_can_be_switched_off() {
    let reducer = MsgReducer::with_options("r1", ReduceOptions::new().with_check_duplicates(false));
    let reducer = fold_events(reducer, &events(&format!("{START}{TWICE}")));
    assert_content(&reducer, r#"[{"type":"text","id":"b","text":"xx"}]"#);
    assert!(reducer.notes().is_empty());
}

fn absent(lines: &str) -> MsgReducer {
    let mut events: Vec<AgentEvent> = events(&format!("{START}{lines}"));
    for event in &mut events {
        event.absent.block_id = event.block_id().is_some_and(|id| id.is_empty());
        event.absent.tool_call_id = event.tool_call_id().is_some_and(|id| id.is_empty());
    }
    fold_events(MsgReducer::new("r1"), &events)
}

#[test]
fn a_piece_whose_id_the_log_left_out_goes_to_the_newest_open_block_of_its_kind() {
    let log = r#"
        {"type":"TEXT_BLOCK_START","replyId":"r1","blockId":"a"}
        {"type":"TEXT_BLOCK_START","replyId":"r1","blockId":"b"}
        {"type":"TEXT_BLOCK_END","replyId":"r1","blockId":"b"}
        {"type":"TEXT_BLOCK_DELTA","replyId":"r1","blockId":"","delta":"x"}
        {"type":"TEXT_BLOCK_END","replyId":"r1","blockId":""}"#;
    let reducer = absent(log);
    assert_content(&reducer, r#"[{"type":"text","id":"a","text":"x"},{"type":"text","id":"b","text":""}]"#);
    assert_eq!(words(&reducer), ["newest_open", "newest_open"]);
    assert!(!reducer.is_open(0));
}

#[test]
fn a_piece_whose_id_the_log_left_out_opens_a_block_if_none_is_open() {
    let log = r#"
        {"type":"TEXT_BLOCK_DELTA","replyId":"r1","blockId":"","delta":"x"}
        {"type":"TEXT_BLOCK_DELTA","replyId":"r1","blockId":"","delta":"y"}"#;
    let reducer = absent(log);
    assert_content(&reducer, r#"[{"type":"text","text":"xy"}]"#);
    assert_eq!(words(&reducer), ["opened_for_delta", "newest_open"]);
}

#[test]
fn an_empty_id_that_the_log_gives_is_an_id_like_any_other() {
    let log = r#"
        {"type":"TEXT_BLOCK_START","replyId":"r1","blockId":"a"}
        {"type":"TEXT_BLOCK_DELTA","replyId":"r1","blockId":"","delta":"x"}"#;
    let reducer = fold(&format!("{START}{log}"));
    assert_content(&reducer, r#"[{"type":"text","id":"a","text":""}]"#);
    assert_eq!(words(&reducer), ["delta_without_start"]);
}

#[test]
fn pieces_without_a_start_open_their_block_where_that_is_asked_for() {
    let log = r#"
        {"type":"TEXT_BLOCK_DELTA","replyId":"r1","blockId":"b","delta":"x"}
        {"type":"THINKING_BLOCK_DELTA","replyId":"r1","blockId":"b","delta":"y"}
        {"type":"DATA_BLOCK_DELTA","replyId":"r1","blockId":"d","mediaType":"image/png","data":"AQ=="}
        {"type":"TOOL_CALL_DELTA","replyId":"r1","toolCallId":"c","delta":"{"}
        {"type":"TOOL_RESULT_TEXT_DELTA","replyId":"r1","toolCallId":"c","delta":"z"}"#;
    let reducer = MsgReducer::with_options("r1", ReduceOptions::new().with_open_missing(true));
    let reducer = fold_events(reducer, &events(&format!("{START}{log}")));
    assert_content(
        &reducer,
        r#"[{"type":"text","id":"b","text":"x"},{"type":"thinking","id":"b","thinking":"y"},
            {"type":"data","id":"d","source":{"type":"base64","mediaType":"image/png","data":"AQ=="}},
            {"type":"tool_use","id":"c","name":"","input":{},"content":"{","state":"pending"},
            {"type":"tool_result","id":"c","name":"","output":[{"type":"text","text":"z"}],"state":"running"}]"#,
    );
    assert_eq!(words(&reducer), ["opened_for_delta"; 5]);
}
