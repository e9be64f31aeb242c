//! One call over HTTP: the request, and the answer as it comes.

use super::answer::Answer;
use super::body::Body;
use super::{Config, failure};
use futures_util::{StreamExt as _, stream};
use replyfold_runtime::{ModelChunk, ModelError, ModelErrorKind, ModelStream};
use reqwest::Response;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use serde_json::Value;
use std::sync::Arc;
use tokio::time::timeout;
use url::Host;

/// Most bytes that are read of why a call failed.
const MOST: usize = 64 << 10;

pub(super) async fn call(config: Arc<Config>, body: &Value) -> Result<ModelStream, ModelError> {
    let request = config.client.post(config.url.clone()).headers(config.headers.clone()).body(body.to_string());
    let response = match timeout(config.idle, request.send()).await {
        Ok(Ok(response)) => response,
        Ok(Err(err)) => return Err(config.secrets.hidden(failure::unreachable(err, &place(&config), is_local(&config)))),
        Err(_) => return Err(idle(&config, "the provider's answer did not begin")),
    };
    if !response.status().is_success() {
        return Err(refused(&config, response).await);
    }
    let content_type = content_type(response.headers());
    let answer = Answer::new(config.secrets.clone(), config.think.clone());
    let reading = Reading { body: Body::new(answer, content_type), response: Some(response), failure: None, config };
    Ok(stream::unfold(reading, |mut reading| async move {
        let item = reading.next().await?;
        Some((item, reading))
    })
    .boxed())
}

/// An answer while it is read.
struct Reading {
    config: Arc<Config>,
    body: Body,
    /// Gone once nothing more is read of it; that closes the connection if its body is not over.
    response: Option<Response>,
    /// What comes behind the last piece.
    failure: Option<ModelError>,
}

impl Reading {
    async fn next(&mut self) -> Option<Result<ModelChunk, ModelError>> {
        loop {
            // What came before a failure counts.
            if let Some(chunk) = self.body.pop() {
                return Some(Ok(chunk));
            }
            if let Some(error) = self.failure.take() {
                return Some(Err(self.body.hidden(error)));
            }
            let response = self.response.as_mut()?;
            let result = match timeout(self.config.idle, response.chunk()).await {
                Ok(Ok(Some(bytes))) => self.body.push(&bytes),
                Ok(Ok(None)) => {
                    self.response = None;
                    self.body.finish()
                }
                // The model has said all it had to say, so nothing of worth is missing.
                Ok(Err(_)) | Err(_) if self.body.is_finished() => self.body.end(false),
                Ok(Err(err)) => Err(failure::broken(err)),
                Err(_) => Err(idle(&self.config, "nothing more came of the provider's answer")),
            };
            if let Err(error) = result {
                self.failure = Some(error);
                self.response = None;
            }
            if self.body.is_done() {
                self.response = None;
            }
        }
    }
}

/// Why the provider did not answer.
async fn refused(config: &Config, mut response: Response) -> ModelError {
    let (status, headers) = (response.status(), response.headers().clone());
    let mut body = Vec::new();
    // What cannot be read to the end is told as far as it came: the status says the most.
    while let Ok(Ok(Some(bytes))) = timeout(config.idle, response.chunk()).await {
        body.extend_from_slice(&bytes);
        if body.len() > MOST {
            break;
        }
    }
    config.secrets.of_status(status, &headers, &String::from_utf8_lossy(&body))
}

fn idle(config: &Config, what: &str) -> ModelError {
    ModelError::new(ModelErrorKind::Timeout, format!("{what} within {:?}; `idle_timeout` sets how long to wait", config.idle))
}

fn content_type(headers: &HeaderMap) -> String {
    let told = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    told.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// The host, and the port if it is none of the usual.
fn place(config: &Config) -> String {
    let host = config.url.host_str().unwrap_or_default();
    config.url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

fn is_local(config: &Config) -> bool {
    match config.url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback() || address.is_private(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
