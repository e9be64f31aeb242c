//! The files of a run.

use crate::run::replyfold;

#[cfg(unix)]
#[test]
fn a_file_is_not_two_things_by_whatever_names() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let text = "model: [[text: a]]\ninput: [{say: hi}]\n";
    std::fs::write(path("script.yaml"), text).unwrap();
    std::fs::write(path("x"), "").unwrap();
    std::fs::write(path("log.00001.jsonl"), "").unwrap();
    std::fs::write(path("log.jsonl"), "").unwrap();
    std::fs::create_dir(path("folder")).unwrap();
    symlink("x", path("soft")).unwrap();
    symlink("new", path("dangling")).unwrap();
    std::fs::hard_link(path("x"), path("hard")).unwrap();
    std::fs::hard_link(path("script.yaml"), path("script-too.yaml")).unwrap();
    let here = std::env::current_dir().unwrap();
    let relative = "../".repeat(here.components().count()) + folder.path().join("new").to_str().unwrap().trim_start_matches('/');
    for (script, log, state, told) in [
        ("script.yaml", path("new"), path("new"), "--state and --log"),
        ("script.yaml", path("new"), path("folder/../new"), "--state and --log"),
        ("script.yaml", path("new"), relative, "--state and --log"),
        ("script.yaml", path("new"), path("dangling"), "--state and --log"),
        ("script.yaml", path("x"), path("soft"), "--state and --log"),
        ("script.yaml", path("hard"), path("x"), "--state and --log"),
        ("script.yaml", path("script.yaml"), path("state"), "--script and --log"),
        ("script.yaml", path("log"), path("script-too.yaml"), "--script and --state"),
        ("script.yaml", path("log.jsonl"), path("log.00001.jsonl"), "--state and --log"),
    ] {
        let ran = replyfold(&["run", "--script", &path(script), "--log", &log, "--state", &state]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{log} {state}: {}", ran.stderr);
        let told = format!("{told} are one file, and would overwrite each other: give each its own\n");
        assert!(ran.stderr.ends_with(&told), "{log} {state}: {}", ran.stderr);
    }
    // What the shell has opened.
    for (name, told) in [("--log", "standard output and --log"), ("--state", "standard output and --state")] {
        let out = std::fs::OpenOptions::new().append(true).open(path("x")).unwrap();
        let mut command = crate::run::command(&["run", "--script", &path("script.yaml"), name, &path("x")]);
        let ran = crate::run::ran(command.stdout(out).stderr(std::process::Stdio::piped()).output().unwrap());
        assert!(ran.code == 2 && ran.stderr.contains(told), "{}", ran.stderr);
    }
    for name in ["--log", "--state"] {
        let ran = replyfold(&["run", "--script", &path("script.yaml"), name, "-"]);
        assert!(ran.code == 2 && ran.stderr.contains("writes a file: give its name"), "{}", ran.stderr);
    }
    let script = || std::fs::read_to_string(path("script.yaml")).unwrap();
    assert!(script() == text && std::fs::read(path("x")).unwrap().is_empty() && !std::fs::exists(path("new")).unwrap());
    // Files that are none of this may be anywhere, and standard output and error the same.
    let ran = replyfold(&["run", "--script", &path("script.yaml"), "--log", &path("x"), "--state", &path("new")]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
}

#[test]
fn a_state_that_cannot_be_kept_is_told_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("script.yaml"), "model: [[text: a]]\ninput: [{say: hi}]\n").unwrap();
    let run = |state: &str| replyfold(&["run", "--script", &path("script.yaml"), "--log", &path("log"), "--state", state]);
    let state = path("no/state.json");
    let told = format!("replyfold: {state}: the state cannot be kept: no file can be written in `{}`: No such file", path("no"));
    let ran = run(&state);
    assert!(ran.code == 2 && ran.stdout.is_empty() && ran.stderr.starts_with(&told), "{}", ran.stderr);
    let ran = run(folder.path().to_str().unwrap());
    assert!(ran.code == 2 && ran.stdout.is_empty() && ran.stderr.contains(": the state cannot be read: "), "{}", ran.stderr);
    assert!(!std::fs::exists(path("log")).unwrap());
}

#[cfg(unix)]
#[test]
fn a_link_to_a_state_stays_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("script.yaml"), "model: [[text: a]]\ninput: [{say: hi}]\n").unwrap();
    std::fs::create_dir(path("kept")).unwrap();
    std::os::unix::fs::symlink("kept/state.json", path("state.json")).unwrap();
    for messages in [2, 4] {
        let ran = replyfold(&["run", "--script", &path("script.yaml"), "--state", &path("state.json")]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        let text = std::fs::read_to_string(path("kept/state.json")).unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap()["context"].as_array().unwrap().len(), messages);
        assert!(std::fs::symlink_metadata(path("state.json")).unwrap().is_symlink());
    }
}
