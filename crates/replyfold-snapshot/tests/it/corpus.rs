//! The recorded corpus: real logs as a front end sees them, and texts that differ where messages do.

use replyfold_coarse::{SessionCollapser, SessionEvent};
use replyfold_event::message::Msg;
use replyfold_snapshot::{Given, SnapshotOptions, assert_coarse_snapshot, assert_timeline_snapshot, given, msg_snapshot, prefix_snapshots};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

fn visit(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            visit(&path, found);
        } else if name.contains("events.jsonl") || name.ends_with(".sse") {
            found.push(path);
        }
    }
}

fn logs() -> Vec<PathBuf> {
    let mut found = Vec::new();
    visit(&fixtures(), &mut found);
    found.sort();
    assert!(found.len() > 100, "the corpus is there");
    found
}

/// The coarse events of a log, its open streams closed.
fn closed(log: &Given) -> Vec<SessionEvent> {
    let mut session = SessionCollapser::new();
    let mut shown: Vec<SessionEvent> = log.events().flat_map(|event| session.push(event).collect::<Vec<_>>()).collect();
    shown.extend(session.finish());
    shown
}

const SHOWN: [&str; 15] = [
    "java/logs/confirm-allowed",
    "java/logs/confirm-edited",
    "java/logs/denied-by-rule",
    "java/logs/external-partial",
    "java/logs/fallback-model",
    "java/logs/text-single",
    "java/logs/tool-returns-error",
    "python/runs/a2a_artifact_stream",
    "python/runs/allowed_bypass_mode",
    "python/runs/ask_confirmed",
    "python/runs/ask_confirmed_modified_input",
    "python/runs/exceed_max_iters_text",
    "python/runs/mixed_hitl",
    "python/runs/model_error_mid_stream",
    "python/runs/tool_not_found",
];

#[test]
fn real_logs_look_as_they_did() {
    let logs = logs();
    for name in SHOWN {
        let is_it = |log: &&PathBuf| log.to_string_lossy().contains(&format!("{name}.events.jsonl"));
        let shown = closed(&given(logs.iter().find(is_it).unwrap_or_else(|| panic!("no {name}"))));
        let name = name.replace('/', "__");
        assert_coarse_snapshot!(format!("coarse__{name}"), shown);
        assert_timeline_snapshot!(format!("timeline__{name}"), shown);
    }
}

/// With nothing redacted, all recorded messages at all their prefixes: one text a message, one message a text.
#[test]
fn recorded_messages_that_differ_have_different_snapshots() {
    let mut seen: BTreeMap<String, Msg> = BTreeMap::new();
    let (mut shown, mut logs_read) = (0, 0);
    for path in logs() {
        let log = given(&path);
        // Long logs are of many pieces, which short ones have too.
        if log.len() > 120 {
            continue;
        }
        logs_read += 1;
        for k in 1..=log.len() {
            for msg in log.at(k).messages() {
                shown += 1;
                let text = msg_snapshot(SnapshotOptions::new().with_ids(false).with_times(false).of(msg));
                let before = seen.entry(text).or_insert_with(|| msg.clone());
                assert_eq!(before, msg, "{}, k = {k}", path.display());
            }
        }
    }
    assert!(logs_read > 150 && shown > 3_000 && seen.len() > 1_500, "{logs_read} logs, {shown} messages, {} texts", seen.len());
    let mut messages: Vec<String> = seen.values().map(Msg::to_json).collect();
    messages.sort();
    messages.dedup();
    assert_eq!(messages.len(), seen.len(), "a message has one text");
}

/// Every prefix whose messages differ from those before it shows a change, and one that shows none has the same messages.
#[test]
fn a_record_shows_a_change_if_and_only_if_it_changes_a_message() {
    let mut changes = 0;
    for path in logs().into_iter().filter(|path| !path.to_string_lossy().contains("fuzz")) {
        let log = given(&path);
        if log.len() > 120 {
            continue;
        }
        let differs: Vec<bool> = (1..=log.len()).map(|k| log.at(k - 1).messages() != log.at(k).messages()).collect();
        changes += differs.iter().filter(|differs| **differs).count();
        let kept = SnapshotOptions::new().with_ids(false).with_times(false);
        for options in [kept, SnapshotOptions::new()] {
            let text = prefix_snapshots(options.of(&log));
            assert_eq!(shows_changes(&text), differs, "{}\n{text}", path.display());
        }
    }
    assert!(changes > 2_000, "{changes}");
}

/// Of each record: whether its lines show a change.
fn shows_changes(text: &str) -> Vec<bool> {
    let shows = |line: &str| ["  + ", "  - ", " = ", " += "].iter().any(|sign| line.contains(sign));
    let mut parts: Vec<bool> = Vec::new();
    for line in text.lines() {
        match line.strip_prefix("  ") {
            Some(change) => *parts.last_mut().unwrap() |= !change.starts_with('!'),
            None => {
                let (k, rest) = line.split_once(' ').unwrap();
                assert_eq!(k.parse::<usize>().unwrap(), parts.len() + 1);
                parts.push(shows(rest));
            }
        }
    }
    parts
}
