//! What holds of every run, whatever the model, the tools and people do, and wherever it is stopped: the kept message is the fold of what was
//! emitted, every start has its end, every call one result, and every reply one end.

use crate::script::{self, Model, Step, Turn, call, cut, fail, piece, text, thinking, turn};
use futures_util::StreamExt as _;
use proptest::collection::vec;
use proptest::prelude::*;
use replyfold_event::{AgentEvent, ConfirmResult, EventType, ExternalExecutionResult, Payload, UserConfirmResult};
use replyfold_message::{
    Block, Msg, PermissionBehavior, PermissionRule, TextBlock, ToolCallBlock, ToolCallState, ToolResultBlock, ToolResultState,
};
use replyfold_reduce::{MsgReducer, NoteKind, ReduceOptions};
use replyfold_runtime::middleware::{Budget, DynamicContext, ResultLimit, Tracing};
use replyfold_runtime::{Agent, AgentState, Decision, Delay, Input, ModelErrorKind, RetryPolicy, ScriptedGate, SeededClock};
use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What a person does with a parked reply.
#[derive(Clone, Copy, Debug)]
enum Answer {
    Yes,
    YesToOne,
    No,
    Edit,
    WithRule,
    Interrupt,
}

/// How a run is stopped, if it is, behind so many events.
#[derive(Clone, Copy, Debug)]
enum Stop {
    Never,
    Cancel(usize),
    Drop(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let name = prop::sample::select(vec!["A", "B", "Q", "slow", "slowq", "E", "fails", "panics", "unknown", "asks", "denied"]);
    let arguments = prop::sample::select(vec!["{\"x\":\"1\"}", "{\"x\":\"2\"", "{}", "", "[1]", "{\"x\":5}", "nonsense"]);
    let id = prop::sample::select(vec!["c1", "c2", "c3", ""]);
    let step = prop_oneof![
        3 => prop::sample::select(vec!["Hel", "lo", " "]).prop_map(text),
        2 => Just(thinking("hm")),
        5 => (id, name, arguments).prop_map(|(id, name, arguments)| call(id, name, arguments)),
        1 => Just(piece("}")),
        1 => Just(Step::Wait(20)),
    ];
    vec(step, 0..6)
}

fn turns() -> impl Strategy<Value = Vec<Turn>> {
    let kind = prop::sample::select(vec![ModelErrorKind::Server, ModelErrorKind::Authentication]);
    let one = prop_oneof![
        6 => steps().prop_map(turn),
        1 => steps().prop_map(cut),
        2 => (steps(), kind).prop_map(|(mut steps, kind)| {
            steps.push(fail(kind));
            cut(steps)
        }),
    ];
    vec(one, 0..6)
}

fn answers() -> impl Strategy<Value = Vec<Answer>> {
    let kinds = vec![Answer::Yes, Answer::YesToOne, Answer::No, Answer::Edit, Answer::WithRule, Answer::Interrupt];
    vec(prop::sample::select(kinds), 0..8)
}

fn stop() -> impl Strategy<Value = Stop> {
    prop_oneof![2 => Just(Stop::Never), 2 => (0..60_usize).prop_map(Stop::Cancel), 2 => (0..60_usize).prop_map(Stop::Drop)]
}

fn policy(at: usize) -> RetryPolicy {
    let delay = Delay::Fixed(Duration::from_millis(10));
    let policy = RetryPolicy::new().with_max_retries(1).with_delay(delay);
    match at {
        0 => policy,
        1 => policy.with_announce(false),
        2 => policy.with_only_transient(true).with_retry_midstream(false),
        _ => RetryPolicy::never(),
    }
}

/// What all processes share.
struct World {
    log: Arc<Mutex<Vec<AgentEvent>>>,
    clock: Arc<SeededClock>,
    /// Whether the agents have every middleware that comes with the crate.
    is_layered: bool,
}

impl World {
    fn new(is_layered: bool) -> Self {
        Self { log: Arc::default(), clock: Arc::new(SeededClock::new(1)), is_layered }
    }

    fn log(&self) -> Vec<AgentEvent> {
        self.log.lock().unwrap().clone()
    }
}

/// An agent on the model, with this state; what it emits is written down.
fn agent(model: &Model, state: AgentState, retry: usize, max_rounds: u64, world: &World) -> Agent {
    let log = Arc::clone(&world.log);
    let rule = PermissionRule::new("asks", PermissionBehavior::Allow, "suggested");
    let gate = ScriptedGate::new().with("asks", Decision::ask(vec![rule])).with("denied", Decision::Deny("not allowed".to_owned()));
    let mut builder = script::agent(model.clone());
    if world.is_layered {
        let budget = Budget::new().model_calls(3);
        builder = builder.middleware(Tracing).middleware(budget).middleware(DynamicContext::new()).middleware(ResultLimit::new(3));
    }
    builder
        .tool(script::echo("asks").concurrency_safe())
        .tool(script::echo("denied"))
        .gate(gate)
        .clock(Arc::clone(&world.clock))
        .retry(policy(retry))
        .max_rounds(max_rounds)
        .concurrency(2)
        .state(state)
        .on_event(move |event| log.lock().unwrap().push(event.clone()))
        .build()
        .unwrap()
}

/// What a person says to the calls that wait.
fn answer(waiting: &Msg, answer: Answer) -> Input {
    let awaited = |state: ToolCallState| -> Vec<ToolCallBlock> {
        let calls = waiting.content.iter().filter_map(|block| if let Block::ToolCall(call) = block { Some(call.clone()) } else { None });
        calls.filter(|call| call.state == state).collect()
    };
    let reply = waiting.id.as_str();
    let take = if matches!(answer, Answer::YesToOne) { 1 } else { usize::MAX };
    let submitted = awaited(ToolCallState::Submitted);
    if matches!(answer, Answer::Interrupt) {
        return Input::Interrupt;
    }
    if !submitted.is_empty() {
        let results = submitted.iter().take(take).map(|call| {
            ToolResultBlock::new(&call.id, call.name.as_str())
                .with_output(vec![Block::Text(TextBlock::new("from outside"))])
                .with_state(ToolResultState::Success)
        });
        return ExternalExecutionResult::new(reply, results.collect::<Vec<_>>()).into();
    }
    let results = awaited(ToolCallState::Asking).into_iter().take(take).map(|call| match answer {
        Answer::No => ConfirmResult::new(false, call),
        Answer::Edit => ConfirmResult::new(true, call.with_content("{\"x\":\"edited\"}")),
        Answer::WithRule => {
            let rules = call.suggested_rules.clone();
            ConfirmResult::new(true, call).with_rules(rules)
        }
        _ => ConfirmResult::new(true, call),
    });
    UserConfirmResult::new(reply, results.collect::<Vec<_>>()).into()
}

/// Through JSON, as another process would have it.
fn moved(state: &AgentState) -> AgentState {
    serde_json::from_str(&serde_json::to_string(state).unwrap()).unwrap()
}

fn fold(events: &[AgentEvent], reply: &str) -> MsgReducer {
    let mut fold = MsgReducer::with_options(reply, ReduceOptions::new());
    for event in events.iter().filter(|event| event.reply_id().is_some_and(|id| *id == *reply)) {
        fold.apply(event);
    }
    fold
}

/// Holds what was emitted to the laws.
fn check(events: &[AgentEvent], state: &AgentState) {
    let ids: Vec<&str> = events.iter().map(|event| event.id.as_ref().unwrap().as_str()).collect();
    assert!(ids.is_sorted_by(|one, other| one < other), "ids ascend");
    let mut replies: Vec<String> = Vec::new();
    for event in events {
        let reply = event.reply_id().unwrap().to_string();
        if !replies.contains(&reply) {
            assert_eq!(event.event_type(), Some(EventType::AgentStart));
            replies.push(reply);
        }
    }
    for reply in &replies {
        let fold = fold(events, reply);
        let parked = state.parked_message().filter(|msg| msg.id.as_str() == reply);
        let kept = state.context.iter().find(|msg| msg.id.as_str() == reply).or(parked.as_ref());
        assert_eq!(Some(fold.message()), kept, "{}", script::short(events).join("\n"));
        // Blocks that a retry withdrew are closed too: the fold notes what is not.
        // What a model wrote as arguments is told as it is.
        let notes: Vec<_> = fold.notes().iter().filter(|note| note.kind != NoteKind::BadArguments).collect();
        assert!(notes.is_empty(), "{notes:?}\n{}", script::short(events).join("\n"));
        let is_parked = parked.is_some();
        let of = |wanted: EventType| {
            events.iter().filter(|event| event.event_type() == Some(wanted) && event.reply_id().is_some_and(|id| *id == **reply)).count()
        };
        assert_eq!(of(EventType::AgentStart), 1);
        assert_eq!(of(EventType::AgentEnd), usize::from(!is_parked));
        assert_eq!(of(EventType::ModelCallStart), of(EventType::ModelCallEnd));
        let (mut calls, mut results) = (HashSet::new(), HashSet::new());
        for (index, block) in fold.message().content.iter().enumerate() {
            match block {
                Block::ToolCall(call) => assert!(calls.insert(call.id.clone()), "one id, two calls"),
                Block::ToolResult(result) => {
                    assert!(results.insert(result.id.clone()), "one call, two results");
                    assert!(is_parked || result.state != ToolResultState::Running);
                }
                _ => {}
            }
            let is_handed_out = matches!(block, Block::ToolResult(_)) && is_parked;
            assert!(!fold.is_open(index) || is_handed_out, "open at the end: {block:?}");
        }
        if !is_parked {
            assert_eq!(calls, results, "every call has its result");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn the_kept_message_is_the_fold_of_what_was_emitted(
        turns in turns(), answers in answers(), stop in stop(), retry in 0..4_usize, max_rounds in 0..4_u64, is_layered: bool,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let world = World::new(is_layered);
            let model = Model::new(turns);
            let mut agent = agent(&model, AgentState::new("s"), retry, max_rounds, &world);
            let mut input = Input::from("hi");
            let mut answers = answers.into_iter();
            let mut seen = 0;
            loop {
                let mut stream = agent.stream(input).unwrap();
                let token = stream.cancellation_token();
                while let Some(event) = stream.next().await {
                    assert_eq!(world.log().last(), Some(&event));
                    seen += 1;
                    match stop {
                        Stop::Cancel(at) if at == seen => token.cancel(),
                        Stop::Drop(at) if at == seen => break,
                        _ => {}
                    }
                }
                drop(stream);
                let state = agent.state();
                assert_eq!(moved(&state), state);
                check(&world.log(), &state);
                // Another process goes on.
                agent = self::agent(&model, moved(&state), retry, max_rounds, &world);
                input = match state.parked_message() {
                    Some(waiting) => answer(&waiting, answers.next().unwrap_or(Answer::Interrupt)),
                    None if seen < 200 && answers.next().is_some() => Input::from("more"),
                    None => break,
                };
            }
            assert!(!agent.is_busy());
        });
    }
}

#[test]
fn a_log_of_the_laws_has_what_they_speak_of() {
    // The generator comes by everything: what is never met would be tested by nothing.
    use proptest::strategy::ValueTree as _;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut met = HashSet::new();
    for _ in 0..200 {
        let (turns, answers) = (turns(), answers()).new_tree(&mut runner).unwrap().current();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let world = World::new(false);
            let agent = agent(&Model::new(turns), AgentState::new("s"), 0, 3, &world);
            let mut input = Some(Input::from("hi"));
            let mut answers = answers.into_iter();
            while let Some(next) = input.take() {
                script::events(&agent, next).await;
                input = agent.current().map(|waiting| answer(&waiting, answers.next().unwrap_or(Answer::Interrupt)));
            }
            for event in &world.log() {
                met.insert(event.type_name().to_owned());
                if let Payload::ToolResultEnd(end) = &event.payload {
                    met.insert(end.state.to_string());
                }
                if let Payload::AgentEnd(end) = &event.payload {
                    met.extend(end.finished_reason.map(|reason| reason.to_string()));
                }
            }
        });
    }
    for wanted in [
        "REQUIRE_USER_CONFIRM",
        "USER_CONFIRM_RESULT",
        "REQUIRE_EXTERNAL_EXECUTION",
        "REQUEST_STOP",
        "EXCEED_MAX_ITERS",
        "success",
        "denied",
        "completed",
        "interrupted",
        "exceed_max_iters",
    ] {
        assert!(met.contains(wanted), "{wanted} is not among {met:?}");
    }
    assert!(met.contains("error"));
}
