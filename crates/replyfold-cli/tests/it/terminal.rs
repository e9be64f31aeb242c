//! No text of a log reaches a terminal as it is, whichever field it stands in.

use crate::run::{Ran, fixture, forced_color, with_log};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// A title, a bell, a style that the command never uses, a line of its own, and text that runs backwards and is not there.
const POISON: &str = "\u{1b}]0;t\u{7}\u{1b}[7m\u{9b}7m\nforged line\r\u{202e}\u{2066}\u{200b}\u{feff}x";

const LOGS: &[&str] = &[
    "python/synthetic/all_event_types.events.jsonl",
    "java/logs/confirm-partial.events.jsonl",
    "java/logs/subagent-twice.events.jsonl",
    "python/service/svc_model_error.events.jsonl",
];

const COARSE: &str = r#"{"type":"thinking","content":"hm"}
{"type":"tool_start","toolName":"bash","toolCallId":"c1","arguments":"{}"}
{"type":"error","code":"LLM_CALL_FAILED","message":"it failed","detail":"because"}
{"type":"text","content":"Done"}
"#;

/// Every event of the protocol that no recorded log has with a text that is shown.
const MORE: &str = r#"{"type":"AGENT_START","replyId":"r1","role":"assistant","source":"main/a","createdAt":"2026-01-01T00:00:00Z"}
{"type":"REQUEST_STOP","replyId":"r1","source":"main/a","generateReason":"WHY"}
{"type":"TOOL_CALL_START","replyId":"r1","source":"main/a","toolCallId":"c1","toolCallName":"rm"}
{"type":"TOOL_CALL_DELTA","replyId":"r1","source":"main/a","toolCallId":"c1","delta":"{bad"}
{"type":"TEXT_BLOCK_START","replyId":"r1","source":"main/a","blockId":"b1","createdAt":"2025-01-01T00:00:00Z"}
{"type":"MOOD","replyId":"r1","value":"good"}
"#;

/// Commands, and whether standard output is data, which holds a log's text as it is.
const COMMANDS: &[(&[&str], bool)] = &[
    (&["replay", "-", "--verbose"], false),
    (&["replay", "-", "--at", "17"], false),
    (&["replay", "-", "--follow"], false),
    (&["replay", "-", "--reply", "nobody"], false),
    (&["replay", "-", "--open-missing"], false),
    (&["check", "-"], false),
    (&["check", "-", "--strict"], false),
    (&["stats", "-"], false),
    (&["timeline", "-", "--subagents", "thinking"], false),
    (&["timeline", "-", "--reply", "nobody"], false),
    (&["convert", "-", "--to", "java", "--verbose"], true),
    (&["convert", "-", "--to", "python"], true),
    (&["coarse", "-", "--reply", "nobody"], true),
    (&["prefixes", "-", "--reply", "nobody"], true),
];

/// Poisons the strings under this key, or the key itself where it is `None`.
fn poison(value: &mut Value, key: &str, wanted: Option<&str>) {
    match value {
        Value::String(text) if wanted == Some(key) => text.push_str(POISON),
        Value::Array(list) => list.iter_mut().for_each(|value| poison(value, key, wanted)),
        Value::Object(fields) => {
            let renamed: Map<String, Value> = std::mem::take(fields)
                .into_iter()
                .map(|(name, mut value)| {
                    poison(&mut value, &name, wanted);
                    (if wanted.is_none() { name + POISON } else { name }, value)
                })
                .collect();
            *fields = renamed;
        }
        _ => {}
    }
}

fn keys(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Array(list) => list.iter().for_each(|value| keys(value, found)),
        Value::Object(fields) => {
            for (name, value) in fields {
                found.insert(name.clone());
                keys(value, found);
            }
        }
        _ => {}
    }
}

/// The log once for each of its fields with the poison in it, once with poison in all names, and once with it outside of all strings.
fn poisoned(log: &str) -> Vec<(String, String)> {
    let events: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut names = BTreeSet::new();
    events.iter().for_each(|event| keys(event, &mut names));
    let with = |wanted: Option<&str>| {
        let mut events = events.clone();
        events.iter_mut().for_each(|event| poison(event, "", wanted));
        events.iter().map(|event| format!("{event}\n")).collect::<String>()
    };
    let mut logs: Vec<_> = names.iter().map(|name| (name.clone(), with(Some(name)))).collect();
    logs.push(("names".to_owned(), with(None)));
    logs.push(("raw".to_owned(), log.replace("\"type\"", &format!("\"type{POISON}\""))));
    logs
}

fn assert_clean(text: &str, what: &str) {
    let bad = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    assert!(!text.contains(bad), "{what}: {text:?}");
}

fn assert_not_forged(text: &str, what: &str) {
    assert!(!text.lines().any(|line| line.starts_with("forged")), "{what}: {text}");
}

#[test]
fn no_field_of_a_log_steers_the_terminal_in_any_command() {
    let mut logs: Vec<String> = LOGS.iter().map(|log| std::fs::read_to_string(fixture(log)).unwrap()).collect();
    logs.extend([COARSE.to_owned(), MORE.to_owned()]);
    for log in logs {
        for (field, log) in poisoned(&log) {
            for (args, is_data) in COMMANDS {
                let what = format!("{field}: {args:?}");
                let Ran { stdout, stderr, .. } = with_log(&log, args);
                assert_clean(&stderr, &what);
                assert_not_forged(&stderr, &what);
                if !is_data {
                    assert_clean(&stdout, &what);
                }
                // The answer under a timeline stands at the margin, in as many lines as it has.
                if !is_data && args[0] != "timeline" {
                    assert_not_forged(&stdout, &what);
                }
            }
        }
    }
}

#[test]
fn a_terminal_with_colors_sees_the_styles_of_the_command_alone() {
    for (log, command) in [(MORE, "replay"), (MORE, "check"), (MORE, "stats"), (COARSE, "timeline")] {
        for (field, log) in poisoned(log) {
            let Ran { stdout, .. } = forced_color(&log, &[command, "-"]);
            for mark in ["\u{1b}[7m", "\u{1b}]", "\u{7}", "\u{9b}", "\u{202e}"] {
                assert!(!stdout.contains(mark), "{field}: {command}: {stdout:?}");
            }
        }
        assert!(forced_color(log, &[command, "-"]).stdout.contains("\u{1b}["), "{command}");
    }
}

#[test]
fn data_keeps_the_text_of_the_log_as_it_is() {
    let log = format!("{}\n", serde_json::json!({ "type": "AGENT_START", "replyId": POISON, "name": POISON }));
    let messages: Value = serde_json::from_str(&with_log(&log, &["replay", "-", "--format", "json"]).stdout).unwrap();
    assert_eq!((messages[0]["id"].as_str(), messages[0]["name"].as_str()), (Some(POISON), Some(POISON)));
    let findings: Value = serde_json::from_str(&with_log(&log, &["check", "-", "--format", "json"]).stdout).unwrap();
    assert_eq!(findings[0]["reply"], POISON);
}
