//! Reading a log: which dialect a line is, what a line may leave out, what is noted and what is refused.

use crate::corpus;
use replyfold_dialect::{Dialect, EventReader, LoneSurrogates, ReadNote, ReadOptions, read_event};
use replyfold_event::{MediaDelta, Payload};
use replyfold_message::ToolResultState;
use replyfold_message::json::{Fields, Value, ValueKind};

const CANONICAL: &str = r#"{"type":"MODEL_CALL_START","id":"e1","createdAt":"2026-08-22T15:15:56Z","replyId":"r"}"#;
const JAVA: &str = r#"{"type":"MODEL_CALL_START","id":"e1","createdAt":"2026-08-22T15:15:56Z","replyId":"r","type":"MODEL_CALL_START"}"#;
const PYTHON: &str =
    r#"{"id": "e1", "created_at": "2026-08-22T15:15:56Z", "metadata": {}, "type": "MODEL_CALL_START", "reply_id": "r", "model_name": "m"}"#;

#[test]
fn line_of_the_other_naming_is_read_as_its_own_and_noted() {
    let mut reader = EventReader::default();
    let mut read = |line: &str| {
        let read = reader.read(line).unwrap();
        (read.dialect, read.notes)
    };
    assert_eq!(read(CANONICAL), (Dialect::Canonical, vec![]));
    assert_eq!(read(JAVA), (Dialect::Java, vec![]), "both are camelCase: their readers are compatible");
    assert_eq!(read(PYTHON), (Dialect::Python, vec![ReadNote::OtherDialect(Dialect::Python)]));
    assert_eq!(read(r#"{"type":"session_created","created_at":"x"}"#), (Dialect::Python, vec![]), "a host's own frame says nothing");
    assert_eq!(read(CANONICAL), (Dialect::Canonical, vec![]));
}

#[test]
fn python_lines_take_no_reply_step() {
    let mut reader = EventReader::default();
    let call = PYTHON.replace(r#""r""#, r#""other""#);
    for (line, reply) in [(r#"{"type": "REPLY_START", "session_id": "s", "reply_id": "r", "name": "n"}"#, "r"), (&call, "other")] {
        assert_eq!(reader.read(line).unwrap().event.reply_id().unwrap().as_str(), reply);
    }
}

#[test]
fn refused_line_changes_nothing() {
    let start = r#"{"type":"AGENT_START","replyId":"run"}"#;
    let call = r#"{"type":"MODEL_CALL_START","replyId":"call"}"#;
    let mut reader = EventReader::default();
    reader.read(start).unwrap();
    for refused in [
        r#"{"type":"AGENT_START","replyId":"other","metadata":[]}"#,
        r#"{"type":"AGENT_START","replyId":"ot"#,
        r#"{"type":"AGENT_END","replyId":"run","source":{}}"#,
        r#"{"type": "REPLY_START", "session_id": "x"}"#,
        "",
        "[]",
    ] {
        assert!(reader.read(refused).is_err(), "{refused}");
    }
    assert_eq!(reader.read(call).unwrap().event.reply_id().unwrap().as_str(), "run");
}

#[test]
fn half_of_a_surrogate_pair_is_refused_or_replaced_and_noted() {
    for line in [
        r#"{"type":"TEXT_BLOCK_DELTA","replyId":"r","blockId":"b","delta":"a\ud83db"}"#,
        r#"{"type":"TEXT_BLOCK_DELTA","reply_id":"r","block_id":"b","delta":"a\ud83db"}"#,
    ] {
        let err = EventReader::default().read(line).unwrap_err();
        assert!(err.is_lone_surrogate(), "{err}");
        let mut reader = EventReader::new(ReadOptions::new().with_lone_surrogates(LoneSurrogates::Replace));
        let read = reader.read(line).unwrap();
        assert!(matches!(&read.event.payload, Payload::TextBlockDelta(delta) if delta.delta == "a\u{fffd}b"));
        assert_eq!(read.notes, [ReadNote::ReplacedSurrogate]);
    }
}

#[test]
fn unmarked_line_may_leave_out_what_the_rule_lists() {
    let read = |line: &str| read_event(line, Dialect::Canonical).unwrap().payload;
    assert!(matches!(read(r#"{"type":"AGENT_START"}"#), Payload::AgentStart(start) if start.role.as_str() == "assistant"));
    assert!(matches!(read(r#"{"type":"AGENT_END"}"#), Payload::AgentEnd(_)));
    assert!(matches!(read(r#"{"type":"MODEL_CALL_END","replyId":"r"}"#), Payload::ModelCallEnd(end) if end.usage.is_none()));
    let start = read(r#"{"type":"DATA_BLOCK_START","replyId":"r","blockId":"b"}"#);
    assert!(matches!(start, Payload::DataBlockStart(start) if start.media_type == "application/octet-stream"));
    let call = read(r#"{"type":"TOOL_CALL_START","replyId":"r","toolCallId":"c"}"#);
    assert!(matches!(call, Payload::ToolCallStart(start) if start.tool_call_name.is_empty()));
    let end = read(r#"{"type":"TOOL_RESULT_END","replyId":"r","toolCallId":"c"}"#);
    assert!(matches!(end, Payload::ToolResultEnd(end) if end.state == ToolResultState::Running));
}

#[test]
fn any_other_gap_of_an_unmarked_line_is_an_error_that_names_the_field() {
    for (line, field) in [
        (r#"{"type":"MODEL_CALL_START","createdAt":"T"}"#, "replyId"),
        (r#"{"type":"TEXT_BLOCK_DELTA","replyId":"r","delta":"x"}"#, "blockId"),
        (r#"{"type":"TEXT_BLOCK_DELTA","replyId":"r","blockId":null,"delta":"x"}"#, "blockId"),
        (r#"{"type":"TEXT_BLOCK_DELTA","replyId":"r","blockId":"b"}"#, "delta"),
        (r#"{"type":"TOOL_CALL_END","replyId":"r"}"#, "toolCallId"),
        (r#"{"type":"MODEL_CALL_END","replyId":"r","inputTokens":1}"#, "outputTokens"),
        (r#"{"type":"REQUEST_STOP","replyId":"r"}"#, "generateReason"),
        (r#"{"type":"REQUIRE_USER_CONFIRM","replyId":"r"}"#, "toolCalls"),
        (r#"{"type":"SUBAGENT_EXPOSED","replyId":"r","subagentId":"a","agentId":"b"}"#, "sessionId"),
        (r#"{"type":"HINT_BLOCK","replyId":"r","blockId":"b"}"#, "hint"),
    ] {
        let err = EventReader::default().read(line).unwrap_err();
        assert_eq!(err.field().as_deref(), Some(field), "{err}");
        // The same line, marked as Java's, has no gap.
        let name = Fields::parse(line).unwrap().tag().unwrap().into_owned();
        let marked = format!(r#"{},"type":"{name}"}}"#, &line[..line.len() - 1]);
        if field != "outputTokens" {
            assert_eq!(EventReader::default().read(&marked).unwrap().dialect, Dialect::Java, "{marked}");
        }
    }
}

/// F5 and B085: of a line that nobody told to be Python's is demanded what the taxonomy demands, its ids above all.
#[test]
fn untold_python_line_may_leave_out_what_the_taxonomy_does_not_demand() {
    for line in [
        r#"{"type":"REPLY_START","reply_id":"r1"}"#,
        r#"{"type":"REPLY_START","reply_id":"r1","session_id":null,"name":null}"#,
        r#"{"type":"REPLY_START","reply_id":"r1","session_id":"s","name":"n","role":null}"#,
        r#"{"type":"TEXT_BLOCK_START","reply_id":"r1","block_id":"b","id":null,"created_at":null,"metadata":null}"#,
        r#"{"type":"REPLY_END","reply_id":"r1"}"#,
        r#"{"type":"MODEL_CALL_START","reply_id":"r1"}"#,
        r#"{"type":"MODEL_CALL_END","reply_id":"r1"}"#,
        r#"{"type":"MODEL_CALL_ENDED","reply_id":"r1","input_tokens":null,"output_tokens":null}"#,
        r#"{"type":"DATA_BLOCK_DELTA","reply_id":"r1","block_id":"b","data":"YQ=="}"#,
        r#"{"type":"BINARY_BLOCK_DELTA","reply_id":"r1","block_id":"b","data":"YQ=="}"#,
        r#"{"type":"TOOL_RESULT_DATA_DELTA","reply_id":"r1","tool_call_id":"c","url":"https://example.com/"}"#,
        r#"{"type":"EXCEED_MAX_ITERS","reply_id":"r1"}"#,
    ] {
        let read = EventReader::default().read(line).unwrap_or_else(|err| panic!("{line}: {err}"));
        assert_eq!(read.dialect, Dialect::Python, "{line}");
        assert_eq!(read.event.reply_id().unwrap().as_str(), "r1", "{line}");
        // Absent is not empty: nothing is made up, and the canonical line says no more than this one.
        let canonical = read.event.to_json();
        assert_eq!(canonical.contains("sessionId"), line.contains(r#""s""#), "{canonical}");
        assert!(!canonical.contains("Tokens") && !canonical.contains("modelName"), "{canonical}");
        assert!(EventReader::new(ReadOptions::new().with_dialect(Dialect::Python)).read(line).is_err(), "told: {line}");
    }
    for (line, field) in [
        (r#"{"type":"REPLY_START","session_id":"s","name":"n"}"#, "reply_id"),
        (r#"{"type":"REPLY_END","session_id":"s"}"#, "reply_id"),
        (r#"{"type":"TEXT_BLOCK_DELTA","reply_id":"r","delta":"x"}"#, "block_id"),
        (r#"{"type":"TEXT_BLOCK_DELTA","reply_id":"r","block_id":"b"}"#, "delta"),
        (r#"{"type":"MODEL_CALL_END","reply_id":"r","input_tokens":1}"#, "output_tokens"),
        (r#"{"type":"TOOL_RESULT_DATA_DELTA","reply_id":"r","tool_call_id":"c","data":"YQ=="}"#, "media_type"),
        (r#"{"type":"TOOL_RESULT_END","reply_id":"r","tool_call_id":"c"}"#, "state"),
        (r#"{"type":"REPLY_START","reply_id":"r","name":5}"#, "name"),
    ] {
        let err = EventReader::default().read(line).unwrap_err();
        assert_eq!(err.field().as_deref(), Some(field), "{err}");
    }
}

/// "Wire formats" section 2: an unknown value is kept as text. Only a line that is told to be Java's is refused, as Jackson refuses it.
#[test]
fn reason_that_no_java_knows_is_kept_as_text_unless_the_line_is_told_to_be_java() {
    let reason = |line: &str, options: ReadOptions| match EventReader::new(options).read(line).map(|read| read.event.payload) {
        Ok(Payload::RequestStop(stop)) => Ok(stop.generate_reason.as_str().to_owned()),
        Ok(other) => panic!("{other:?}"),
        Err(err) => Err(err.to_string()),
    };
    for word in ["NEW_ONE", "permission_asking", "", "neu \u{e9}"] {
        for line in [
            format!(r#"{{"type":"REQUEST_STOP","generateReason":"{word}"}}"#),
            format!(r#"{{"type":"REQUEST_STOP","generateReason":"{word}","reason":"x","type":"REQUEST_STOP"}}"#),
            format!(r#"{{"type":"REQUEST_STOP","replyId":"r","generateReason":"{word}"}}"#),
        ] {
            assert_eq!(reason(&line, ReadOptions::new()).as_deref(), Ok(word), "{line}");
            assert_eq!(reason(&line, ReadOptions::new().with_dialect(Dialect::Canonical)).as_deref(), Ok(word), "{line}");
            let told = reason(&line, ReadOptions::new().with_dialect(Dialect::Java)).unwrap_err();
            assert!(told.contains("generateReason"), "{told}");
        }
    }
    let line = r#"{"type":"REQUEST_STOP","generateReason":"NEW_ONE"}"#;
    assert_eq!(EventReader::default().read(line).unwrap().dialect, Dialect::Java);
    // The same word in a field that another event does not have means nothing.
    let other = r#"{"type":"TEXT_BLOCK_DELTA","delta":"x","generateReason":"NEW_ONE"}"#;
    assert_eq!(EventReader::default().read(other).unwrap().event.type_name(), "TEXT_BLOCK_DELTA");
    // What Java's reader converts it still converts.
    for (value, word) in
        [("0", "MODEL_STOP"), ("\"0\"", "MODEL_STOP"), ("null", "MIDDLEWARE_STOP_REQUESTED"), ("\"INTERRUPTED\"", "INTERRUPTED")]
    {
        let line = format!(r#"{{"type":"REQUEST_STOP","generateReason":{value}}}"#);
        assert_eq!(reason(&line, ReadOptions::new()).as_deref(), Ok(word), "{line}");
    }
    assert!(reason(r#"{"type":"REQUEST_STOP","generateReason":99}"#, ReadOptions::new()).is_err());
}

#[test]
fn line_is_marked_as_java_by_a_type_that_stands_twice_or_last() {
    for (line, dialect) in [
        (r#"{"type":"AGENT_END","replyId":"r"}"#, Dialect::Canonical),
        (r#"{"type":"AGENT_END","replyId":"r","type":"AGENT_END"}"#, Dialect::Java),
        (r#"{"type":"AGENT_END","replyId":"r","type":"AGENT_END","metadata":{}}"#, Dialect::Java),
        (r#"{"replyId":"r","type":"AGENT_END"}"#, Dialect::Java),
        (r#"{"replyId":"r","type":"AGENT_END","metadata":{}}"#, Dialect::Canonical),
        (r#"{"type":"AGENT_END"}"#, Dialect::Java),
    ] {
        assert_eq!(EventReader::default().read(line).unwrap().dialect, dialect, "{line}");
    }
}

#[test]
fn counts_are_read_as_numbers_and_as_text_and_refused_beyond_u64() {
    let usage = |counts: &str| {
        let line = format!(r#"{{"type":"MODEL_CALL_END","replyId":"r",{counts}}}"#);
        read_event(&line, Dialect::Canonical).map(|event| match event.payload {
            Payload::ModelCallEnd(end) => end.usage.map(|usage| (usage.input_tokens, usage.output_tokens, usage.cache_input_tokens)),
            _ => panic!("{line}"),
        })
    };
    assert_eq!(usage(r#""inputTokens":5,"outputTokens":18446744073709551615"#).unwrap(), Some((5, u64::MAX, 0)));
    assert_eq!(usage(r#""inputTokens":"5","outputTokens":"7""#).unwrap(), Some((5, 7, 0)));
    let java = r#""usage":{"inputTokens":5,"outputTokens":7,"cachedTokens":2,"time":1.5,"totalTokens":12}"#;
    assert_eq!(usage(java).unwrap(), Some((5, 7, 2)));
    for count in ["-1", "18446744073709551616", "\"x\"", "true", "[]"] {
        let err = usage(&format!(r#""inputTokens":{count},"outputTokens":1"#)).unwrap_err();
        assert_eq!(err.field().as_deref(), Some("inputTokens"), "{err}");
    }
}

#[test]
fn block_of_a_result_is_a_text_piece_a_media_piece_or_nothing() {
    let read = |data: &str| {
        let line = format!(r#"{{"type":"TOOL_RESULT_DATA_DELTA","replyId":"r","toolCallId":"c","data":{data}}}"#);
        read_event(&line, Dialect::Canonical).unwrap().payload
    };
    assert!(matches!(read(r#"{"type":"text","text":"x"}"#), Payload::ToolResultTextDelta(delta) if delta.delta == "x"));
    for kind in ["data", "image", "audio", "video"] {
        let block = format!(r#"{{"type":"{kind}","source":{{"type":"base64","media_type":"a/b","data":"AA=="}},"id":"d","name":"n"}}"#);
        let Payload::ToolResultDataDelta(delta) = read(&block) else { panic!("{block}") };
        assert_eq!(delta.media, MediaDelta::Base64("AA==".into()), "{block}");
        assert_eq!((delta.media_type.as_deref(), delta.name.as_deref()), (Some("a/b"), Some("n")), "{block}");
        assert_eq!(delta.block_id.unwrap().as_str(), "d");
    }
    let url = read(r#"{"type":"image","source":{"type":"url","url":"u","mime_type":"a/b"}}"#);
    let is_url = |delta: &MediaDelta| *delta == MediaDelta::Url("u".into());
    assert!(matches!(url, Payload::ToolResultDataDelta(delta) if is_url(&delta.media) && delta.media_type.as_deref() == Some("a/b")));
    let other = read(r#"{"type":"thinking","thinking":"x"}"#);
    assert!(matches!(other, Payload::ToolResultDataDelta(delta) if delta.media == MediaDelta::None));
}

#[test]
fn event_that_java_wrapped_in_lists_and_maps_reads_the_same_wherever_its_type_stands() {
    let text = corpus::read(&corpus::folder("java").join("wrapped.jsonl"));
    let mut events = Vec::new();
    for line in corpus::lines(&text) {
        let json = Fields::parse(line).unwrap().get("json").unwrap().string().unwrap().into_owned();
        collect(Value::parse(&json).unwrap(), &mut events);
    }
    assert!(events.len() > 1, "{events:?}");
    let first = EventReader::default().read(&events[0]).unwrap();
    for event in &events {
        let read = EventReader::default().read(event).unwrap();
        assert_eq!(read.event, first.event, "{event}");
    }
}

/// The objects with a `blockId`, however deep.
fn collect(value: Value<'_>, events: &mut Vec<String>) {
    match value.kind() {
        ValueKind::Array => value.array().unwrap().into_iter().for_each(|item| collect(item, events)),
        ValueKind::Object => {
            let fields = value.object().unwrap();
            if fields.get("blockId").is_some() {
                events.push(value.text().to_owned());
            } else {
                fields.iter().for_each(|(_, value)| collect(value, events));
            }
        }
        _ => {}
    }
}
