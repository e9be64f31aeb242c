//! Runs the command, and what holds for all of its commands.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub(crate) struct Ran {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: i32,
}

pub(crate) fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/conformance").join(path)
}

pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_replyfold"));
    command.args(args).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").env_remove("COLUMNS");
    command
}

pub(crate) fn ran(output: Output) -> Ran {
    Ran {
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code().unwrap(),
    }
}

pub(crate) fn replyfold(args: &[&str]) -> Ran {
    ran(command(args).stdin(Stdio::null()).output().unwrap())
}

/// Runs the command with a log on standard input.
pub(crate) fn with_log(log: impl AsRef<[u8]>, args: &[&str]) -> Ran {
    feed(log.as_ref(), command(args))
}

/// Runs the command with a log on standard input, with colors as on a terminal.
pub(crate) fn forced_color(log: impl AsRef<[u8]>, args: &[&str]) -> Ran {
    let mut command = command(args);
    command.env("CLICOLOR_FORCE", "1");
    feed(log.as_ref(), command)
}

fn feed(log: &[u8], mut command: Command) -> Ran {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        // Beside the reading, for a command that writes much before it has read all; one that stops early closes the pipe.
        scope.spawn(move || stdin.write_all(log));
        ran(child.wait_with_output().unwrap())
    })
}

pub(crate) const LOG: &str = r#"{"type":"AGENT_START","id":"e1","createdAt":"2026-01-01T00:00:00Z","replyId":"r1","name":"Friday","role":"assistant"}
{"type":"TEXT_BLOCK_START","id":"e2","createdAt":"2026-01-01T00:00:01Z","replyId":"r1","blockId":"b1"}
{"type":"TEXT_BLOCK_DELTA","id":"e3","createdAt":"2026-01-01T00:00:02Z","replyId":"r1","blockId":"b1","delta":"Hello"}
{"type":"TEXT_BLOCK_END","id":"e4","createdAt":"2026-01-01T00:00:03Z","replyId":"r1","blockId":"b1"}
{"type":"AGENT_END","id":"e5","createdAt":"2026-01-01T00:00:04Z","replyId":"r1","finishedReason":"completed"}
"#;

#[test]
fn wrong_usage_and_unreadable_logs_end_with_2_and_say_why() {
    for args in [
        &["replay"][..],
        &["nonsense"],
        &["replay", "x", "--at", "many"],
        &["replay", "x", "--at", "1", "--until", "e"],
        &["prefixes", "x", "--every", "0"],
        &[],
    ] {
        let ran = replyfold(args);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{args:?}");
        assert!(ran.stderr.contains("--help") || ran.stderr.contains("Usage: replyfold"), "{}", ran.stderr);
    }
    for command in ["replay", "replay --at 0", "prefixes", "check", "stats", "coarse", "timeline", "timeline --at 0"] {
        let args: Vec<&str> = command.split(' ').chain(["no/such/log.jsonl"]).collect();
        let ran = replyfold(&args);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{command}");
        assert!(ran.stderr.starts_with("replyfold: no/such/log.jsonl: cannot open the log: "), "{}", ran.stderr);
    }
}

#[test]
fn every_command_explains_itself_with_examples() {
    let all = replyfold(&["--help"]);
    for command in ["replay", "prefixes", "convert", "check", "stats", "coarse", "timeline", "compact", "index", "play", "record"] {
        assert!(all.stdout.contains(command));
        let help = replyfold(&[command, "--help"]);
        assert!(
            help.code == 0 && help.stdout.contains("Examples:") && help.stdout.contains(&format!("replyfold {command} ")),
            "{}",
            help.stdout
        );
    }
    assert!(all.stdout.contains("Exit status:\n  0  done; ") && all.stdout.contains("\n  1  findings of `check`, "));
    assert!(replyfold(&["--version"]).stdout.starts_with("replyfold "));
}

#[test]
fn output_that_is_piped_has_no_color_unless_forced() {
    let plain = with_log(LOG, &["replay", "-"]);
    assert!(!plain.stdout.contains('\u{1b}'));
    let forced = |no_color: bool| {
        let mut forced = command(&["replay", fixture("java/logs/text-single.events.jsonl").to_str().unwrap()]);
        forced.env("CLICOLOR_FORCE", "1");
        if no_color {
            forced.env("NO_COLOR", "1").env_remove("CLICOLOR_FORCE");
        }
        ran(forced.output().unwrap()).stdout
    };
    assert!(forced(false).contains('\u{1b}') && !forced(true).contains('\u{1b}'));
}

#[test]
fn what_unpacked_of_a_damaged_log_is_shown_before_the_run_fails_with_2() {
    let log = format!("{LOG}{}", "\n".repeat(100));
    let mut packed = zstd::encode_all(log.as_bytes(), 1).unwrap();
    // A second frame of which only the head is there.
    packed.extend_from_slice(&zstd::encode_all(log.as_bytes(), 1).unwrap()[..6]);
    for args in [&["replay", "-"][..], &["stats", "-"], &["check", "-"], &["prefixes", "-"], &["coarse", "-"], &["timeline", "-"]] {
        let (whole, cut) = (with_log(LOG, args), with_log(&packed, args));
        assert_eq!(cut.code, 2, "{args:?}");
        let same = cut.stdout.lines().next() == whole.stdout.lines().next() || cut.stdout == "nothing found in what was read\n";
        assert!(!cut.stdout.is_empty() && same, "{args:?}: {}", cut.stdout);
        assert_eq!(cut.stderr.lines().count(), 1, "{args:?}: {}", cut.stderr);
    }
}

#[test]
fn bad_records_are_told_on_standard_error_and_end_a_strict_run_with_1() {
    let log = LOG.replace("{\"type\":\"TEXT_BLOCK_END\"", "{\"type\":\"TEXT_BLOCK_END\",,");
    let lenient = with_log(&log, &["replay", "-", "--format", "json"]);
    assert_eq!(lenient.code, 0);
    assert!(lenient.stderr.contains("standard input: line 4 (byte 340): bad record: no event: not JSON: "), "{}", lenient.stderr);
    assert!(lenient.stdout.contains("\"text\":\"Hello\""));
    let strict = with_log(&log, &["replay", "-", "--strict"]);
    assert!(strict.code == 1 && strict.stdout.contains("Hello ▌open"), "{}", strict.stdout);
    assert!(strict.stderr.contains("line 4 (byte 340): no event: not JSON: "), "{}", strict.stderr);

    let torn = with_log(&LOG[..400], &["replay", "-"]);
    assert!(torn.code == 0 && torn.stderr.contains("the last record is cut off"), "{}", torn.stderr);

    let many = "nonsense\n".repeat(30);
    let told = with_log(&many, &["stats", "-"]).stderr;
    assert!(told.lines().count() == 21 && told.contains("10 more bad records; --verbose tells them all"), "{told}");
}

#[test]
fn a_strict_run_shows_what_was_read_before_the_bad_record() {
    let before: String = LOG.lines().take(3).map(|line| format!("{line}\n")).collect();
    let log = format!("{before}nonsense\n{LOG}");
    for command in ["replay", "replay --format json", "prefixes", "prefixes --every 2", "convert --to java", "timeline"] {
        let args: Vec<&str> = command.split(' ').chain(["-"]).collect();
        let strict = with_log(&log, &[&args[..], &["--strict"]].concat());
        let wanted = with_log(&before, &args);
        assert_eq!((strict.code, strict.stdout.as_str()), (1, wanted.stdout.as_str()), "{command}");
        assert!(
            strict.stdout.len() > 10 && strict.stderr.contains("line 4 (byte 340): no event: not JSON: "),
            "{command}: {}",
            strict.stderr
        );
    }
    let strict = |args: &[&str]| with_log(&log, &[args, &["-", "--strict"]].concat());
    // What is missing may stand after the bad record, so it is no wrong usage.
    for args in
        [&["replay", "--until", "e9"][..], &["replay", "--reply", "r9"], &["prefixes", "--reply", "r9"], &["timeline", "--reply", "r9"]]
    {
        assert_eq!(strict(args).code, 1, "{args:?}");
    }
    let ran = unread(&log, &["replay", "-", "--strict"]);
    assert!(ran.code == 1 && ran.stderr.contains("line 4"), "{}", ran.stderr);
}

#[test]
fn a_pipe_that_closes_ends_the_command_quietly() {
    let log = fixture("python/synthetic/many_blocks.events.jsonl.zst");
    let mut child = command(&["prefixes", log.to_str().unwrap()]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let ran = ran(child.wait_with_output().unwrap());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
}

/// Runs the command with a log on standard input and standard output closed at its other end before anything is printed.
fn unread(log: &str, args: &[&str]) -> Ran {
    let mut child = command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    child.stdin.take().unwrap().write_all(log.as_bytes()).unwrap();
    ran(child.wait_with_output().unwrap())
}

#[test]
fn a_pipe_that_closes_hides_no_findings_from_the_exit_status() {
    let wrong = LOG.replace("00:00:03Z", "00:00:01Z");
    for format in ["pretty", "json"] {
        let ran = |log: &str| unread(log, &["check", "-", "--format", format]);
        let (found, fine) = (ran(&wrong), ran(LOG));
        assert_eq!((found.code, found.stderr.as_str()), (1, ""), "{format}");
        assert_eq!((fine.code, fine.stderr.as_str()), (0, ""), "{format}");
    }
}

#[test]
fn verbose_tells_how_the_log_was_read() {
    let ran = replyfold(&["stats", fixture("java/remote/frames.jsonl").to_str().unwrap(), "--verbose"]);
    assert!(ran.stderr.contains("13 records, 0 bad; JSONL, dialect java"), "{}", ran.stderr);
    assert!(ran.stderr.contains("events stand under `payload`"), "{}", ran.stderr);
    let packed = replyfold(&["stats", fixture("python/runs/very_long_10k.events.jsonl.zst").to_str().unwrap(), "--verbose"]);
    assert!(packed.stderr.contains(" 0 bad; zstd of JSONL, dialect python"), "{}", packed.stderr);
    let piped = with_log(zstd::encode_all(LOG.as_bytes(), 1).unwrap(), &["stats", "-", "-v"]);
    assert!(piped.stderr.contains("5 records, 0 bad; zstd of JSONL, dialect canonical"), "{}", piped.stderr);
    let coarse = with_log("data: {\"type\":\"complete\"}\n\n", &["stats", "-", "-v"]).stderr;
    assert!(coarse.contains("1 record, 0 bad; a capture of server-sent events, the coarse protocol, lifted"), "{coarse}");
    let array = with_log(format!("[{}]", LOG.lines().collect::<Vec<_>>().join(",")), &["stats", "-", "-v"]).stderr;
    assert!(array.contains("5 records, 0 bad; a JSON array, dialect canonical"), "{array}");
    let strict = with_log(format!("{LOG}nonsense\n"), &["stats", "-", "-v", "--strict"]).stderr;
    assert!(strict.contains("6 records, 1 bad"), "{strict}");
}

#[test]
fn reasons_name_the_option_that_helps() {
    let told = |log: &str, args: &[&str]| {
        let stderr = with_log(log, &[&["replay", "-"], args].concat()).stderr;
        let found = with_log(log, &[&["check", "-", "--format", "json"], args].concat()).stdout;
        let strict = with_log(log, &[&["replay", "-", "--strict"], args].concat()).stderr;
        (stderr, found, strict)
    };
    let half = "{\"type\":\"TEXT_BLOCK_DELTA\",\"reply_id\":\"r\",\"block_id\":\"b\",\"delta\":\"\\ud83d\"}\n";
    let event = "{\"type\":\"AGENT_END\",\"replyId\":\"r\"}";
    let several = format!("{{\"a\":{event},\"b\":{event}}}\n");
    for (log, args, hint) in [
        (half, &[][..], "; --replace-surrogates reads it as U+FFFD"),
        (&several, &[], "in `a` and `b`: only a key that is told chooses one; --path KEY tells it"),
        (&several, &["--path", "nope"], "; it has no member `nope`, which --path names"),
    ] {
        let (stderr, found, strict) = told(log, args);
        assert!(stderr.contains(hint) && found.contains(hint) && strict.contains(hint), "{hint}: {stderr}{found}{strict}");
    }
    assert!(!told("nonsense\n", &["--path", "nope"]).0.contains("--path"));
    let empty = with_log(LOG, &["replay", "-", "--path", ""]);
    assert!(empty.code == 2 && empty.stdout.is_empty(), "{}", empty.stderr);
}

#[test]
fn messages_name_the_log() {
    let file = tempfile::tempdir().unwrap();
    for args in [&["replay", "-", "--reply", "r9"][..], &["coarse", "-", "--reply", "r9"], &["prefixes", "-", "--reply", "r9"]] {
        let ran = with_log(LOG, args);
        assert!(ran.stderr.starts_with("replyfold: standard input: no reply `r9` "), "{}", ran.stderr);
    }
    let folder = std::fs::File::open(file.path()).unwrap();
    let ran = ran(command(&["replay", "-"]).stdin(folder).output().unwrap());
    assert!(ran.code == 2 && ran.stderr.starts_with("replyfold: standard input: cannot read on after byte 0: "), "{}", ran.stderr);
}

#[test]
fn a_prefix_beyond_the_end_is_noted() {
    for (args, note) in [
        (&["replay", "-", "--at", "6"][..], "replyfold: standard input: the log has 5 records: 6 is beyond its end\n"),
        (&["timeline", "-", "--at", "9"], "replyfold: standard input: the log has 5 records: 9 is beyond its end\n"),
        (&["replay", "-", "--at", "5"], ""),
    ] {
        let ran = with_log(LOG, args);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, note), "{args:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_ends_with_2() {
    let path = fixture("java/logs/text-single.events.jsonl");
    for args in [&["--help"][..], &["--version"], &["replay", "--help"], &["replay", path.to_str().unwrap()]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let ran = ran(command(args).stdout(full).stderr(Stdio::piped()).output().unwrap());
        assert!(ran.code == 2 && ran.stderr.starts_with("replyfold: cannot write: "), "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn the_dialect_and_the_path_can_be_told() {
    let wrapped = "{\"x\":{\"type\":\"TEXT_BLOCK_DELTA\",\"replyId\":\"r\",\"blockId\":\"b\",\"delta\":\"d\"},\"y\":{\"type\":\"AGENT_END\",\"replyId\":\"r\"}}\n";
    assert!(with_log(wrapped, &["stats", "-", "--path", "x"]).stdout.contains("TEXT_BLOCK_DELTA"));
    assert!(with_log(wrapped, &["stats", "-", "--path", "y"]).stdout.contains("AGENT_END"));
    let gap = "{\"type\":\"TEXT_BLOCK_DELTA\",\"replyId\":\"r\"}\n";
    assert_eq!(with_log(gap, &["replay", "-", "--strict"]).code, 1);
    assert_eq!(with_log(gap, &["replay", "-", "--strict", "--from", "java"]).code, 0);
    let half = "{\"type\":\"TEXT_BLOCK_DELTA\",\"reply_id\":\"r\",\"block_id\":\"b\",\"delta\":\"\\ud83d\"}\n";
    assert_eq!(with_log(half, &["replay", "-", "--strict"]).code, 1);
    assert_eq!(with_log(half, &["replay", "-", "--strict", "--replace-surrogates"]).code, 0);
}
