//! Reports of others about think parsers and adapters, each with the right behaviour.

use crate::script::{closed, fine, lines};
use crate::think::split;
use replyfold_coarse::{CoarseEvent, Collapser, Ending, ThinkOptions, ThinkSplitter};

fn parts(chunks: &[&str]) -> (String, String) {
    let all = split(chunks, ThinkOptions::new());
    let whole = chunks.concat();
    let chars: Vec<String> = whole.chars().map(String::from).collect();
    let chars: Vec<&str> = chars.iter().map(String::as_str).collect();
    assert_eq!(all, split(&chars, ThinkOptions::new()), "{chunks:?} char by char");
    assert_eq!(all, split(&[&whole], ThinkOptions::new()), "{chunks:?} at once");
    all
}

fn is(text: &str, thinking: &str) -> (String, String) {
    (text.to_owned(), thinking.to_owned())
}

fn joined(lines: &[String], type_name: &str) -> String {
    let events = lines.iter().map(|line| CoarseEvent::from_json(line).unwrap());
    events
        .filter(|event| event.type_name() == type_name)
        .map(|event| match event {
            CoarseEvent::Text { content } | CoarseEvent::Thinking { content } => content.unwrap(),
            _ => String::new(),
        })
        .collect()
}

#[test]
fn b004_text_that_comes_before_the_end_of_thinking_stays_text() {
    let script = r#"
        {"type":"THINKING_BLOCK_START","replyId":"r1","blockId":"k1"}
        think 2+2…
        {"type":"TEXT_BLOCK_START","replyId":"r1","blockId":"x1"}
        text 4
        {"type":"THINKING_BLOCK_END","replyId":"r1","blockId":"k1"}
        text  is the answer
        text-end
    "#;
    let lines = lines(script);
    assert_eq!((joined(&lines, "thinking").as_str(), joined(&lines, "text").as_str()), ("2+2…", "4 is the answer"));
}

#[test]
fn b007_text_and_tools_keep_their_order() {
    let script = "call\ntext A\ntool t1 t\nrun t1 t\nran t1 success\ncall\ntext B\ntool t2 t\nrun t2 t\nran t2 success\ncall\ntext C\nend";
    let types: Vec<String> = lines(script).iter().map(|line| CoarseEvent::from_json(line).unwrap().type_name().to_owned()).collect();
    assert_eq!(types, ["text", "tool_start", "tool_end", "text", "tool_start", "tool_end", "text", "complete"]);
}

#[test]
fn b013_nothing_that_was_sent_is_sent_again() {
    let script =
        "call\nthink A\ntool t1 t\nrun t1 t\nran t1 success\ncall\nthink B\ntext C\ntool t2 t\nrun t2 t\nran t2 success\ncall\ntext D\nend";
    let lines = lines(script);
    assert_eq!((joined(&lines, "thinking").as_str(), joined(&lines, "text").as_str()), ("AB", "CD"));
    assert_eq!(lines.last().unwrap(), r#"{"type":"complete"}"#);
}

#[test]
fn b026_many_steps_in_one_piece_are_all_taken() {
    assert_eq!(parts(&["<think>a</think>x<think>b</think>y<think>c"]), is("xy", "abc"));
}

#[test]
fn b029_a_piece_of_arguments_after_the_end_of_the_call_is_ignored() {
    let script = "tool t1 t\nargs t1 {\"a\":\nargs t1 1}\ntool-end t1\nargs t1 }\nrun t1 t\nargs t1 }";
    assert_eq!(lines(script), [r#"{"type":"tool_start","toolName":"t","toolCallId":"t1","arguments":"{\"a\":1}"}"#]);
}

#[test]
fn b032_pieces_of_two_calls_that_alternate_go_to_their_own() {
    let script = "tool t1 a\ntool t2 b\nargs t1 {\"a\":1}\nargs t2 {\"b\":2}\ntool-end t2\ntool-end t1\nrun t1 a\nrun t2 b";
    assert_eq!(
        lines(script),
        [
            r#"{"type":"tool_start","toolName":"a","toolCallId":"t1","arguments":"{\"a\":1}"}"#,
            r#"{"type":"tool_start","toolName":"b","toolCallId":"t2","arguments":"{\"b\":2}"}"#,
        ]
    );
}

/// The field implementations start a call again when the pieces of parallel calls alternate.
#[test]
fn b032_a_call_that_is_started_again_goes_on() {
    let started = |id: &str, name: &str, arguments: &str| {
        format!(r#"{{"type":"tool_start","toolName":"{name}","toolCallId":"{id}","arguments":"{arguments}"}}"#)
    };
    let script = "call
        tool t1 a\nargs t1 [1\ntool-end t1
        tool t2 b\nargs t2 [2\ntool-end t2
        tool t1 a\nargs t1 ,3]\ntool-end t1
        tool t2 b\nargs t2 ,4]\ntool-end t2
        called\nrun t1 a\nrun t2 b";
    assert_eq!(lines(script), [started("t1", "a", "[1,3]"), started("t2", "b", "[2,4]")]);
    // A start that comes twice, and one in the next model call: another call.
    assert_eq!(lines("tool t1 a\nargs t1 [1\ntool t1 a\nargs t1 ]\nrun t1 a"), [started("t1", "a", "[1]")]);
    let again = "call\ntool t1 a\nargs t1 [1]\ntool-end t1\ncall\ntool t1 a\nargs t1 [2]\ntool-end t1\nrun t1 a";
    assert_eq!(lines(again), [started("t1", "a", "[2]")]);
}

#[test]
fn b032_a_start_while_the_tool_runs_is_another_call() {
    let script = "call\ntool t1 a\nargs t1 [1]\ntool-end t1\nrun t1 a\ntool t1 a\nargs t1 [2]\ntool-end t1\nout t1 x\nran t1 success\nrun t1 a\nout t1 y\nran t1 success";
    assert_eq!(
        lines(script),
        [
            r#"{"type":"tool_start","toolName":"a","toolCallId":"t1","arguments":"[1]"}"#,
            r#"{"type":"tool_end","toolName":"a","toolCallId":"t1","result":"x"}"#,
            r#"{"type":"tool_start","toolName":"a","toolCallId":"t1#2","arguments":"[2]"}"#,
            r#"{"type":"tool_end","toolName":"a","toolCallId":"t1#2","result":"y"}"#,
        ]
    );
}

/// Java runs a call again that was stopped while it acted.
#[test]
fn a_call_that_is_run_again_has_the_arguments_of_the_call() {
    let script = "call\ntool t1 a\nargs t1 [1]\ntool-end t1\ncalled\nrun t1 a\nran t1 success\nrun t1 a";
    assert_eq!(lines(script)[2..], [r#"{"type":"tool_start","toolName":"a","toolCallId":"t1#2","arguments":"[1]"}"#]);
}

/// "Reduction" section 2: what the failed attempt wrote is withdrawn, and an older block with the same id is addressed again.
#[test]
fn a_failed_attempt_gives_an_id_back() {
    let script = "call\ntool t1 a\nargs t1 [1]\ntool-end t1\ncalled\ncall\ntool t1 a\nargs t1 [2]\ncalled retry 1/3 x\nrun t1 a";
    assert_eq!(lines(script)[1..], [r#"{"type":"tool_start","toolName":"a","toolCallId":"t1","arguments":"[1]"}"#]);
}

#[test]
fn b034_thinking_whose_opening_tag_never_comes() {
    let inside = ThinkOptions::new().with_starts_inside(true);
    let chunks = ["Let me see", "…</think>\n\nDone."];
    assert_eq!(split(&chunks, inside.clone()), is("\n\nDone.", "Let me see…"));
    assert_eq!(split(&["</think>Done."], inside), is("Done.", ""));
    assert_eq!(parts(&chunks), is("Let me see…\n\nDone.", ""));
    assert_eq!(parts(&["</think>Done."]), is("Done.", ""));
}

#[test]
fn b035_a_second_or_stray_closing_tag_is_not_shown_whatever_its_case() {
    assert_eq!(parts(&["<think>a</think>b</think>c"]), is("bc", "a"));
    assert_eq!(parts(&["</think>", "x"]), is("x", ""));
    // The report lets the blank before the tag go; the protocol keeps white space.
    assert_eq!(parts(&["\u{a0}<THINK>a</Think>b"]), is("\u{a0}b", "a"));
}

#[test]
fn b037_thinking_that_is_cut_off_is_not_sent_as_the_answer() {
    assert_eq!(parts(&["<think>The user wants", "…half a thou"]), is("", "The user wants…half a thou"));
}

#[test]
fn b038_a_text_that_ends_on_a_tag_does_not_show_it() {
    assert_eq!(parts(&["<think>a", "</think>"]), is("", "a"));
    assert_eq!(parts(&["<think>"]), is("", ""));
    assert_eq!(parts(&["x", "</thi"]), is("x</thi", ""));
}

#[test]
fn b040_white_space_is_the_same_streamed_and_at_once() {
    assert_eq!(parts(&["\n", "    code"]), is("\n    code", ""));
    assert_eq!(parts(&["\n\n<think>a</think>\n  b"]), is("\n\n\n  b", "a"));
}

#[test]
fn b041_opening_and_closing_tags_in_one_piece_all_count() {
    assert_eq!(parts(&["<think>a</think>b<think>c</think>d"]), is("bd", "ac"));
}

#[test]
fn b043_characters_of_many_bytes_beside_a_tag_do_no_harm() {
    assert_eq!(parts(&["🛡️ok <think>💭</think>é"]), is("🛡️ok é", "💭"));
    assert_eq!(parts(&["İ<think>a</think>"]), is("İ", "a"));
}

#[test]
fn b058_a_failure_before_the_first_model_call_closes_the_stream_and_a_notice_does_not() {
    let failed = lines("start\nend error boom");
    assert_eq!(failed.len(), 2);
    assert_eq!(failed[1], r#"{"type":"complete"}"#);
    assert_eq!(lines("start\ncall\ncalled retry 1/3 busy").len(), 1);
}

#[test]
fn b080_a_reply_that_waits_for_a_person_can_be_told_and_closed() {
    let script = r#"
        start
        tool t1 bash
        {"type":"REQUIRE_USER_CONFIRM","replyId":"r1","toolCalls":[{"type":"tool_use","id":"t1","name":"bash","input":{"c":"ls"},"content":"{\"c\":\"ls\"}","state":"asking"}]}
        {"type":"REQUEST_STOP","replyId":"r1","generateReason":"PERMISSION_ASKING"}
        end
    "#;
    let mut collapser = Collapser::new();
    for event in fine(script) {
        assert_eq!(collapser.push(&event).count(), 0);
    }
    assert_eq!(collapser.ending(), Ending::WaitsForPerson);
    let closed = closed(script);
    assert!(
        closed[0].contains("CONFIRMATION_REQUIRED") && closed[0].contains("t1") && closed[0].contains("bash") && closed[0].contains("ls")
    );
    assert_eq!(closed[1..], [r#"{"type":"complete"}"#]);
}

#[test]
fn b101_a_failure_ends_the_stream_once() {
    let lines = closed("call\ntext a\ncalled boom\nend error boom\nend error boom\nend");
    assert_eq!(lines.iter().filter(|line| line.contains("complete")).count(), 1);
    assert_eq!(lines.len(), 3);
}

#[test]
fn b104_a_temporary_failure_is_a_notice_and_a_lasting_one_has_the_reason() {
    let recovered = lines("call\ncalled retry 1/3 429\ncall\ntext a\ncalled\nend completed");
    assert_eq!(recovered.len(), 3);
    assert!(recovered[0].contains("(1/3)"));
    let failed = lines("call\ncalled context too long\nend error context too long");
    assert_eq!(failed.iter().filter(|line| line.contains("context too long")).count(), 1);
}

#[test]
fn b106_an_aborted_run_can_be_told_from_a_good_one() {
    let ending = |script| {
        let mut collapser = Collapser::new();
        fine(script).iter().for_each(|event| drop(collapser.push(event)));
        collapser.ending()
    };
    assert_eq!(ending("start\ntext a\nend interrupted"), Ending::Interrupted);
    assert_eq!(ending("start\ntext a\nend exceed_max_iters"), Ending::MaxRounds);
    assert_eq!(ending("start\ntext a\nend error boom"), Ending::Failed);
    assert_eq!(ending("start\ntext a\nend completed"), Ending::Completed);
    assert_eq!(ending("start\ntext a"), Ending::Open);
}

#[test]
fn b107_the_limit_of_rounds_with_a_last_answer_is_no_error() {
    let script = "call\ntool t1 t\ncalled\nrun t1 t\nran t1 success\n{\"type\":\"EXCEED_MAX_ITERS\",\"replyId\":\"r1\"}\ncall\ntext Summary\ncalled\nend exceed_max_iters";
    let lines = lines(script);
    assert_eq!(lines[2..], [r#"{"type":"text","content":"Summary"}"#, r#"{"type":"complete"}"#]);
}

#[test]
fn b112_a_long_thought_in_small_pieces_is_shown_piece_by_piece() {
    let mut splitter = ThinkSplitter::new(ThinkOptions::new());
    splitter.push("<think>");
    // Nothing is kept: each piece comes out as it went in.
    for _ in 0..200_000 {
        assert_eq!(splitter.push("word").count(), 1);
    }
    assert_eq!(splitter.finish().count(), 0);
}
