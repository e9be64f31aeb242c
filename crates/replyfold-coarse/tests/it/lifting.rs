//! The way back.

use crate::corpus::{collapse, events, logs};
use crate::script::{fine, is_well_formed};
use proptest::prelude::*;
use replyfold_coarse::{CoarseEvent, CollapseOptions, Collapser, Language, Lifter, SessionCollapser};
use replyfold_event::AgentEvent;
use replyfold_event::message::Block;
use replyfold_reduce::SessionReducer;

pub(crate) fn lift(stream: &[CoarseEvent], language: Language) -> Vec<AgentEvent> {
    let mut lifter = Lifter::new("reply").with_language(language);
    let mut fine = Vec::new();
    for event in stream {
        fine.extend(lifter.push(event));
    }
    fine.extend(lifter.finish());
    fine
}

pub(crate) fn collapse_again(fine: &[AgentEvent], language: Language) -> Vec<CoarseEvent> {
    let mut session = SessionCollapser::with_options(CollapseOptions::new().with_language(language));
    let mut stream = Vec::new();
    for event in fine {
        stream.extend(session.push(event).map(|shown| shown.event));
    }
    stream
}

fn round_trips(stream: &[CoarseEvent], language: Language) -> bool {
    collapse_again(&lift(stream, language), language) == stream
}

#[test]
fn every_stream_of_the_corpus_comes_back() {
    let mut count = 0;
    for log in logs() {
        for (reply, stream) in collapse(&events(&log)) {
            let again = collapse_again(&lift(&stream, Language::Chinese), Language::Chinese);
            assert_eq!(again, stream, "{} {reply}", log.display());
            count += 1;
        }
    }
    assert!(count > 100, "{count} streams");
}

#[test]
fn what_is_lifted_folds_into_the_message_that_was_shown() {
    for log in logs() {
        for (reply, stream) in collapse(&events(&log)) {
            let text: String =
                stream.iter().filter_map(|event| if let CoarseEvent::Text { content } = event { content.clone() } else { None }).collect();
            let mut session = SessionReducer::new();
            for (position, event) in (0..).zip(lift(&stream, Language::Chinese)) {
                session.apply_at(position, &event);
            }
            let message = session.messages().next().unwrap();
            let attempts_failed = stream.iter().any(|event| matches!(event, CoarseEvent::Error { .. }));
            let folded: String = message
                .content
                .iter()
                .filter_map(|block| if let Block::Text(text) = block { Some(text.text.as_str()) } else { None })
                .collect();
            // The fold withdraws what a failed attempt said; the coarse stream cannot.
            assert!(folded == text || attempts_failed, "{} {reply}: {folded:?} {text:?}", log.display());
            let tools = stream.iter().filter(|event| matches!(event, CoarseEvent::ToolEnd { .. })).count();
            let results = message.content.iter().filter(|block| matches!(block, Block::ToolResult(_))).count();
            assert!(results == tools || attempts_failed, "{} {reply}", log.display());
        }
    }
}

#[test]
fn the_same_stream_gives_the_same_events() {
    let stream = [CoarseEvent::text("a"), CoarseEvent::Complete, CoarseEvent::text("b"), CoarseEvent::Complete];
    let lines = |fine: Vec<AgentEvent>| fine.iter().map(AgentEvent::to_json).collect::<Vec<_>>();
    let first = lines(lift(&stream, Language::Chinese));
    assert_eq!(first, lines(lift(&stream, Language::Chinese)));
    assert_eq!(first[0], r#"{"type":"AGENT_START","id":"reply-1","replyId":"reply","role":"assistant"}"#);
    assert!(first.iter().any(|line| line.contains(r#""replyId":"reply#2""#)));
    assert!(round_trips(&stream, Language::Chinese));
}

#[test]
fn foreign_streams_come_back_as_far_as_the_protocol_goes() {
    let lines = [
        r#"{"type":"thinking","content":"t"}"#,
        r#"{"type":"reference","content":[{"n":1.10}]}"#,
        r#"{"type":"error","code":"CONVERSATION_BUSY","message":"busy","detail":null}"#,
        r#"{"type":"error","code":"LLM_CALL_FAILED","message":"LLM call failed, retrying (1/3)","detail":"x"}"#,
        r#"{"type":"error","code":"MAX_ROUNDS_EXCEEDED","message":"已达到最大轮数","detail":null}"#,
        r#"{"type":"text","content":"after"}"#,
        r#"{"type":"error","code":null,"message":null,"detail":null}"#,
        r#"{"type":"tool_start","toolName":"t","toolCallId":"c","arguments":"{}"}"#,
        r#"{"type":"tool_end","toolName":"t","toolCallId":"c","result":"工具执行失败：x"}"#,
        r#"{"type":"recommend","content":["more"]}"#,
        r#"{"type":"complete"}"#,
    ];
    let stream: Vec<CoarseEvent> = lines.iter().map(|line| CoarseEvent::from_json(line).unwrap()).collect();
    let again: Vec<String> =
        collapse_again(&lift(&stream, Language::Chinese), Language::Chinese).iter().map(CoarseEvent::to_json).collect();
    assert_eq!(again, lines);
}

fn line() -> impl Strategy<Value = String> {
    let id = prop::sample::select(vec!["c1", "c2", "c1#2"]);
    let stop = r#"{"type":"REQUEST_STOP","replyId":"r1","generateReason":"PERMISSION_ASKING"}"#;
    let ask = r#"{"type":"REQUIRE_USER_CONFIRM","replyId":"r1","toolCalls":[{"type":"tool_use","id":"c1","name":"t","input":{},"content":"{}","state":"asking"}]}"#;
    let outside = r#"{"type":"REQUIRE_EXTERNAL_EXECUTION","replyId":"r1","toolCalls":[]}"#;
    let result = r#"{"type":"EXTERNAL_EXECUTION_RESULT","replyId":"r1","toolResults":[{"type":"tool_result","id":"c2","name":"t","output":[],"state":"error"}]}"#;
    let custom = r#"{"type":"CUSTOM","name":"retry","value":{"attempt":2,"limit":3}}"#;
    let exceed = r#"{"type":"EXCEED_MAX_ITERS","replyId":"r1"}"#;
    let plain = vec![
        "start",
        "call",
        "called",
        "called boom",
        "called retry 1/3 x",
        "called retry 2/3 x",
        "text a",
        "text b<",
        "think t",
        "text-end",
        stop,
        ask,
        outside,
        result,
        custom,
        exceed,
    ];
    let rare = vec!["end", "end completed", "end interrupted", "end exceed_max_iters", "end error x"];
    let state = prop::sample::select(vec!["success", "error", "denied", "running"]);
    prop_oneof![
        12 => prop::sample::select(plain).prop_map(str::to_owned),
        1 => prop::sample::select(rare).prop_map(str::to_owned),
        8 => (id.clone(), prop::sample::select(vec!["tool ID t", "args ID {\"a\":1}", "tool-end ID", "run ID t", "out ID x", "out ID 工具执行失败：y", "out ID { \"error\": \"工具执行失败：y\" }", "data ID b"]))
            .prop_map(|(id, line)| line.replace("ID", id)),
        4 => (id, state).prop_map(|(id, state)| format!("ran {id} {state}")),
    ]
}

proptest! {
    #[test]
    fn whatever_comes_in_the_stream_is_well_formed_and_comes_back(script in proptest::collection::vec(line(), 0..40), english: bool) {
        let language = if english { Language::English } else { Language::Chinese };
        let mut collapser = Collapser::with_options(CollapseOptions::new().with_language(language));
        let mut stream = Vec::new();
        for event in fine(&script.join("\n")) {
            stream.extend(collapser.push(&event));
            let mut closed = stream.clone();
            closed.extend(collapser.clone().finish());
            prop_assert!(is_well_formed(&closed), "{closed:#?}");
        }
        stream.extend(collapser.finish());
        let again = collapse_again(&lift(&stream, language), language);
        prop_assert_eq!(again, stream);
    }
}
