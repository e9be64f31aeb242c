//! Every prefix of every recorded Python log, against what `reduction.md` demands and, where the two do not part, against what the real
//! reducer made of it.

use crate::corpus::{fixtures, json, lines, names, read};
use replyfold_dialect::{Dialect, EventReader, LoneSurrogates, ReadOptions, write_msg};
use replyfold_reduce::SessionReducer;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    fixtures().join("conformance/python").join(name)
}

/// The messages of a session as Python's JSON, built anew only where a message changed.
#[derive(Default)]
struct Shown {
    texts: BTreeMap<String, Value>,
}

impl Shown {
    fn messages(&mut self, session: &SessionReducer, changed: Option<&str>) -> Value {
        let messages = session.replies().map(|reply| {
            let id = reply.message().id.as_str();
            if changed == Some(id) || !self.texts.contains_key(id) {
                let mut out = Vec::new();
                write_msg(reply.message(), Dialect::Python, &mut out);
                self.texts.insert(id.to_owned(), serde_json::from_slice(&out).unwrap());
            }
            self.texts[id].clone()
        });
        Value::Array(messages.collect())
    }
}

fn check(folder: &Path, scenario: &Value, differs: bool) -> usize {
    let name = scenario["name"].as_str().unwrap();
    let events = read(&folder.join(format!("{name}.events.jsonl")));
    let expected = read(&folder.join(format!("{name}.expected.jsonl")));
    let prefixes = read(&folder.join(format!("{name}.prefixes.jsonl")));
    let (lines, expected, prefixes) = (lines(&events), lines(&expected), lines(&prefixes));
    let ks: Vec<usize> = match scenario["ks"].as_array() {
        Some(ks) => ks.iter().map(|k| k.as_u64().unwrap() as usize).collect(),
        None => (0..=lines.len()).collect(),
    };
    assert_eq!((expected.len(), prefixes.len()), (ks.len(), ks.len()), "{name}");
    let lone_surrogates = scenario["lone_surrogates"] == true;
    let options = ReadOptions::new().with_lone_surrogates(if lone_surrogates { LoneSurrogates::Replace } else { LoneSurrogates::Refuse });

    let (mut reader, mut session, mut shown) = (EventReader::new(options), SessionReducer::new(), Shown::default());
    let mut k = 0;
    for (at, target) in ks.iter().enumerate() {
        let mut changed = None;
        while k < *target {
            // A record that is refused counts for k and changes nothing.
            if let Ok(read) = reader.read(lines[k]) {
                assert_eq!((read.dialect, read.notes.is_empty() || lone_surrogates), (Dialect::Python, true), "{name}: {}", lines[k]);
                session.apply_at(k as u64, &read.event);
                changed = read.event.reply_id().map(|id| id.to_string());
                if *target - k > 1 {
                    shown.texts.clear();
                }
            }
            k += 1;
        }
        let messages = shown.messages(&session, changed.as_deref());
        // Parsing megabytes of both sides at each prefix would cost minutes, and equal texts need none of it.
        let wanted: Value = serde_json::from_str(expected[at]).unwrap();
        assert!(
            messages == wanted,
            "{name}, k = {k}\n   got {messages}\nwanted {wanted}\n after {}",
            lines.get(k.wrapping_sub(1)).unwrap_or(&"")
        );
        if !differs && expected[at] != prefixes[at] {
            let real: Value = serde_json::from_str(prefixes[at]).unwrap();
            let real = match (real, scenario["multi"] == true) {
                (real, true) => real,
                (Value::Null, false) => Value::Array(Vec::new()),
                (real, false) => Value::Array(vec![real]),
            };
            assert!(messages == real, "{name}, k = {k}: the real reducer made {real}");
        }
    }
    ks.len()
}

/// Checks every scenario of a folder, and that the folder holds no other.
fn check_folder(name: &str) {
    let folder = folder(name);
    let differences = json(&folder.join("differences.json"));
    let manifest = json(&folder.join("manifest.json"));
    let mut scenarios: Vec<_> = manifest["scenarios"].as_array().unwrap().iter().collect();
    scenarios.sort_by_key(|scenario| scenario["name"].as_str().unwrap().to_owned());
    let listed: Vec<&str> = scenarios.iter().map(|scenario| scenario["name"].as_str().unwrap()).collect();
    assert_eq!(listed, names(&folder, ".events.jsonl"));
    let prefixes: usize =
        scenarios.iter().map(|scenario| check(&folder, scenario, differences.get(scenario["name"].as_str().unwrap()).is_some())).sum();
    assert!(prefixes > scenarios.len());
}

#[test]
fn recorded_runs_fold_as_demanded_at_every_prefix() {
    check_folder("runs");
}

#[test]
fn recorded_service_logs_fold_as_demanded_at_every_prefix() {
    check_folder("service");
}

#[test]
fn adversarial_logs_fold_as_demanded_at_every_prefix() {
    check_folder("synthetic");
}

#[test]
fn generated_logs_fold_as_demanded_at_every_prefix() {
    check_folder("fuzz");
}

#[test]
fn a_log_with_half_surrogate_pairs_is_refused_by_default_with_a_clear_error() {
    let mut found = 0;
    for name in ["runs", "service", "synthetic", "fuzz"] {
        let manifest = json(&folder(name).join("manifest.json"));
        for scenario in manifest["scenarios"].as_array().unwrap().iter().filter(|scenario| scenario["lone_surrogates"] == true) {
            let events = read(&folder(name).join(format!("{}.events.jsonl", scenario["name"].as_str().unwrap())));
            let mut reader = EventReader::default();
            let errors: Vec<String> = lines(&events).iter().filter_map(|line| reader.read(line).err()).map(|err| err.to_string()).collect();
            assert!(!errors.is_empty() && errors.iter().all(|err| err.contains("half of a surrogate pair at byte ")), "{errors:?}");
            found += 1;
        }
    }
    // The held corpus has none of them when this number is 0; then the line itself is the test.
    if found == 0 {
        let err = EventReader::default().read(r#"{"type":"TEXT_BLOCK_DELTA","reply_id":"r","block_id":"b","delta":"\ud83d"}"#).unwrap_err();
        assert!(err.is_lone_surrogate());
    }
}
