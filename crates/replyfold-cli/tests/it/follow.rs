//! `replyfold replay --follow`

use crate::run::{LOG, command, fixture, replyfold, with_log};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// A command that runs, and what it has written so far.
struct Running {
    child: Child,
    stdout: Arc<Mutex<Vec<u8>>>,
    stderr: Arc<Mutex<Vec<u8>>>,
    readers: [JoinHandle<()>; 2],
}

fn gather(mut from: impl Read + Send + 'static) -> (Arc<Mutex<Vec<u8>>>, JoinHandle<()>) {
    let gathered = Arc::new(Mutex::new(Vec::new()));
    let into = Arc::clone(&gathered);
    let reader = thread::spawn(move || {
        let mut room = [0; 4096];
        while let Ok(count @ 1..) = from.read(&mut room) {
            into.lock().unwrap().extend_from_slice(&room[..count]);
        }
    });
    (gathered, reader)
}

impl Running {
    fn start(args: &[&str]) -> Self {
        let mut child = command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (stdout, of_stdout) = gather(child.stdout.take().unwrap());
        let (stderr, of_stderr) = gather(child.stderr.take().unwrap());
        Self { child, stdout, stderr, readers: [of_stdout, of_stderr] }
    }

    fn text(&self) -> String {
        String::from_utf8(self.stdout.lock().unwrap().clone()).unwrap()
    }

    /// Waits until it is so, or time is up.
    fn until(&mut self, what: &str, mut is_so: impl FnMut(&mut Self) -> bool) {
        let deadline = Instant::now() + Duration::from_secs(60);
        while !is_so(self) {
            let told = String::from_utf8_lossy(&self.stderr.lock().unwrap()).into_owned();
            assert!(Instant::now() < deadline, "not {what}: {:?} {told}", self.text());
            thread::sleep(Duration::from_millis(2));
        }
    }

    fn prints(&mut self, text: &str) {
        self.until(text, |running| running.text() == text);
    }

    fn ends_with(mut self, code: i32) -> String {
        self.until("ended", |running| running.child.try_wait().unwrap().is_some() && running.readers.iter().all(JoinHandle::is_finished));
        assert_eq!(self.child.wait().unwrap().code(), Some(code));
        self.text()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // One that has ended is no matter.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn append(path: &Path, text: &str) {
    std::fs::OpenOptions::new().append(true).create(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
}

fn place() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("run.jsonl");
    (dir, log)
}

const DELTA: &str = r#"{"type":"TEXT_BLOCK_DELTA","createdAt":"2026-01-01T00:00:02Z","replyId":"r1","blockId":"b1","delta":"#;

#[test]
fn a_text_is_printed_as_it_grows_and_the_whole_is_what_replay_prints() {
    let (_dir, log) = place();
    let lines: Vec<&str> = LOG.split_inclusive('\n').collect();
    append(&log, &lines[..2].concat());
    let mut running = Running::start(&["replay", log.to_str().unwrap(), "--follow", "--until-end"]);
    append(&log, lines[2]);
    let head = "assistant Friday  r1  2026-01-01T00:00:00Z\n";
    running.prints(&format!("{head}  Hello"));
    append(&log, &format!("{DELTA}\", w\"}}\n{DELTA}\"orld\\n"));
    running.prints(&format!("{head}  Hello, w"));
    append(&log, &format!("\\nNew\\r\"}}\n{DELTA}\"\\nline 漢字\"}}\n"));
    running.prints(&format!("{head}  Hello, world\n  \n  New\n  line 漢字"));
    append(&log, &lines[3..].concat());
    let text = running.ends_with(0);
    assert_eq!(text, format!("{head}  Hello, world\n  \n  New\n  line 漢字\n  ── completed · 4.0 s\n"));
    assert_eq!(text, replyfold(&["replay", log.to_str().unwrap()]).stdout);
}

#[test]
fn a_log_that_is_whole_is_printed_as_replay_prints_it() {
    for log in [
        "java/logs/confirm-partial.events.jsonl",
        "java/logs/subagent-twice.events.jsonl",
        "python/service/svc_tools_two_rounds.sse",
        "python/synthetic/all_event_types.events.jsonl",
        "python/service/svc_model_error.events.jsonl",
    ] {
        let log = fixture(log);
        let log = log.to_str().unwrap();
        for option in [&[][..], &["--at", "7"]] {
            let end = if option.is_empty() { &["--until-end"][..] } else { &[] };
            let followed = replyfold(&[&["replay", log, "--follow"], option, end].concat());
            assert_eq!((followed.stdout, followed.code), (replyfold(&[&["replay", log], option].concat()).stdout, 0), "{log} {option:?}");
        }
    }
}

#[test]
fn standard_input_is_shown_as_it_comes() {
    let mut running = Running::start(&["replay", "-", "--follow"]);
    let mut stdin = running.child.stdin.take().unwrap();
    let lines: Vec<&str> = LOG.split_inclusive('\n').collect();
    stdin.write_all(lines[..3].concat().as_bytes()).unwrap();
    running.prints("assistant Friday  r1  2026-01-01T00:00:00Z\n  Hello");
    drop(stdin);
    assert!(running.ends_with(0).ends_with("  Hello ▌open\n  ── still going on\n"));
    assert_eq!(with_log("", &["replay", "-", "--follow"]).stdout, "no message yet\n");
}

#[test]
fn json_is_a_line_for_each_message_once_its_reply_ends() {
    let (_dir, log) = place();
    let second = LOG.replace("r1", "r2").replace("\"e", "\"f");
    let lines: Vec<&str> = second.split_inclusive('\n').collect();
    append(&log, LOG);
    append(&log, &lines[..3].concat());
    let message = replyfold(&["replay", log.to_str().unwrap(), "--reply", "r1", "--format", "json"]).stdout;
    let message = message.trim_start_matches('[').replace("]\n", "\n");
    let mut running = Running::start(&["replay", log.to_str().unwrap(), "-f", "--until-end", "--format", "json"]);
    running.prints(&message);
    append(&log, &lines[3..].concat());
    assert_eq!(running.ends_with(0), format!("{message}{}", message.replace("r1", "r2")));
    // What has not ended where the following does is there too.
    let at = replyfold(&["replay", log.to_str().unwrap(), "-f", "--at", "3", "--format", "json"]).stdout;
    assert_eq!(format!("[{}]\n", at.trim_end()), replyfold(&["replay", log.to_str().unwrap(), "--at", "3", "--format", "json"]).stdout);
}

#[test]
fn another_reply_speaks_when_a_text_ends_or_rests() {
    let line = |kind: &str, reply: &str, rest: &str| format!("{{\"type\":\"{kind}\",\"replyId\":\"{reply}\"{rest}}}\n");
    let piece = |reply: &str, text: &str| line("TEXT_BLOCK_DELTA", reply, &format!(",\"blockId\":\"b\",\"delta\":\"{text}\""));
    let start =
        |reply: &str| line("AGENT_START", reply, ",\"role\":\"assistant\"") + &line("TEXT_BLOCK_START", reply, ",\"blockId\":\"b\"");
    let end = |reply: &str| line("TEXT_BLOCK_END", reply, ",\"blockId\":\"b\"");
    // `a` goes on, so `b` waits until the text of `a` ends; `c` does not wait for one that rests.
    let log = [start("a"), piece("a", "one"), start("b"), piece("b", "two"), piece("a", " more"), end("a"), piece("b", "!")].concat();
    let rested: String = (0..10).map(|_| line("MOOD", "c", "")).collect();
    let log = log + &start("c") + &piece("c", "three") + &rested + &rested + &piece("b", "?") + &end("b") + &end("c");
    let shown = with_log(&log, &["replay", "-", "--follow"]).stdout;
    assert_eq!(
        shown,
        "assistant  a\n  one more\n\nassistant  b\n  two! …\n\nassistant  c\n  three …\n\nassistant  b\n  ?\n  ── still going on\n\nassistant  a\n  ── still going on\n\nassistant  c\n  ── still going on\n"
    );
}

#[test]
fn blocks_that_are_taken_back_are_told() {
    let log = std::fs::read_to_string(fixture("../stories/retry-withdraws-the-failed-call/events.jsonl")).unwrap();
    let shown = with_log(log, &["replay", "-", "--follow"]).stdout;
    assert!(shown.contains("✗ taken back: the last "), "{shown}");
}

#[test]
fn what_happens_to_the_file_is_told_and_nothing_of_it_is_lost() {
    let (dir, log) = place();
    let lines: Vec<&str> = LOG.split_inclusive('\n').collect();
    append(&log, &lines[..3].concat());
    let mut running = Running::start(&["replay", log.to_str().unwrap(), "--follow", "--until-end"]);
    running.until("begun", |running| running.text().ends_with("  Hello"));
    std::fs::rename(&log, dir.path().join("run.jsonl.1")).unwrap();
    append(&log, &lines[3..].concat());
    running.until("told", |running| String::from_utf8_lossy(&running.stderr.lock().unwrap()).contains("it is read from its start"));
    assert!(running.ends_with(0).ends_with("  Hello\n  ── completed · 4.0 s\n"));
}

#[test]
fn a_reader_that_goes_away_ends_it_and_so_does_what_cannot_be_followed() {
    let (dir, log) = place();
    append(&log, LOG);
    let mut child = command(&["replay", log.to_str().unwrap(), "--follow"]).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let deadline = Instant::now() + Duration::from_secs(60);
    let code = loop {
        append(&log, &LOG.replace("r1", &format!("r{:?}", Instant::now())).replace("\"id\"", "\"no\""));
        if let Some(status) = child.try_wait().unwrap() {
            break status.code();
        }
        if Instant::now() > deadline {
            child.kill().unwrap();
        }
        thread::sleep(Duration::from_millis(2));
    };
    assert_eq!(code, Some(0));

    let array = dir.path().join("run.json");
    std::fs::write(&array, "[\n{},\n").unwrap();
    let ran = replyfold(&["replay", array.to_str().unwrap(), "--follow"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("cannot follow the log: it is a JSON array, which is read once it is whole"), "{}", ran.stderr);
    let ran = replyfold(&["replay", array.to_str().unwrap(), "--until-end"]);
    assert!(ran.code == 2 && ran.stderr.contains("--follow"), "{}", ran.stderr);
    // A bad record in a strict run ends it after what came before.
    append(&log, "nonsense\n");
    let ran = replyfold(&["replay", log.to_str().unwrap(), "--follow", "--strict", "--reply", "r1"]);
    assert!(ran.code == 1 && ran.stdout.ends_with("  ── completed · 4.0 s\n"), "{} {}", ran.stdout, ran.stderr);
}
