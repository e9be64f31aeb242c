//! `replyfold coarse` and `replyfold timeline`.

use crate::run::{LOG, Ran, fixture, replyfold, with_log};

const COARSE: &str = "{\"type\":\"thinking\",\"content\":\"hm\"}\n{\"type\":\"tool_start\",\"toolName\":\"bash\",\"toolCallId\":\"c1\",\"arguments\":\"{}\"}\n\
    {\"type\":\"tool_end\",\"toolName\":\"bash\",\"toolCallId\":\"c1\",\"result\":\"ok\"}\n{\"type\":\"text\",\"content\":\"Done </script>\"}\n{\"type\":\"complete\"}\n";

fn log(path: &str, args: &[&str]) -> Ran {
    let path = fixture(path);
    let all = [&[args[0], path.to_str().unwrap()], &args[1..]].concat();
    replyfold(&all)
}

#[test]
fn a_fine_log_becomes_coarse_lines_or_server_sent_events() {
    let lines = "{\"type\":\"text\",\"content\":\"Hello\"}\n{\"type\":\"complete\"}\n";
    assert_eq!(with_log(LOG, &["coarse", "-"]).stdout, lines);
    let events = "data: {\"type\":\"text\",\"content\":\"Hello\"}\n\ndata: {\"type\":\"complete\"}\n\n";
    assert_eq!(with_log(LOG, &["coarse", "-", "--sse"]).stdout, events);
}

#[test]
fn a_log_that_just_stops_is_closed_in_the_language_that_was_asked_for() {
    let cut: String = LOG.lines().take(3).map(|line| format!("{line}\n")).collect();
    let shown = with_log(&cut, &["coarse", "-", "--lang", "en"]).stdout;
    let error = "{\"type\":\"error\",\"code\":\"LLM_CALL_FAILED\",\"message\":\"LLM call failed\",\"detail\":\"the stream stopped before the reply ended\"}";
    assert_eq!(shown, format!("{{\"type\":\"text\",\"content\":\"Hello\"}}\n{error}\n{{\"type\":\"complete\"}}\n"));
    assert!(with_log(&cut, &["coarse", "-"]).stdout.contains("LLM 调用失败"));
}

#[test]
fn replies_are_shown_one_by_one_and_can_be_chosen() {
    let all = log("python/runs/session_three_replies.events.jsonl", &["coarse"]).stdout;
    assert_eq!(all.matches("\"complete\"").count(), 3);
    let unknown = log("python/runs/session_three_replies.events.jsonl", &["coarse", "--reply", "nobody"]);
    assert!(unknown.code == 2 && unknown.stderr.contains("no reply `nobody`"), "{}", unknown.stderr);
    assert_eq!(with_log(LOG, &["coarse", "-", "--reply", "r1"]).stdout.lines().count(), 2);
}

#[test]
fn a_log_with_events_twice_shows_them_once() {
    let twice = format!("{LOG}{LOG}");
    assert_eq!(with_log(twice, &["coarse", "-"]).stdout, with_log(LOG, &["coarse", "-"]).stdout);
    let middle: String = LOG.lines().take(3).chain(LOG.lines()).map(|line| format!("{line}\n")).collect();
    assert_eq!(with_log(middle, &["coarse", "-"]).stdout, with_log(LOG, &["coarse", "-"]).stdout);
}

#[test]
fn think_tags_are_split_and_sub_agents_shown_on_request() {
    let tagged = LOG.replace("\"Hello\"", "\"<think>a</think>b\"");
    let shown = with_log(tagged, &["coarse", "-", "--think-tags"]).stdout;
    assert!(shown.starts_with("{\"type\":\"thinking\",\"content\":\"a\"}\n{\"type\":\"text\",\"content\":\"b\"}\n"), "{shown}");
    let start = LOG.lines().next().unwrap();
    let worker = "{\"type\":\"TEXT_BLOCK_DELTA\",\"replyId\":\"w\",\"blockId\":\"b\",\"delta\":\"x\",\"source\":\"main/worker\"}\n";
    let delta = LOG.lines().nth(2).unwrap();
    let log = format!("{start}\n{delta}\n{worker}");
    assert!(!with_log(&log, &["coarse", "-"]).stdout.contains("worker"));
    assert!(with_log(&log, &["coarse", "-", "--subagents", "thinking"]).stdout.contains("[main/worker] x"));
}

#[test]
fn a_coarse_log_comes_out_as_it_went_in_and_replays_into_a_message() {
    assert_eq!(with_log(COARSE, &["coarse", "-"]).stdout, COARSE);
    let messages: serde_json::Value = serde_json::from_str(&with_log(COARSE, &["replay", "-", "--format", "json"]).stdout).unwrap();
    let types: Vec<&str> = messages[0]["content"].as_array().unwrap().iter().map(|block| block["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["thinking", "tool_use", "tool_result", "text"]);
}

#[test]
fn the_last_event_of_a_coarse_log_that_stops_is_not_lost() {
    let error = "{\"type\":\"error\",\"code\":\"MAX_ROUNDS_EXCEEDED\",\"message\":\"已达到最大轮数\",\"detail\":null}\n";
    assert!(with_log(error, &["coarse", "-"]).stdout.starts_with(error));
    assert!(with_log(error, &["timeline", "-"]).stdout.contains("已达到最大轮数"));
}

#[test]
fn the_timeline_is_shown_at_any_prefix() {
    let at = |records: &str| with_log(COARSE, &["timeline", "-", "--format", "json", "--at", records]).stdout;
    assert_eq!(at("0"), "[]\n");
    assert_eq!(
        at("2"),
        concat!(
            r#"[{"content":"","thinking":["hm"],"timeline":[{"type":"thinking","content":"hm"},"#,
            r#"{"type":"tool","toolName":"bash","toolCallId":"c1","status":"running"}],"#,
            r#""reference":[],"recommend":[],"showTimeline":true,"hasThinking":true}]"#,
            "\n"
        )
    );
    assert!(at("5").contains(r#""status":"completed""#) && at("5").contains(r#""showTimeline":false"#));
    let pretty = with_log(COARSE, &["timeline", "-"]).stdout;
    assert_eq!(pretty, "coarse complete, collapsed\n  thinking hm\n  tool bash c1 completed\nDone </script>\n");
}

#[test]
fn nothing_to_show_is_said() {
    assert_eq!(with_log("", &["timeline", "-"]).stdout, "nothing to show yet\n");
}

#[test]
fn a_stream_that_stops_is_closed_for_a_front_end_and_goes_on_in_the_timeline() {
    let cut: String = LOG.lines().take(3).map(|line| format!("{line}\n")).collect();
    let packed = zstd::encode_all(cut.as_bytes(), 1).unwrap();
    let broken = [&packed[..], &packed[..6]].concat();
    for (log, args, code) in [(cut.as_bytes(), &[][..], 0), (&broken, &[], 2), (format!("{cut}nonsense\n").as_bytes(), &["--strict"], 1)] {
        let ran = with_log(log, &[&["coarse", "-"], args].concat());
        assert!(ran.code == code && ran.stdout.contains("LLM_CALL_FAILED") && ran.stdout.ends_with("{\"type\":\"complete\"}\n"));
        let shown = with_log(log, &[&["timeline", "-"], args].concat()).stdout;
        assert_eq!(shown, "r1 streaming, expanded\nHello\n");
    }
}

#[test]
fn the_page_needs_nothing_else_and_a_log_cannot_leave_its_place() {
    let page = with_log(COARSE, &["timeline", "-", "--format", "html"]).stdout;
    assert!(page.starts_with("<!doctype html>") && page.contains("Done \\u003c/script>"));
    assert_eq!(page.matches("</script>").count(), 2);
    for outside in ["http:", "https:", "src=", "@import", "url(", "__LOG__"] {
        assert!(!page.contains(outside), "{outside}");
    }
}

/// Bug report B050: clients that split lines at these characters must not see them.
#[test]
fn separators_are_escapes_in_a_server_sent_event() {
    let log = "{\"type\":\"AGENT_START\",\"replyId\":\"r\",\"createdAt\":\"T\"}\n\
               {\"type\":\"TEXT_BLOCK_DELTA\",\"replyId\":\"r\",\"blockId\":\"b\",\"delta\":\"a\u{2028}b\u{85}\"}\n";
    let ran = with_log(log, &["coarse", "-", "--sse"]);
    assert!(ran.stdout.starts_with("data: {\"type\":\"text\",\"content\":\"a\\u2028b\\u0085\"}\n\n"), "{}", ran.stdout);
}
