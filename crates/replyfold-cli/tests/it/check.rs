//! `replyfold check`: every kind of finding, and what is none.

use crate::run::{LOG, fixture, replyfold, with_log};

/// The kinds of what is found in a log, with their lines.
fn findings(log: &str) -> Vec<(String, u64)> {
    let ran = with_log(log, &["check", "-", "--format", "json"]);
    let found: Vec<serde_json::Value> = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(ran.code, i32::from(!found.is_empty()));
    assert!(found.iter().all(|finding| finding["sentence"].as_str().is_some_and(|sentence| sentence.len() > 10)));
    found.iter().map(|finding| (finding["kind"].as_str().unwrap().to_owned(), finding["line"].as_u64().unwrap())).collect()
}

/// A canonical event of reply `r1` from its type and further fields.
fn line(kind: &str, fields: &str) -> String {
    format!("{{\"type\":\"{kind}\",\"createdAt\":\"2026-01-01T00:00:05Z\",\"replyId\":\"r1\"{fields}}}\n")
}

fn check(lines: &[String], kinds: &[&str]) {
    let log = lines.concat();
    let found: Vec<String> = findings(&log).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(found, kinds, "{log}");
}

fn start() -> String {
    line("AGENT_START", ",\"role\":\"assistant\"")
}

fn end() -> String {
    line("AGENT_END", "")
}

fn call() -> String {
    [line("TOOL_CALL_START", ",\"toolCallId\":\"c1\",\"toolCallName\":\"rm\""), line("TOOL_CALL_END", ",\"toolCallId\":\"c1\"")].concat()
}

fn asked() -> String {
    line("REQUIRE_USER_CONFIRM", ",\"toolCalls\":[{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"rm\"}]")
}

fn result(state: &str) -> String {
    [
        line("TOOL_RESULT_START", ",\"toolCallId\":\"c1\",\"toolCallName\":\"rm\""),
        line("TOOL_RESULT_END", &format!(",\"toolCallId\":\"c1\",\"state\":\"{state}\"")),
    ]
    .concat()
}

#[test]
fn a_healthy_log_has_no_findings() {
    let ran = with_log(LOG, &["check", "-"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "nothing found\n"));
}

#[test]
fn findings_name_line_event_and_reply_in_a_sentence() {
    let log = LOG.replace("00:00:03Z", "00:00:01Z");
    let ran = with_log(log, &["check", "-"]);
    assert_eq!(
        ran.stdout,
        "line 4: the time goes back: 2026-01-01T00:00:01Z after 2026-01-01T00:00:02Z of line 3 [time_goes_back, event e4, reply r1]\n1 finding\n"
    );
    assert_eq!(ran.code, 1);
}

#[test]
fn bad_and_torn_records_are_findings() {
    assert_eq!(findings(&format!("nonsense\n{LOG}")), [("bad_record".to_owned(), 1)]);
    assert_eq!(findings(&format!("{LOG}{{\"type\":\"AG")), [("torn_record".to_owned(), 6)]);
}

#[test]
fn a_strict_check_tells_what_was_found_before_the_bad_record_and_not_what_a_cut_log_lacks() {
    let bad_fourth = |log: &str| log.replacen("{\"type\":\"TEXT_BLOCK_END\"", "nonsense", 1);
    let fine = with_log(bad_fourth(LOG), &["check", "-", "--strict"]);
    assert_eq!(fine.code, 1);
    assert!(
        fine.stdout.starts_with("line 4: no event: not JSON: ") && fine.stdout.ends_with(" [bad_record]\n1 finding in what was read\n"),
        "{}",
        fine.stdout
    );
    assert!(fine.stderr.contains("line 4 (byte 340): no event: not JSON: "), "{}", fine.stderr);
    let wrong = LOG.replace("00:00:02Z", "00:00:00Z");
    let found = with_log(bad_fourth(&wrong), &["check", "-", "--strict"]);
    assert_eq!(found.code, 1);
    assert!(
        found.stdout.starts_with("line 3: the time goes back") && found.stdout.ends_with(" [bad_record]\n2 findings in what was read\n"),
        "{}",
        found.stdout
    );
    let json: serde_json::Value =
        serde_json::from_str(&with_log(bad_fourth(&wrong), &["check", "-", "--strict", "--format", "json"]).stdout).unwrap();
    assert_eq!((json.as_array().unwrap().len(), &json[0]["kind"], &json[1]["kind"]), (2, &"time_goes_back".into(), &"bad_record".into()));
    assert_eq!(json[1]["line"], 4);
    let torn = with_log(format!("{LOG}{{\"type\":"), &["check", "-", "--strict", "--format", "json"]).stdout;
    assert!(torn.contains("torn_record"), "{torn}");
}

#[test]
fn what_the_protocol_promises_and_the_log_does_not_keep_is_found() {
    check(&[start()], &["reply_without_end"]);
    check(&[start(), line("TEXT_BLOCK_START", ",\"blockId\":\"b\""), end()], &["block_never_closed"]);
    check(&[start(), call(), end()], &["call_without_result"]);
    check(&[start(), result("success"), end()], &["result_without_call"]);
    check(&[start(), end(), end()], &["second_end"]);
}

#[test]
fn notes_of_the_fold_are_findings() {
    check(&[line("TEXT_BLOCK_START", ",\"blockId\":\"b\""), line("TEXT_BLOCK_END", ",\"blockId\":\"b\""), end()], &["head_missing"]);
    check(&[start(), line("TEXT_BLOCK_DELTA", ",\"blockId\":\"b\",\"delta\":\"x\""), end()], &["delta_without_start"]);
    check(
        &[start(), call(), line("TOOL_CALL_DELTA", ",\"toolCallId\":\"c1\",\"delta\":\"{}\""), result("success"), end()],
        &["delta_after_end"],
    );
    check(
        &[start(), end(), line("TEXT_BLOCK_START", ",\"blockId\":\"b\""), line("TEXT_BLOCK_END", ",\"blockId\":\"b\"")],
        &["after_reply_end", "after_reply_end"],
    );
}

#[test]
fn events_without_ids_after_an_end_are_told_beside_a_second_end() {
    let late = || [line("TEXT_BLOCK_START", ",\"blockId\":\"b\""), line("TEXT_BLOCK_END", ",\"blockId\":\"b\"")].concat();
    check(&[start(), end(), late(), end()], &["after_reply_end", "after_reply_end", "second_end"]);
    check(&[start(), end(), end(), late()], &["second_end", "after_reply_end", "after_reply_end"]);
}

#[test]
fn bad_arguments_are_told_unless_the_same_call_of_the_same_reply_has_good_ones_later() {
    let piece = |delta: &str| {
        let piece = line("TOOL_CALL_DELTA", &format!(",\"toolCallId\":\"c1\",\"delta\":\"{delta}\""));
        [line("TOOL_CALL_START", ",\"toolCallId\":\"c1\",\"toolCallName\":\"rm\""), piece, line("TOOL_CALL_END", ",\"toolCallId\":\"c1\"")]
            .concat()
    };
    let other = |log: String| log.replace("r1", "r2");
    let whole = |pieces: &[&str]| [start(), pieces.iter().map(|text| piece(text)).collect(), result("success"), end()].concat();
    check(&[whole(&["{"])], &["bad_arguments"]);
    check(&[whole(&["{", "}"])], &[]);
    check(&[whole(&["{"]), other(whole(&["{}"]))], &["bad_arguments"]);
}

/// Each of a thousand things that are wrong is told once, whatever came before it.
#[test]
fn a_log_with_much_wrong_tells_all_of_it() {
    let many = |lines: &dyn Fn(usize) -> String| (0..1_000).map(lines).collect::<String>();
    let bad = |i: usize| {
        let piece = line("TOOL_CALL_DELTA", ",\"toolCallId\":\"c1\",\"delta\":\"{bad\"").replace("c1", &format!("c{i}"));
        call().replace("c1", &format!("c{i}")).replacen('\n', &format!("\n{piece}"), 1)
    };
    let open = |i: usize| line("TEXT_BLOCK_START", &format!(",\"blockId\":\"b{i}\""));
    for (log, kind, times) in [
        ([start(), many(&bad)].concat(), "bad_arguments", 1_000),
        ([start(), many(&|_| end())].concat(), "second_end", 999),
        ([start(), many(&open), many(&|_| end())].concat(), "block_never_closed", 1_000),
        ([start(), end(), many(&open)].concat(), "after_reply_end", 1_000),
    ] {
        let told = with_log(log, &["check", "-", "--format", "json"]).stdout;
        assert_eq!(told.matches(&format!("\"{kind}\"")).count(), times, "{kind}");
    }
}

#[test]
fn what_the_reader_had_to_do_is_a_finding() {
    let python = "{\"type\":\"CUSTOM\",\"created_at\":\"2026-01-01T00:00:09Z\",\"name\":\"n\",\"value\":{}}\n";
    assert_eq!(findings(&format!("{LOG}{python}")), [("other_dialect".to_owned(), 6)]);
}

#[test]
fn a_declined_call_needs_no_result() {
    let declined = line(
        "USER_CONFIRM_RESULT",
        ",\"confirmResults\":[{\"confirmed\":false,\"toolCall\":{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"rm\"}}]",
    );
    check(&[start(), call(), asked(), declined, end()], &[]);
}

#[test]
fn a_suspended_placeholder_is_no_missing_result() {
    check(&[start(), call(), result("running"), end()], &[]);
}

#[test]
fn an_end_before_a_continuation_is_no_second_end() {
    check(&[start(), end(), start(), end()], &[]);
}

#[test]
fn a_reply_that_waits_for_somebody_needs_no_end() {
    check(&[start(), call(), asked()], &[]);
    check(&[start(), call(), asked(), end()], &[]);
}

#[test]
fn recorded_runs_are_healthy_but_for_what_is_known_of_them() {
    for name in [
        "java/logs/confirm-partial",
        "java/logs/tools-parallel-streamed",
        "java/logs/subagent-twice",
        "python/runs/plain_text",
        "python/service/svc_plain",
    ] {
        let ran = replyfold(&["check", fixture(&format!("{name}.events.jsonl")).to_str().unwrap()]);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, "nothing found\n"), "{name}");
    }
    let failed = replyfold(&["check", fixture("java/logs/model-error-midstream.events.jsonl").to_str().unwrap()]);
    assert!(failed.stdout.contains("[reply_without_end") && failed.stdout.contains("[block_never_closed"), "{}", failed.stdout);
}

#[test]
fn the_result_of_a_call_that_was_handed_out_is_open_as_long_as_its_reply_waits() {
    let script = "tools: [{name: page, external: true}]\nmodel: [[call: {name: page, id: c1}]]\ninput: [{say: hi}]\n";
    let log = with_log(script, &["run", "--script", "-", "--seed", "1"]).stdout;
    let checked = with_log(&log, &["check", "-"]);
    assert_eq!((checked.code, checked.stdout.as_str()), (0, "nothing found\n"));
    // Once the reply has ended, nobody waits.
    let reply = log.lines().next().and_then(|line| line.split("\"replyId\":\"").nth(1)).and_then(|rest| rest.split('"').next()).unwrap();
    let end = format!("{{\"type\":\"AGENT_END\",\"id\":\"z\",\"createdAt\":\"2026-01-02T00:00:00Z\",\"replyId\":\"{reply}\"}}\n");
    let checked = with_log(format!("{log}{end}"), &["check", "-"]);
    assert!(checked.code == 1 && checked.stdout.contains("`c1` was never closed"), "{}", checked.stdout);
}
