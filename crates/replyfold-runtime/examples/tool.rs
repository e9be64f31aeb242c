//! An agent with one tool, on a model that is a few lines of code. Prints the events of a reply.
//!
//! `cargo run -p replyfold-runtime --example tool`
#![expect(clippy::print_stdout, reason = "an example prints what it shows")]

use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, stream};
use replyfold_runtime::{
    Agent, CallFragment, ChatModel, FnTool, ModelChunk, ModelError, ModelRequest, ModelStream, SeededClock, ToolSpec, Turn, turns,
};
use serde_json::json;

/// Asks the tool first, then says what it heard.
struct Model;

impl ChatModel for Model {
    fn name(&self) -> &str {
        "a few lines"
    }

    fn call(&self, request: ModelRequest) -> BoxFuture<'_, Result<ModelStream, ModelError>> {
        let first = match turns(&request.messages).last() {
            Some(Turn::Results(results)) => {
                let heard: String = results.iter().map(|result| result.text()).collect();
                ModelChunk::Text(format!("It is {heard}."))
            }
            _ => ModelChunk::Call(CallFragment::new(r#"{"a": 19, "b": 23}"#).with_id("c1").with_name("add")),
        };
        async { Ok(stream::iter([first, ModelChunk::Finish("stop".to_owned())].map(Ok)).boxed()) }.boxed()
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let number = json!({"type": "integer"});
    let parameters = json!({"type": "object", "properties": {"a": number, "b": number}, "required": ["a", "b"]});
    let add = FnTool::new(ToolSpec::new("add", "Adds two numbers.", parameters), |arguments| async move {
        let number = |key: &str| arguments[key].as_i64().unwrap_or_default();
        Ok((number("a") + number("b")).to_string())
    });
    let agent = Agent::builder(Model).name("Friday").clock(SeededClock::new(1)).tool(add).build()?;
    let mut events = agent.stream("What is 19 and 23?")?;
    while let Some(event) = events.next().await {
        println!("{}", event.to_json());
    }
    Ok(())
}
