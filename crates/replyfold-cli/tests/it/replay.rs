//! `replyfold replay`

use crate::run::{LOG, fixture, replyfold, with_log};

fn json(log: &str, args: &[&str]) -> serde_json::Value {
    let ran = with_log(log, &[&["replay", "-", "--format", "json"], args].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

#[test]
fn json_is_one_array_of_messages() {
    let text = with_log(LOG, &["replay", "-", "--format", "json"]).stdout;
    assert_eq!(
        text,
        "[{\"id\":\"r1\",\"name\":\"Friday\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"id\":\"b1\",\"text\":\"Hello\",\"createdAt\":\"2026-01-01T00:00:01Z\",\"finishedAt\":\"2026-01-01T00:00:03Z\"}],\"createdAt\":\"2026-01-01T00:00:00Z\",\"finishedAt\":\"2026-01-01T00:00:04Z\",\"finishedReason\":\"completed\"}]\n"
    );
}

#[test]
fn at_counts_records_readable_or_not() {
    assert_eq!(json(LOG, &["--at", "0"]), serde_json::json!([]));
    assert_eq!(json(LOG, &["--at", "2"])[0]["content"][0]["text"], "");
    assert_eq!(json(LOG, &["--at", "3"])[0]["content"][0]["text"], "Hello");
    assert_eq!(json(LOG, &["--at", "999"]), json(LOG, &[]));
    let bad = format!("nonsense\n\n{LOG}");
    assert_eq!(json(&bad, &["--at", "3"])[0]["content"][0]["text"], "");
}

#[test]
fn until_stops_after_the_event_and_refuses_an_unknown_one() {
    assert_eq!(json(LOG, &["--until", "e3"]), json(LOG, &["--at", "3"]));
    let ran = with_log(LOG, &["replay", "-", "--until", "e9"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("no event has the id `e9`"), "{}", ran.stderr);
}

#[test]
fn one_reply_can_be_chosen_and_an_unknown_one_is_refused_with_those_there_are() {
    let two = format!("{LOG}{}", LOG.replace("r1", "r2").replace("\"e", "\"f"));
    assert_eq!(json(&two, &[]).as_array().unwrap().len(), 2);
    let chosen = json(&two, &["--reply", "r2"]);
    assert_eq!((chosen.as_array().unwrap().len(), chosen[0]["id"].as_str()), (1, Some("r2")));
    let ran = with_log(&two, &["replay", "-", "--reply", "r3"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("no reply `r3` in what was read of the log; it has r1, r2"), "{}", ran.stderr);
}

#[test]
fn messages_are_written_in_any_dialect() {
    assert_eq!(json(LOG, &["--dialect", "python"])[0]["finished_reason"], "completed");
    assert_eq!(json(LOG, &["--dialect", "java"])[0]["role"], "ASSISTANT");
}

#[test]
fn the_source_is_written_on_request() {
    let child = LOG.replace("\"replyId\"", "\"source\":\"main/helper\",\"replyId\"");
    assert_eq!(json(&child, &["--with-source"])[0]["source"], "main/helper");
    assert_eq!(json(&child, &[])[0].get("source"), None);
    assert_eq!(json(LOG, &["--with-source"])[0].get("source"), None);
}

#[test]
fn a_capture_without_starts_is_told_and_opened_on_request() {
    let pieces = "{\"type\":\"TEXT_BLOCK_DELTA\",\"id\":\"1\",\"replyId\":\"r\",\"blockId\":\"b\",\"delta\":\"x\"}\n";
    let ran = with_log(pieces, &["replay", "-"]);
    assert_eq!(ran.stdout, "no message yet\n");
    assert!(ran.stderr.contains("--open-missing shows what is in them"), "{}", ran.stderr);
    assert_eq!(json(pieces, &["--open-missing"])[0]["content"][0]["text"], "x");
}

#[test]
fn packed_logs_and_captures_replay_like_plain_ones() {
    let folder = "python/service/svc_plain";
    let replay = |suffix: &str| replyfold(&["replay", fixture(&format!("{folder}{suffix}")).to_str().unwrap(), "--format", "json"]).stdout;
    assert_eq!(replay(".sse"), replay(".events.jsonl"));
    let long = replyfold(&["replay", fixture("python/runs/very_long_10k.events.jsonl.zst").to_str().unwrap(), "--format", "json"]);
    assert!(long.code == 0 && long.stdout.len() > 10_000);
}

#[test]
fn options_of_json_need_it() {
    for option in [&["--dialect", "java"][..], &["--with-source"]] {
        let ran = with_log(LOG, &[&["replay", "-"], option].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{option:?}");
        assert!(ran.stderr.contains("they need --format json"), "{}", ran.stderr);
    }
}
