//! Reading the canonical wire: what is accepted, what is refused and how that is said.

use replyfold_event::{AgentEvent, EventType, Extension, Payload};

fn refused(text: &str) -> String {
    AgentEvent::from_json(text).unwrap_err().to_string()
}

#[test]
fn type_may_stand_anywhere_and_twice_and_the_first_one_counts() {
    for text in [
        r#"{"replyId":"r1","type":"MODEL_CALL_START"}"#,
        r#"{"type":"MODEL_CALL_START","replyId":"r1","type":"MODEL_CALL_START"}"#,
        r#"{"type":"MODEL_CALL_START","replyId":"r1","type":"AGENT_END"}"#,
        " { \"type\" : \"MODEL_CALL_START\" ,\n\t\"replyId\" : \"r1\" } ",
    ] {
        assert_eq!(AgentEvent::from_json(text).unwrap().event_type(), Some(EventType::ModelCallStart), "{text}");
    }
}

#[test]
fn missing_and_null_optional_fields_read_the_same_and_are_left_out() {
    let absent = AgentEvent::from_json(r#"{"type":"TEXT_BLOCK_END","replyId":"r1","blockId":"b1"}"#).unwrap();
    let null =
        r#"{"type":"TEXT_BLOCK_END","id":null,"createdAt":null,"replyId":"r1","blockId":"b1","text":null,"source":null,"metadata":null}"#;
    assert_eq!(AgentEvent::from_json(null).unwrap(), absent);
    assert_eq!(absent.to_json(), r#"{"type":"TEXT_BLOCK_END","replyId":"r1","blockId":"b1"}"#);
}

#[test]
fn empty_final_text_is_not_an_absent_one() {
    let event = AgentEvent::from_json(r#"{"type":"TEXT_BLOCK_END","replyId":"r1","blockId":"b1","text":""}"#).unwrap();
    assert!(matches!(event.payload, Payload::TextBlockEnd(end) if end.text.as_deref() == Some("")));
}

#[test]
fn errors_name_the_type_the_field_and_the_reason() {
    for (text, message) in [
        (r#"{"type":"TEXT_BLOCK_DELTA","replyId":"r1","blockId":"b1"}"#, "event `TEXT_BLOCK_DELTA`: missing field `delta`"),
        (
            r#"{"type":"TEXT_BLOCK_DELTA","replyId":"r1","blockId":"b1","delta":1}"#,
            "event `TEXT_BLOCK_DELTA`: field `delta`: expected a string, found a number",
        ),
        (
            r#"{"type":"TOOL_RESULT_END","replyId":"r1","toolCallId":"c1","state":"cancelled"}"#,
            "event `TOOL_RESULT_END`: field `state`: expected one of `success` `error` `interrupted` `denied` `running`, found `cancelled`",
        ),
        (
            r#"{"type":"REQUIRE_USER_CONFIRM","replyId":"r1","toolCalls":[{"type":"tool_use","id":"c1","name":"n"},{"type":"text","text":""}]}"#,
            "event `REQUIRE_USER_CONFIRM`: field `toolCalls[1].type`: expected `tool_use`, found `text`",
        ),
        (
            r#"{"type":"MODEL_CALL_END","replyId":"r1","inputTokens":-1,"outputTokens":1}"#,
            "event `MODEL_CALL_END`: field `inputTokens`: expected a whole number from 0 to 18446744073709551615, found -1",
        ),
        (
            r#"{"type":"MODEL_CALL_END","replyId":"r1","inputTokens":18446744073709551616,"outputTokens":1}"#,
            "event `MODEL_CALL_END`: field `inputTokens`: expected a whole number from 0 to 18446744073709551615, found 18446744073709551616",
        ),
        (r#"{"type":"MODEL_CALL_END","replyId":"r1","outputTokens":1}"#, "event `MODEL_CALL_END`: missing field `inputTokens`"),
        (
            r#"{"type":"DATA_BLOCK_DELTA","replyId":"r1","blockId":"b1","data":"AA==","url":"u"}"#,
            "event `DATA_BLOCK_DELTA`: expected one of the fields `data` and `url`, found both",
        ),
        (r#"{"type":"AGENT_END","replyId":"r1","metadata":[]}"#, "event `AGENT_END`: field `metadata`: expected an object, found an array"),
        (r#"{"replyId":"r1"}"#, "no event: missing field `type`"),
        (r#"{"type":5}"#, "no event: field `type`: expected a string, found a number"),
        ("[]", "no event: expected an object, found an array"),
        (r#"{"type":"AGENT_END","replyId":"r1"} x"#, "no event: not JSON: trailing characters at byte 36"),
        (r#"{"type":"AGENT_END","del"#, "no event: not JSON: EOF while parsing a string at byte 23"),
    ] {
        assert_eq!(refused(text), message, "{text}");
    }
}

#[test]
fn torn_text_is_told_from_damaged_text() {
    let error = |text| AgentEvent::from_json(text).unwrap_err();
    assert!(error(r#"{"type":"AGENT_END","repl"#).is_truncated());
    assert!(error("{").is_truncated());
    let damaged = error(r#"{"type":"AGENT_END",,}"#);
    assert!(damaged.is_syntax() && !damaged.is_truncated());
    assert!(!error(r#"{"type":"AGENT_END"}"#).is_syntax());
}

#[test]
fn half_of_a_surrogate_pair_is_refused_wherever_it_stands() {
    for text in [
        r#"{"type":"TEXT_BLOCK_DELTA","replyId":"r1","blockId":"b1","delta":"\ud83d"}"#,
        r#"{"type":"AGENT_END","replyId":"r1","metadata":{"k":["\ude00x"]}}"#,
        r#"{"type":"NEW","x":"\ud83d\ud83d\ude00"}"#,
    ] {
        let err = AgentEvent::from_json(text).unwrap_err();
        assert!(err.is_lone_surrogate(), "{text}");
        assert_eq!(err.offset(), text.find("\\u"), "{text}");
    }
    let pair = r#"{"type":"TEXT_BLOCK_DELTA","replyId":"r1","blockId":"b1","delta":"\ud83d\ude00"}"#;
    assert!(matches!(AgentEvent::from_json(pair).unwrap().payload, Payload::TextBlockDelta(delta) if delta.delta == "😀"));
}

#[test]
fn b086_unknown_type_keeps_its_text_and_a_damaged_known_one_is_an_error() {
    let text = r#"{ "type":"MOOD_CHANGED", "id":"e1","replyId":"r1","x":{"deep":[1,2.50]} }"#;
    let event = AgentEvent::from_json(text).unwrap();
    assert_eq!((event.event_type(), event.type_name(), event.id.as_ref().map(|id| id.as_str())), (None, "MOOD_CHANGED", Some("e1")));
    assert_eq!(event.to_json(), text);

    assert_eq!(refused(r#"{"type":"TEXT_BLOCK_DELTA","replyId":"r1"}"#), "event `TEXT_BLOCK_DELTA`: missing field `blockId`");
    AgentEvent::from_json(r#"{"type":"TEXT_BLOCK_DELTA","replyId":"r1","blockId":"b1","delta":"x","newField":1}"#).unwrap();
}

#[test]
fn b085_missing_usage_means_no_counts() {
    let event = AgentEvent::from_json(r#"{"type":"MODEL_CALL_END","replyId":"r1"}"#).unwrap();
    assert!(matches!(event.payload, Payload::ModelCallEnd(end) if end.usage.is_none()));
}

#[test]
fn nesting_far_deeper_than_a_parser_stack_is_kept_as_text() {
    let deep = format!("{{\"x\":{}{}}}", "[".repeat(50_000), "]".repeat(50_000));
    let event = AgentEvent::from_json(&format!(r#"{{"type":"CUSTOM","name":"n","value":{deep}}}"#)).unwrap();
    assert!(matches!(&event.payload, Payload::Extension(Extension::Custom(custom)) if custom.value.as_str() == deep));
    assert!(AgentEvent::from_json(&event.to_json()).unwrap() == event);
}

#[test]
fn bytes_that_are_not_utf_8_are_refused_with_their_place() {
    let err = AgentEvent::from_slice(b"{\"type\":\"A\xff\"}").unwrap_err();
    assert_eq!(err.to_string(), "no event: not UTF-8 at byte 10");
}
