//! What a person sees of recorded logs.

use crate::run::{fixture, replyfold};

fn transcript(log: &str, args: &[&str]) -> String {
    let path = fixture(log);
    let ran = replyfold(&[&["replay", path.to_str().unwrap()], args].concat());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{log}");
    ran.stdout
}

macro_rules! transcripts {
    ($($name:ident: $log:literal $(, $arg:literal)*;)+) => {
        $(#[test]
        fn $name() {
            insta::assert_snapshot!(transcript($log, &[$($arg),*]));
        })+
    };
}

transcripts! {
    a_call_and_its_result: "java/logs/tool-args-streamed.events.jsonl";
    a_question_answered_in_two_steps: "java/logs/confirm-partial.events.jsonl";
    a_question_that_waits: "java/logs/confirm-partial.events.jsonl", "--at", "12";
    arguments_that_still_stream: "python/synthetic/all_event_types.events.jsonl", "--at", "17";
    every_kind_of_event: "python/synthetic/all_event_types.events.jsonl";
    a_failed_model: "python/service/svc_model_error.events.jsonl";
    a_call_that_runs_outside: "java/logs/external-mixed.events.jsonl";
    sub_agents: "java/logs/subagent-twice.events.jsonl";
    media_from_a_tool: "java/logs/tool-result-image.events.jsonl";
    hints_and_interruption: "python/service/svc_interrupt_parked.events.jsonl";
}
