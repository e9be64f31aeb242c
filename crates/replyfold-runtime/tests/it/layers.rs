//! Middleware: order, what each position may change, and what none can.

use crate::script::{Model, Turn, agent, call, cut, events, fail, short, text, turn};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use replyfold_event::{AgentEvent, Payload};
use replyfold_message::{Failure, FinishedReason, Msg};
use replyfold_runtime::middleware::{
    ActingCall, CompressCall, Middleware, ModelCall, Next, PermissionCall, ReasoningCall, ReplyCall, RoundEnd, Scope,
};
use replyfold_runtime::{Decision, ModelError, ModelErrorKind, ModelStream, ToolError, text_of};
use std::sync::{Arc, Mutex};

/// Writes down what enters and leaves it.
struct Log(&'static str, Arc<Mutex<Vec<String>>>);

impl Log {
    fn note(&self, what: &str) {
        self.1.lock().unwrap().push(format!("{}.{what}", self.0));
    }

    fn around<'a, I: Send + 'a, O: Send + 'a>(&'a self, name: &'static str, call: I, next: Next<'a, I, O>) -> BoxFuture<'a, O> {
        async move {
            self.note(&format!("{name}>"));
            let result = next.run(call).await;
            self.note(&format!("{name}<"));
            result
        }
        .boxed()
    }
}

impl Middleware for Log {
    fn on_reply<'a>(&'a self, call: ReplyCall, next: Next<'a, ReplyCall, Result<(), Failure>>) -> BoxFuture<'a, Result<(), Failure>> {
        self.around("reply", call, next)
    }

    fn on_reasoning<'a>(
        &'a self,
        call: ReasoningCall,
        next: Next<'a, ReasoningCall, Result<RoundEnd, Failure>>,
    ) -> BoxFuture<'a, Result<RoundEnd, Failure>> {
        self.around("reasoning", call, next)
    }

    fn on_model_call<'a>(
        &'a self,
        call: ModelCall,
        next: Next<'a, ModelCall, Result<ModelStream, ModelError>>,
    ) -> BoxFuture<'a, Result<ModelStream, ModelError>> {
        self.around("model", call, next)
    }

    fn on_check_permission<'a>(&'a self, call: PermissionCall, next: Next<'a, PermissionCall, Decision>) -> BoxFuture<'a, Decision> {
        self.around("perm", call, next)
    }

    fn on_acting<'a>(
        &'a self,
        mut call: ActingCall<'a>,
        next: Next<'a, ActingCall<'a>, Result<(), ToolError>>,
    ) -> BoxFuture<'a, Result<(), ToolError>> {
        call.output = call.output.wrap(move |chunk, mut output| async move {
            self.note("chunk");
            output.chunk(chunk).await;
        });
        self.around("acting", call, next)
    }

    fn on_compress_context<'a>(&'a self, call: CompressCall, next: Next<'a, CompressCall, Vec<Msg>>) -> BoxFuture<'a, Vec<Msg>> {
        self.around("compress", call, next)
    }

    fn on_system_prompt<'a>(&'a self, _scope: &'a Scope, prompt: String) -> BoxFuture<'a, String> {
        self.note("prompt");
        async move { format!("{prompt}/{}", self.0) }.boxed()
    }
}

/// `middleware.md` 4, with the prompt assembled once a round (10.5).
#[tokio::test(start_paused = true)]
async fn the_first_is_the_outermost() {
    let log = Arc::new(Mutex::new(Vec::new()));
    let model = Model::new([cut([fail(ModelErrorKind::Server)]), turn([call("c1", "A", "{\"x\":\"1\"}")]), turn([text("done")])]);
    let builder = agent(model.clone()).system("sys").middleware(Log("M1", log.clone())).middleware(Log("M2", log.clone()));
    builder.build().unwrap().reply("go").await.unwrap();
    let round = |model: &str| {
        format!(
            "M1.compress> M2.compress> M2.compress< M1.compress< M1.reasoning> M2.reasoning> M1.prompt M2.prompt {model} M2.reasoning< M1.reasoning<"
        )
    };
    let (asked, model_call) = ("M1.model> M2.model> M2.model< M1.model<", "M1.model> M2.model> M2.model< M1.model<");
    let wanted = [
        "M1.reply> M2.reply>".to_owned(),
        // The attempt that failed first.
        round(&format!("{asked} {model_call}")),
        "M1.perm> M2.perm> M2.perm< M1.perm<".to_owned(),
        "M1.acting> M2.acting> M2.chunk M1.chunk M2.acting< M1.acting<".to_owned(),
        round(model_call),
        "M2.reply< M1.reply<".to_owned(),
    ];
    assert_eq!(log.lock().unwrap().join(" "), wanted.join(" "));
    assert!(model.asked.lock().unwrap().iter().all(|request| request.system == "sys/M1/M2"));
}

/// Changes a call, or answers it.
type Acts = fn(&mut ActingCall<'_>) -> Option<Result<(), ToolError>>;

/// Whatever the middleware of a test does, as functions.
#[derive(Default)]
struct Does {
    acting: Option<Acts>,
    permission: Option<fn(&mut PermissionCall) -> Option<Decision>>,
    reasoning: Option<fn(&mut ReasoningCall)>,
    /// What becomes of the events of a run.
    events: Option<fn(AgentEvent) -> Option<AgentEvent>>,
    context: Option<fn(Vec<Msg>) -> Vec<Msg>>,
}

impl Middleware for Does {
    fn on_reply<'a>(&'a self, mut call: ReplyCall, next: Next<'a, ReplyCall, Result<(), Failure>>) -> BoxFuture<'a, Result<(), Failure>> {
        if let Some(see) = self.events {
            call.events = call.events.wrap(move |event, events| async move {
                if let Some(event) = see(event) {
                    events.emit(event).await;
                }
            });
        }
        next.run(call)
    }

    fn on_reasoning<'a>(
        &'a self,
        mut call: ReasoningCall,
        next: Next<'a, ReasoningCall, Result<RoundEnd, Failure>>,
    ) -> BoxFuture<'a, Result<RoundEnd, Failure>> {
        if let Some(change) = self.reasoning {
            change(&mut call);
        }
        next.run(call)
    }

    fn on_check_permission<'a>(&'a self, mut call: PermissionCall, next: Next<'a, PermissionCall, Decision>) -> BoxFuture<'a, Decision> {
        match self.permission.and_then(|decide| decide(&mut call)) {
            Some(decision) => async { decision }.boxed(),
            None => next.run(call),
        }
    }

    fn on_acting<'a>(
        &'a self,
        mut call: ActingCall<'a>,
        next: Next<'a, ActingCall<'a>, Result<(), ToolError>>,
    ) -> BoxFuture<'a, Result<(), ToolError>> {
        match self.acting.and_then(|act| act(&mut call)) {
            Some(result) => async { result }.boxed(),
            None => next.run(call),
        }
    }

    fn on_compress_context<'a>(&'a self, call: CompressCall, next: Next<'a, CompressCall, Vec<Msg>>) -> BoxFuture<'a, Vec<Msg>> {
        async move {
            let context = next.run(call).await;
            self.context.map_or(context.clone(), |change| change(context))
        }
        .boxed()
    }
}

fn calls_a() -> Turn {
    turn([call("c1", "A", "{\"x\":\"1\"}")])
}

/// The events about results of what an agent with this middleware does in a round that calls `A`.
async fn results(does: Does) -> Vec<String> {
    let agent = agent(Model::new([calls_a(), turn([text("done")])])).middleware(does).build().unwrap();
    let events = short(&events(&agent, "go").await);
    assert_eq!(events.last().map(String::as_str), Some("AGENT_END completed"));
    events.into_iter().filter(|event| event.starts_with("TOOL_RESULT")).collect()
}

#[tokio::test]
async fn a_call_that_a_layer_answers_is_not_run() {
    let told = results(Does { acting: Some(|_| Some(Ok(()))), ..Does::default() }).await;
    assert_eq!(told, ["TOOL_RESULT_START c1", "TOOL_RESULT_END c1 success"]);
}

#[tokio::test]
async fn a_layer_changes_what_is_run_and_the_message_keeps_what_the_model_wrote() {
    let acting = |call: &mut ActingCall<'_>| {
        call.tool = "B".to_owned();
        call.input.arguments.insert("x".to_owned(), "2".into());
        None
    };
    let agent = agent(Model::new([calls_a(), turn([text("done")])])).middleware(Does { acting: Some(acting), ..Does::default() });
    let message = agent.build().unwrap().reply("go").await.unwrap();
    let json = serde_json::to_string(&message).unwrap();
    assert!(json.contains("B(2)") && json.contains(r#"{\"x\":\"1\"}"#), "{json}");
}

#[tokio::test]
async fn a_layer_that_panics_and_a_tool_that_is_not_there_are_failed_calls() {
    let told = results(Does { acting: Some(|_| panic!("oh")), ..Does::default() }).await;
    assert_eq!(told[1..], ["TOOL_RESULT_TEXT_DELTA c1 \"The tool failed unexpectedly: oh\"", "TOOL_RESULT_END c1 error"]);
    let elsewhere = |call: &mut ActingCall<'_>| {
        call.tool = "nowhere".to_owned();
        None
    };
    let told = results(Does { acting: Some(elsewhere), ..Does::default() }).await;
    assert_eq!(told[1..], ["TOOL_RESULT_TEXT_DELTA c1 \"The tool named 'nowhere' doesn't exist.\"", "TOOL_RESULT_END c1 error"]);
}

#[tokio::test]
async fn a_layer_decides_in_the_gates_place() {
    let permission = |_: &mut PermissionCall| Some(Decision::Deny("not today".to_owned()));
    let told = results(Does { permission: Some(permission), ..Does::default() }).await;
    assert_eq!(told, ["TOOL_RESULT_START c1", "TOOL_RESULT_TEXT_DELTA c1 \"not today\"", "TOOL_RESULT_END c1 denied"]);
}

#[tokio::test]
async fn calls_of_a_round_without_tools_are_refused() {
    let reasoning = |call: &mut ReasoningCall| call.tool_choice = replyfold_runtime::ToolChoice::None;
    let told = results(Does { reasoning: Some(reasoning), ..Does::default() }).await;
    assert_eq!(told[2], "TOOL_RESULT_END c1 error");
}

#[tokio::test]
async fn what_a_layer_makes_of_events_is_what_the_message_is() {
    let see = |mut event: AgentEvent| {
        if let Payload::TextBlockDelta(delta) = &mut event.payload {
            delta.delta = delta.delta.to_uppercase();
        }
        Some(event)
    };
    let agent = agent(Model::new([turn([text("quiet")])])).middleware(Does { events: Some(see), ..Does::default() }).build().unwrap();
    assert_eq!(text_of(&agent.reply("go").await.unwrap()), "QUIET");
    let ids = agent.state().context;
    assert_eq!(ids.len(), 2);
}

#[tokio::test]
async fn arguments_that_a_layer_rewrites_are_run() {
    let see = |mut event: AgentEvent| {
        if let Payload::ToolCallDelta(delta) = &mut event.payload {
            delta.delta = delta.delta.replace('1', "7");
        }
        Some(event)
    };
    let told = results(Does { events: Some(see), ..Does::default() }).await;
    assert_eq!(told[1], "TOOL_RESULT_TEXT_DELTA c1 \"A(7)\"");
}

#[tokio::test]
async fn an_end_that_is_kept_back_has_another_round_until_the_limit() {
    let see = |event: AgentEvent| (!matches!(event.payload, Payload::AgentEnd(_))).then_some(event);
    let model = Model::new([turn([text("one")]), turn([text("two")]), turn([text("three")])]);
    let does = Does { events: Some(see), ..Does::default() };
    let agent = agent(model.clone()).max_rounds(2).middleware(does).build().unwrap();
    let events = events(&agent, "go").await;
    assert_eq!(model.calls(), 3);
    let ends: Vec<_> =
        events.iter().filter_map(|event| if let Payload::AgentEnd(end) = &event.payload { Some(end) } else { None }).collect();
    assert_eq!(ends.len(), 1);
    assert_eq!(ends[0].finished_reason, Some(FinishedReason::ExceedMaxIters));
    assert_eq!(agent.state().context.last().unwrap().content.len(), 3);
}

#[tokio::test]
async fn a_parking_that_is_kept_back_is_told_all_the_same() {
    let see = |event: AgentEvent| (!matches!(event.payload, Payload::RequestStop(_))).then_some(event);
    let does = Does { events: Some(see), ..Does::default() };
    let agent = agent(Model::new([turn([call("c1", "E", "{\"x\":\"1\"}")])])).middleware(does).build().unwrap();
    let told = short(&events(&agent, "go").await);
    assert_eq!(told.last().map(String::as_str), Some("REQUEST_STOP TOOL_SUSPENDED"));
}

#[tokio::test]
async fn what_a_layer_makes_of_the_context_stays() {
    let last = |context: Vec<Msg>| context.into_iter().rev().take(1).collect();
    let does = Does { context: Some(last), ..Does::default() };
    let agent = agent(Model::new([turn([text("one")]), turn([text("two")])])).middleware(does).build().unwrap();
    agent.reply("first").await.unwrap();
    agent.reply("second").await.unwrap();
    let context = agent.state().context;
    assert_eq!(context.iter().map(text_of).collect::<Vec<_>>(), ["second", "two"]);
}

/// Answers in the model's place, and never lets anybody in.
struct Canned;

impl Middleware for Canned {
    fn on_reply<'a>(&'a self, call: ReplyCall, _: Next<'a, ReplyCall, Result<(), Failure>>) -> BoxFuture<'a, Result<(), Failure>> {
        async move {
            let reply = call.scope.reply_id().clone();
            let start = replyfold_event::AgentStart::new(reply.clone(), replyfold_message::Role::Assistant);
            let block = call.scope.new_id();
            let end = || AgentEvent::new(replyfold_event::AgentEnd::new(reply.clone()).with_finished_reason(FinishedReason::Completed));
            call.events.emit(AgentEvent::new(start)).await;
            call.events.emit(AgentEvent::new(replyfold_event::TextBlockStart::new(reply.clone(), block.as_str()))).await;
            call.events.emit(AgentEvent::new(replyfold_event::TextBlockDelta::new(reply.clone(), block.as_str(), "canned"))).await;
            call.events.emit(AgentEvent::new(replyfold_event::TextBlockEnd::new(reply.clone(), block.as_str()))).await;
            call.events.emit(end()).await;
            call.events.emit(end()).await;
            Ok(())
        }
        .boxed()
    }
}

#[tokio::test]
async fn b101_a_layer_may_answer_itself_and_a_second_end_is_none() {
    let model = Model::new([]);
    let agent = agent(model.clone()).middleware(Canned).build().unwrap();
    let events = events(&agent, "go").await;
    assert_eq!(events.iter().filter(|event| matches!(event.payload, Payload::AgentEnd(_))).count(), 1);
    assert!(events.iter().all(|event| event.id.as_ref().is_some_and(|id| !id.as_str().is_empty())));
    assert_eq!(text_of(agent.state().context.last().unwrap()), "canned");
    assert_eq!(model.calls(), 0);
}

/// Has the work done twice.
struct Again(Arc<Mutex<Vec<Result<(), Failure>>>>);

impl Middleware for Again {
    fn on_reply<'a>(&'a self, call: ReplyCall, next: Next<'a, ReplyCall, Result<(), Failure>>) -> BoxFuture<'a, Result<(), Failure>> {
        async move {
            for _ in 0..2 {
                let result = next.run(call.clone()).await;
                self.0.lock().unwrap().push(result);
            }
            Ok(())
        }
        .boxed()
    }
}

#[tokio::test]
async fn a_reply_that_has_ended_is_not_gone_on_with() {
    let results = Arc::new(Mutex::new(Vec::new()));
    let model = Model::new([turn([text("one")]), turn([text("two")])]);
    let agent = agent(model.clone()).middleware(Again(results.clone())).build().unwrap();
    let events = events(&agent, "go").await;
    assert_eq!(events.iter().filter(|event| matches!(event.payload, Payload::AgentEnd(_))).count(), 1);
    assert_eq!((model.calls(), agent.state().context.len()), (1, 2));
    let results = results.lock().unwrap();
    assert!(results[0].is_ok() && results[1].as_ref().is_err_and(|failure| failure.message.contains("has ended")));
}

/// Forgets to say that the reply has ended.
struct Endless;

impl Middleware for Endless {
    fn on_reply<'a>(&'a self, call: ReplyCall, _: Next<'a, ReplyCall, Result<(), Failure>>) -> BoxFuture<'a, Result<(), Failure>> {
        async move {
            let reply = call.scope.reply_id().clone();
            call.events.emit(AgentEvent::new(replyfold_event::AgentStart::new(reply, replyfold_message::Role::Assistant))).await;
            Ok(())
        }
        .boxed()
    }
}

#[tokio::test]
async fn a_reply_that_a_layer_leaves_open_is_closed() {
    let agent = agent(Model::new([])).middleware(Endless).build().unwrap();
    let events = events(&agent, "go").await;
    let Some(Payload::AgentEnd(end)) = events.last().map(|event| event.payload.clone()) else { panic!("no end") };
    assert_eq!(end.finished_reason, Some(FinishedReason::Error));
    assert!(end.error.unwrap().message.contains("kept back"));
}
