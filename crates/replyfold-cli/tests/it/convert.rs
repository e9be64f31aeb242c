//! `replyfold convert`

use crate::run::{LOG, fixture, replyfold, with_log};

#[test]
fn a_log_comes_back_from_every_dialect_that_can_carry_it() {
    for dialect in ["python", "java", "canonical"] {
        let there = with_log(LOG, &["convert", "-", "--to", dialect]);
        assert_eq!(there.code, 0);
        let back = with_log(&there.stdout, &["replay", "-", "--format", "json"]).stdout;
        let wanted = with_log(LOG, &["replay", "-", "--format", "json"]).stdout;
        // Java's end has no reason.
        let wanted = if dialect == "java" { wanted.replace(",\"finishedReason\":\"completed\"", "") } else { wanted };
        assert_eq!(back, wanted, "{dialect}");
    }
}

#[test]
fn losses_are_told_once_a_kind_with_number_and_place_or_all_of_them() {
    let two = format!("{LOG}{}", LOG.replace("\"e", "\"f"));
    let ran = with_log(&two, &["convert", "-", "--to", "java"]);
    let loss = "AGENT_END: the java dialect has no place for `finishedReason`; it was left out";
    assert!(ran.stderr.contains(&format!("standard input: {loss} (2 times, first at line 5 ")), "{}", ran.stderr);
    let verbose = with_log(&two, &["convert", "-", "--to", "java", "--verbose"]);
    assert_eq!(verbose.stderr.matches(&format!(": {loss}\n")).count(), 2, "{}", verbose.stderr);
}

#[test]
fn unknown_types_pass_byte_for_byte_or_are_dropped_on_request() {
    let mood = "{ \"type\":\"MOOD\",  \"x\":[1.50] }";
    let log = format!("{mood}\n{LOG}");
    assert!(with_log(&log, &["convert", "-", "--to", "python"]).stdout.starts_with(&format!("{mood}\n")));
    assert!(!with_log(&log, &["convert", "-", "--to", "python", "--drop-unknown"]).stdout.contains("MOOD"));
}

#[test]
fn the_envelope_is_dropped_or_kept() {
    let log = fixture("java/remote/frames.jsonl");
    let bare = replyfold(&["convert", log.to_str().unwrap(), "--to", "canonical"]);
    assert!(bare.stdout.lines().all(|line| line.starts_with("{\"type\":")), "{}", bare.stdout);
    let kept = replyfold(&["convert", log.to_str().unwrap(), "--to", "canonical", "--keep-envelope"]);
    assert!(kept.stdout.starts_with("{\"seq\":1,\"type\":\"RUN_STARTED\""), "{}", kept.stdout);
    assert!(kept.stdout.lines().all(|line| line.contains(",\"payload\":\"{\\\"type\\\":")));
}

#[test]
fn a_python_log_comes_back_byte_for_byte() {
    let path = fixture("python/runs/tool_result_streamed.events.jsonl");
    let ran = replyfold(&["convert", path.to_str().unwrap(), "--to", "python"]);
    assert_eq!((ran.stdout, ran.stderr.as_str()), (std::fs::read_to_string(path).unwrap(), ""));
}

#[test]
fn an_unknown_event_over_several_lines_becomes_one_line() {
    let ran = with_log("data: {\"type\":\"MOOD\",\ndata: \"x\":1}\n\n", &["convert", "-", "--to", "canonical"]);
    assert_eq!(ran.stdout, "{\"type\":\"MOOD\", \"x\":1}\n");
}

/// `wire.md` section 5: a camelCase log gives each event the reply of the run it is in, so it cannot say that one is of no run.
#[test]
fn an_event_that_reads_as_of_another_reply_is_told() {
    let log = "{\"type\":\"REPLY_START\",\"id\":\"1\",\"created_at\":\"T\",\"reply_id\":\"r1\",\"session_id\":\"s\",\"name\":\"n\"}\n\
               {\"type\":\"TEXT_BLOCK_DELTA\",\"id\":\"2\",\"created_at\":\"T\",\"reply_id\":\"ghost\",\"block_id\":\"b\",\"delta\":\"x\"}\n";
    let ran = with_log(log, &["convert", "-", "--to", "canonical"]);
    assert!(ran.stderr.contains("replyId"), "{}", ran.stderr);
    assert_eq!(with_log(log, &["convert", "-", "--to", "python"]).stderr, "");
}
