//! Sections 1 and 11: the bytes.

use replyfold_coarse::{CoarseEvent, failed_result};

#[test]
fn every_type_is_written_with_its_fields_in_order_and_read_back() {
    let lines = [
        (CoarseEvent::text("a\"\n漢"), r#"{"type":"text","content":"a\"\n漢"}"#),
        (CoarseEvent::thinking("t"), r#"{"type":"thinking","content":"t"}"#),
        (
            CoarseEvent::tool_start("bash", "call_1", Some(r#"{"a":1}"#.into())),
            r#"{"type":"tool_start","toolName":"bash","toolCallId":"call_1","arguments":"{\"a\":1}"}"#,
        ),
        (
            CoarseEvent::tool_start("bash", "call_1", None),
            r#"{"type":"tool_start","toolName":"bash","toolCallId":"call_1","arguments":null}"#,
        ),
        (CoarseEvent::tool_end("bash", "call_1", "ok"), r#"{"type":"tool_end","toolName":"bash","toolCallId":"call_1","result":"ok"}"#),
        (
            CoarseEvent::error("LLM_CALL_FAILED", "LLM 调用失败，正在重试 (1/3)", Some("Connection timeout".into())),
            r#"{"type":"error","code":"LLM_CALL_FAILED","message":"LLM 调用失败，正在重试 (1/3)","detail":"Connection timeout"}"#,
        ),
        (CoarseEvent::error("X", "m", None), r#"{"type":"error","code":"X","message":"m","detail":null}"#),
        (CoarseEvent::Complete, r#"{"type":"complete"}"#),
    ];
    for (event, line) in lines {
        assert_eq!(event.to_json(), line);
        assert_eq!(CoarseEvent::from_json(line).unwrap(), event);
        assert_eq!(serde_json::to_string(&event).unwrap(), line);
        assert_eq!(serde_json::from_str::<CoarseEvent>(line).unwrap(), event);
    }
}

#[test]
fn missing_text_is_read_as_absent_and_unknown_fields_are_ignored() {
    let start = CoarseEvent::from_json(r#"{"toolCallId":"c","x":1,"type":"tool_start","toolName":"t"}"#).unwrap();
    assert_eq!(start, CoarseEvent::tool_start("t", "c", None));
    let text = CoarseEvent::from_json(r#"{"type":"text"}"#).unwrap();
    assert_eq!(text.to_json(), r#"{"type":"text","content":null}"#);
}

#[test]
fn types_beyond_the_six_keep_their_text() {
    let line = r#"{ "type":"reference", "content":[{"n":1.10}] }"#;
    let event = CoarseEvent::from_json(line).unwrap();
    assert_eq!((event.type_name(), event.to_json().as_str()), ("reference", line));
}

#[test]
fn wrong_fields_of_a_known_type_are_refused_with_their_name() {
    let err = CoarseEvent::from_json(r#"{"type":"tool_start","toolCallId":"c"}"#).unwrap_err().to_string();
    assert!(err.contains("tool_start") && err.contains("toolName"), "{err}");
    let err = CoarseEvent::from_json(r#"{"type":"text","content":1}"#).unwrap_err().to_string();
    assert!(err.contains("content"), "{err}");
    assert!(CoarseEvent::from_json("[]").is_err() && CoarseEvent::from_json("{}").is_err());
}

#[test]
fn failed_results_are_escaped_twice_on_the_wire() {
    let line = CoarseEvent::tool_end("bash", "call_xyz", failed_result("command \"x\"\nnot found")).to_json();
    assert_eq!(
        line,
        r#"{"type":"tool_end","toolName":"bash","toolCallId":"call_xyz","result":"{ \"error\": \"工具执行失败：command \\\"x\\\"\\nnot found\" }"}"#
    );
}

/// "Unusual separators inside JSON split the line in some clients": the value is unchanged, and no client splits.
#[test]
fn b050_separators_that_careless_clients_split_at_are_escapes() {
    let text = "before\u{2028}middle\u{2029}after \u{85} end \\u2028 \u{7f}é漢";
    let events = [
        CoarseEvent::text(text),
        CoarseEvent::thinking(text),
        CoarseEvent::tool_start(text, text, Some(text.into())),
        CoarseEvent::tool_end(text, text, text),
        CoarseEvent::error(text, text, Some(text.into())),
        CoarseEvent::Complete,
        CoarseEvent::from_json(&format!(r#"{{"type":"reference","content":["{}"]}}"#, text.replace('\\', r"\\"))).unwrap(),
    ];
    for event in events {
        let frame = event.to_sse();
        let data = frame.strip_prefix("data: ").and_then(|frame| frame.strip_suffix("\n\n")).unwrap();
        assert!(!data.contains(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']), "{data}");
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(value(data), value(&event.to_json()));
        if !matches!(event, CoarseEvent::Other(_)) {
            assert_eq!(CoarseEvent::from_json(data).unwrap(), event);
            assert_eq!(event.to_json(), data);
        }
    }
}

#[test]
fn an_event_beyond_the_six_that_came_over_several_lines_is_one_line_of_data() {
    let event = CoarseEvent::from_json("{\"type\":\"reference\",\r\n \"content\":[]}").unwrap();
    assert_eq!(event.to_sse(), "data: {\"type\":\"reference\",   \"content\":[]}\n\n");
}
