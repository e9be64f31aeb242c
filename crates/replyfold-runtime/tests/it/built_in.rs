//! The middleware that comes with the crate.

use crate::script::{Model, Step, agent, call, events, short, text, turn};
use replyfold_event::{Extension, ExternalExecutionResult, Payload};
use replyfold_message::{Block, TextBlock, ToolResultBlock, ToolResultState};
use replyfold_runtime::middleware::{Budget, DynamicContext, ResultLimit, Tracing};
use replyfold_runtime::{Agent, BuildError, Clock, FnTool, Input, ReplyError, SeededClock, ToolError, ToolSpec, text_of};
use serde_json::json;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

fn asks(id: &str) -> Step {
    call(id, "A", "{\"x\":\"1\"}")
}

#[tokio::test]
async fn a_spent_budget_has_the_model_answer_without_tools() {
    let model = Model::new([turn([asks("c1")]), turn([asks("c2")]), turn([text("that is all")])]);
    // Each call of the script costs 15 tokens.
    let agent = agent(model.clone()).middleware(Budget::new().tokens(30)).build().unwrap();
    assert_eq!(text_of(&agent.reply("go").await.unwrap()), "that is all");
    let asked = model.asked.lock().unwrap();
    let tools: Vec<bool> = asked.iter().map(|request| request.tools.is_empty()).collect();
    assert_eq!(tools, [false, false, true]);
    assert!(text_of(asked[2].messages.last().unwrap()).contains("budget of this reply is spent"));
}

#[tokio::test]
async fn a_reply_that_does_not_come_to_its_end_fails_and_the_next_one_begins_anew() {
    let model = Model::new([turn([asks("c1")]), turn([asks("c2")]), turn([text("anew")])]);
    let agent = agent(model.clone()).middleware(Budget::new().model_calls(1)).build().unwrap();
    let told = short(&events(&agent, "go").await);
    // The call of the round without tools is refused.
    assert!(told.iter().any(|event| event == "TOOL_RESULT_END c2 error"), "{told:?}");
    let Some(message) = agent.state().context.last().cloned() else { panic!("no message") };
    let failure = message.error.unwrap();
    assert_eq!(
        (failure.kind.as_deref(), failure.message.as_str()),
        (Some("budget"), "the budget of the reply is spent: 2 of 1 model calls")
    );
    assert_eq!(text_of(&agent.reply("again").await.unwrap()), "anew");
}

#[tokio::test(start_paused = true)]
async fn attempts_that_failed_count_and_the_count_outlives_parking() {
    let fails = || crate::script::cut([crate::script::fail(replyfold_runtime::ModelErrorKind::Server)]);
    let model = Model::new([fails(), turn([call("c1", "E", "{\"x\":\"1\"}")])]);
    let first = agent(model).middleware(Budget::new().model_calls(2)).build().unwrap();
    let Err(ReplyError::Parked { reply, .. }) = first.reply("go").await else { panic!("not parked") };
    let state = serde_json::from_str(&serde_json::to_string(&first.state()).unwrap()).unwrap();
    let model = Model::new([turn([text("done")])]);
    let second = agent(model.clone()).middleware(Budget::new().model_calls(2)).state(state).build().unwrap();
    let mut result = ToolResultBlock::new("c1", "E");
    result.state = ToolResultState::Success;
    second.reply(Input::Results(ExternalExecutionResult::new(reply, vec![result]))).await.unwrap();
    assert!(model.asked.lock().unwrap()[0].tools.is_empty());
}

#[tokio::test]
async fn two_of_a_kind_need_keys_of_their_own_and_count_for_themselves() {
    let twice = agent(Model::new([])).middleware(Budget::new()).middleware(Budget::new().tokens(30)).build();
    let told = twice.unwrap_err();
    assert_eq!(told, BuildError::SameKey("budget".to_owned()));
    assert_eq!(told.to_string(), "two middlewares keep what they remember under the key `budget`: give one of them a key of its own");
    let twice = agent(Model::new([])).middleware(DynamicContext::new()).middleware(DynamicContext::new()).build();
    assert_eq!(twice.unwrap_err(), BuildError::SameKey("dynamicContext".to_owned()));

    let model = Model::new([turn([asks("c1")]), turn([text("done")])]);
    let budgets = agent(model.clone()).middleware(Budget::new().tokens(16)).middleware(Budget::new().model_calls(2).key("calls"));
    let times = budgets.middleware(DynamicContext::new()).middleware(DynamicContext::new().utc_offset_minutes(60).key("there"));
    let agent = times.build().unwrap();
    assert_eq!(text_of(&agent.reply("go").await.unwrap()), "done");
    // One call cost 15 tokens: neither is spent.
    assert!(model.asked.lock().unwrap().iter().all(|request| !request.tools.is_empty()));
    let state = agent.state();
    assert_eq!((&state.kept["budget"]["modelCalls"], &state.kept["calls"]["inputTokens"]), (&json!(2), &json!(20)));
    let hints = state.context.last().unwrap().content.iter().filter(|block| matches!(block, Block::Hint(_))).count();
    assert_eq!(hints, 2);
}

#[tokio::test]
async fn counts_that_a_provider_makes_up_are_a_spent_budget_and_no_panic() {
    let most = || Step::Chunk(replyfold_runtime::ModelChunk::Usage(replyfold_message::Usage::new(u64::MAX, u64::MAX)));
    let model = Model::new([turn([most(), asks("c1")]), turn([most(), text("done")])]);
    let budget = Budget::new().model_calls(9);
    assert_eq!(text_of(&agent(model).middleware(budget).build().unwrap().reply("go").await.unwrap()), "done");
}

/// A clock that goes on by a minute with each look.
struct Minutes(Mutex<u64>, SeededClock);

impl Clock for Minutes {
    fn now(&self) -> SystemTime {
        let mut minutes = self.0.lock().unwrap();
        *minutes += 1;
        UNIX_EPOCH + Duration::from_secs(1_767_225_600 + *minutes * 60)
    }

    fn id(&self) -> String {
        self.1.id()
    }

    fn chance(&self) -> f64 {
        0.5
    }
}

#[tokio::test]
async fn time_is_a_budget_and_a_hint() {
    let model = Model::new([turn([asks("c1")]), turn([text("late")])]);
    let clock = || Minutes(Mutex::new(0), SeededClock::new(1));
    let budget = Budget::new().time(Duration::from_secs(600));
    let slow = agent(model.clone()).clock(clock()).middleware(budget).build().unwrap();
    slow.reply("go").await.unwrap();
    assert_eq!(model.asked.lock().unwrap().iter().map(|request| request.tools.is_empty()).collect::<Vec<_>>(), [false, true]);

    let rounds = (1..8).map(|number| turn([asks(&format!("c{number}"))])).chain([turn([text("done")])]);
    let context = DynamicContext::new().utc_offset_minutes(90);
    let agent = agent(Model::new(rounds)).clock(clock()).middleware(context).build().unwrap();
    let events = events(&agent, "go").await;
    let hints: Vec<String> = events
        .iter()
        .filter_map(|event| {
            if let Payload::Extension(Extension::HintBlock(hint)) = &event.payload { Some(format!("{:?}", hint.hint)) } else { None }
        })
        .collect();
    // A round takes more than eight of these minutes.
    assert!((2..=4).contains(&hints.len()), "{hints:?}");
    assert!(hints[0].contains("It is Thursday, 2026-01-01 01:3") && hints[0].contains("(UTC+01:30)."), "{hints:?}");
    let kept = agent.state().context.last().unwrap().content.iter().filter(|block| matches!(block, Block::Hint(_))).count();
    assert_eq!(kept, hints.len());
}

fn result_text(agent: &Agent) -> String {
    let message = agent.state().context.last().cloned().unwrap();
    let results = message.content.iter().filter_map(|block| if let Block::ToolResult(result) = block { Some(result.text()) } else { None });
    results.map(|text| text.to_string()).collect()
}

#[tokio::test]
async fn results_are_cut_between_characters() {
    let spec = || ToolSpec::new("say", "Says it.", json!({"type": "object"}));
    for (text, wanted) in
        [("", ""), ("héé🦀", "héé🦀"), ("héé🦀日本", "héé🦀\n[The result was too long: 2 more characters were cut off here.]")]
    {
        for fails in [false, true] {
            let say = FnTool::new(spec(), move |_| async move { if fails { Err(ToolError::new(text)) } else { Ok(text.to_owned()) } });
            let model = Model::new([turn([call("c1", "say", "{}")]), turn([self::text("done")])]);
            let agent = Agent::builder(model).clock(SeededClock::new(1)).tool(say).middleware(ResultLimit::new(4)).build().unwrap();
            agent.reply("go").await.unwrap();
            assert_eq!(result_text(&agent), wanted, "{fails}");
        }
    }
}

#[tokio::test]
async fn pieces_and_results_from_outside_are_cut_too() {
    let model = Model::new([turn([call("c1", "slow", "{\"x\":\"1\"}")]), turn([call("c2", "E", "{\"x\":\"1\"}")])]);
    let agent = agent(model).middleware(ResultLimit::new(2)).build().unwrap();
    let Err(ReplyError::Parked { reply, .. }) = agent.reply("go").await else { panic!("not parked") };
    let message = agent.current().unwrap();
    let first: Vec<String> = message
        .content
        .iter()
        .filter_map(|block| if let Block::ToolResult(result) = block { Some(result.text().to_string()) } else { None })
        .collect();
    assert_eq!(first[0], "sl\n[The result was too long: 2 more characters were cut off here.]");
    let mut result = ToolResultBlock::new("c2", "E");
    result.state = ToolResultState::Success;
    result.output.push(TextBlock::new("äöü").into());
    agent.reply(Input::Results(ExternalExecutionResult::new(reply, vec![result]))).await.unwrap();
    assert!(result_text(&agent).contains("äö\n[The result was too long: 1 more characters were cut off here.]"));
}

/// Remembers spans: name, parent, fields; and which are closed.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<Vec<Seen>>>, Arc<Mutex<Vec<u64>>>);

#[derive(Default)]
struct Seen {
    name: &'static str,
    parent: Option<u64>,
    fields: Vec<(String, String)>,
    handles: usize,
}

impl tracing::field::Visit for Seen {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn fmt::Debug) {
        self.fields.push((field.name().to_owned(), format!("{value:?}").trim_matches('"').to_owned()));
    }
}

impl Spans {
    fn at<R>(&self, id: &tracing::span::Id, change: impl FnOnce(&mut Seen) -> R) -> R {
        change(&mut self.0.lock().unwrap()[usize::try_from(id.into_u64()).unwrap() - 1])
    }
}

impl tracing::Subscriber for Spans {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        let current = self.1.lock().unwrap().last().copied();
        let parent = span.parent().map(tracing::span::Id::into_u64).or(current.filter(|_| span.is_contextual()));
        let mut seen = Seen { name: span.metadata().name(), parent, handles: 1, ..Seen::default() };
        span.record(&mut seen);
        let mut all = self.0.lock().unwrap();
        all.push(seen);
        tracing::span::Id::from_u64(all.len() as u64)
    }

    fn record(&self, id: &tracing::span::Id, values: &tracing::span::Record<'_>) {
        self.at(id, |seen| values.record(seen));
    }

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, _: &tracing::Event<'_>) {}

    fn enter(&self, id: &tracing::span::Id) {
        self.1.lock().unwrap().push(id.into_u64());
    }

    fn exit(&self, _: &tracing::span::Id) {
        self.1.lock().unwrap().pop();
    }

    fn clone_span(&self, id: &tracing::span::Id) -> tracing::span::Id {
        self.at(id, |seen| seen.handles += 1);
        id.clone()
    }

    fn try_close(&self, id: tracing::span::Id) -> bool {
        self.at(&id, |seen| {
            seen.handles -= 1;
            seen.handles == 0
        })
    }
}

fn field<'s>(seen: &'s Seen, name: &str) -> Option<&'s str> {
    seen.fields.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

#[test]
fn spans_have_the_names_of_opentelemetry_and_all_end() {
    let spans = Spans::default();
    // Nothing else of this process uses this subscriber: it is that of this thread, on which all runs.
    tracing::subscriber::with_default(spans.clone(), || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let fails = crate::script::cut([crate::script::fail(replyfold_runtime::ModelErrorKind::Server)]);
            let model = Model::new([fails, turn([asks("c1"), call("c2", "fails", "{\"x\":\"1\"}"), call("c3", "E", "{\"x\":\"1\"}")])]);
            let agent = agent(model).middleware(Tracing).build().unwrap();
            let Err(ReplyError::Parked { reply, .. }) = agent.reply("go").await else { panic!("not parked") };
            let mut result = ToolResultBlock::new("c3", "E");
            result.state = ToolResultState::Error;
            agent.reply(Input::Results(ExternalExecutionResult::new(reply, vec![result]))).await.unwrap();
        });
    });
    let all = spans.0.lock().unwrap();
    let told: Vec<String> = all
        .iter()
        .map(|seen| {
            let parent = seen.parent.map_or("-", |id| all[usize::try_from(id).unwrap() - 1].name);
            let name = field(seen, "otel.name").unwrap();
            format!("{parent} > {name} {}", field(seen, "error.type").unwrap_or("ok"))
        })
        .collect();
    let wanted = [
        "- > invoke_agent main ok",
        "invoke_agent > chat m1 server",
        "invoke_agent > chat m1 ok",
        "invoke_agent > execute_tool A ok",
        "invoke_agent > execute_tool fails tool_error",
        "- > invoke_agent main ok",
        "invoke_agent > execute_tool E tool_error",
        "invoke_agent > chat m1 ok",
    ];
    assert_eq!(told, wanted);
    assert!(all.iter().all(|seen| seen.handles == 0), "a span is open");
    assert_eq!(field(&all[2], "gen_ai.usage.input_tokens"), Some("10"));
    assert_eq!(field(&all[2], "gen_ai.response.finish_reasons"), Some("stop"));
    assert_eq!(field(&all[3], "gen_ai.tool.call.id"), Some("c1"));
    assert_eq!(field(&all[0], "gen_ai.operation.name"), Some("invoke_agent"));
    assert_eq!(field(&all[5], "gen_ai.usage.output_tokens"), Some("5"));
    // No content.
    assert!(!all.iter().any(|seen| seen.fields.iter().any(|(_, value)| value.contains("A(1)") || value.contains("\"x\""))));
}
