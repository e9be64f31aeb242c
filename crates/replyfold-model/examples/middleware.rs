//! A middleware: what a call gave once is not asked for again.
//!
//! `cargo run -p replyfold-model --example middleware`
#![expect(clippy::print_stdout, reason = "an example prints what it shows")]

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use replyfold_model::Scripted;
use replyfold_runtime::middleware::{ActingCall, Middleware, Next};
use replyfold_runtime::{Agent, FnTool, SeededClock, ToolChunk, ToolError, ToolSpec};
use serde_json::{Value, json};

/// Remembers what calls gave, in the agent's state: it outlives the process.
struct Cache;

impl Middleware for Cache {
    /// What its keys begin with.
    fn keys(&self) -> Vec<&str> {
        vec!["cache"]
    }

    fn on_acting<'a>(
        &'a self,
        mut call: ActingCall<'a>,
        next: Next<'a, ActingCall<'a>, Result<(), ToolError>>,
    ) -> BoxFuture<'a, Result<(), ToolError>> {
        async move {
            let key = format!("cache/{}/{}", call.tool, Value::from(call.input.arguments.clone()));
            if let Some(Value::String(known)) = call.scope.kept(&key) {
                call.output.text(format!("{known} (as before)")).await;
                return Ok(());
            }
            let scope = call.scope.clone();
            call.output = call.output.wrap(move |chunk, mut output| {
                if let ToolChunk::Text(text) = &chunk {
                    scope.update(&key, |kept| *kept = Value::from(kept.as_str().unwrap_or_default().to_owned() + text));
                }
                async move { output.chunk(chunk).await }
            });
            next.run(call).await
        }
        .boxed()
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = Scripted::from_yaml(
        "
- - call: {name: weather, arguments: {city: Bremen}}
- - call: {name: weather, arguments: {city: Bremen}}
- - text: It rains, and goes on to.
",
    )?;
    let spec = ToolSpec::new("weather", "The weather.", json!({"type": "object"}));
    let weather = FnTool::new(spec, |_| async { Ok("rain".to_owned()) });
    let agent = Agent::builder(model).clock(SeededClock::new(1)).tool(weather).middleware(Cache).build()?;
    println!("{}", serde_json::to_string_pretty(&agent.reply("Weather?").await?)?);
    Ok(())
}
