//! People in the loop: questions, answers, results from outside (`runtime.md` section 6).

use super::{agent, answers, build, calls, coarse, is, run, says};
use crate::script::{self, Model, call, text, turn};
use replyfold_event::{AgentEvent, ConfirmResult, ExternalExecutionResult, Payload, UserConfirmResult};
use replyfold_message::{Block, PermissionBehavior, PermissionRule, TextBlock, ToolCallBlock, ToolResultBlock, ToolResultState};
use replyfold_runtime::{Agent, AgentBuilder, AgentState, Decision, Input, InputError, ReplyError, ScriptedGate, SeededClock};
use std::sync::Arc;

const X: &str = "{\"x\":\"1\"}";
const DECLINED: &str = "The user does not want this call. It was not run.";

fn rule(name: &str) -> PermissionRule {
    PermissionRule::new(name, PermissionBehavior::Allow, "suggested")
}

/// Calls of `A`, `Q` and `E` ask; the clock goes on from one process to the next.
fn asking(model: &Model, clock: &Arc<SeededClock>) -> AgentBuilder {
    let gate = ["A", "Q", "E"].into_iter().fold(ScriptedGate::new(), |gate, name| gate.with(name, Decision::ask(vec![rule(name)])));
    script::agent(model.clone()).gate(gate).clock(Arc::clone(clock))
}

fn asks(turns: impl IntoIterator<Item = script::Turn>) -> (Agent, Model) {
    let model = Model::new(turns);
    let agent = build(asking(&model, &Arc::new(SeededClock::new(1))));
    (agent, model)
}

/// An answer to one call of the reply that waits.
fn answer(agent: &Agent, id: &str, edit: impl FnOnce(ToolCallBlock) -> ConfirmResult) -> UserConfirmResult {
    let waiting = agent.current().unwrap();
    let call = waiting.content.iter().find_map(|block| match block {
        Block::ToolCall(call) if call.id == *id => Some(call.clone()),
        _ => None,
    });
    UserConfirmResult::new(waiting.id.as_str(), vec![edit(call.unwrap())])
}

fn yes(agent: &Agent, id: &str) -> UserConfirmResult {
    answer(agent, id, |call| ConfirmResult::new(true, call))
}

fn no(agent: &Agent, id: &str) -> UserConfirmResult {
    answer(agent, id, |call| ConfirmResult::new(false, call))
}

fn from_outside(agent: &Agent, id: &str) -> ExternalExecutionResult {
    let result = ToolResultBlock::new(id, "E").with_output(vec![Block::Text(TextBlock::new("out"))]).with_state(ToolResultState::Success);
    ExternalExecutionResult::new(agent.current().unwrap().id.as_str(), vec![result])
}

/// Parking is told by an event (section 16, 2), and answers are published (13).
#[tokio::test]
async fn t6_ask_and_approve() {
    let (agent, _) = asks([turn([call("c1", "A", X)]), turn([text("done")])]);
    let first = run(&agent, "hi").await;
    is(&first, &format!("AGENT_START · {} · REQUIRE_USER_CONFIRM [c1] · REQUEST_STOP PERMISSION_ASKING", calls(&[("c1", "A")])));
    assert_eq!(coarse(&[&first]), [""; 0]);
    let second = run(&agent, yes(&agent, "c1")).await;
    is(
        &second,
        &format!("USER_CONFIRM_RESULT [c1 true] · {} · {} · AGENT_END completed", answers("c1", "A(1)", "success"), says("b1", "done")),
    );
    assert_eq!(
        coarse(&[&first, &second]),
        [
            r#"{"type":"tool_start","toolName":"A","toolCallId":"c1","arguments":"{\"x\":\"1\"}"}"#,
            r#"{"type":"tool_end","toolName":"A","toolCallId":"c1","result":"A(1)"}"#,
            r#"{"type":"text","content":"done"}"#,
            r#"{"type":"complete"}"#,
        ]
    );
}

#[tokio::test]
async fn t6_ask_and_decline() {
    let (agent, model) = asks([turn([call("c1", "A", X)]), turn([text("as you like")])]);
    let first = run(&agent, "hi").await;
    let second = run(&agent, no(&agent, "c1")).await;
    is(
        &second,
        &format!(
            "USER_CONFIRM_RESULT [c1 false] · {} · {} · AGENT_END completed",
            answers("c1", DECLINED, "denied"),
            says("b1", "as you like")
        ),
    );
    assert_eq!(model.calls(), 2);
    let told = coarse(&[&first, &second]);
    assert!(told[1].contains("工具执行失败") && told[1].contains(DECLINED), "{told:?}");
}

#[tokio::test]
async fn t6_external() {
    let model = Model::new([turn([call("c1", "E", X)]), turn([text("done")])]);
    let agent = agent(&model);
    let first = run(&agent, "hi").await;
    is(
        &first,
        &format!(
            "AGENT_START · {} · TOOL_RESULT_START c1 · REQUIRE_EXTERNAL_EXECUTION [c1] · REQUEST_STOP TOOL_SUSPENDED",
            calls(&[("c1", "E")])
        ),
    );
    let second = run(&agent, from_outside(&agent, "c1")).await;
    is(&second, &format!("TOOL_RESULT_TEXT_DELTA c1 \"out\" · TOOL_RESULT_END c1 success · {} · AGENT_END completed", says("b1", "done")));
    let told = coarse(&[&first, &second]);
    assert_eq!(told[1], r#"{"type":"tool_end","toolName":"E","toolCallId":"c1","result":"out"}"#);
}

#[tokio::test]
async fn t17_4_two_asks_and_a_safe_one_answered_one_by_one() {
    let gate = ScriptedGate::new().with("A", Decision::ask(Vec::new()));
    let model = Model::new([turn([call("c1", "A", X), call("c2", "A", "{\"x\":\"2\"}"), call("c3", "B", X)]), turn([text("done")])]);
    let agent = build(script::agent(model).gate(gate));
    let first = run(&agent, "hi").await;
    let told = script::short(&first).join(" · ");
    let wanted = format!(
        "REQUIRE_USER_CONFIRM [c1] · REQUIRE_USER_CONFIRM [c2] · {} · REQUEST_STOP PERMISSION_ASKING",
        answers("c3", "B(1)", "success")
    );
    assert!(told.ends_with(&wanted), "{told}");
    // No new question: the other one still waits.
    is(
        &run(&agent, yes(&agent, "c1")).await,
        &format!("USER_CONFIRM_RESULT [c1 true] · {} · REQUEST_STOP PERMISSION_ASKING", answers("c1", "A(1)", "success")),
    );
    is(
        &run(&agent, no(&agent, "c2")).await,
        &format!("USER_CONFIRM_RESULT [c2 false] · {} · {} · AGENT_END completed", answers("c2", DECLINED, "denied"), says("b1", "done")),
    );
}

#[tokio::test]
async fn t17_5_the_same_tool_asked_twice_in_one_batch() {
    let two = || [turn([call("c1", "A", X), call("c2", "A", X)]), turn([text("done")])];
    let (agent, _) = asks(two());
    let first = run(&agent, "hi").await;
    is(
        &first,
        &format!("AGENT_START · {} · REQUIRE_USER_CONFIRM [c1] · REQUEST_STOP PERMISSION_ASKING", calls(&[("c1", "A"), ("c2", "A")])),
    );
    is(
        &run(&agent, yes(&agent, "c1")).await,
        &format!(
            "USER_CONFIRM_RESULT [c1 true] · {} · REQUIRE_USER_CONFIRM [c2] · REQUEST_STOP PERMISSION_ASKING",
            answers("c1", "A(1)", "success")
        ),
    );
    let (agent, _) = asks(two());
    run(&agent, "hi").await;
    let with_rule = answer(&agent, "c1", |call| ConfirmResult::new(true, call).with_rules(vec![rule("A")]));
    let told = script::short(&run(&agent, with_rule).await).join(" · ");
    assert!(told.contains("TOOL_RESULT_END c1 success") && told.contains("TOOL_RESULT_END c2 success"), "{told}");
    assert_eq!(agent.state().rules, [rule("A")]);
}

#[tokio::test]
async fn t17_6_an_unsafe_tool_asks_and_another_call_follows() {
    let gate = ScriptedGate::new().with("Q", Decision::ask(Vec::new()));
    let model = Model::new([turn([call("c1", "Q", X), call("c2", "slowq", X)]), turn([text("done")])]);
    let agent = build(script::agent(model).gate(gate));
    let told = script::short(&run(&agent, "hi").await).join(" · ");
    assert!(told.ends_with("REQUIRE_USER_CONFIRM [c1] · REQUEST_STOP PERMISSION_ASKING") && !told.contains("TOOL_RESULT"), "{told}");
    let told = script::short(&run(&agent, yes(&agent, "c1")).await).join(" · ");
    assert!(told.contains("TOOL_RESULT_END c1 success · TOOL_RESULT_START c2"), "{told}");
}

#[tokio::test]
async fn t17_7_external_asked_first_then_submitted() {
    let (agent, _) = asks([turn([call("c1", "E", X)]), turn([text("done")])]);
    let first = run(&agent, "hi").await;
    assert!(script::short(&first).join(" · ").ends_with("REQUIRE_USER_CONFIRM [c1] · REQUEST_STOP PERMISSION_ASKING"));
    is(
        &run(&agent, yes(&agent, "c1")).await,
        "USER_CONFIRM_RESULT [c1 true] · TOOL_RESULT_START c1 · REQUIRE_EXTERNAL_EXECUTION [c1] · REQUEST_STOP TOOL_SUSPENDED",
    );
    is(
        &run(&agent, from_outside(&agent, "c1")).await,
        &format!("TOOL_RESULT_TEXT_DELTA c1 \"out\" · TOOL_RESULT_END c1 success · {} · AGENT_END completed", says("b1", "done")),
    );
}

/// Edited arguments run, and those who read the stream see them (section 16, 13).
#[tokio::test]
async fn edited_arguments_run_and_are_published() {
    let (agent, _) = asks([turn([call("c1", "A", X)]), turn([text("done")])]);
    run(&agent, "hi").await;
    let edited = answer(&agent, "c1", |call| ConfirmResult::new(true, call.with_content("{\"x\":\"9\"}")));
    let events = run(&agent, edited).await;
    assert!(script::short(&events).contains(&"TOOL_RESULT_TEXT_DELTA c1 \"A(9)\"".to_owned()));
    let published = events.iter().find_map(|event| match &event.payload {
        Payload::UserConfirmResult(answer) => Some(answer.confirm_results[0].tool_call.content.clone()),
        _ => None,
    });
    assert_eq!(published.as_deref(), Some("{\"x\":\"9\"}"));
    let state = agent.state();
    assert!(matches!(state.context[1].content.get(0), Some(Block::ToolCall(call)) if call.input.as_str() == "{\"x\":\"9\"}"));
}

/// Everything that does not fit is refused with the reason, and changes nothing (B074, B077).
#[tokio::test]
async fn b074_answers_that_do_not_fit_change_nothing() {
    let (agent, model) = asks([turn([call("c1", "A", X), call("c2", "B", X)]), turn([text("done")])]);
    assert_eq!(
        agent.stream(Input::Confirm(UserConfirmResult::new("r", vec![]))).unwrap_err(),
        InputError::NothingWaits("a person's answer")
    );
    let results = Input::Results(ExternalExecutionResult::new("r", vec![]));
    assert_eq!(agent.stream(results).unwrap_err().to_string(), "no reply waits for a result from outside");
    let interrupted = agent.reply(Input::Interrupt).await.unwrap_err();
    assert_eq!(interrupted.to_string(), "no reply waits for somebody to interrupt it");
    run(&agent, "hi").await;
    let before = agent.state();
    let reply = agent.current().unwrap().id.to_string();
    let call = |id: &str| ConfirmResult::new(true, ToolCallBlock::new(id, "A"));
    let confirm = |reply: &str, results| Input::Confirm(UserConfirmResult::new(reply, results));
    for (input, wanted) in [
        (Input::from("more"), format!("reply `{reply}` waits for answers to `c1`: give them, or interrupt it")),
        (Input::Nothing, format!("reply `{reply}` waits for answers to `c1`: give them, or interrupt it")),
        (confirm("other", vec![call("c1")]), format!("the answer is for reply `other`, and `{reply}` waits")),
        (confirm(&reply, vec![call("c9")]), "call `c9` does not wait for a person's answer".to_owned()),
        (confirm(&reply, vec![call("c2")]), "call `c2` does not wait for a person's answer".to_owned()),
        (confirm(&reply, vec![call("c1"), call("c1")]), "call `c1` is answered twice".to_owned()),
        (confirm(&reply, vec![]), "the answer names no call".to_owned()),
        (Input::Results(from_outside(&agent, "c1")), "call `c1` does not wait for a result from outside".to_owned()),
    ] {
        assert_eq!(agent.stream(input).unwrap_err().to_string(), wanted);
        assert_eq!(agent.state(), before);
    }
    let confirmed = yes(&agent, "c1");
    run(&agent, confirmed.clone()).await;
    assert_eq!(model.calls(), 2);
    // The same answer once more, to a reply that is over.
    assert_eq!(agent.stream(confirmed).unwrap_err(), InputError::NothingWaits("a person's answer"));
    assert_eq!(model.calls(), 2);
}

/// Two answers in another order than the questions find their calls.
#[tokio::test]
async fn b077_answers_are_matched_by_their_calls() {
    let gate = ScriptedGate::new().with("A", Decision::ask(Vec::new()));
    let model = Model::new([turn([call("t1", "A", X), call("t2", "A", "{\"x\":\"2\"}")]), turn([text("done")])]);
    let agent = build(script::agent(model).gate(gate));
    run(&agent, "hi").await;
    let mut both = yes(&agent, "t2");
    both.confirm_results.extend(no(&agent, "t1").confirm_results);
    let told = script::short(&run(&agent, both).await).join(" · ");
    assert!(told.contains("TOOL_RESULT_END t1 denied") && told.contains("\"A(2)\" · TOOL_RESULT_END t2 success"), "{told}");
}

/// Another process goes on with the document; what had run does not run again (B076, B079).
#[tokio::test]
async fn b079_a_reply_resumes_in_another_process_and_runs_nothing_twice() {
    for what in ["yes", "no", "edit"] {
        let (model, clock) =
            (Model::new([turn([call("c1", "B", X), call("c2", "A", X)]), turn([text("done")])]), Arc::new(SeededClock::new(1)));
        let agent = build(asking(&model, &clock));
        let first = run(&agent, "hi").await;
        let document = serde_json::to_string(&agent.state()).unwrap();
        drop(agent);
        let state: AgentState = serde_json::from_str(&document).unwrap();
        let agent = build(asking(&model, &clock).state(state));
        let input = match what {
            "yes" => yes(&agent, "c2"),
            "no" => no(&agent, "c2"),
            _ => answer(&agent, "c2", |call| ConfirmResult::new(true, call.with_content("{\"x\":\"e\"}"))),
        };
        let second = run(&agent, input).await;
        let all: Vec<AgentEvent> = first.into_iter().chain(second).collect();
        let told = script::short(&all);
        assert_eq!(told.iter().filter(|event| *event == "TOOL_RESULT_START c1").count(), 1, "{told:?}");
        let wanted = match what {
            "yes" => "TOOL_RESULT_TEXT_DELTA c2 \"A(1)\"".to_owned(),
            "no" => format!("TOOL_RESULT_TEXT_DELTA c2 {DECLINED:?}"),
            _ => "TOOL_RESULT_TEXT_DELTA c2 \"A(e)\"".to_owned(),
        };
        assert!(told.contains(&wanted), "{told:?}");
    }
}

#[tokio::test]
async fn the_whole_message_or_why_there_is_none() {
    let (agent, _) = asks([turn([call("c1", "A", X)]), turn([text("done")])]);
    let err = agent.reply("hi").await.unwrap_err();
    assert!(matches!(&err, ReplyError::Parked { calls, .. } if calls.len() == 1 && calls[0] == *"c1"), "{err}");
    let message = agent.reply(yes(&agent, "c1")).await.unwrap();
    assert_eq!(replyfold_runtime::text_of(&message), "done");
    assert_eq!(
        agent.reply(Input::Confirm(UserConfirmResult::new("r", vec![]))).await.unwrap_err(),
        ReplyError::Input(InputError::NothingWaits("a person's answer"))
    );
}

/// A second run is refused while one goes on, and nothing of it happens.
#[tokio::test]
async fn a_second_run_is_refused() {
    let (agent, model) = asks([turn([text("done")])]);
    let stream = agent.stream("hi").unwrap();
    assert_eq!(agent.stream("ho").unwrap_err(), InputError::Busy);
    drop(stream);
    assert_eq!((agent.state().context.len(), model.calls()), (0, 0));
    assert_eq!(run(&agent, "hi").await.len(), 7);
}
