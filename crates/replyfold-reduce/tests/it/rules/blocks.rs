//! Text, thinking and data blocks.

use crate::logs::{assert_content, fold, words};

const START: &str = r#"{"type":"AGENT_START","replyId":"r1","role":"assistant"}"#;

fn after_start(lines: &str) -> replyfold_reduce::MsgReducer {
    fold(&format!("{START}\n{lines}"))
}

const TEXT: &str = r#"
    {"type":"TEXT_BLOCK_START","replyId":"r1","blockId":"b1","createdAt":"T1"}
    {"type":"TEXT_BLOCK_DELTA","replyId":"r1","blockId":"b1","delta":"Hel"}
    {"type":"TEXT_BLOCK_DELTA","replyId":"r1","blockId":"b1","delta":"lo"}"#;

#[test]
fn text_grows_piece_by_piece_and_is_open_until_its_end() {
    let open = after_start(TEXT);
    assert_content(&open, r#"[{"type":"text","id":"b1","text":"Hello","createdAt":"T1"}]"#);
    assert!(open.is_open(0));

    let closed = after_start(&format!("{TEXT}\n{}", r#"{"type":"TEXT_BLOCK_END","replyId":"r1","blockId":"b1","createdAt":"T2"}"#));
    assert_content(&closed, r#"[{"type":"text","id":"b1","text":"Hello","createdAt":"T1","finishedAt":"T2"}]"#);
    assert!(!closed.is_open(0));
}

#[test]
fn the_text_of_an_end_replaces_the_content_also_when_it_is_empty() {
    for text in ["whole", ""] {
        let end = format!(r#"{{"type":"TEXT_BLOCK_END","replyId":"r1","blockId":"b1","text":"{text}","createdAt":"T2"}}"#);
        let expected = format!(r#"[{{"type":"text","id":"b1","text":"{text}","createdAt":"T1","finishedAt":"T2"}}]"#);
        assert_content(&after_start(&format!("{TEXT}\n{end}")), &expected);
    }
}

#[test]
fn thinking_keeps_the_providers_fields_and_none_of_the_envelopes() {
    let log = r#"
        {"type":"THINKING_BLOCK_START","replyId":"r1","blockId":"k1","createdAt":"T1"}
        {"type":"THINKING_BLOCK_DELTA","replyId":"r1","blockId":"k1","delta":"hm"}
        {"type":"THINKING_BLOCK_END","replyId":"r1","blockId":"k1","createdAt":"T2","metadata":{"signature":"SIG","taskId":"t","parentSessionId":"s"}}"#;
    let expected = r#"[{"type":"thinking","id":"k1","thinking":"hm","metadata":{"signature":"SIG"},"createdAt":"T1","finishedAt":"T2"}]"#;
    assert_content(&after_start(log), expected);
}

const DATA: &str = r#"
    {"type":"DATA_BLOCK_START","replyId":"r1","blockId":"d1","mediaType":"image/png","name":"a.png"}
    {"type":"DATA_BLOCK_DELTA","replyId":"r1","blockId":"d1","mediaType":"image/png","data":"AQ=="}"#;

fn data(piece: &str) -> replyfold_reduce::MsgReducer {
    after_start(&format!(
        "{DATA}\n{{\"type\":\"DATA_BLOCK_DELTA\",\"replyId\":\"r1\",\"blockId\":\"d1\",\"mediaType\":\"image/png\",{piece}}}"
    ))
}

#[test]
fn each_piece_of_media_is_decoded_alone_and_its_bytes_are_appended() {
    for piece in ["AgM=", "AgM", "A g\\nM ="] {
        let reducer = data(&format!(r#""data":"{piece}""#));
        assert_content(
            &reducer,
            r#"[{"type":"data","id":"d1","name":"a.png","source":{"type":"base64","mediaType":"image/png","data":"AQID"}}]"#,
        );
        assert!(reducer.notes().is_empty(), "{piece}");
    }
}

#[test]
fn a_piece_that_is_no_base64_is_dropped_and_the_bytes_so_far_stay() {
    for piece in ["A-_=", "AQ==AQ==", "A", "é"] {
        let reducer = data(&format!(r#""data":"{piece}""#));
        assert_content(
            &reducer,
            r#"[{"type":"data","id":"d1","name":"a.png","source":{"type":"base64","mediaType":"image/png","data":"AQ=="}}]"#,
        );
        assert_eq!(words(&reducer), ["bad_base64"], "{piece}");
    }
}

#[test]
fn a_url_replaces_the_source_and_keeps_its_text() {
    assert_content(
        &data(r#""url":"HTTP://Example.org:80/a b""#),
        r#"[{"type":"data","id":"d1","name":"a.png","source":{"type":"url","mediaType":"image/png","url":"HTTP://Example.org:80/a b"}}]"#,
    );
}

#[test]
fn bytes_after_a_url_are_dropped_with_a_note() {
    let log = r#"
        {"type":"DATA_BLOCK_START","replyId":"r1","blockId":"d1","mediaType":"image/png"}
        {"type":"DATA_BLOCK_DELTA","replyId":"r1","blockId":"d1","mediaType":"image/png","url":"u://x"}
        {"type":"DATA_BLOCK_DELTA","replyId":"r1","blockId":"d1","mediaType":"image/png","data":"AQ=="}
        {"type":"DATA_BLOCK_END","replyId":"r1","blockId":"d1","createdAt":"T2"}"#;
    let reducer = after_start(log);
    assert_content(
        &reducer,
        r#"[{"type":"data","id":"d1","source":{"type":"url","mediaType":"image/png","url":"u://x"},"finishedAt":"T2"}]"#,
    );
    assert_eq!(words(&reducer), ["base64_after_url"]);
}
