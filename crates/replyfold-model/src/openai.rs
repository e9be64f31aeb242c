//! Models behind the chat completions of OpenAI, and behind the servers that speak them.

mod answer;
mod body;
mod builder;
mod failure;
mod request;
mod secrets;
mod sse;
mod transport;
mod wire;

pub use builder::{OpenAiBuildError, OpenAiBuilder};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use replyfold_coarse::ThinkOptions;
use replyfold_runtime::{ChatModel, ModelError, ModelRequest, ModelStream};
use reqwest::Client;
use reqwest::header::HeaderMap;
use secrets::Secrets;
use serde_json::Value;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// A model behind the chat completions of OpenAI, or of one of the many servers that speak them: vLLM, Ollama, llama.cpp, DashScope, DeepSeek,
/// MiniMax, ….
///
/// One call is one request, `POST {base_url}/chat/completions`, and nothing is tried again here: the agent does that. Servers differ in what
/// they send, and whatever they send is read: a stream where none was asked for, reasoning in fields of its own or between think tags, calls in
/// pieces or whole, with an index or without, tokens before or behind the end. A stream that ends without saying why the model stopped was cut
/// off. Dropping the stream closes the connection.
///
/// Text, images and sound are sent; of other media the model is told that it is there. Media that the model made is not sent back, nor is its
/// thinking unless [`send_reasoning`](OpenAiBuilder::send_reasoning) says so.
///
/// Failures have their class ([`ModelErrorKind`](replyfold_runtime::ModelErrorKind)), the beginning of what the provider told, and how long it
/// asks to wait. Keys stand in none of them, and in no debug output; nor do the values of headers and of the base URL's query that were given,
/// but for some that are known to hold none, and for what has less than 6 characters.
///
/// It runs on tokio, with timers and network.
///
/// ```
/// use replyfold_model::OpenAiCompatible;
/// use replyfold_runtime::{Agent, ChatModel};
///
/// let model = OpenAiCompatible::builder("qwen3:8b").base_url("http://localhost:11434/v1").parameter("temperature", 0.2).build()?;
/// assert_eq!(model.name(), "qwen3:8b");
/// let agent = Agent::builder(model).build()?;
/// # let _ = agent;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// ```no_run
/// use replyfold_model::OpenAiCompatible;
/// use replyfold_runtime::{Agent, text_of};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let agent = Agent::builder(OpenAiCompatible::from_env("gpt-4.1-mini")?).build()?;
/// println!("{}", text_of(&agent.reply("Why is the sky blue?").await?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct OpenAiCompatible {
    config: Arc<Config>,
}

/// What was set up.
struct Config {
    model: Box<str>,
    url: Url,
    headers: HeaderMap,
    parameters: Vec<(String, Value)>,
    streaming: bool,
    include_usage: bool,
    send_reasoning: bool,
    think: Option<ThinkOptions>,
    idle: Duration,
    client: Client,
    secrets: Secrets,
}

impl OpenAiCompatible {
    /// Sets up the model with this name.
    pub fn builder(model: impl Into<String>) -> OpenAiBuilder {
        OpenAiBuilder::new(model.into())
    }

    /// The model with this name, where the environment says: `OPENAI_BASE_URL`, OpenAI's own without it, with the key `OPENAI_API_KEY`. A base
    /// URL needs no key: servers of your own often have none.
    ///
    /// # Errors
    ///
    /// Neither is set, or what is set cannot be used; the error says what to set.
    pub fn from_env(model: impl Into<String>) -> Result<Self, OpenAiBuildError> {
        builder::from_vars(model.into(), |name| std::env::var(name).ok())
    }
}

impl ChatModel for OpenAiCompatible {
    fn name(&self) -> &str {
        &self.config.model
    }

    fn call(&self, request: ModelRequest) -> BoxFuture<'_, Result<ModelStream, ModelError>> {
        async move {
            let body = request::body(&self.config, &request);
            transport::call(Arc::clone(&self.config), &body).await
        }
        .boxed()
    }
}

impl fmt::Debug for OpenAiCompatible {
    /// Neither keys nor what may hold one: a URL without name, password and query, and no header.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = &self.config.url;
        let place = format!("{}://{}{}", url.scheme(), url.host_str().unwrap_or_default(), url.path());
        f.debug_struct("OpenAiCompatible")
            .field("model", &self.config.model)
            .field("url", &self.config.secrets.hide(&place))
            .finish_non_exhaustive()
    }
}
