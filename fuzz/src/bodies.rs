//! What each fuzz target does with its bytes. It stands alone, so that an ordinary test can run it over the corpus under `fixtures/fuzz/`.
#![allow(dead_code, reason = "each target uses one of these functions")]

use replyfold_dialect::{Dialect, Error, EventReader, ReadEvent, ReadOptions, read_event, write_event};
use replyfold_event::{AgentEvent, Payload};
use replyfold_log::{LogReader, Record};
use replyfold_message::Msg;
use replyfold_message::json::{Fields, JsonObject};
use replyfold_reduce::{SessionReducer, partial_json};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::io::{Cursor, Read};

/// An event that is read reads back from what it writes, and the scanner takes what serde_json takes.
pub(crate) fn event_canonical(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        assert!(AgentEvent::from_slice(data).is_err());
        return;
    };
    let judge = serde_json::from_str::<BTreeMap<String, &RawValue>>(text);
    match Fields::parse(text) {
        Ok(fields) => {
            let judge = judge.unwrap_or_else(|err| panic!("accepted what serde_json refuses: {err}"));
            for (key, value) in judge {
                assert_eq!(fields.get(&key).map(|field| field.text()), Some(value.get()));
            }
        }
        Err(err) => assert!(judge.is_err() || err.is_lone_surrogate(), "refused what serde_json accepts: {err}"),
    }
    if let Ok(event) = AgentEvent::from_json(text) {
        assert_eq!(AgentEvent::from_json(&event.to_json()).ok().as_ref(), Some(&event));
    }
    round_trip(text, Dialect::Canonical);
}

pub(crate) fn event_java(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data) {
        round_trip(text, Dialect::Java);
        // A log of one line, and the same line again: nothing panics, and the answer stays.
        let mut reader = EventReader::default();
        let first = reader.read(text).is_ok();
        assert_eq!(reader.read(text).is_ok(), first);
    }
}

pub(crate) fn event_python(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data) {
        round_trip(text, Dialect::Python);
    }
}

/// Lines of a log: one that is like an earlier one reads as if it was parsed on its own, and what is read is JSON.
pub(crate) fn lines(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let show = |read: Result<ReadEvent, Error>| read.map(|read| format!("{read:?}")).map_err(|err| err.to_string());
    for told in [None, Some(Dialect::Java), Some(Dialect::Python)] {
        let mut options = ReadOptions::new();
        options.dialect = told;
        let (mut each, mut lent) = (EventReader::new(options.with_parse_each(true)), EventReader::new(options));
        for line in text.split('\n').flat_map(|line| [line, line]) {
            let walked = format!("{line}\n");
            let read = match lent.read_alike(walked.as_bytes()) {
                Some(length) => {
                    assert_eq!(length, walked.len());
                    let judge = serde_json::from_str::<serde_json::Value>(line).unwrap_or_else(|err| panic!("not JSON: {err}"));
                    let read = lent.alike(walked.as_bytes()).unwrap_or_else(|| panic!("nothing lent"));
                    let id = judge.get("id").and_then(|id| id.as_str());
                    assert_eq!(read.event.id(), id);
                    // A piece that Java leaves out reads as an empty one.
                    assert!(read.event.text().is_none_or(|text| text == said(&judge, read.event.type_name()).unwrap_or_default()));
                    Ok(read.to_read())
                }
                None => lent.read(line),
            };
            assert_eq!(show(read), show(each.read(line)), "{line}");
        }
    }
}

/// What `serde_json` reads of a piece.
fn said<'j>(judge: &'j serde_json::Value, type_name: &str) -> Option<&'j str> {
    judge.get(if type_name.contains("DATA") { "data" } else { "delta" })?.as_str()
}

/// What a dialect carries without loss, it carries.
fn round_trip(text: &str, dialect: Dialect) {
    let Ok(event) = read_event(text, dialect) else { return };
    for to in Dialect::ALL {
        // An unknown event is its text, and another dialect may know what that says.
        if matches!(event.payload, Payload::Unknown(_)) && to != dialect {
            continue;
        }
        let mut written = Vec::new();
        if !write_event(&event, to, &mut written).is_empty() {
            continue;
        }
        let written = String::from_utf8(written).unwrap_or_else(|err| panic!("{to} is not UTF-8: {err}"));
        match read_event(&written, to) {
            Ok(back) => assert_eq!(back, event, "through {to}: {written}"),
            Err(err) => panic!("through {to}: {err}: {written}"),
        }
    }
}

/// Gives at most so many bytes at a time.
struct Pieces(Cursor<Vec<u8>>, usize);

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let most = self.1.min(buffer.len());
        self.0.read(&mut buffer[..most])
    }
}

/// Any bytes give the same records, however they arrive.
pub(crate) fn sse_framing(data: &[u8]) {
    let records = |bytes: &[u8], piece: usize| -> Vec<Record> {
        LogReader::new(Pieces(Cursor::new(bytes.to_vec()), piece)).filter_map(Result::ok).collect()
    };
    for head in [&b""[..], b"data: ", b"["] {
        let bytes = [head, data].concat();
        let whole = records(&bytes, usize::MAX);
        assert_eq!(records(&bytes, 1), whole);
        assert_eq!(records(&bytes, 3), whole);
    }
}

/// The reading of unfinished arguments is JSON, and of finished ones it is what they say.
pub(crate) fn partial_json(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let shown = partial_json::parse(text);
    assert!(JsonObject::parse(shown.as_str()).is_ok());
    if let Ok(whole) = JsonObject::parse(text) {
        assert!(shown.is_same_value(&whole), "{shown:?} is not {whole:?}");
    }
}

/// Events of every kind with few ids, in any order: nothing panics, every message reads back, and replaying changes nothing.
pub(crate) fn reducer(data: &[u8]) {
    let events: Vec<AgentEvent> = data.chunks_exact(2).take(64).enumerate().filter_map(|(at, pair)| event(at, pair[0], pair[1])).collect();
    let mut whole = SessionReducer::new();
    for (at, event) in events.iter().enumerate() {
        whole.apply(event);
        for msg in whole.messages() {
            assert_eq!(Msg::from_json(&msg.to_json()).ok().as_ref(), Some(msg));
        }
        if at == events.len() / 2 {
            let resumed = SessionReducer::resume(whole.checkpoint());
            assert!(resumed.messages().eq(whole.messages()));
        }
    }
    let mut replayed = SessionReducer::new();
    for event in events.iter().take(events.len() / 2).chain(&events) {
        replayed.apply(event);
    }
    assert!(replayed.messages().eq(whole.messages()));
}

fn event(at: usize, kind: u8, ids: u8) -> Option<AgentEvent> {
    let (reply, block, call) = (ids & 1, ids >> 1 & 3, ids >> 3 & 3);
    let call_block = format!(r#"{{"type":"tool_use","id":"c{call}","name":"t","input":{{"q":{block}}},"content":""}}"#);
    let body = match kind % 24 {
        0 => r#""type":"AGENT_START","role":"assistant""#.to_owned(),
        1 => r#""type":"AGENT_END","finishedReason":"completed""#.to_owned(),
        2 => r#""type":"MODEL_CALL_START""#.to_owned(),
        3 => r#""type":"MODEL_CALL_END","inputTokens":1,"outputTokens":2"#.to_owned(),
        4 => r#""type":"MODEL_CALL_END","error":{"message":"m"},"retry":{"attempt":1,"maxRetries":3,"delayMs":1}"#.to_owned(),
        5 => format!(r#""type":"TEXT_BLOCK_START","blockId":"b{block}""#),
        6 => format!(r#""type":"TEXT_BLOCK_DELTA","blockId":"b{block}","delta":"x""#),
        7 => format!(r#""type":"TEXT_BLOCK_END","blockId":"b{block}""#),
        8 => format!(r#""type":"THINKING_BLOCK_START","blockId":"b{block}""#),
        9 => format!(r#""type":"THINKING_BLOCK_DELTA","blockId":"b{block}","delta":"y""#),
        10 => format!(r#""type":"DATA_BLOCK_START","blockId":"b{block}","mediaType":"image/png""#),
        11 => format!(r#""type":"DATA_BLOCK_DELTA","blockId":"b{block}","data":"{}""#, ["AA==", "YQ", "!!", ""][usize::from(call)]),
        12 => format!(r#""type":"DATA_BLOCK_DELTA","blockId":"b{block}","url":"u:x""#),
        13 => format!(r#""type":"TOOL_CALL_START","toolCallId":"c{call}","toolCallName":"t""#),
        14 => format!(r#""type":"TOOL_CALL_DELTA","toolCallId":"c{call}","delta":"{{\"a\":{block}""#),
        15 => format!(r#""type":"TOOL_CALL_END","toolCallId":"c{call}""#),
        16 => format!(r#""type":"TOOL_RESULT_START","toolCallId":"c{call}","toolCallName":"t""#),
        17 => format!(r#""type":"TOOL_RESULT_TEXT_DELTA","toolCallId":"c{call}","delta":"z""#),
        18 => format!(r#""type":"TOOL_RESULT_DATA_DELTA","toolCallId":"c{call}","blockId":"b{block}","mediaType":"m","data":"AA==""#),
        19 => format!(
            r#""type":"TOOL_RESULT_END","toolCallId":"c{call}","state":"{}""#,
            ["success", "running", "denied", "error"][usize::from(block)]
        ),
        20 => format!(r#""type":"REQUIRE_USER_CONFIRM","toolCalls":[{call_block}]"#),
        21 => format!(r#""type":"USER_CONFIRM_RESULT","confirmResults":[{{"confirmed":{},"toolCall":{call_block}}}]"#, block > 0),
        22 => format!(r#""type":"EXTERNAL_EXECUTION_RESULT","toolResults":[{{"type":"tool_result","id":"c{call}","name":"t"}}]"#),
        _ => format!(r#""type":"HINT_BLOCK","blockId":"b{block}","hint":"h""#),
    };
    AgentEvent::from_json(&format!(r#"{{{body},"id":"e{at}","createdAt":"T{at}","replyId":"r{reply}"}}"#)).ok()
}
