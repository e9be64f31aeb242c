//! Section 7: every fine event on its own, and the results by state.

use crate::script::{REPLY, fine, lines};
use replyfold_coarse::{Collapser, mapping_of};
use replyfold_event::{EventType, ExtensionType};

/// What each row shows when it is the first event of a reply.
#[test]
fn every_row_shows_what_the_table_says() {
    let call = r#"{"type":"tool_use","id":"c1","name":"bash","input":{},"content":"","state":"pending"}"#;
    let none: [&str; 0] = [];
    let silent = [
        ("AGENT_START", String::new()),
        ("MODEL_CALL_START", String::new()),
        ("MODEL_CALL_END", String::new()),
        ("TEXT_BLOCK_START", r#","blockId":"b""#.to_owned()),
        ("TEXT_BLOCK_END", r#","blockId":"b","text":"whole""#.to_owned()),
        ("THINKING_BLOCK_START", r#","blockId":"b""#.to_owned()),
        ("THINKING_BLOCK_END", r#","blockId":"b""#.to_owned()),
        ("DATA_BLOCK_START", r#","blockId":"b","mediaType":"image/png""#.to_owned()),
        ("DATA_BLOCK_DELTA", r#","blockId":"b","data":"AAAA""#.to_owned()),
        ("DATA_BLOCK_END", r#","blockId":"b""#.to_owned()),
        ("TOOL_CALL_START", r#","toolCallId":"c1","toolCallName":"bash""#.to_owned()),
        ("TOOL_CALL_DELTA", r#","toolCallId":"c1","delta":"{}""#.to_owned()),
        ("TOOL_CALL_END", r#","toolCallId":"c1""#.to_owned()),
        ("TOOL_RESULT_TEXT_DELTA", r#","toolCallId":"c1","delta":"x""#.to_owned()),
        ("TOOL_RESULT_DATA_DELTA", r#","toolCallId":"c1","mediaType":"image/png","data":"AAAA""#.to_owned()),
        ("EXCEED_MAX_ITERS", String::new()),
        ("REQUEST_STOP", r#","generateReason":"PERMISSION_ASKING""#.to_owned()),
        ("REQUIRE_USER_CONFIRM", format!(r#","toolCalls":[{call}]"#)),
        ("USER_CONFIRM_RESULT", format!(r#","confirmResults":[{{"confirmed":true,"toolCall":{call}}}]"#)),
        ("REQUIRE_EXTERNAL_EXECUTION", format!(r#","toolCalls":[{call}]"#)),
        ("SUBAGENT_EXPOSED", r#","subagentId":"s","agentId":"a","sessionId":"t""#.to_owned()),
        ("HINT_BLOCK", r#","blockId":"b","hint":"h""#.to_owned()),
        ("USER_INTERRUPT", String::new()),
        ("AGENT_RESULT", String::new()),
        ("ALL_TOOLS_DENIED", format!(r#","deniedToolCalls":[{call}]"#)),
        ("CUSTOM", r#","name":"n","value":{"attempt":"one"}"#.to_owned()),
        ("SOMETHING_NEW", String::new()),
    ];
    let event = |name: &str, fields: &str| format!(r#"{{"type":"{name}","replyId":"{REPLY}"{fields}}}"#);
    for (name, fields) in &silent {
        assert_eq!(lines(&event(name, fields)), none, "{name}");
    }
    let shown = [
        ("AGENT_END", "", vec![r#"{"type":"complete"}"#]),
        ("TEXT_BLOCK_DELTA", r#","blockId":"b","delta":"x""#, vec![r#"{"type":"text","content":"x"}"#]),
        ("TEXT_BLOCK_DELTA", r#","blockId":"b","delta":"""#, vec![]),
        ("THINKING_BLOCK_DELTA", r#","blockId":"b","delta":"x""#, vec![r#"{"type":"thinking","content":"x"}"#]),
        ("THINKING_BLOCK_DELTA", r#","blockId":"b","delta":"""#, vec![]),
        (
            "TOOL_RESULT_START",
            r#","toolCallId":"c1","toolCallName":"bash""#,
            vec![r#"{"type":"tool_start","toolName":"bash","toolCallId":"c1","arguments":null}"#],
        ),
        (
            "TOOL_RESULT_END",
            r#","toolCallId":"c1","state":"success""#,
            vec![
                r#"{"type":"tool_start","toolName":"","toolCallId":"c1","arguments":null}"#,
                r#"{"type":"tool_end","toolName":"","toolCallId":"c1","result":""}"#,
            ],
        ),
        (
            "EXTERNAL_EXECUTION_RESULT",
            r#","toolResults":[{"type":"tool_result","id":"c1","name":"bash","output":[{"type":"text","text":"out"}],"state":"success"}]"#,
            vec![
                r#"{"type":"tool_start","toolName":"bash","toolCallId":"c1","arguments":null}"#,
                r#"{"type":"tool_end","toolName":"bash","toolCallId":"c1","result":"out"}"#,
            ],
        ),
    ];
    for (name, fields, expected) in &shown {
        assert_eq!(lines(&event(name, fields)), *expected, "{name}");
    }
    // No type is left out.
    let all = EventType::ALL.map(EventType::as_str).into_iter().chain(ExtensionType::ALL.map(ExtensionType::as_str));
    for name in all {
        let covered = silent.iter().any(|(silent, _)| *silent == name) || shown.iter().any(|(shown, ..)| *shown == name);
        assert!(covered, "{name} has no row here");
    }
}

#[test]
fn the_mapping_as_data_has_a_row_for_every_type() {
    for event_type in EventType::ALL {
        assert_ne!(mapping_of(event_type).details, "not known", "{event_type}");
    }
}

#[test]
fn results_follow_the_state_of_the_end() {
    let failed = |text: &str| replyfold_coarse::failed_result(text);
    let cases = [
        ("success", "out c1 a\nout c1 b", "ab".to_owned()),
        ("success", "", String::new()),
        ("success", "data c1 m1\ndata c1 m1\ndata c1 m2", r#"{"data": 2}"#.to_owned()),
        ("success", "data c1 m1\nout c1 a", "a".to_owned()),
        ("error", "out c1 boom", failed("boom")),
        ("error", "out c1 工具执行失败：boom", r#"{ "error": "工具执行失败：boom" }"#.to_owned()),
        ("denied", "out c1 no", failed("no")),
        ("interrupted", "out c1 part\nout c1  reminder", failed("part reminder")),
        ("error", "", r#"{ "error": "工具执行失败：" }"#.to_owned()),
    ];
    for (state, pieces, expected) in cases {
        let script = format!("run c1 t\n{pieces}\nran c1 {state}");
        let lines = lines(&script);
        let end: serde_json::Value = serde_json::from_str(lines.last().unwrap()).unwrap();
        assert_eq!(end["result"], expected, "{state} {pieces}");
    }
}

#[test]
fn events_of_another_reply_are_ignored() {
    let mut collapser = Collapser::new();
    for event in fine("text mine") {
        assert_eq!(collapser.push(&event).count(), 1);
    }
    for event in fine(r#"{"type":"TEXT_BLOCK_DELTA","replyId":"other","blockId":"b","delta":"x"}"#) {
        assert_eq!(collapser.push(&event).count(), 0);
    }
}
