//! How replies end: limits, failures, interruption (`runtime.md` sections 7 to 9).

use super::{agent, answers, build, calls, coarse, is, run, says};
use crate::script::{self, Model, Step, call, cut, fail, text, thinking, turn};
use futures_util::StreamExt as _;
use replyfold_event::Payload;
use replyfold_message::FinishedReason;
use replyfold_runtime::{Delay, Input, ModelErrorKind, RetryPolicy, ToolChoice};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const X: &str = "{\"x\":\"1\"}";
const REFUSED: &str = "Tools are switched off in this round. The call was not run.";
const INTERRUPTED: &str = "The call was interrupted before it was done. Do not take its effects for granted.";

#[tokio::test]
async fn t17_8_one_round_tool_first() {
    let model = Model::new([turn([call("c1", "A", X)]), turn([text("summary")])]);
    let events = run(&build(script::agent(model.clone()).max_rounds(1)), "hi").await;
    is(
        &events,
        &format!(
            "AGENT_START · {} · {} · {} · EXCEED_MAX_ITERS · AGENT_END exceed_max_iters",
            calls(&[("c1", "A")]),
            answers("c1", "A(1)", "success"),
            says("b1", "summary")
        ),
    );
    let asked = model.asked.lock().unwrap().clone();
    assert_eq!((asked[1].tools.len(), &asked[1].tool_choice), (0, &ToolChoice::None));
    // It showed a text, so a simple front end is told of no error.
    assert!(coarse(&[&events]).iter().all(|event| !event.contains("\"error\"")));
}

/// Calls of the last round are refused, not run (section 16, 5; B107).
#[tokio::test]
async fn t17_9_b107_two_rounds_tools_always() {
    let model = Model::new([turn([call("c1", "A", X)]), turn([call("c2", "A", X)]), turn([call("c3", "A", X)])]);
    let events = run(&build(script::agent(model).max_rounds(2)), "hi").await;
    is(
        &events,
        &format!(
            "AGENT_START · {} · {} · {} · {} · {} · {} · EXCEED_MAX_ITERS · AGENT_END exceed_max_iters",
            calls(&[("c1", "A")]),
            answers("c1", "A(1)", "success"),
            calls(&[("c2", "A")]),
            answers("c2", "A(1)", "success"),
            calls(&[("c3", "A")]),
            answers("c3", REFUSED, "error")
        ),
    );
    let told = coarse(&[&events]);
    assert!(told[told.len() - 2].contains("MAX_ROUNDS_EXCEEDED") && told[told.len() - 1] == r#"{"type":"complete"}"#, "{told:?}");
}

#[tokio::test]
async fn one_round_and_an_answer_is_enough() {
    let model = Model::new([turn([text("done")])]);
    is(
        &run(&build(script::agent(model).max_rounds(1)), "hi").await,
        &format!("AGENT_START · {} · AGENT_END completed", says("b1", "done")),
    );
}

/// The retries of the coarse protocol: three, ten seconds apart, each told (`coarse.md` section 9.2).
#[tokio::test(start_paused = true)]
async fn a_model_that_always_fails_is_tried_four_times_in_thirty_seconds() {
    let model = Model::new((0..4).map(|_| cut([fail(ModelErrorKind::Server)])));
    let start = tokio::time::Instant::now();
    let events = run(&agent(&model), "hi").await;
    is(
        &events,
        "AGENT_START · MODEL_CALL_START · MODEL_CALL_END server retry 1/3 after 10000 · MODEL_CALL_START · MODEL_CALL_END server retry 2/3 after 10000
         MODEL_CALL_START · MODEL_CALL_END server retry 3/3 after 10000 · MODEL_CALL_START · MODEL_CALL_END server · AGENT_END error",
    );
    assert_eq!(start.elapsed().as_secs(), 30);
    let told = coarse(&[&events]);
    assert_eq!(told.len(), 5);
    for (at, event) in told.iter().take(3).enumerate() {
        assert!(
            event.contains("LLM_CALL_FAILED") && event.contains(&format!("({}/3)", at + 1)) && event.contains("the socket said so"),
            "{event}"
        );
    }
    assert!(told[3].contains("LLM_CALL_FAILED") && told[4] == r#"{"type":"complete"}"#, "{told:?}");
    let Some(Payload::AgentEnd(end)) = events.last().map(|event| &event.payload) else { panic!() };
    assert_eq!(end.error.as_ref().and_then(|error| error.kind.as_deref()), Some("server"));
}

/// The counter is per round, and a failure in the middle withdraws what was said (`wire.md` section 3).
#[tokio::test(start_paused = true)]
async fn a_failed_attempt_is_withdrawn_and_the_next_round_counts_anew() {
    let model = Model::new([
        cut([text("Par"), fail(ModelErrorKind::Network)]),
        turn([text("Paris"), call("c1", "A", X)]),
        cut([fail(ModelErrorKind::Network)]),
        turn([text("done")]),
    ]);
    let agent = agent(&model);
    let told = script::short(&run(&agent, "hi").await);
    let retries: Vec<&String> = told.iter().filter(|event| event.contains("retry")).collect();
    assert_eq!(retries, ["MODEL_CALL_END network retry 1/3 after 10000", "MODEL_CALL_END network retry 1/3 after 10000"]);
    assert_eq!(replyfold_runtime::text_of(&agent.state().context[1]), "Parisdone");
}

/// What was shown before the stream died is no answer; an end without a reason is none (B100, B103, B104).
#[tokio::test(start_paused = true)]
async fn b100_a_stream_that_dies_early_is_retried_and_never_an_empty_success() {
    let dies = || cut([thinking("hm"), text("  ")]);
    let model = Model::new([dies(), turn([text("done")])]);
    let agent = agent(&model);
    let told = script::short(&run(&agent, "hi").await);
    assert!(told.contains(&"MODEL_CALL_END incomplete retry 1/3 after 10000".to_owned()), "{told:?}");
    assert_eq!(agent.state().context[1].content.len(), 1);

    let model = Model::new((0..4).map(|_| dies()));
    let agent = super::agent(&model);
    let told = script::short(&run(&agent, "hi").await);
    assert_eq!(&told[told.len() - 2..], ["MODEL_CALL_END incomplete", "AGENT_END error"]);
    assert_eq!(told.iter().filter(|event| event.starts_with("AGENT_END")).count(), 1);
}

/// An answer with nothing in it is a failure (section 16, 7).
#[tokio::test(start_paused = true)]
async fn an_empty_answer_is_retried() {
    let model = Model::new([turn([]), turn([text("done")])]);
    let told = script::short(&run(&agent(&model), "hi").await);
    assert!(told.contains(&"MODEL_CALL_END empty retry 1/3 after 10000".to_owned()), "{told:?}");
}

/// A failure that will not pass is not retried where the policy says so; the reason is the provider's (B104).
#[tokio::test(start_paused = true)]
async fn b104_one_terminal_error_with_the_providers_reason() {
    let model = Model::new([cut([fail(ModelErrorKind::ContextLength)])]);
    let agent = build(script::agent(model).retry(RetryPolicy::new().with_only_transient(true)));
    is(&run(&agent, "hi").await, "AGENT_START · MODEL_CALL_START · MODEL_CALL_END context_length · AGENT_END error");
    assert_eq!(agent.state().context[1].finished_reason, Some(FinishedReason::Error));
    // The next input works.
    assert!(agent.reply("again").await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn the_fallback_answers_when_the_first_model_has_failed_for_good() {
    let first = Model::new((0..2).map(|_| cut([fail(ModelErrorKind::Overloaded)])));
    let second = Model::new([turn([text("here")])]).named("m2");
    let policy = RetryPolicy::new().with_max_retries(1).with_delay(Delay::Fixed(Duration::from_secs(1)));
    let agent = build(script::agent(first).fallback(second).retry(policy));
    let events = run(&agent, "hi").await;
    is(
        &events,
        &format!(
            "AGENT_START · MODEL_CALL_START · MODEL_CALL_END overloaded retry 1/3 after 1000 · MODEL_CALL_START · MODEL_CALL_END overloaded retry 2/3 after 0
             {} · AGENT_END completed",
            says("b1", "here")
        ),
    );
    let names: Vec<_> = events
        .iter()
        .filter_map(|event| if let Payload::ModelCallStart(start) = &event.payload { start.model_name.as_deref() } else { None })
        .collect();
    assert_eq!(names, ["m1", "m1", "m2"]);
}

/// Retries that are not announced look like one call, and one that has answered cannot be retried so.
#[tokio::test(start_paused = true)]
async fn silent_retries_show_nothing() {
    let policy = RetryPolicy::new().with_announce(false);
    let model = Model::new([cut([fail(ModelErrorKind::Server)]), turn([text("done")])]);
    is(
        &run(&build(script::agent(model).retry(policy.clone())), "hi").await,
        &format!("AGENT_START · {} · AGENT_END completed", says("b1", "done")),
    );
    let model = Model::new([cut([text("Par"), fail(ModelErrorKind::Server)]), turn([text("done")])]);
    let told = script::short(&run(&build(script::agent(model).retry(policy)), "hi").await);
    assert_eq!(&told[told.len() - 2..], ["MODEL_CALL_END server", "AGENT_END error"]);
}

/// Runs until an event, then cancels.
async fn cancelled_after(agent: &replyfold_runtime::Agent, last: &str) -> Vec<replyfold_event::AgentEvent> {
    let mut stream = agent.stream("hi").unwrap();
    let token = stream.cancellation_token();
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        events.push(event);
        if script::short(&events).last().is_some_and(|event| event == last) {
            token.cancel();
        }
    }
    events
}

#[tokio::test(start_paused = true)]
async fn t17_10_cancel_in_a_sequential_pair() {
    let model = Model::new([turn([call("c1", "slowq", X), call("c2", "Q", X)])]);
    let events = cancelled_after(&agent(&model), "TOOL_RESULT_START c1").await;
    is(
        &events,
        &format!(
            "AGENT_START · {} · TOOL_RESULT_START c1 · TOOL_RESULT_TEXT_DELTA c1 {INTERRUPTED:?} · TOOL_RESULT_END c1 interrupted · {}
             AGENT_END interrupted",
            calls(&[("c1", "slowq"), ("c2", "Q")]),
            answers("c2", INTERRUPTED, "interrupted")
        ),
    );
    // The user wanted it: no error event.
    let told = coarse(&[&events]);
    assert!(
        told.iter().all(|event| !event.contains("\"type\":\"error\"")) && told.last().is_some_and(|end| end == r#"{"type":"complete"}"#)
    );
}

#[tokio::test(start_paused = true)]
async fn t17_11_cancel_while_a_tool_streams() {
    let model = Model::new([turn([call("c1", "slowq", X)])]);
    let agent = agent(&model);
    let events = cancelled_after(&agent, "TOOL_RESULT_TEXT_DELTA c1 \"p1\"").await;
    let told = script::short(&events).join(" · ");
    assert!(told.ends_with(&format!(
        "TOOL_RESULT_TEXT_DELTA c1 \"p1\" · TOOL_RESULT_TEXT_DELTA c1 {:?} · TOOL_RESULT_END c1 interrupted · AGENT_END interrupted",
        format!("\n{INTERRUPTED}")
    )));
    // The next input works, and the context is whole.
    assert!(agent.reply("again").await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn cancelling_the_first_wait_the_stream_and_the_delay_ends_at_once() {
    for (steps, last, wanted) in [
        (vec![Step::Wait(60_000), text("late")], "MODEL_CALL_START", "MODEL_CALL_START · MODEL_CALL_END · AGENT_END interrupted"),
        (
            vec![text("Par"), Step::Wait(60_000)],
            "TEXT_BLOCK_DELTA b1 \"Par\"",
            "TEXT_BLOCK_DELTA b1 \"Par\" · TEXT_BLOCK_END b1 · MODEL_CALL_END · AGENT_END interrupted",
        ),
        (
            vec![fail(ModelErrorKind::Server)],
            "MODEL_CALL_END server retry 1/3 after 10000",
            "MODEL_CALL_END server retry 1/3 after 10000 · AGENT_END interrupted",
        ),
    ] {
        let start = tokio::time::Instant::now();
        let told = script::short(&cancelled_after(&agent(&Model::new([cut(steps)])), last).await).join(" · ");
        assert!(told.ends_with(wanted), "{told}");
        assert!(start.elapsed() < Duration::from_secs(1));
    }
}

/// Dropping the stream closes the reply too; who listens to the agent has every event (B088, B109).
#[tokio::test(start_paused = true)]
async fn b088_a_stream_that_is_dropped_leaves_no_call_without_result() {
    let log = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&log);
    let model = Model::new([turn([call("t1", "slowq", X)])]);
    let agent = build(script::agent(model.clone()).on_event(move |event| seen.lock().unwrap().push(event.clone())));
    let mut stream = agent.stream("hi").unwrap();
    while let Some(event) = stream.next().await {
        if matches!(event.payload, Payload::ModelCallEnd(_)) {
            break;
        }
    }
    drop(stream);
    let told = script::short(&log.lock().unwrap()).join(" · ");
    assert!(told.ends_with(&format!("MODEL_CALL_END · {} · AGENT_END interrupted", answers("t1", INTERRUPTED, "interrupted"))), "{told}");
    assert!(agent.reply("more").await.is_ok());
    assert_eq!(model.calls(), 2);
}

#[tokio::test]
async fn an_interrupt_closes_a_parked_reply_and_is_nothing_to_an_idle_agent() {
    let model = Model::new([turn([call("c1", "E", X)])]);
    let agent = agent(&model);
    assert_eq!(run(&agent, Input::Interrupt).await, []);
    run(&agent, "hi").await;
    is(
        &run(&agent, Input::Interrupt).await,
        &format!("TOOL_RESULT_TEXT_DELTA c1 {INTERRUPTED:?} · TOOL_RESULT_END c1 interrupted · AGENT_END interrupted"),
    );
    assert!(agent.reply("more").await.is_ok());
}
