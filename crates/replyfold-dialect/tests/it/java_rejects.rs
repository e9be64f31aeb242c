//! What Jackson accepts and refuses, and what it writes for what it accepted; the lines are told to be Java's.

use crate::corpus;
use crate::java_values::{read, same, write};
use replyfold_dialect::{Dialect, EventReader, ReadOptions, is_known_type};
use replyfold_message::json::{Fields, Value};
use std::collections::BTreeSet;

/// Cases of which we decide otherwise than Jackson: group, case, reason.
const DECIDED_OTHERWISE: &[(&str, &str, &str)] = &[
    ("alias-whole-event", "RUN_STARTED", LEGACY),
    ("alias-whole-event", "RUN_FINISHED", LEGACY),
    ("alias-whole-event", "REPLY_END", LEGACY),
    ("alias-whole-event", "MODEL_CALL_ENDED", LEGACY),
    ("alias-whole-event", "BINARY_BLOCK_START", LEGACY),
    ("alias-whole-event", "BINARY_BLOCK_END", LEGACY),
    ("alias-whole-event", "TOOL_RESULT_BINARY_DELTA", LEGACY),
    ("python", "reply-start", LEGACY),
    ("alias-enum-only", "null", "an event has a type"),
    ("type", "unknown", UNKNOWN),
    ("type", "padded", UNKNOWN),
    ("type", "class-name", UNKNOWN),
    ("type", "user-interrupt-of-python", "an extension is read in every dialect"),
    ("block", "base-class-name", "a class of Java's, not of the format"),
    ("block", "source-base-class-name", "a class of Java's, not of the format"),
    ("json", "null", "nothing is no event; a line must not vanish"),
    ("json", "trailing-token", "what follows must not vanish"),
    ("json", "two-documents", "what follows must not vanish"),
    ("json", "number-1100-digits", "numbers are kept as text, whatever their length"),
];

const LEGACY: &str = "legacy names are read on whole events too (`wire.md` section 5)";
const UNKNOWN: &str = "an event of a type that is not known is kept with its text";

/// Accepted cases of which we keep more than Jackson: group, case, reason.
const KEPT_OTHERWISE: &[(&str, &str, &str)] = &[
    ("block", "text-with-id-of-python", "text blocks may have ids"),
    ("block", "data-no-id", "ids are not invented"),
    ("block", "data-empty-id", "ids are not invented"),
    ("block", "tool_use-numbers", "numbers are kept as they were written"),
    ("json", "custom-big-numbers", "numbers are kept as they were written"),
];

/// Accepted events that Jackson writes in another form than they came in, and we do not: group, case, what of them.
const EVENTS_WRITTEN_AS_THEY_CAME: &[(&str, &str, &str)] = &[
    ("unknown-property", "in-tool-call", "a block"),
    ("unknown-property", "in-confirm-result", "an answer"),
    ("unknown-property", "in-result-msg", "a message"),
    ("json", "custom-big-numbers", "a value"),
];

#[test]
fn values_are_accepted_and_refused_as_jackson_does() {
    let mut decided_otherwise = BTreeSet::new();
    for case in cases() {
        let ours = if case.target == "AgentEventType" { bare_type(&case.input) } else { read(&case.target, &case.input).map(drop) };
        if case.target == "AgentEvent" {
            let mut reader = EventReader::new(ReadOptions::new().with_dialect(Dialect::Java));
            assert_eq!(reader.read(&case.input).is_ok(), ours.is_ok(), "a log and a single event differ: {}", case.name());
        }
        if ours.is_ok() != case.accepted {
            assert!(case.is_listed(DECIDED_OTHERWISE), "{}: Jackson accepts it: {}, we have {ours:?}", case.name(), case.accepted);
            decided_otherwise.insert((case.group, case.case));
        }
    }
    assert_eq!(decided_otherwise, listed(DECIDED_OTHERWISE));
}

#[test]
fn accepted_values_say_what_jackson_writes_for_them() {
    let (mut kept_otherwise, mut written_as_it_came) = (BTreeSet::new(), BTreeSet::new());
    for case in cases() {
        let Some(output) = &case.output else { continue };
        if case.target == "AgentEventType" {
            continue;
        }
        let (Ok(ours), Ok(theirs)) = (read(&case.target, &case.input), read(&case.target, output)) else {
            assert!(case.is_listed(DECIDED_OTHERWISE), "{}", case.name());
            continue;
        };
        let written = write(&case.target, &ours);
        if !same(&written, output) {
            // A block, an answer, a message or a value that Jackson would write in another form keeps the one it came in.
            assert!(same(&written, &case.input), "{}\n{}\n{output}\n{written}", case.name(), case.input);
            if case.target == "AgentEvent" {
                written_as_it_came.insert((case.group.clone(), case.case.clone()));
            }
        }
        if ours != theirs {
            assert!(case.is_listed(KEPT_OTHERWISE), "{}\n{}\n{output}", case.name(), case.input);
            kept_otherwise.insert((case.group, case.case));
        }
    }
    assert_eq!(kept_otherwise, listed(KEPT_OTHERWISE));
    assert_eq!(written_as_it_came, listed(EVENTS_WRITTEN_AS_THEY_CAME));
}

/// A type on its own: known, by the name that Jackson writes for it.
fn bare_type(input: &str) -> Result<(), String> {
    let name = Value::parse(input).unwrap().string().map_err(|err| err.to_string())?;
    if is_known_type(&name) { Ok(()) } else { Err(format!("{name} is not known")) }
}

#[test]
fn legacy_types_are_read_as_the_types_that_jackson_makes_of_them() {
    let mut count = 0;
    for case in cases().into_iter().filter(|case| case.target == "AgentEventType") {
        let Some(output) = case.output.filter(|output| output != "null") else { continue };
        let event = replyfold_dialect::read_event(&format!(r#"{{"type":{}}}"#, case.input), Dialect::Java).unwrap();
        assert_eq!(format!("{:?}", event.type_name()), output, "{}", case.input);
        count += 1;
    }
    assert!(count > 0);
}

fn listed(table: &[(&str, &str, &str)]) -> BTreeSet<(String, String)> {
    table.iter().map(|(group, case, _)| ((*group).to_owned(), (*case).to_owned())).collect()
}

impl Case {
    fn name(&self) -> String {
        format!("{} / {} / {}", self.group, self.case, self.target)
    }

    fn is_listed(&self, table: &[(&str, &str, &str)]) -> bool {
        table.iter().any(|(group, case, _)| *group == self.group && *case == self.case)
    }
}

struct Case {
    group: String,
    case: String,
    target: String,
    input: String,
    accepted: bool,
    output: Option<String>,
}

fn cases() -> Vec<Case> {
    let text = corpus::read(&corpus::folder("java").join("rejects.jsonl"));
    corpus::lines(&text).map(case).collect()
}

fn case(line: &str) -> Case {
    let fields = Fields::parse(line).unwrap();
    let string = |key| fields.get(key).unwrap().string().unwrap().into_owned();
    let verdict = fields.get("lenient").unwrap().object().unwrap();
    Case {
        group: string("group"),
        case: string("case"),
        target: string("target"),
        input: string("input"),
        accepted: verdict.get("ok").unwrap().bool().unwrap(),
        output: verdict.present("output").map(|output| output.string().unwrap().into_owned()),
    }
}
