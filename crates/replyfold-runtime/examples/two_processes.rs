//! A person is asked, and answers in another process: all that goes from one to the other is a file.
//!
//! `cargo run -p replyfold-runtime --example two_processes -- state.json`, then once more with `yes` or `no` behind it.
#![expect(clippy::print_stdout, reason = "an example prints what it shows")]

use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, stream};
use replyfold_event::{ConfirmResult, UserConfirmResult};
use replyfold_message::Block;
use replyfold_runtime::{
    Agent, AgentState, CallFragment, ChatModel, Decision, FnTool, ModelChunk, ModelError, ModelRequest, ModelStream, ScriptedGate,
    ToolSpec, Turn, turns,
};
use std::{env, fs};

struct Model;

impl ChatModel for Model {
    fn name(&self) -> &str {
        "a few lines"
    }

    fn call(&self, request: ModelRequest) -> BoxFuture<'_, Result<ModelStream, ModelError>> {
        let first = match turns(&request.messages).last() {
            Some(Turn::Results(results)) => ModelChunk::Text(results.iter().map(|result| result.text()).collect()),
            _ => ModelChunk::Call(CallFragment::new("{}").with_id("c1").with_name("delete")),
        };
        async { Ok(stream::iter([first, ModelChunk::Finish("stop".to_owned())].map(Ok)).boxed()) }.boxed()
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let file = args.first().ok_or("give the file for the state")?;
    let state: AgentState = if fs::exists(file)? { serde_json::from_str(&fs::read_to_string(file)?)? } else { AgentState::new("s1") };
    let waiting = state.parked_message();
    let delete =
        FnTool::new(ToolSpec::new("delete", "Deletes it.", serde_json::json!({"type": "object"})), |_| async { Ok("It is gone.".into()) });
    let gate = ScriptedGate::new().with("delete", Decision::ask(Vec::new()));
    let agent = Agent::builder(Model).tool(delete).gate(gate).state(state).build()?;
    let mut events = match &waiting {
        None => agent.stream("Delete it.")?,
        Some(reply) => {
            let is_yes = args.get(1).is_some_and(|word| word == "yes");
            let calls = reply.content.iter().filter_map(|block| if let Block::ToolCall(call) = block { Some(call.clone()) } else { None });
            let results: Vec<ConfirmResult> = calls.map(|call| ConfirmResult::new(is_yes, call)).collect();
            agent.stream(UserConfirmResult::new(reply.id.as_str(), results))?
        }
    };
    while let Some(event) = events.next().await {
        println!("{}", event.to_json());
    }
    fs::write(file, serde_json::to_string(&agent.state())?)?;
    Ok(())
}
