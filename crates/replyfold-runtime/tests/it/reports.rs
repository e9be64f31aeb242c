//! Reports of the field (`cases/bug-reports.md`) that no trace tells.

use crate::script::{Model, Pieces, Step, agent, call, cut, events, fail, piece, short, text, thinking, turn};
use futures_util::StreamExt as _;
use replyfold_event::{AgentEvent, ConfirmResult, Payload, UserConfirmResult};
use replyfold_message::json::JsonObject;
use replyfold_message::{Block, FinishedReason, Msg, ThinkingBlock, ToolResultState, Usage};
use replyfold_runtime::{
    Agent, AgentState, Decision, Input, InputError, ModelChunk, ModelErrorKind, RetryPolicy, ScriptedGate, Turn, text_of, turns,
};
use std::time::Duration;

fn last(agent: &Agent) -> Msg {
    agent.state().context.last().cloned().unwrap()
}

fn joined_arguments(events: &[AgentEvent], id: &str) -> String {
    let pieces = events.iter().filter_map(|event| match &event.payload {
        Payload::ToolCallDelta(delta) if *delta.tool_call_id.as_str() == *id => Some(delta.delta.as_str()),
        _ => None,
    });
    pieces.collect()
}

#[tokio::test]
async fn b001_b031_the_pieces_of_every_call_are_its_arguments() {
    let gate = ScriptedGate::new().with("Q", Decision::ask(Vec::new()));
    let model = Model::new([turn([
        call("c1", "A", "{\"x\":\"1\"}"),
        call("c2", "Q", ""),
        piece("{\"x\":"),
        piece("\"2\"}"),
        call("c3", "E", "{\"x\":\"3\"}"),
        call("c4", "B", "{}"),
    ])]);
    let agent = agent(model).gate(gate).build().unwrap();
    let events = events(&agent, "go").await;
    let message = agent.current().unwrap();
    let calls: Vec<_> =
        message.content.iter().filter_map(|block| if let Block::ToolCall(call) = block { Some(call) } else { None }).collect();
    assert_eq!(calls.len(), 4);
    for (call, wanted) in calls.iter().zip(["{\"x\":\"1\"}", "{\"x\":\"2\"}", "{\"x\":\"3\"}", "{}"]) {
        assert_eq!(call.content, wanted);
        assert_eq!(joined_arguments(&events, call.id.as_str()), wanted);
    }
}

#[tokio::test]
async fn b004_a_block_is_closed_before_one_of_another_kind_is_opened() {
    let model = Model::new([turn([thinking("2+2"), text("4"), thinking("sure?"), text(" is the answer")])]);
    let agent = agent(model).build().unwrap();
    let mut open = 0;
    for event in events(&agent, "go").await {
        match event.payload {
            Payload::TextBlockStart(_) | Payload::ThinkingBlockStart(_) => {
                open += 1;
                assert_eq!(open, 1);
            }
            Payload::TextBlockEnd(_) | Payload::ThinkingBlockEnd(_) => open -= 1,
            _ => {}
        }
    }
    assert_eq!(text_of(&last(&agent)), "4 is the answer");
}

#[tokio::test]
async fn b010_usage_counts_up_within_a_call_and_is_added_across_calls() {
    let usage = |input, output| Step::Chunk(ModelChunk::Usage(Usage::new(input, output)));
    let finish = || Step::Chunk(ModelChunk::Finish("stop".to_owned()));
    let first = cut([usage(25, 1), call("c1", "A", "{\"x\":\"1\"}"), usage(0, 9), usage(0, 15), finish()]);
    let second = cut([text("done"), usage(40, 7), finish()]);
    let agent = agent(Model::new([first, second])).build().unwrap();
    let message = agent.reply("go").await.unwrap();
    assert_eq!(message.usage, Some(Usage::new(65, 22)));
}

/// The tokens of each model call that was told.
fn spent(events: &[AgentEvent]) -> Vec<Option<(u64, u64)>> {
    let end = |event: &AgentEvent| if let Payload::ModelCallEnd(end) = &event.payload { Some(end.usage) } else { None };
    events.iter().filter_map(end).map(|usage| usage.map(|usage| (usage.input_tokens, usage.output_tokens))).collect()
}

#[tokio::test(start_paused = true)]
async fn what_failed_attempts_cost_is_told_whoever_ends_the_call() {
    let usage = |input, output| Step::Chunk(ModelChunk::Usage(Usage::new(input, output)));
    let fails = || cut([usage(7, 0), usage(7, 2), fail(ModelErrorKind::Server)]);
    let silent = || RetryPolicy::new().with_announce(false).with_max_retries(1);
    let done = || Model::new([fails(), fails(), turn([text("done")])]);
    let builder = |model: Model| agent(model.clone()).fallback(model);
    // One after the other, with a word each; as one call; as one call that fails.
    let announced = events(&builder(done()).retry(silent().with_announce(true)).build().unwrap(), "go").await;
    assert_eq!(spent(&announced), [Some((7, 2)), Some((7, 2)), Some((10, 5))]);
    let one = builder(done()).retry(silent()).build().unwrap();
    assert_eq!(spent(&events(&one, "go").await), [Some((24, 9))]);
    assert_eq!(last(&one).usage, Some(Usage::new(24, 9)));
    let failed = agent(done()).retry(silent()).build().unwrap();
    assert_eq!(spent(&events(&failed, "go").await), [Some((14, 4))]);
    // The next call begins anew.
    assert_eq!(spent(&events(&failed, "again").await), [Some((10, 5))]);

    // Interrupted, or dropped, in the wait for the next attempt and in the middle of it.
    for (turns, wanted) in [(vec![fails()], (7, 2)), (vec![fails(), cut([usage(3, 1), text("Par"), Step::Wait(60_000)])], (10, 3))] {
        for is_dropped in [false, true] {
            let agent = agent(Model::new(turns.clone())).retry(silent()).build().unwrap();
            let mut stream = agent.stream("go").unwrap();
            let token = stream.cancellation_token();
            let wait = Duration::from_secs(11);
            while tokio::time::timeout(if turns.len() == 1 { wait / 2 } else { wait }, stream.next())
                .await
                .is_ok_and(|event| event.is_some())
            {}
            if is_dropped {
                drop(stream);
            } else {
                token.cancel();
                while stream.next().await.is_some() {}
            }
            assert_eq!(last(&agent).usage, Some(Usage::new(wanted.0, wanted.1)), "{is_dropped}");
        }
    }
}

#[tokio::test]
async fn b011_a_block_that_is_nothing_but_metadata_is_a_block() {
    let metadata = JsonObject::parse("{\"signature\":\"SIG\"}").unwrap();
    let model = Model::new([turn([Step::Chunk(ModelChunk::ThinkingMetadata(metadata)), text("done")])]);
    let agent = agent(model).build().unwrap();
    agent.reply("go").await.unwrap();
    let message = last(&agent);
    let Some(Block::Thinking(ThinkingBlock { thinking, .. })) = message.content.iter().next() else { panic!("{message:?}") };
    assert_eq!(thinking, "");
    assert!(serde_json::to_string(&message).unwrap().contains("SIG"));
}

#[tokio::test(start_paused = true)]
async fn b014_results_stand_with_their_calls_whichever_is_done_first() {
    let slow = Pieces { name: "three", pieces: vec![(3000, "one")], is_safe: true };
    let quick = Pieces { name: "quick", pieces: vec![(1000, "two")], is_safe: true };
    let model = Model::new([turn([call("t1", "three", "{\"x\":\"\"}"), call("t2", "quick", "{\"x\":\"\"}")]), turn([text("done")])]);
    let agent = agent(model.clone()).tool(slow).tool(quick).build().unwrap();
    let told = short(&events(&agent, "go").await);
    let place = |what: &str| told.iter().position(|event| event == what).unwrap();
    assert!(place("TOOL_RESULT_END t2 success") < place("TOOL_RESULT_END t1 success"));
    let asked = model.asked.lock().unwrap();
    let all = turns(&asked[1].messages);
    let Some(Turn::Results(results)) = all.last() else { panic!("no results") };
    let results: Vec<_> = results.iter().map(|result| (result.id.to_string(), result.text().to_string())).collect();
    assert_eq!(results, [("t1".to_owned(), "one".to_owned()), ("t2".to_owned(), "two".to_owned())]);
}

#[tokio::test]
async fn b037_thinking_that_was_cut_off_is_no_answer() {
    for reason in ["length", "stop"] {
        let first = cut([thinking("half a thou"), Step::Chunk(ModelChunk::Finish(reason.to_owned()))]);
        let agent = agent(Model::new([first, turn([text("then")])])).build().unwrap();
        let events = events(&agent, "go").await;
        let end = events.iter().find_map(|event| if let Payload::ModelCallEnd(end) = &event.payload { Some(end.clone()) } else { None });
        assert_eq!(end.unwrap().finished_reason.as_deref(), Some(reason));
        assert_eq!(text_of(&last(&agent)), "then");
    }
}

/// A call that a person is asked about, as another process finds it.
async fn asked() -> AgentState {
    let gate = ScriptedGate::new().with("Q", Decision::ask(Vec::new()));
    let agent = agent(Model::new([turn([call("t1", "Q", "{\"x\":\"1\"}")])])).gate(gate).build().unwrap();
    events(&agent, "go").await;
    serde_json::from_str(&serde_json::to_string(&agent.state()).unwrap()).unwrap()
}

#[tokio::test]
async fn b076_a_call_that_asks_waits_for_its_answer_whatever_happened_to_the_process() {
    let state = asked().await;
    let waiting = state.parked_message().unwrap();
    let Some(Block::ToolCall(asking)) = waiting.content.iter().next().cloned() else { panic!("{waiting:?}") };
    let edited = asking.clone().with_content("{\"x\":\"9\"}");
    for (confirmed, call, text, ended) in [
        (true, asking.clone(), "Q(1)", ToolResultState::Success),
        (false, asking, "", ToolResultState::Denied),
        (true, edited, "Q(9)", ToolResultState::Success),
    ] {
        let gate = ScriptedGate::new().with("Q", Decision::ask(Vec::new()));
        let agent = agent(Model::new([turn([self::text("done")])])).gate(gate).state(state.clone()).build().unwrap();
        // A message is refused, and changes nothing.
        assert!(matches!(agent.stream("hello").map(drop), Err(InputError::Waiting { .. })));
        let answer = UserConfirmResult::new(waiting.id.as_str(), vec![ConfirmResult::new(confirmed, call)]);
        let message = agent.reply(Input::Confirm(answer)).await.unwrap();
        let result =
            message.content.iter().find_map(|block| if let Block::ToolResult(result) = block { Some(result) } else { None }).unwrap();
        assert_eq!(result.state, ended);
        assert!(result.text().contains(text), "{result:?}");
        let arguments =
            message.content.iter().find_map(|block| if let Block::ToolCall(call) = block { Some(call.content.clone()) } else { None });
        assert!(arguments.unwrap().contains(if text == "Q(9)" { "9" } else { "1" }));
    }
}

#[tokio::test]
async fn b103_a_failure_in_the_middle_is_no_end() {
    let model = Model::new([cut([text("a"), fail(ModelErrorKind::Overloaded)])]);
    let agent = agent(model).retry(RetryPolicy::never()).build().unwrap();
    let events = events(&agent, "go").await;
    let Some(Payload::AgentEnd(end)) = events.last().map(|event| event.payload.clone()) else { panic!("no end") };
    assert_eq!(end.finished_reason, Some(FinishedReason::Error));
    assert_eq!(end.error.unwrap().kind.as_deref(), Some("overloaded"));
    // What was said is kept.
    assert_eq!(text_of(&last(&agent)), "a");
}

#[tokio::test(start_paused = true)]
async fn b109_a_run_goes_on_without_its_reader_or_stops_with_it_as_its_owner_wants() {
    let script = || Model::new([turn([call("c1", "slow", "{\"x\":\"1\"}"), call("c2", "slowq", "{\"x\":\"1\"}")]), turn([text("done")])]);
    // A task owns the run: whoever reads a copy may go.
    let (copy, mut reader) = tokio::sync::mpsc::unbounded_channel();
    let first = agent(script()).on_event(move |event| drop(copy.send(event.clone()))).build().unwrap();
    let mut stream = first.stream("go").unwrap();
    let stop = stream.cancellation_token();
    let run = tokio::spawn(async move { while stream.next().await.is_some() {} });
    for _ in 0..3 {
        reader.recv().await.unwrap();
    }
    drop(reader);
    run.await.unwrap();
    assert!(!stop.is_cancelled());
    assert_eq!(text_of(&last(&first)), "done");

    // The reader owns the run: no tool begins once it has gone, and the end is told.
    let log = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let kept = log.clone();
    let second = agent(script()).on_event(move |event| kept.lock().unwrap().push(event.clone())).build().unwrap();
    let mut stream = second.stream("go").unwrap();
    for _ in 0..3 {
        stream.next().await.unwrap();
    }
    drop(stream);
    let told = short(&log.lock().unwrap());
    assert_eq!(told.last().map(String::as_str), Some("AGENT_END interrupted"));
    assert!(!told.iter().any(|event| event.contains("success")), "{told:?}");

    // And a stop works in both.
    let third = agent(script()).build().unwrap();
    let mut stream = third.stream("go").unwrap();
    let stop = stream.cancellation_token();
    stream.next().await.unwrap();
    let run = tokio::spawn(async move { while stream.next().await.is_some() {} });
    stop.cancel();
    run.await.unwrap();
    assert_eq!(last(&third).finished_reason, Some(FinishedReason::Interrupted));
}
