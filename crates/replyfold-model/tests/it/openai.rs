//! The model over HTTP against a server on this machine that sends what it is told, cut where it is told.

mod failures;
mod lenient;
mod network;
mod odd;
mod request;
mod secrets;
mod server;
mod shapes;

use futures_util::StreamExt as _;
use replyfold_model::{OpenAiBuilder, OpenAiCompatible};
use replyfold_runtime::{CallFragment, ChatModel, ModelChunk, ModelError, ModelRequest};
use reqwest::{Client, redirect};
use server::{Reply, Server};
use std::time::Duration;

const KEY: &str = "sk-secret-1234567890";

/// A client that knows no proxies of the environment.
fn client() -> Client {
    Client::builder().no_proxy().redirect(redirect::Policy::none()).build().unwrap()
}

/// A model on the server.
fn builder(server: &Server) -> OpenAiBuilder {
    OpenAiCompatible::builder("m")
        .base_url(format!("{}/v1", server.url()))
        .api_key(KEY)
        .client(client())
        .idle_timeout(Duration::from_secs(30))
}

/// What came: chunks with neighbours joined, and the failure at the end.
async fn call(model: &OpenAiCompatible) -> (Vec<ModelChunk>, Option<ModelError>) {
    let mut stream = match model.call(ModelRequest::default()).await {
        Ok(stream) => stream,
        Err(error) => return (Vec::new(), Some(error)),
    };
    let mut chunks = Vec::new();
    while let Some(item) = stream.next().await {
        match item {
            Ok(chunk) => join(&mut chunks, chunk),
            Err(error) => {
                assert!(stream.next().await.is_none(), "an error is the last item");
                return (chunks, Some(error));
            }
        }
    }
    (chunks, None)
}

fn join(chunks: &mut Vec<ModelChunk>, chunk: ModelChunk) {
    match (chunks.last_mut(), &chunk) {
        (Some(ModelChunk::Text(last)), ModelChunk::Text(text)) | (Some(ModelChunk::Thinking(last)), ModelChunk::Thinking(text)) => {
            last.push_str(text);
        }
        _ => chunks.push(chunk),
    }
}

/// What the model gives for this reply.
async fn play(reply: Reply) -> (Vec<ModelChunk>, Option<ModelError>) {
    let server = Server::start([reply]).await;
    call(&builder(&server).build().unwrap()).await
}

/// What it gives for these events.
async fn events(body: &str) -> (Vec<ModelChunk>, Option<ModelError>) {
    play(Reply::stream(body)).await
}

/// The failure of this reply.
async fn failure(reply: Reply) -> ModelError {
    match play(reply).await {
        (_, Some(error)) => error,
        (chunks, None) => panic!("no failure: {chunks:?}"),
    }
}

/// An event with a delta.
fn delta(delta: &str) -> String {
    format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{delta}}}]}}\n\n")
}

/// An event that says why the model stopped.
fn stop(reason: &str) -> String {
    format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{}},\"finish_reason\":\"{reason}\"}}]}}\n\n")
}

const DONE: &str = "data: [DONE]\n\n";

fn text(text: &str) -> ModelChunk {
    ModelChunk::Text(text.to_owned())
}

fn thinking(text: &str) -> ModelChunk {
    ModelChunk::Thinking(text.to_owned())
}

fn finish(reason: &str) -> ModelChunk {
    ModelChunk::Finish(reason.to_owned())
}

/// A piece of a call.
fn piece(index: impl Into<Option<u64>>, id: &str, name: &str, arguments: &str) -> ModelChunk {
    let mut fragment = CallFragment::new(arguments);
    fragment.index = index.into();
    fragment.id = Some(id.to_owned()).filter(|id| !id.is_empty());
    fragment.name = Some(name.to_owned()).filter(|name| !name.is_empty());
    ModelChunk::Call(fragment)
}
