//! `replyfold run`

mod coarse;
mod files;

use crate::run::{replyfold, with_log};
use proptest::prelude::*;
use proptest::sample::select;
use std::path::{Path, PathBuf};

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scripts").join(name)
}

fn run(name: &str, more: &[&str]) -> crate::run::Ran {
    let path = script(name);
    let args = [&["run", "--script", path.to_str().unwrap(), "--seed", "1"], more].concat();
    replyfold(&args)
}

/// Runs a script with its input on standard input.
fn piped(text: &str) -> crate::run::Ran {
    with_log(text, &["run", "--script", "-", "--seed", "1"])
}

fn recorded(name: &str) -> String {
    std::fs::read_to_string(script(name)).unwrap()
}

#[test]
fn the_examples_give_what_stands_beside_them_and_check_finds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for (name, code) in [("weather", 0), ("ask", 0), ("endings", 1)] {
        let log = folder.path().join(format!("{name}.jsonl"));
        let log = log.to_str().unwrap();
        let ran = run(&format!("{name}.yaml"), &["--log", log]);
        assert_eq!(ran.code, code, "{name}: {}", ran.stderr);
        assert_eq!(ran.stdout, recorded(&format!("{name}.jsonl")), "{name}");
        assert_eq!(std::fs::read_to_string(log).unwrap(), ran.stdout, "{name}");
        let checked = replyfold(&["check", log]);
        assert_eq!((checked.code, checked.stdout.as_str()), (0, "nothing found\n"), "{name}");
    }
}

#[test]
fn a_reply_goes_on_in_another_process_with_ids_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let (state, log) = (folder.path().join("state.json"), folder.path().join("log.jsonl"));
    let kept = ["--state", state.to_str().unwrap(), "--log", log.to_str().unwrap()];
    let asked = run("ask.yaml", &kept);
    assert!(asked.stderr.contains(" waits for answers to `c1`\n"), "{}", asked.stderr);
    let answered = run("answer.yaml", &kept);
    assert_eq!((answered.code, answered.stderr.as_str()), (0, ""));
    let text = std::fs::read_to_string(&log).unwrap();
    assert_eq!(text, asked.stdout.clone() + &answered.stdout);
    let ids: Vec<String> = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["id"].to_string()).collect();
    assert!(ids.is_sorted_by(|one, other| one < other), "{ids:?}");
    assert_eq!(replyfold(&["check", log.to_str().unwrap()]).stdout, "nothing found\n");
    // Two replies; the first one has the arguments that the person wrote.
    let messages = replyfold(&["replay", log.to_str().unwrap(), "--format", "json"]).stdout;
    assert!(messages.contains("Dear Ada!") && messages.contains("Bob, too."), "{messages}");
    // The state knows the rule that was accepted.
    let kept = std::fs::read_to_string(&state).unwrap();
    let kept: serde_json::Value = serde_json::from_str(&kept).unwrap();
    assert_eq!((kept["rules"].as_array().unwrap().len(), kept["sessionId"].as_str()), (1, Some("s1")));
    assert!(kept.get("parked").is_none());
}

#[test]
fn a_log_whose_name_says_so_is_packed() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.jsonl.zst");
    let ran = run("weather.yaml", &["--log", log.to_str().unwrap()]);
    assert_eq!(zstd::decode_all(std::fs::File::open(&log).unwrap()).unwrap(), ran.stdout.as_bytes());
}

#[test]
fn a_seed_makes_a_run_and_another_seed_another() {
    let weather = script("weather.yaml");
    let with = |seed: &str| replyfold(&["run", "--script", weather.to_str().unwrap(), "--seed", seed]).stdout;
    assert_eq!(with("1"), with("1"));
    assert_ne!(with("1"), with("2"));
}

#[test]
fn what_is_wrong_with_a_script_is_told_with_its_place() {
    for (text, told) in [
        (
            "model: []\ninput:\n  - say: hi\nmodle: []\n",
            "standard input: the script cannot be read: line 4, column 1: unknown field `modle`",
        ),
        ("model: []\ninput:\n  - say: hi\n    nothing: true\n", "input 1 has to be one of `say`, `answer`"),
        (
            "model: []\ninput:\n  - answer: {c1: perhaps}\n",
            "line 3, column 18: `perhaps` is no answer; there are `yes`, `no`, `always` and `edit: {…}`",
        ),
        ("model: []\ninput:\n  - results: {c1: {eror: x}}\n", "is no result"),
        ("model: [[fail: {kind: hunger}]]\ninput: []\n", "`hunger` is no class of failures"),
        ("model: []\ninput:\n  - answer: {c1: yes}\n", "input 1: no reply waits for a person's answer"),
        ("model: []\ninput:\n  - results: {c1: x}\n", "input 1: no reply waits for a result from outside"),
        ("model: []\ninput: []\ntools: [{name: a}, {name: a}]\n", "`a`"),
        ("model: []\ninput: []\ntools: [{name: a, parameters: {type: 5}}]\n", "`a`"),
        ("", "standard input: "),
        ("model: []\ninput: [{say: hi, interrupt_after: 0}]\n", "input 1 is interrupted behind its first event at the earliest: say"),
        ("model: []\ninput: []\nmiddleware: [{time: 0}, {time: 1440}]\n", "middleware 2: `time: 1440` is no zone: say how many minutes"),
        ("model: []\ninput: []\nmiddleware: [{time: -99999}]\n", "middleware 1: `time: -99999` is no zone"),
        ("model: []\ninput: []\nretry: {announce: false, midstream: true}\n", "`announce: false` and `midstream: true` exclude each"),
        ("model: []\ninput: []\nagent: {concurrency: 0}\n", "`concurrency: 0` lets no call run: say 1 or more"),
        ("model: []\ninput: []\ntools: [{name: a, ask: true, deny: no}]\n", "tool `a`: `ask` and `deny` exclude each other"),
        ("model: []\ninput: []\ntools: [{name: a, external: true, runs: [[]]}]\n", "tool `a`: `external` and `runs` exclude each other"),
        ("model: []\ninput: []\ntools: [{name: a, external: true, timeout: 9}]\n", "tool `a`: `external` and `timeout` exclude each"),
    ] {
        let ran = piped(text);
        assert!(ran.code == 2 && ran.stderr.contains(told), "{text}: {} {}", ran.code, ran.stderr);
        assert_eq!(ran.stdout, "", "{text}");
    }
    let ran = replyfold(&["run", "--script", "no-such-file.yaml"]);
    assert!(ran.code == 2 && ran.stderr.starts_with("replyfold: no-such-file.yaml: "), "{}", ran.stderr);
}

#[test]
fn an_answer_to_a_call_that_does_not_wait_is_told_and_the_state_stays() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state.json");
    run("ask.yaml", &["--state", state.to_str().unwrap()]);
    let before = std::fs::read_to_string(&state).unwrap();
    let text = "model: []\ninput:\n  - answer: {c9: yes}\n";
    let ran = with_log(text, &["run", "--script", "-", "--state", state.to_str().unwrap()]);
    assert!(ran.code == 2 && ran.stderr.contains("input 1: call `c9` does not wait for a person's answer"), "{}", ran.stderr);
    assert_eq!(std::fs::read_to_string(&state).unwrap(), before);
    // A state that is none.
    std::fs::write(&state, "{\"messages\": []}").unwrap();
    let ran = with_log(text, &["run", "--script", "-", "--state", state.to_str().unwrap()]);
    assert!(ran.code == 2 && ran.stderr.contains("state.json: this is no state of an agent"), "{}", ran.stderr);
}

#[test]
fn middleware_of_one_kind_counts_for_itself() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state.json");
    let text = "middleware: [{budget: {model_calls: 2}}, {time: 0}, {budget: {tokens: 9}}, {time: 60}]
tools: [{name: a}]
model: [[call: {name: a}, usage: {input: 3, output: 1}], [text: done]]
input: [say: hi]
";
    let ran = with_log(text, &["run", "--script", "-", "--seed", "1", "--state", state.to_str().unwrap()]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let kept: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&state).unwrap()).unwrap();
    for key in ["budget", "budget#2"] {
        let spent = &kept["kept"][key];
        assert_eq!((&spent["modelCalls"], &spent["inputTokens"]), (&2.into(), &3.into()), "{kept}");
    }
    let hints: Vec<&str> = ran.stdout.lines().filter(|line| line.contains("\"HINT_BLOCK\"")).collect();
    assert!(hints.len() == 2 && hints[0].contains("(UTC+00:00)") && hints[1].contains("(UTC+01:00)"), "{hints:?}");
}

#[test]
fn what_an_input_does_in_vain_is_told() {
    let ran = piped("model: [[text: a]]\ninput: [{interrupt: true}, {say: hi, interrupt_after: 99}]\n");
    let told = "replyfold: standard input: input 1: no reply waits, so there is nothing to interrupt
replyfold: standard input: input 2: its run was over behind event 7, so `interrupt_after: 99` did nothing
";
    assert_eq!((ran.code, ran.stderr.as_str()), (0, told));
    // A reply that waits is interrupted, and is told of if it is not.
    let text = "tools: [{name: a, ask: true}, {name: b, external: true}]
model: [[call: {name: a, id: c1}, call: {name: b, id: c2}]]
input: [{say: hi}]
";
    let ran = piped(text);
    assert!(ran.code == 0 && ran.stderr.ends_with(" waits for answers to `c1`\n"), "{}", ran.stderr);
    let ran = piped(&text.replace("say: hi", "say: hi}, {interrupt: true"));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let ran = piped(&text.replace("ask: true", "external: true").replace("hi}", "hi}, {results: {c1: x}}"));
    assert!(ran.code == 0 && ran.stderr.ends_with(" waits for results of `c2`\n"), "{}", ran.stderr);
}

#[test]
fn why_a_call_failed_stands_on_a_line_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.jsonl");
    let text = "tools:
  - {name: a, runs: [[text: half, fail: no luck], [text: \"whole\\n\", fail: no luck], [fail: no luck], [text: half, wait: 9, text: never]]}
model: [[call: {name: a}], [call: {name: a}], [call: {name: a}], [call: {name: a}]]
input: [{say: hi, interrupt_after: 30}]
";
    let ran = with_log(text, &["run", "--script", "-", "--seed", "1", "--log", log.to_str().unwrap()]);
    let shown = replyfold(&["replay", log.to_str().unwrap(), "--format", "json"]).stdout;
    let messages: serde_json::Value = serde_json::from_str(&shown).unwrap();
    let blocks = messages[0]["content"].as_array().unwrap().iter().filter(|block| block["type"] == "tool_result");
    let results: Vec<&str> = blocks.map(|block| block["output"][0]["text"].as_str().unwrap()).collect();
    let interrupted = "half\nThe call was interrupted before it was done. Do not take its effects for granted.";
    assert_eq!(results, ["half\nno luck", "whole\nno luck", "no luck", interrupted], "{}", ran.stdout);
}

#[test]
fn turns_that_were_not_played_are_told_and_a_script_that_is_over_is_a_failure() {
    let ran = piped("model: [[text: a], [text: b]]\ninput: [{say: hi}]\n");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, "replyfold: 1 of the turns of `model` were not played\n"));
    // Without a seed, so a retry would take its time: there is none, and the fallback answers.
    for (text, code, last) in [
        ("model: []\ninput: [{say: hi}]\n", 1, "\"finishedReason\":\"error\""),
        ("model: []\nfallback: [[text: hello]]\ninput: [{say: hi}]\n", 0, "\"finishedReason\":\"completed\""),
    ] {
        let ran = with_log(text, &["run", "--script", "-"]);
        assert!(ran.code == code && ran.stdout.lines().last().unwrap().contains(last), "{}", ran.stdout);
        assert!(!ran.stdout.contains("\"delayMs\":10000"), "{}", ran.stdout);
    }
}

/// A step of a turn. Arguments are those that a model writes well, and pieces belong to a call.
fn step() -> impl Strategy<Value = String> {
    let call = (select(vec!["safe", "plain", "fails", "slow", "asks", "denied", "outside", "unknown"]), select(vec!["c1", "c2", "c3"]));
    prop_oneof![
        3 => select(vec!["text: Hello", "text: ' '", "thinking: hm", "wait: 30", "usage: {input: 3, output: 1}"]).prop_map(str::to_owned),
        3 => call.prop_map(|(name, id)| format!("call: {{name: {name}, id: {id}, arguments: {{x: 1}}}}")),
        1 => select(vec!["fail: {kind: server}", "fail: {kind: authentication}", "cut: true", "finish: length"]).prop_map(str::to_owned),
    ]
}

fn an_input() -> impl Strategy<Value = String> {
    let answer = select(vec!["yes", "no", "always", "{edit: {x: 2}}"]);
    prop_oneof![
        4 => Just("say: hi".to_owned()),
        1 => (1..30_u64).prop_map(|at| format!("say: hi\n    interrupt_after: {at}")),
        2 => answer.prop_map(|answer| format!("answer: {{c1: {answer}}}")),
        1 => Just("results: {c1: from outside}".to_owned()),
        2 => Just("interrupt: true".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// What the loop writes is a log that nothing is wrong with, wherever it was stopped.
    #[test]
    fn check_finds_nothing_in_what_any_script_writes(
        turns in prop::collection::vec(prop::collection::vec(step(), 0..6), 0..6),
        inputs in prop::collection::vec(an_input(), 1..5),
        retries in 0..2_u64,
        layers in select(vec![
            "[]",
            "[{time: 0}, {result_limit: 3}, {budget: {model_calls: 2}}]",
            "[{budget: {model_calls: 2}}, {time: 0}, {budget: {tokens: 9}}, {time: 60}]",
        ]),
    ) {
        let turns: String = turns.iter().map(|turn| format!("  - [{}]\n", turn.iter().map(|step| format!("{{{step}}}")).collect::<Vec<_>>().join(", "))).collect();
        let inputs: String = inputs.iter().map(|input| format!("  - {input}\n")).collect();
        let text = format!("agent: {{max_rounds: 3}}
retry: {{max_retries: {retries}}}
middleware: {layers}
tools:
  - {{name: safe, safe: true, runs: [[{{text: a}}, {{wait: 20}}, {{text: bcdef}}]]}}
  - {{name: plain, runs: [[{{text: done}}]]}}
  - {{name: fails, safe: true, runs: [[{{text: it begins}}, {{fail: no luck}}]]}}
  - {{name: slow, timeout: 50, runs: [[{{wait: 100}}]]}}
  - {{name: asks, ask: true, runs: [[{{text: done}}]]}}
  - {{name: denied, deny: no}}
  - {{name: outside, external: true}}
model:
{turns}  - []
input:
{inputs}");
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log.jsonl");
        let ran = with_log(&text, &["run", "--script", "-", "--seed", "7", "--log", log.to_str().unwrap()]);
        // An input that cannot be taken as things are ends the run with 2.
        prop_assert!(ran.code == 2 && ran.stderr.contains(": input ") || ran.code < 2, "{}\n{}", text, ran.stderr);
        prop_assert_eq!(std::fs::read_to_string(&log).unwrap(), ran.stdout);
        let checked = replyfold(&["check", log.to_str().unwrap()]);
        prop_assert_eq!(checked.stdout.as_str(), "nothing found\n", "{}", text);
    }
}
