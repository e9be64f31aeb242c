//! `replyfold stats`

use crate::run::{LOG, fixture, replyfold, with_log};

#[test]
fn json_counts_events_replies_tokens_and_tools() {
    let log = fixture("python/service/svc_tools_two_rounds.events.jsonl");
    let stats: serde_json::Value = serde_json::from_str(&replyfold(&["stats", log.to_str().unwrap(), "--format", "json"]).stdout).unwrap();
    assert_eq!((&stats["records"], &stats["bad"], &stats["replies"]), (&38.into(), &0.into(), &2.into()));
    assert_eq!(
        (&stats["events"]["TOOL_CALL_DELTA"], &stats["usage"]["inputTokens"], &stats["usage"]["outputTokens"]),
        (&6.into(), &10.into(), &13.into())
    );
    assert_eq!((&stats["tools"]["add"]["calls"], &stats["tools"]["add"]["failures"]), (&1.into(), &0.into()));
    assert_eq!(stats["firstTokenSeconds"]["count"], 2);
}

#[test]
fn times_come_from_the_time_stamps() {
    let log = [
        r#"{"type":"AGENT_START","createdAt":"2026-01-01T00:00:00Z","replyId":"r1"}"#,
        r#"{"type":"MODEL_CALL_START","createdAt":"2026-01-01T00:00:01Z","replyId":"r1"}"#,
        r#"{"type":"TEXT_BLOCK_START","createdAt":"2026-01-01T00:00:02Z","replyId":"r1","blockId":"b"}"#,
        r#"{"type":"TEXT_BLOCK_DELTA","createdAt":"2026-01-01T00:00:03Z","replyId":"r1","blockId":"b","delta":"héllo wörld"}"#,
        r#"{"type":"TEXT_BLOCK_END","createdAt":"2026-01-01T00:00:04Z","replyId":"r1","blockId":"b"}"#,
        r#"{"type":"MODEL_CALL_END","createdAt":"2026-01-01T00:00:05Z","replyId":"r1","inputTokens":1,"outputTokens":20}"#,
        r#"{"type":"TOOL_RESULT_START","createdAt":"2026-01-01T00:00:06Z","replyId":"r1","toolCallId":"c","toolCallName":"rm"}"#,
        r#"{"type":"TOOL_RESULT_END","createdAt":"2026-01-01T00:00:06.500Z","replyId":"r1","toolCallId":"c","state":"error"}"#,
    ]
    .join("\n");
    let stats: serde_json::Value = serde_json::from_str(&with_log(log, &["stats", "-", "--format", "json"]).stdout).unwrap();
    assert_eq!(stats["firstTokenSeconds"]["median"], 2);
    assert_eq!(stats["charactersPerSecond"]["median"], 5.5);
    assert_eq!(stats["tokensPerSecond"]["median"], 10);
    assert_eq!((&stats["tools"]["rm"]["failures"], &stats["tools"]["rm"]["latencySeconds"]["greatest"]), (&1.into(), &0.5.into()));
}

#[test]
fn tables_show_bars_and_a_log_without_anything_is_fine() {
    let ran = with_log(LOG, &["stats", "-"]);
    assert!(ran.stdout.contains("AGENT_START") && ran.stdout.contains("██████"), "{}", ran.stdout);
    let empty = with_log("", &["stats", "-"]);
    assert_eq!((empty.code, empty.stdout.lines().count(), empty.stdout.contains("events")), (0, 2, false), "{}", empty.stdout);
}

#[test]
fn events_that_a_log_holds_twice_count_once() {
    let log = std::fs::read_to_string(fixture("python/runs/one_tool.events.jsonl")).unwrap();
    let stats =
        |log: &str| -> serde_json::Value { serde_json::from_str(&with_log(log, &["stats", "-", "--format", "json"]).stdout).unwrap() };
    let (once, twice) = (stats(&log), stats(&format!("{log}{log}")));
    assert!(once["usage"]["inputTokens"].as_u64().unwrap() > 0 && !once["tools"].as_object().unwrap().is_empty());
    for same in ["usage", "tools", "replies", "firstTokenSeconds", "charactersPerSecond", "tokensPerSecond"] {
        assert_eq!(once[same], twice[same], "{same}");
    }
    assert_eq!(
        (&once["repeated"], &twice["repeated"], &twice["records"]),
        (&0.into(), &once["records"], &(log.lines().count() * 2).into())
    );
    let pretty = with_log(format!("{log}{}\n", log.lines().next().unwrap()), &["stats", "-"]).stdout;
    assert!(pretty.contains("\nrepeated  1 event, in no count but that of events\n"), "{pretty}");
    assert!(!with_log(&log, &["stats", "-"]).stdout.contains("repeated"));
}

#[test]
fn a_strict_run_counts_the_record_that_ended_it() {
    let log = LOG.replace("{\"type\":\"TEXT_BLOCK_END\"", "{,");
    assert!(with_log(&log, &["stats", "-", "--strict"]).stdout.starts_with("log  4 records, 1 bad, 1 reply\n"));
    assert!(with_log(&log, &["stats", "-"]).stdout.starts_with("log  5 records, 1 bad, 1 reply\n"));
}
