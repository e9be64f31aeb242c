//! `replyfold prefixes`

use crate::run::{LOG, fixture, replyfold, with_log};

#[test]
fn line_k_holds_the_messages_after_k_records() {
    let lines: Vec<String> = with_log(LOG, &["prefixes", "-"]).stdout.lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 6);
    for (k, line) in lines.iter().enumerate() {
        let replay = with_log(LOG, &["replay", "-", "--format", "json", "--at", &k.to_string()]).stdout;
        assert_eq!(*line, replay.trim_end(), "k = {k}");
    }
}

#[test]
fn every_prints_every_nth_and_the_last() {
    let all: Vec<String> = with_log(LOG, &["prefixes", "-"]).stdout.lines().map(str::to_owned).collect();
    let some: Vec<String> = with_log(LOG, &["prefixes", "-", "--every", "2"]).stdout.lines().map(str::to_owned).collect();
    assert_eq!(some, [&all[0], &all[2], &all[4], &all[5]].map(Clone::clone));
    assert_eq!(with_log("", &["prefixes", "-"]).stdout, "[]\n");
}

#[test]
fn records_that_cannot_be_read_repeat_the_line() {
    let log = LOG.replacen('\n', "\nnonsense\n", 1);
    let lines: Vec<String> = with_log(log, &["prefixes", "-"]).stdout.lines().map(str::to_owned).collect();
    assert_eq!((lines.len(), &lines[1]), (7, &lines[2]));
}

#[test]
fn a_recorded_log_gives_the_expected_lines() {
    let expected = zstd::decode_all(&*std::fs::read(fixture("java/logs/subagent-twice.expected.jsonl.zst")).unwrap()).unwrap();
    let ran = replyfold(&["prefixes", fixture("java/logs/subagent-twice.events.jsonl").to_str().unwrap()]);
    let values = |text: &str| text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<serde_json::Value>>();
    assert_eq!(values(&ran.stdout), values(std::str::from_utf8(&expected).unwrap()));
}

#[test]
fn one_reply_can_be_chosen() {
    let two = format!("{LOG}{}", LOG.replace("r1", "r2").replace("\"e", "\"f"));
    let ran = with_log(&two, &["prefixes", "-", "--reply", "r2", "--every", "5"]);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert!(lines[0] == "[]" && lines[1] == "[]" && lines[2].contains("\"id\":\"r2\"") && !lines[2].contains("\"id\":\"r1\""));
}

#[test]
fn a_chosen_reply_is_shown_for_each_agent_that_uses_its_id() {
    let child = LOG.replace("\"replyId\"", "\"source\":\"main/helper\",\"replyId\"").replace("\"e", "\"f");
    let other = LOG.replace("r1", "r2").replace("\"e", "\"g");
    let lines = |log: &str, args: &[&str]| with_log(log, &[&["prefixes", "-", "--every", "5"], args].concat()).stdout;
    assert_eq!(lines(&format!("{LOG}{child}"), &["--reply", "r1"]), lines(&format!("{LOG}{child}"), &[]));
    let with_other = lines(&format!("{LOG}{other}{child}"), &["--reply", "r1"]);
    let alone: Vec<String> = lines(&format!("{LOG}{child}"), &[]).lines().map(str::to_owned).collect();
    assert_eq!(with_other.lines().collect::<Vec<_>>(), [&alone[0], &alone[1], &alone[1], &alone[2]]);
    let unknown = with_log(format!("{LOG}{other}"), &["prefixes", "-", "--reply", "r3"]);
    assert!(unknown.code == 2 && unknown.stderr.contains("it has r1, r2"), "{}", unknown.stderr);
    assert_eq!(unknown.stdout, "");
}

#[test]
fn a_chosen_reply_among_many_is_shown_at_every_prefix() {
    let start = LOG.lines().next().unwrap();
    let log: String = (1..600).map(|i| format!("{}\n", start.replace("r1", &format!("r{i}")).replace("e1", &format!("e{i}")))).collect();
    let shown = with_log(&log, &["prefixes", "-", "--reply", "r300"]).stdout;
    let lines: Vec<_> = shown.lines().collect();
    assert_eq!(lines.len(), 600);
    assert!(lines[..300].iter().all(|line| *line == "[]"));
    assert!(lines[300..].iter().all(|line| line.contains(r#""id":"r300""#) && !line.contains("r301")));
}

#[test]
fn what_messages_lose_in_a_dialect_is_told_once_a_reply_on_request() {
    let loss = "standard input: reply `r1`: message: the java dialect has no place for `finishedReason`; it was left out\n";
    for args in [&["prefixes", "-", "--dialect", "java"][..], &["replay", "-", "--format", "json", "--dialect", "java"]] {
        let told = with_log(LOG, &[args, &["-v"]].concat()).stderr;
        assert_eq!(told.matches(loss).count(), 1, "{told}");
        assert_eq!(with_log(LOG, args).stderr, "");
    }
}
