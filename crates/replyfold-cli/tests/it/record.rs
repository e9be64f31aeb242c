//! `replyfold record`

mod kill;

use crate::run::{command, replyfold, with_log};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::sync::mpsc::channel;
use std::time::Duration;

/// As the log is written: five events.
const LOG: &str = r#"{"type":"AGENT_START","id":"e1","createdAt":"2026-01-01T00:00:00Z","replyId":"r1","role":"assistant","name":"Friday"}
{"type":"TEXT_BLOCK_START","id":"e2","createdAt":"2026-01-01T00:00:01Z","replyId":"r1","blockId":"b1"}
{"type":"TEXT_BLOCK_DELTA","id":"e3","createdAt":"2026-01-01T00:00:02Z","replyId":"r1","blockId":"b1","delta":"Hello"}
{"type":"TEXT_BLOCK_END","id":"e4","createdAt":"2026-01-01T00:00:03Z","replyId":"r1","blockId":"b1"}
{"type":"AGENT_END","id":"e5","createdAt":"2026-01-01T00:00:04Z","replyId":"r1","finishedReason":"completed"}
"#;

/// No machine is so slow.
pub(super) const DEADLINE: Duration = Duration::from_secs(60);

#[test]
fn what_is_recorded_is_acknowledged_and_reads_as_it_came() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["run.jsonl", "run.jsonl.zst"] {
        let path = dir.path().join(name);
        let log = path.to_str().unwrap();
        for sync in ["event", "1", "close"] {
            let ran = with_log(LOG, &["record", log, "--ack", "--sync", sync]);
            let first = ["event", "1", "close"].iter().position(|word| *word == sync).unwrap() * 5;
            let wanted: String = (first..first + 5).map(|position| format!("{position}\n")).collect();
            assert_eq!((ran.code, ran.stdout, ran.stderr.as_str()), (0, wanted, ""));
        }
        let read = replyfold(&["convert", log, "--to", "canonical"]);
        assert_eq!(read.stdout, LOG.repeat(3));
        assert_eq!(fs::read(&path).unwrap().starts_with(b"{"), name == "run.jsonl");
    }
    let quiet = with_log(LOG, &["record", dir.path().join("quiet").to_str().unwrap()]);
    assert_eq!((quiet.code, quiet.stdout.as_str(), quiet.stderr.as_str()), (0, "", ""));
}

#[test]
fn every_command_reads_all_segments_of_the_base_and_names_the_one_where_something_is_wrong() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.jsonl");
    let log = path.to_str().unwrap();
    assert_eq!(with_log(LOG, &["record", log, "--max-bytes", "150"]).code, 0);
    assert!(dir.path().join("run.00004.jsonl").exists());
    assert_eq!(replyfold(&["convert", log, "--to", "canonical"]).stdout, LOG);
    assert_eq!(replyfold(&["replay", log, "--format", "json"]).stdout, with_log(LOG, &["replay", "-", "--format", "json"]).stdout);
    assert!(
        replyfold(&["stats", log]).stdout.starts_with("log  5 records, 0 bad, 1 replies")
            || replyfold(&["stats", log]).stdout.starts_with("log  5 records, 0 bad, 1 reply")
    );

    let third = dir.path().join("run.00002.jsonl");
    let text = fs::read_to_string(&third).unwrap();
    fs::write(&third, format!("\nnonsense\n{text}")).unwrap();
    let told = replyfold(&["replay", log]).stderr;
    assert!(told.contains("run.jsonl: segment 2, line 2 (byte 1): bad record: "), "{told}");
    let found = replyfold(&["check", log]).stdout;
    assert!(found.starts_with("segment 2, line 2: no event: not JSON"), "{found}");
    let json = replyfold(&["check", log, "--format", "json"]).stdout;
    assert!(json.starts_with(r#"[{"kind":"bad_record","segment":2,"line":2,"#), "{json}");
    fs::remove_file(third).unwrap();
    let ran = replyfold(&["replay", log]);
    assert!(
        ran.code == 2 && ran.stderr.contains("run.00002.jsonl: cannot open the log: it is missing, and run.00004.jsonl is there"),
        "{}",
        ran.stderr
    );
}

#[test]
fn what_is_mended_or_refused_is_told_on_standard_error() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.jsonl");
    let log = path.to_str().unwrap();
    fs::write(&path, format!("{LOG}{}", &LOG[..50])).unwrap();
    let ran = with_log(LOG, &["record", log, "--ack"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "5\n6\n7\n8\n9\n"));
    let side = format!("{log}.{}.torn", LOG.len());
    assert_eq!(ran.stderr, format!("replyfold: {log}: 50 bytes of a cut write at byte {} were moved to {side}\n", LOG.len()));
    assert_eq!(fs::read_to_string(side).unwrap(), LOG[..50]);
    assert_eq!(fs::read_to_string(&path).unwrap(), LOG.repeat(2));

    let refused = with_log(LOG, &["record", log, "--dialect", "python"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (2, ""));
    assert!(
        refused.stderr.contains("the log is of the canonical dialect, and python was to be appended: write canonical, or convert"),
        "{}",
        refused.stderr
    );
    for (args, why) in [
        (&["record", "-"][..], "recorded to a file: give its name"),
        (&["record", log, "--sync", "0"], "expected `event`, `close` or a number of milliseconds above 0"),
        (&["record", log, "--max-bytes", "0"], "--max-bytes"),
        (&["record", "no/such/run.jsonl"], "no/such/run.jsonl: cannot open the log for writing: "),
    ] {
        let ran = with_log(LOG, args);
        assert!(ran.code == 2 && ran.stderr.contains(why), "{args:?}: {}", ran.stderr);
    }
    // A record that cannot be read is told, and the others are recorded; a strict run keeps what was before it.
    let bad = LOG.replacen("{\"type\":\"TEXT_BLOCK_END\"", "{\"type\":\"TEXT_BLOCK_END\",,", 1);
    for (strict, code, position) in [(None, 0, 4), (Some("--strict"), 1, 3)] {
        let path = dir.path().join(format!("{code}.jsonl"));
        let args: Vec<&str> = ["record", path.to_str().unwrap()].into_iter().chain(strict).collect();
        let ran = with_log(&bad, &args);
        assert!(ran.code == code && ran.stderr.contains("standard input: line 4 (byte 340)"), "{}", ran.stderr);
        assert_eq!(fs::read_to_string(path).unwrap().lines().count(), position);
    }
}

#[test]
fn what_comes_in_any_form_is_recorded_in_the_dialect_of_the_log() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.jsonl");
    let log = path.to_str().unwrap();
    let capture: String = LOG.lines().map(|line| format!("data: {line}\n\n")).collect();
    assert_eq!(with_log(capture, &["record", log, "--dialect", "java"]).code, 0);
    let array = format!("[{}]", LOG.lines().collect::<Vec<_>>().join(",\n"));
    assert_eq!(with_log(array, &["record", log, "--dialect", "java"]).code, 0);
    let converted = with_log(LOG.repeat(2), &["convert", "-", "--to", "java"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), converted.stdout);

    let coarse = dir.path().join("coarse.jsonl");
    let ran = with_log("{\"type\":\"text\",\"content\":\"Hi\"}\n{\"type\":\"complete\"}\n", &["record", coarse.to_str().unwrap()]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, "replyfold: standard input: coarse records were lifted to fine events\n"));
    assert!(replyfold(&["replay", coarse.to_str().unwrap()]).stdout.contains("Hi"));
}

/// An agent may think for long after its first event: that is safe before another one comes.
#[test]
fn an_event_is_durable_without_another_one_after_it() {
    let dir = tempfile::tempdir().unwrap();
    for (sync, event) in [("event", "{\"type\":\"OK\"}\n"), ("20", LOG.lines().next().unwrap())] {
        let path = dir.path().join(format!("{sync}.jsonl"));
        let mut child = command(&["record", path.to_str().unwrap(), "--ack", "--sync", sync])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (mut stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (tell, told) = channel();
        let listener = std::thread::spawn(move || BufReader::new(stdout).lines().for_each(|line| tell.send(line.unwrap()).unwrap()));
        writeln!(stdin, "{}", event.trim_end()).unwrap();
        assert_eq!(told.recv_timeout(DEADLINE).as_deref(), Ok("0"), "{sync}");
        assert_eq!(fs::read_to_string(&path).unwrap().trim_end(), event.trim_end());
        // One recorder has a log at a time.
        let other = with_log(LOG, &["record", path.to_str().unwrap()]);
        assert!(other.code == 2 && other.stderr.contains("another writer has the log open"), "{}", other.stderr);
        drop(stdin);
        assert!(child.wait().unwrap().success());
        listener.join().unwrap();
    }
}

/// Whoever listens for acknowledgements may go: the events are recorded all the same.
#[test]
fn a_pipe_that_closes_ends_the_acknowledgements_and_not_the_recording() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.jsonl");
    let mut child = command(&["record", path.to_str().unwrap(), "--ack"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    child.stdin.take().unwrap().write_all(LOG.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(fs::read_to_string(&path).unwrap(), LOG);
}
