//! Every recorded Python line, read and written back.

use crate::corpus;
use replyfold_dialect::{Dialect, read_event, write_event};
use replyfold_message::json::JsonObject;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Logs that no Python wrote: their lines leave defaults out or escape what Python does not.
const WRITTEN_BY_HAND: [&str; 2] = ["missing_optionals", "escaped_lines"];

/// What became of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// The same bytes.
    Same,
    /// A tool's output that is a string is written as a list of one text: the model has lists only.
    OutputBecameList,
    /// The same fields, and the defaults that the line left out.
    DefaultsWritten,
    /// A token count below 0 or beyond `u64` is refused (`reduction.md` D16).
    CountRefused,
}

#[test]
fn recorded_lines_are_written_back_as_they_were() {
    let mut outcomes: BTreeMap<Outcome, usize> = BTreeMap::new();
    for folder in ["runs", "service", "synthetic", "fuzz"] {
        for (stem, text) in corpus::files(&format!("python/{folder}"), ".events.jsonl") {
            for line in corpus::lines(&text) {
                let outcome = outcome(line, &stem).unwrap_or_else(|found| panic!("{folder}/{stem}\n{line}\n{found}"));
                *outcomes.entry(outcome).or_default() += 1;
            }
        }
    }
    // Each outcome that is explained above still happens.
    for outcome in [Outcome::Same, Outcome::OutputBecameList, Outcome::DefaultsWritten, Outcome::CountRefused] {
        assert!(outcomes.contains_key(&outcome), "{outcome:?} is not in {outcomes:?}");
    }
}

/// What became of a line, or what was found where nothing explains it.
fn outcome(line: &str, stem: &str) -> Result<Outcome, String> {
    let event = match read_event(line, Dialect::Python) {
        Ok(event) => event,
        Err(err) if has_wrong_count(line) => {
            assert!(err.field().is_some_and(|field| field.ends_with("_tokens")), "{err}");
            return Ok(Outcome::CountRefused);
        }
        Err(err) => return Err(err.to_string()),
    };
    let mut written = Vec::new();
    let losses = write_event(&event, Dialect::Python, &mut written);
    let written = String::from_utf8(written).unwrap();
    if !losses.is_empty() {
        return Err(format!("{losses:?}"));
    }
    if written == line {
        return Ok(Outcome::Same);
    }
    if same(&with_lists(line), &written) {
        return Ok(Outcome::OutputBecameList);
    }
    let is_by_hand = WRITTEN_BY_HAND.contains(&stem);
    if is_by_hand && same(&with_defaults(line, &written), &written) { Ok(Outcome::DefaultsWritten) } else { Err(written) }
}

fn same(a: &str, b: &str) -> bool {
    JsonObject::parse(a).unwrap().is_same_value(&JsonObject::parse(b).unwrap())
}

fn has_wrong_count(line: &str) -> bool {
    let event: Value = serde_json::from_str(line).unwrap();
    let count = |key| event.get(key).is_some_and(|count: &Value| !count.is_u64());
    count("input_tokens") || count("output_tokens") || count("cache_input_tokens") || count("cache_creation_input_tokens")
}

/// The line with every output that is a string replaced by a list; the text takes the time of the event.
fn with_lists(line: &str) -> String {
    let mut event: Value = serde_json::from_str(line).unwrap();
    let at = event["created_at"].clone();
    for result in event.get_mut("execution_results").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Value::String(text) = &result["output"] {
            let block = json!({"type": "text", "text": text, "created_at": at, "finished_at": null});
            result["output"] = if text.is_empty() { json!([]) } else { json!([block]) };
        }
    }
    event.to_string()
}

/// The line with the fields that only `written` has and that are a default of Python's models.
fn with_defaults(line: &str, written: &str) -> String {
    let mut event: Value = serde_json::from_str(line).unwrap();
    let written: Value = serde_json::from_str(written).unwrap();
    for (key, value) in written.as_object().unwrap() {
        let default = match key.as_str() {
            "metadata" => json!({}),
            "role" => json!("assistant"),
            "finished_reason" => json!("completed"),
            "cache_input_tokens" | "cache_creation_input_tokens" => json!(0),
            _ => Value::Null,
        };
        if *value == default {
            event.as_object_mut().unwrap().entry(key).or_insert(default);
        }
    }
    event.to_string()
}
