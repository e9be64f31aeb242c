//! The coarse stream of a run.

use super::{run, script};
use crate::run::{command, ran, replyfold, with_log};
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Stdio;

#[test]
fn the_coarse_stream_is_that_of_the_log() {
    for name in ["weather", "endings"] {
        let ran = run(&format!("{name}.yaml"), &["--coarse", "--lang", "en"]);
        let log = script(&format!("{name}.jsonl"));
        let wanted = replyfold(&["coarse", log.to_str().unwrap(), "--lang", "en"]);
        assert_eq!(ran.stdout, wanted.stdout, "{name}");
    }
    let coarse = run("weather.yaml", &["--coarse"]).stdout;
    assert!(coarse.contains("\"tool_start\"") && coarse.lines().last().unwrap().contains("\"complete\""), "{coarse}");
}

/// Runs a script, and the coarse stream of the log that it writes.
fn both(text: &str) -> (crate::run::Ran, String) {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.jsonl");
    let log = log.to_str().unwrap();
    let ran = with_log(text, &["run", "--script", "-", "--seed", "1", "--coarse", "--lang", "en", "--log", log]);
    (ran, replyfold(&["coarse", log, "--lang", "en"]).stdout)
}

#[test]
fn a_stream_has_its_end_whatever_happens() {
    let asks = "tools: [{name: mail, ask: true}, {name: page, external: true}]
model: [[call: {name: mail, id: c1, arguments: {to: Ada}}]]
input: [say: hi";
    let outside = asks.replace("name: mail, id", "name: page, id");
    for (text, code, told) in [
        (format!("{asks}]"), 0, "CONFIRMATION_REQUIRED"),
        (format!("{outside}]"), 0, "EXTERNAL_EXECUTION_REQUIRED"),
        // An input that is refused.
        (format!("{asks}, say: hello]"), 2, "CONFIRMATION_REQUIRED"),
        (format!("{outside}, answer: {{c1: yes}}]"), 2, "EXTERNAL_EXECUTION_REQUIRED"),
    ] {
        let (ran, wanted) = both(&text);
        assert_eq!((ran.code, ran.stdout.as_str()), (code, wanted.as_str()), "{text}");
        assert!(wanted.contains(told) && wanted.ends_with("{\"type\":\"complete\"}\n"), "{wanted}");
    }
}

#[test]
fn a_stream_goes_on_in_another_process() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (state, log) = (path("state.json"), path("log.jsonl"));
    let kept = ["--state", &state, "--log", &log, "--coarse"];
    let asked = run("ask.yaml", &kept);
    assert_eq!((asked.code, asked.stdout.as_str()), (0, "{\"type\":\"text\",\"content\":\"I write to her.\"}\n"));
    // An answer that is refused leaves it as it is.
    let text = "model: []\ninput: [{answer: {c9: yes}}]\n";
    let refused = with_log(text, &[&["run", "--script", "-"], &kept[..]].concat());
    assert_eq!((refused.code, refused.stdout.as_str()), (2, ""));
    let answered = run("answer.yaml", &kept).stdout;
    assert!(
        answered.contains(r#""toolName":"mail","toolCallId":"c1","arguments":"{\"to\":\"Ada\",\"text\":\"Dear Ada!\"}""#),
        "{answered}"
    );
    assert_eq!(asked.stdout + &answered, replyfold(&["coarse", &log]).stdout);
}

#[test]
fn a_stream_has_its_end_where_the_state_cannot_be_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    // More than a pipe holds: the run is in the middle of it as long as nobody reads on.
    let long = "x".repeat(1 << 20);
    let text = format!(
        "tools: [{{name: mail, ask: true}}]
model: [[text: first, text: {long}, call: {{name: mail, id: c1}}]]
input: [say: hi]
"
    );
    std::fs::write(path("script.yaml"), text).unwrap();
    std::fs::create_dir(path("kept")).unwrap();
    let (script, state) = (path("script.yaml"), path("kept/state.json"));
    let mut command = command(&["run", "--script", &script, "--coarse", "--state", &state]);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut shown = String::new();
    out.read_line(&mut shown).unwrap();
    assert!(shown.contains("first"), "{shown}");
    std::fs::remove_dir_all(path("kept")).unwrap();
    out.read_to_string(&mut shown).unwrap();
    let ran = ran(child.wait_with_output().unwrap());
    let end: Vec<&str> = shown.lines().rev().take(2).collect();
    assert!(end[0] == "{\"type\":\"complete\"}" && end[1].contains("CONFIRMATION_REQUIRED"), "{end:?}");
    assert!(ran.code == 2 && ran.stderr.starts_with(&format!("replyfold: {state}: the state cannot be kept: ")), "{}", ran.stderr);
}
