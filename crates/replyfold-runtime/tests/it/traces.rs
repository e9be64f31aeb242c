//! The traces of the specification (`runtime.md` sections 6 and 17), in canonical names, with the differences of its section 16; each with its
//! coarse stream (`coarse.md`).

mod coarse;
mod endings;
mod people;
mod rounds;

use crate::script::{self, Model, short};
use replyfold_coarse::Collapser;
use replyfold_event::AgentEvent;
use replyfold_runtime::{Agent, AgentBuilder, Input};

/// What an agent emits in a run, one by one.
pub(crate) async fn run(agent: &Agent, input: impl Into<Input>) -> Vec<AgentEvent> {
    script::events(agent, input).await
}

/// An agent with tools of every kind on this model.
fn agent(model: &Model) -> Agent {
    build(script::agent(model.clone()))
}

fn build(builder: AgentBuilder) -> Agent {
    builder.build().unwrap()
}

/// Holds a run to its trace.
#[track_caller]
fn is(events: &[AgentEvent], trace: &str) {
    let wanted: Vec<&str> = trace.lines().flat_map(|line| line.split(" · ")).map(str::trim).filter(|word| !word.is_empty()).collect();
    assert_eq!(short(events), wanted);
}

/// The coarse stream of runs, as JSON, one event a line.
fn coarse(runs: &[&[AgentEvent]]) -> Vec<String> {
    let mut collapser = Collapser::new();
    let mut told = Vec::new();
    for event in runs.iter().flat_map(|run| run.iter()) {
        told.extend(collapser.push(event).map(|event| event.to_json()));
    }
    told
}

/// The part of a model call that says one text.
fn says(block: &str, text: &str) -> String {
    format!("MODEL_CALL_START · TEXT_BLOCK_START {block} · TEXT_BLOCK_DELTA {block} {text:?} · TEXT_BLOCK_END {block} · MODEL_CALL_END")
}

/// The part of a model call that makes calls of the tool `name(x = 1)`.
fn calls(list: &[(&str, &str)]) -> String {
    let starts: Vec<String> =
        list.iter().map(|(id, name)| format!("TOOL_CALL_START {id} {name} · TOOL_CALL_DELTA {id} {{\"x\":\"1\"}}")).collect();
    let ends: Vec<String> = list.iter().map(|(id, _)| format!("TOOL_CALL_END {id}")).collect();
    format!("MODEL_CALL_START · {} · {} · MODEL_CALL_END", starts.join(" · "), ends.join(" · "))
}

/// A whole result.
fn answers(id: &str, text: &str, state: &str) -> String {
    format!("TOOL_RESULT_START {id} · TOOL_RESULT_TEXT_DELTA {id} {text:?} · TOOL_RESULT_END {id} {state}")
}
