//! Coarse logs are lifted by every command.

use crate::run::{LOG, fixture, replyfold, with_log};
use serde_json::Value;

/// A coarse log of a recorded run, as lines and as server-sent events, and one with errors of its own and two replies.
fn logs() -> Vec<String> {
    let path = fixture("python/runs/one_tool.events.jsonl");
    let coarse = |args: &[&str]| replyfold(&[&["coarse", path.to_str().unwrap()], args].concat()).stdout;
    let errors = concat!(
        "{\"type\":\"text\",\"content\":\"a\"}\n",
        "{\"type\":\"error\",\"code\":\"MAX_ROUNDS_EXCEEDED\",\"message\":\"已达到最大轮数\",\"detail\":null}\n",
        "{\"type\":\"complete\"}\n{\"type\":\"error\",\"code\":\"X\",\"message\":\"m\",\"detail\":null}\n",
        "{\"type\":\"text\",\"content\":\"b\"}\n",
        "{\"type\":\"error\",\"code\":\"MAX_ROUNDS_EXCEEDED\",\"message\":\"已达到最大轮数\",\"detail\":null}\n",
    );
    vec![coarse(&[]), coarse(&["--sse"]), errors.to_owned()]
}

fn json(log: &str, args: &[&str]) -> Value {
    serde_json::from_str(&with_log(log, &[args, &["-", "--format", "json"]].concat()).stdout).unwrap()
}

#[test]
fn line_k_of_the_prefixes_is_the_replay_of_k_records() {
    for log in logs() {
        let lines = with_log(&log, &["prefixes", "-"]).stdout;
        let records = json(&log, &["stats"])["records"].as_u64().unwrap();
        assert_eq!(lines.lines().count() as u64, records + 1);
        assert!(lines.lines().last().unwrap().contains("\"id\":\"coarse\""), "{lines}");
        for (k, line) in lines.lines().enumerate() {
            assert_eq!(line, with_log(&log, &["replay", "-", "--format", "json", "--at", &k.to_string()]).stdout.trim_end(), "{k}: {log}");
        }
    }
    let second = with_log(&logs()[2], &["prefixes", "-", "--reply", "coarse#2"]).stdout;
    assert!(second.starts_with("[]\n[]\n[]\n[]\n[{\"id\":\"coarse#2\""), "{second}");
}

#[test]
fn stats_count_replies_and_tools() {
    for log in &logs()[..2] {
        let stats = json(log, &["stats"]);
        assert_eq!((&stats["replies"], &stats["tools"]["get_weather"]["calls"]), (&1.into(), &1.into()), "{stats}");
        assert_eq!((&stats["records"], &stats["bad"], &stats["repeated"]), (&7.into(), &0.into(), &0.into()));
    }
    assert_eq!(json(&logs()[2], &["stats"])["replies"], 2);
}

#[test]
fn check_finds_what_is_wrong_and_tells_the_line_of_the_coarse_record() {
    let found = |lines: &[&str]| -> Vec<(String, u64)> {
        let found = json(&lines.concat(), &["check"]);
        let found = found.as_array().unwrap();
        // The ids of lifted events are not in the log.
        assert!(found.iter().all(|finding| finding["event"].is_null()), "{found:?}");
        found.iter().map(|finding| (finding["kind"].as_str().unwrap().to_owned(), finding["line"].as_u64().unwrap())).collect()
    };
    let text = "{\"type\":\"text\",\"content\":\"a\"}\n";
    let start = "{\"type\":\"tool_start\",\"toolName\":\"rm\",\"toolCallId\":\"c1\",\"arguments\":\"{}\"}\n";
    let end = "{\"type\":\"tool_end\",\"toolName\":\"rm\",\"toolCallId\":\"c1\",\"result\":\"ok\"}\n";
    let complete = "{\"type\":\"complete\"}\n";
    let at = |kind: &str, line| (kind.to_owned(), line);
    assert_eq!(found(&[text, start, end, complete]), []);
    assert_eq!(found(&[start, end]), [at("reply_without_end", 2)]);
    assert!(found(&[text, start, start, end, complete]).contains(&at("duplicate_start", 3)));
    assert_eq!(found(&[text, end, complete]), [at("result_without_call", 2)]);
    assert_eq!(found(&[start, end, end, complete]), [at("result_without_call", 3)]);
    for log in &logs()[..2] {
        assert_eq!(with_log(log, &["check", "-"]).stdout, "nothing found\n");
    }
}

#[test]
fn convert_writes_the_fine_events_and_says_so_once() {
    for log in logs() {
        let fine = with_log(&log, &["convert", "-", "--to", "canonical"]);
        assert_eq!((fine.code, fine.stderr.as_str()), (0, "replyfold: standard input: coarse records were lifted to fine events\n"));
        assert_eq!(json(&fine.stdout, &["replay"]), json(&log, &["replay"]));
        assert_eq!(with_log(&fine.stdout, &["coarse", "-"]).stdout, with_log(&log, &["coarse", "-"]).stdout);
    }
}

#[test]
fn frames_of_a_host_in_a_fine_log_are_not_lifted() {
    let frames = "{\"type\":\"error\",\"message\":\"m\"}\n{\"type\":\"complete\"}\n";
    let log = format!("{LOG}{frames}");
    let there = with_log(&log, &["convert", "-", "--to", "canonical"]);
    assert!(there.stdout.ends_with(frames) && there.stdout.lines().count() == 7 && there.stderr.is_empty(), "{}", there.stderr);
    assert_eq!(json(&log, &["replay"]), json(LOG, &["replay"]));
    assert_eq!(with_log(&log, &["coarse", "-"]).stdout, with_log(LOG, &["coarse", "-"]).stdout);
}
