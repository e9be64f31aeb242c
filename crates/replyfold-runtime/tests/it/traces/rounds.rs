//! Rounds: text, calls, results, and what runs beside what.

use super::{agent, answers, build, calls, is, run, says};
use crate::script::{self, Model, call, echo, piece, text, thinking, turn};
use replyfold_message::{Block, ToolCallState};
use replyfold_runtime::{Turn, turns};

const X: &str = "{\"x\":\"1\"}";

#[tokio::test]
async fn t17_1_text_before_a_tool_then_the_answer() {
    let model = Model::new([turn([text("let me"), call("c1", "A", "{\"x\":"), piece("\"1\"}")]), turn([text("done")])]);
    let agent = agent(&model);
    let events = run(&agent, "hi").await;
    is(
        &events,
        &format!(
            "AGENT_START · MODEL_CALL_START · TEXT_BLOCK_START b1 · TEXT_BLOCK_DELTA b1 \"let me\" · TEXT_BLOCK_END b1
             TOOL_CALL_START c1 A · TOOL_CALL_DELTA c1 {{\"x\": · TOOL_CALL_DELTA c1 \"1\"}} · TOOL_CALL_END c1 · MODEL_CALL_END
             {} · {} · AGENT_END completed",
            answers("c1", "A(1)", "success"),
            says("b2", "done")
        ),
    );
    let state = agent.state();
    let [user, reply] = &state.context[..] else { panic!("{state:?}") };
    assert_eq!(replyfold_runtime::text_of(user), "hi");
    assert!(!user.id.is_empty() && user.created_at.is_some() && user.id != reply.id);
    let kinds: Vec<&str> = reply.content.iter().map(Block::type_name).collect();
    assert_eq!(kinds, ["text", "tool_use", "tool_result", "text"]);
    assert!(matches!(reply.content.get(1), Some(Block::ToolCall(call)) if call.state == ToolCallState::Finished));
    assert_eq!(reply.usage.as_ref().map(|usage| (usage.input_tokens, usage.output_tokens)), Some((20, 10)));
    assert_eq!(reply.name, "main");
}

/// Results stand in the order of their calls, whichever is done first (section 16, 10).
#[tokio::test(start_paused = true)]
async fn t17_2_two_safe_tools_the_first_slow() {
    let model = Model::new([turn([call("c1", "slow", X), call("c2", "A", X)]), turn([text("done")])]);
    let agent = agent(&model);
    is(
        &run(&agent, "hi").await,
        &format!(
            "AGENT_START · {} · TOOL_RESULT_START c1 · TOOL_RESULT_START c2 · TOOL_RESULT_TEXT_DELTA c2 \"A(1)\" · TOOL_RESULT_END c2 success
             TOOL_RESULT_TEXT_DELTA c1 \"s\" · TOOL_RESULT_TEXT_DELTA c1 \"low\" · TOOL_RESULT_END c1 success · {} · AGENT_END completed",
            calls(&[("c1", "slow"), ("c2", "A")]),
            says("b1", "done")
        ),
    );
    // The model has them in that order too.
    let asked = model.asked.lock().unwrap().clone();
    let told = turns(&asked[1].messages);
    assert!(
        matches!(&told[..], [Turn::User { .. }, Turn::Assistant(_), Turn::Results(results)] if results[0].id == *"c1" && results[1].id == *"c2")
    );
}

#[tokio::test]
async fn t17_3_batches_run_strictly_one_after_the_other() {
    let model = Model::new([turn([call("c1", "A", X), call("c2", "Q", X), call("c3", "Q", X), call("c4", "B", X)]), turn([text("done")])]);
    is(
        &run(&agent(&model), "hi").await,
        &format!(
            "AGENT_START · {} · {} · {} · {} · {} · {} · AGENT_END completed",
            calls(&[("c1", "A"), ("c2", "Q"), ("c3", "Q"), ("c4", "B")]),
            answers("c1", "A(1)", "success"),
            answers("c2", "Q(1)", "success"),
            answers("c3", "Q(1)", "success"),
            answers("c4", "B(1)", "success"),
            says("b1", "done")
        ),
    );
}

/// A block of text between calls closes them, and each text is a block of its own (section 16, 8).
#[tokio::test]
async fn t17_12_text_tool_and_text_again_in_one_response() {
    let model = Model::new([turn([text("one"), call("c1", "A", X), text("two")]), turn([text("done")])]);
    is(
        &run(&agent(&model), "hi").await,
        &format!(
            "AGENT_START · MODEL_CALL_START · TEXT_BLOCK_START b1 · TEXT_BLOCK_DELTA b1 \"one\" · TEXT_BLOCK_END b1
             TOOL_CALL_START c1 A · TOOL_CALL_DELTA c1 {X} · TEXT_BLOCK_START b2 · TEXT_BLOCK_DELTA b2 \"two\" · TOOL_CALL_END c1
             TEXT_BLOCK_END b2 · MODEL_CALL_END · {} · {} · AGENT_END completed",
            answers("c1", "A(1)", "success"),
            says("b3", "done")
        ),
    );
}

#[tokio::test]
async fn thinking_alone_goes_on_and_counts_as_a_round() {
    let model = Model::new([turn([thinking("hm")]), turn([thinking("so"), text("done")])]);
    is(
        &run(&agent(&model), "hi").await,
        "AGENT_START · MODEL_CALL_START · THINKING_BLOCK_START b1 · THINKING_BLOCK_DELTA b1 \"hm\" · THINKING_BLOCK_END b1 · MODEL_CALL_END
         MODEL_CALL_START · THINKING_BLOCK_START b2 · THINKING_BLOCK_DELTA b2 \"so\" · THINKING_BLOCK_END b2
         TEXT_BLOCK_START b3 · TEXT_BLOCK_DELTA b3 \"done\" · TEXT_BLOCK_END b3 · MODEL_CALL_END · AGENT_END completed",
    );
}

/// What goes wrong with a call is a result that the model sees, never the end of the run.
#[tokio::test]
async fn calls_that_fail_are_answered_and_the_run_goes_on() {
    for (name, arguments, wanted) in [
        ("fails", X, "no luck"),
        ("panics", X, "The tool failed unexpectedly: out of cheese"),
        ("Nope", X, "ToolNotFoundError: The tool named 'Nope' doesn't exist."),
        ("A", "{}", "Input validation failed for tool 'A': \"x\" is a required property (at $)"),
        ("A", "[1]", "The arguments are no JSON object: `[1]`. Call the tool again with corrected arguments."),
    ] {
        let model = Model::new([turn([call("c1", name, arguments)]), turn([text("sorry")])]);
        let events = run(&agent(&model), "hi").await;
        let told = script::short(&events);
        assert!(told.contains(&format!("TOOL_RESULT_TEXT_DELTA c1 {wanted:?}")), "{told:?}");
        assert!(
            told.contains(&"TOOL_RESULT_END c1 error".to_owned()) && told.last().is_some_and(|end| end == "AGENT_END completed"),
            "{told:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_takes_too_long_is_answered() {
    let model = Model::new([turn([call("c1", "slow", X)]), turn([text("sorry")])]);
    let agent = build(script::agent(model).tool_timeout(std::time::Duration::from_millis(70)));
    is(
        &run(&agent, "hi").await,
        &format!(
            "AGENT_START · {} · TOOL_RESULT_START c1 · TOOL_RESULT_TEXT_DELTA c1 \"s\" · TOOL_RESULT_TEXT_DELTA c1 \"\\nThe tool took longer than 0.07 s.\"
             TOOL_RESULT_END c1 error · {} · AGENT_END completed",
            calls(&[("c1", "slow")]),
            says("b1", "sorry")
        ),
    );
}

/// No more calls run at once than the limit, and each begins when it does.
#[tokio::test(start_paused = true)]
async fn concurrent_calls_keep_to_the_limit() {
    let list = [("c1", "slow"), ("c2", "slow"), ("c3", "A")];
    let model = Model::new([turn(list.map(|(id, name)| call(id, name, X))), turn([text("done")])]);
    let agent = build(script::agent(model).concurrency(2).tool(echo("other")));
    let told = script::short(&run(&agent, "hi").await);
    let at = |what: &str| told.iter().position(|event| event == what).unwrap_or_else(|| panic!("{what} is not in {told:?}"));
    assert!(at("TOOL_RESULT_START c2") < at("TOOL_RESULT_TEXT_DELTA c1 \"s\""));
    assert!(at("TOOL_RESULT_START c3") > at("TOOL_RESULT_END c1 success"));
}

/// A model that uses an id again gets another one for it, in later rounds and replies too (section 16, 4).
#[tokio::test]
async fn an_id_that_is_used_again_is_made_unique() {
    let model = Model::new([turn([call("c1", "A", X)]), turn([call("c1", "A", X)]), turn([text("done")]), turn([call("c1", "A", X)])]);
    let agent = agent(&model);
    let told = script::short(&run(&agent, "hi").await);
    assert!(told.contains(&"TOOL_RESULT_END c1~2 success".to_owned()), "{told:?}");
    let told = script::short(&run(&agent, "again").await);
    assert!(told.contains(&"TOOL_RESULT_END c1~3 success".to_owned()), "{told:?}");
}
