//! What Python's own reader accepts and refuses, and how it writes what it accepted.

use crate::corpus;
use replyfold_dialect::{Dialect, read_event, write_event};
use replyfold_message::json::{Fields, JsonObject, replace_lone_surrogates};
use std::collections::BTreeSet;

/// Lines that Python accepts and we refuse, or the other way round: by the corpus' reason for the line, with ours.
const DECIDED_OTHERWISE: &[(&str, &str)] = &[
    ("unknown type", "an event of a type that is not known is kept with its text"),
    ("tokens huge", "counts are u64: larger ones are refused (`reduction.md` D16)"),
    ("lone surrogate escape in delta", "no Rust string holds half of a pair; an option replaces it"),
    ("lone low surrogate escape in delta", "no Rust string holds half of a pair; an option replaces it"),
];

/// Lines that we accept and write in another form than Python dumps, with the reason.
const WRITTEN_OTHERWISE: &[(&str, &str)] = &[("external result state missing = running", "an output that is a string becomes a list")];

#[test]
fn lines_are_accepted_and_refused_as_python_does() {
    let mut decided_otherwise = BTreeSet::new();
    for Case { why, line, accepted, .. } in cases() {
        let ours = read_event(&line, Dialect::Python);
        if accepted != ours.is_ok() {
            let listed = DECIDED_OTHERWISE.iter().any(|(listed, _)| *listed == why);
            assert!(listed, "{why}: Python accepts it: {accepted}, we have {ours:?}\n{line}");
            decided_otherwise.insert(why);
        }
    }
    assert_eq!(decided_otherwise, DECIDED_OTHERWISE.iter().map(|(why, _)| (*why).to_owned()).collect());
}

#[test]
fn accepted_lines_are_written_as_python_dumps_them() {
    let mut written_otherwise = BTreeSet::new();
    for Case { why, line, dump, .. } in cases() {
        let (Some(dump), Ok(event)) = (dump, read_event(&line, Dialect::Python)) else { continue };
        let mut written = Vec::new();
        assert!(write_event(&event, Dialect::Python, &mut written).is_empty(), "{why}");
        let written = String::from_utf8(written).unwrap();
        if !JsonObject::parse(&written).unwrap().is_same_value(&JsonObject::parse(&dump).unwrap()) {
            let listed = WRITTEN_OTHERWISE.iter().any(|(listed, _)| *listed == why);
            assert!(listed, "{why}: expected {dump}\nfound {written}");
            written_otherwise.insert(why);
        }
    }
    assert_eq!(written_otherwise, WRITTEN_OTHERWISE.iter().map(|(why, _)| (*why).to_owned()).collect());
}

/// Of the types that use most of the keys, the first in the order of Python's union.
#[test]
fn line_without_a_type_is_of_the_type_that_uses_most_of_its_keys() {
    for (line, name) in [
        (r#"{"reply_id":"r"}"#, "USER_INTERRUPT"),
        (r#"{"reply_id":"r","block_id":"b"}"#, "TEXT_BLOCK_START"),
        (r#"{"reply_id":"r","block_id":"b","delta":"x"}"#, "TEXT_BLOCK_DELTA"),
        (r#"{"reply_id":"r","tool_call_id":"c"}"#, "TOOL_CALL_END"),
        (r#"{"reply_id":"r","tool_call_id":"c","tool_call_name":"n"}"#, "TOOL_CALL_START"),
        (r#"{"reply_id":"r","tool_calls":[]}"#, "REQUIRE_USER_CONFIRM"),
        (r#"{"session_id":"s","reply_id":"r","name":"n"}"#, "AGENT_START"),
    ] {
        assert_eq!(read_event(line, Dialect::Python).unwrap().type_name(), name, "{line}");
    }
}

#[test]
fn nested_value_of_another_type_is_refused() {
    let call =
        |tag: &str| format!(r#"{{"type":"REQUIRE_USER_CONFIRM","reply_id":"r","tool_calls":[{{{tag}"id":"c","name":"n","input":""}}]}}"#);
    assert!(read_event(&call(""), Dialect::Python).is_ok());
    assert!(read_event(&call(r#""type":"tool_call","#), Dialect::Python).is_ok());
    let err = read_event(&call(r#""type":"tool_use","#), Dialect::Python).unwrap_err();
    assert_eq!(err.field().as_deref(), Some("tool_calls[0].type"), "{err}");
}

struct Case {
    why: String,
    line: String,
    accepted: bool,
    /// What Python makes of an accepted line, without the ids and times that it invents while it reads.
    dump: Option<String>,
}

fn cases() -> Vec<Case> {
    let text = corpus::read(&corpus::folder("python/parse").join("cases.jsonl"));
    corpus::lines(&text).map(case).collect()
}

fn case(text: &str) -> Case {
    // The dumps of two lines hold half of a pair.
    let text = replace_lone_surrogates(text).unwrap_or_else(|| text.to_owned());
    let fields = Fields::parse(&text).unwrap();
    let string = |key| fields.get(key).unwrap().string().unwrap().into_owned();
    let verdict = fields.get("python").unwrap().object().unwrap();
    Case {
        why: string("why"),
        line: string("line"),
        accepted: verdict.get("ok").unwrap().bool().unwrap(),
        dump: verdict.get("dump").map(|dump| without_minted(dump.text())),
    }
}

fn without_minted(dump: &str) -> String {
    let minted = [r#""id": "gen-PARSE""#, r#""block_id": "gen-PARSE""#, r#""created_at": "PARSE-TIME""#];
    minted.iter().fold(dump.to_owned(), |text, field| text.replace(&format!("{field}, "), "").replace(&format!(", {field}"), ""))
}
