//! Every prefix of every recorded Java log against what the pages demand, and its end against what the agent itself kept.

use crate::corpus::{fixtures, json, lines, names, read};
use replyfold_dialect::{Dialect, EventReader};
use replyfold_log::{Format, LogOptions, LogReader};
use replyfold_message::Block;
use replyfold_message::json::JsonObject;
use replyfold_reduce::SessionReducer;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;

fn folder() -> PathBuf {
    fixtures().join("conformance/java/logs")
}

fn messages(session: &SessionReducer) -> Value {
    Value::Array(session.messages().map(|msg| serde_json::to_value(msg).unwrap()).collect())
}

#[test]
fn recorded_logs_fold_as_demanded_at_every_prefix() {
    for name in names(&folder(), ".events.jsonl") {
        let (events, expected) =
            (read(&folder().join(format!("{name}.events.jsonl"))), read(&folder().join(format!("{name}.expected.jsonl"))));
        let (lines, expected) = (lines(&events), lines(&expected));
        assert_eq!(expected.len(), lines.len() + 1, "{name}");
        let (mut reader, mut session) = (EventReader::default(), SessionReducer::new());
        for (k, wanted) in expected.iter().enumerate() {
            let wanted: Value = serde_json::from_str(wanted).unwrap();
            let got = messages(&session);
            assert!(
                got == wanted,
                "{name}, k = {k}\n   got {got}\nwanted {wanted}\n after {}",
                lines.get(k.wrapping_sub(1)).unwrap_or(&"")
            );
            if let Some(line) = lines.get(k) {
                let read = reader.read(line).unwrap_or_else(|err| panic!("{name}, line {}: {err}", k + 1));
                assert!(read.notes.is_empty(), "{name}, line {}: {:?}", k + 1, read.notes);
                session.apply_at(k as u64, &read.event);
            }
        }
    }
}

/// One piece of a conversation, for the comparison of `reduction.md` section 4: what stands between two borders of results.
#[derive(Debug, Default, PartialEq)]
struct Piece {
    thinking: String,
    text: String,
    calls: Vec<Value>,
    hints: Vec<Value>,
    result: Option<Value>,
}

/// Cuts a list of blocks where results begin and end.
fn pieces(blocks: Vec<Value>) -> Vec<Piece> {
    let mut pieces = vec![Piece::default()];
    for block in blocks {
        let text = |key: &str| block[key].as_str().unwrap_or_default().to_owned();
        let last = pieces.last_mut().unwrap();
        match block["type"].as_str().unwrap() {
            "thinking" => last.thinking += &text("thinking"),
            "text" => last.text += &text("text"),
            "tool_use" => last.calls.push(json!([block["id"], block["name"], block["input"]])),
            "hint" => last.hints.push(json!([block["id"], block["hint"], block["source"]])),
            "tool_result" => {
                let output = block["output"].as_array().unwrap();
                let text: String = output.iter().filter(|part| part["type"] == "text").map(|part| part["text"].as_str().unwrap()).collect();
                let media: Vec<Value> = output.iter().filter(|part| part["type"] != "text").map(media).collect();
                pieces.push(Piece { result: Some(json!([block["id"], block["state"], text, media])), ..Piece::default() });
                pieces.push(Piece::default());
            }
            "data" => {}
            other => panic!("{other}"),
        }
    }
    pieces.retain(|piece| *piece != Piece::default());
    pieces
}

fn media(part: &Value) -> Value {
    let source = &part["source"];
    let media_type = [&source["mediaType"], &source["media_type"], &source["mime_type"]].into_iter().find(|value| !value.is_null());
    json!([source["type"], media_type, source["data"], source["url"]])
}

fn ours(session: &SessionReducer) -> Vec<Value> {
    let suspended = |block: &&Block| !matches!(block, Block::ToolResult(result) if result.metadata.get("agentscope_suspended").is_some_and(|value| value.text() == "true"));
    let top_level = session.replies().filter(|reply| reply.source().is_none());
    top_level.flat_map(|reply| reply.message().content.iter().filter(suspended).map(block_json).collect::<Vec<_>>()).collect()
}

fn block_json(block: &Block) -> Value {
    let mut msg = replyfold_message::Msg::new("m", replyfold_message::Role::Assistant);
    msg.content.push(block.clone());
    serde_json::to_value(msg).unwrap()["content"][0].clone()
}

/// The blocks of the agent's own context, without the results of calls that a person declined: no event shows them.
fn theirs(meta: &Value, declined: &BTreeSet<String>) -> Vec<Value> {
    let messages = meta["context"].as_array().unwrap().iter().filter(|msg| msg["role"] != "USER");
    let blocks = messages.flat_map(|msg| msg["content"].as_array().unwrap().clone());
    let shown = |block: &Value| {
        !(block["type"] == "tool_result" && block["state"] == "denied" && declined.contains(block["id"].as_str().unwrap_or_default()))
    };
    blocks.filter(shown).collect()
}

fn declined(lines: &[&str]) -> BTreeSet<String> {
    let mut declined = BTreeSet::new();
    for line in lines {
        let fields = JsonObject::parse(line).unwrap();
        let Some(results) = fields.get("confirmResults") else { continue };
        let results: Value = serde_json::from_str(results.text()).unwrap();
        for result in results.as_array().unwrap().iter().filter(|result| result["confirmed"] == false) {
            declined.insert(result["toolCall"]["id"].as_str().unwrap_or_default().to_owned());
        }
    }
    declined
}

#[test]
fn recorded_logs_give_the_context_that_the_agent_kept_but_for_the_listed_ones() {
    let index = json(&folder().join("index.json"));
    let mut wrong = Vec::new();
    for entry in index.as_array().unwrap() {
        let name = entry["name"].as_str().unwrap();
        let events = read(&folder().join(format!("{name}.events.jsonl")));
        let lines = lines(&events);
        let (mut reader, mut session) = (EventReader::default(), SessionReducer::new());
        for line in &lines {
            session.apply(&reader.read(line).unwrap().event);
        }
        let meta = json(&folder().join(format!("{name}.meta.json")));
        let (ours, theirs) = (pieces(ours(&session)), pieces(theirs(&meta, &declined(&lines))));
        let meets = ours == theirs;
        if meets != (entry["section4"] == "meets") {
            wrong.push(format!("{name}: listed as {}\n  ours {ours:?}\ntheirs {theirs:?}", entry["section4"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Jackson writes an event in an array of mixed kinds as a list of its type and its object.
#[test]
fn lists_of_type_and_object_are_events_of_a_log_that_is_told_to_be_java() {
    let start = r#"["AGENT_START",{"id":"1","replyId":"r1"}]"#;
    let end = r#"["AGENT_END",{"id":"2","replyId":"r1","metadata":{"x":[1,"]"]}}]"#;
    let spread = |list: &str| list.replacen('[', "[\n  ", 1);
    for (log, format) in [
        (format!("{start}\n{end}\n"), Format::Jsonl),
        (format!("\n [ {}\r\n{end}", &start[1..]), Format::Jsonl),
        (format!("[{}{}\n{end}", " ".repeat(300), &start[1..]), Format::Jsonl),
        (format!("[{start},{end}]"), Format::JsonArray),
        (format!("[\n  {start},\n  {end}\n]\n"), Format::JsonArray),
        (format!("{}\n{}\n", spread(start), spread(end)), Format::JsonArray),
    ] {
        let options = LogOptions::new().with_dialect(Dialect::Java);
        let mut reader = LogReader::with_options(std::io::Cursor::new(log.clone()), options);
        let names: Vec<_> = reader.by_ref().map(|record| record.unwrap().event().map(|event| event.type_name().to_owned())).collect();
        assert_eq!(names, [Some("AGENT_START".to_owned()), Some("AGENT_END".to_owned())], "{log}");
        assert_eq!(reader.format(), Some(format), "{log}");
    }
}

#[test]
fn array_of_objects_is_one_also_in_a_log_that_is_told_to_be_java() {
    let log = r#"[ {"type":"AGENT_START","replyId":"r1"}, {"type":"AGENT_END","replyId":"r1"} ]"#;
    let options = LogOptions::new().with_dialect(Dialect::Java);
    let mut reader = LogReader::with_options(std::io::Cursor::new(log), options);
    assert!(reader.by_ref().all(|record| record.is_ok_and(|record| record.event().is_some())));
    assert_eq!(reader.format(), Some(Format::JsonArray));
}
