//! How a model is set up.

use super::secrets::Secrets;
use super::{Config, OpenAiCompatible};
use replyfold_coarse::ThinkOptions;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, ClientBuilder, redirect};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use std::{error, fmt};
use url::Url;

/// Where OpenAI itself is.
const OPENAI: &str = "https://api.openai.com/v1";
const CONNECT: Duration = Duration::from_secs(10);
/// Models think before they say anything, but a stream of a minute without a byte is rare; an answer in one piece says nothing until it is whole.
const STREAM_IDLE: Duration = Duration::from_secs(120);
const WHOLE_IDLE: Duration = Duration::from_secs(600);

/// Sets up an [`OpenAiCompatible`].
#[derive(Clone)]
#[must_use]
pub struct OpenAiBuilder {
    model: String,
    base_url: String,
    api_key: String,
    headers: Vec<(String, String)>,
    parameters: Vec<(String, Value)>,
    streaming: bool,
    include_usage: bool,
    send_reasoning: bool,
    think: Option<ThinkOptions>,
    connect_timeout: Duration,
    idle_timeout: Option<Duration>,
    client: Option<Client>,
}

impl OpenAiBuilder {
    pub(super) fn new(model: String) -> Self {
        Self {
            model,
            base_url: OPENAI.to_owned(),
            api_key: String::new(),
            headers: Vec::new(),
            parameters: Vec::new(),
            streaming: true,
            include_usage: true,
            send_reasoning: false,
            think: Some(ThinkOptions::new()),
            connect_timeout: CONNECT,
            idle_timeout: None,
            client: None,
        }
    }

    /// Where the server is: the URL that `/chat/completions` is appended to, for instance `http://localhost:11434/v1`. One that ends with it is
    /// taken as it is, and a query is kept. OpenAI's own by default.
    pub fn base_url(mut self, base_url: impl Into<String>) -> Self {
        self.base_url = base_url.into();
        self
    }

    /// The key, sent as a bearer token; none by default, or if it is empty. It is shown nowhere.
    pub fn api_key(mut self, api_key: impl Into<String>) -> Self {
        self.api_key = api_key.into();
        self
    }

    /// Another header, in place of one of the same name. Values may be keys, and are shown nowhere, except of headers that are known to hold none
    /// (`user-agent`, `accept`, …).
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Another field of the request's body: `temperature`, `max_tokens`, `response_format`, …; in place of one of the same name.
    pub fn parameter(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.parameters.push((name.into(), value.into()));
        self
    }

    /// Whether the answer is asked for in pieces; on by default. What comes is read either way.
    pub fn streaming(mut self, streaming: bool) -> Self {
        self.streaming = streaming;
        self
    }

    /// Whether a stream is asked for the tokens it costs (`stream_options`); on by default. Some old servers refuse the question.
    pub fn include_usage(mut self, include_usage: bool) -> Self {
        self.include_usage = include_usage;
        self
    }

    /// Whether the model gets its thinking back, as `reasoning_content`; off by default, as some servers refuse it and others demand it.
    pub fn send_reasoning(mut self, send_reasoning: bool) -> Self {
        self.send_reasoning = send_reasoning;
        self
    }

    /// Whether what stands between think tags in the text is thinking; on by default.
    pub fn think_tags(mut self, think_tags: bool) -> Self {
        self.think = think_tags.then(|| self.think.unwrap_or_default());
        self
    }

    /// How think tags are split, for instance of a model whose answers begin inside of thinking.
    pub fn think_options(mut self, options: ThinkOptions) -> Self {
        self.think = Some(options);
        self
    }

    /// How long a connection may take; 10 seconds by default. Of no meaning with a [`client`](Self::client) of your own.
    pub fn connect_timeout(mut self, connect_timeout: Duration) -> Self {
        self.connect_timeout = connect_timeout;
        self
    }

    /// How long nothing may come before the call has failed: until the answer begins, and between two pieces of it. By default 2 minutes, and
    /// 10 without [`streaming`](Self::streaming). There is no limit for the whole answer.
    pub fn idle_timeout(mut self, idle_timeout: Duration) -> Self {
        self.idle_timeout = Some(idle_timeout);
        self
    }

    /// With this client, for proxies and certificates of your own. Let it follow no redirects: they would carry headers elsewhere.
    pub fn client(mut self, client: Client) -> Self {
        self.client = Some(client);
        self
    }

    /// The model.
    ///
    /// # Errors
    ///
    /// The base URL is none, or a key or a header cannot be sent; the error says what to do.
    pub fn build(self) -> Result<OpenAiCompatible, OpenAiBuildError> {
        let url = endpoint(&self.base_url)?;
        let mut secrets = Secrets::new([self.model.clone(), url.host_str().unwrap_or_default().to_owned()]);
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(
            ACCEPT,
            HeaderValue::from_static(if self.streaming { "text/event-stream, application/json" } else { "application/json" }),
        );
        // What was pasted often ends with a line break.
        let key = self.api_key.trim();
        if !key.is_empty() {
            headers.insert(
                AUTHORIZATION,
                secret(&format!("Bearer {key}")).ok_or_else(|| {
                    OpenAiBuildError("the key has characters that no header can hold; copy it again from the provider's page".to_owned())
                })?,
            );
            secrets.push_header(AUTHORIZATION.as_str(), &format!("Bearer {key}"));
        }
        for (at, (name, value)) in self.headers.iter().enumerate() {
            // Not quoted: what stands there may be the header's value, or the whole line.
            let header: HeaderName = name.parse().map_err(|_| {
                let what = format!("header {} of those that were given has a name that is none", at + 1);
                OpenAiBuildError(format!("{what}; names are letters, digits and dashes, as `x-api-key`, and the value stands beside them"))
            })?;
            let value = value.trim();
            let sent = secret(value).ok_or_else(|| {
                OpenAiBuildError(format!("the value of the header `{name}` has characters that no header can hold; remove them"))
            })?;
            secrets.push_header(header.as_str(), value);
            headers.insert(header, sent);
        }
        secrets.push_url(&url);
        self.parameters.iter().for_each(|(name, value)| secrets.push_parameter(name, value));
        let client = match self.client {
            Some(client) => client,
            None => client(self.connect_timeout)
                .build()
                .map_err(|err| OpenAiBuildError(format!("no HTTP client can be made here: {err}; give one with `client`")))?,
        };
        let idle = self.idle_timeout.unwrap_or(if self.streaming { STREAM_IDLE } else { WHOLE_IDLE });
        Ok(OpenAiCompatible {
            config: Arc::new(Config {
                model: self.model.into(),
                url,
                headers,
                parameters: self.parameters,
                streaming: self.streaming,
                include_usage: self.include_usage,
                send_reasoning: self.send_reasoning,
                think: self.think,
                idle,
                client,
                secrets,
            }),
        })
    }
}

/// A client for those who give none.
fn client(connect_timeout: Duration) -> ClientBuilder {
    Client::builder().connect_timeout(connect_timeout).redirect(redirect::Policy::none())
}

fn secret(value: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(value).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// Where calls go.
fn endpoint(base: &str) -> Result<Url, OpenAiBuildError> {
    let wrong =
        |why: &str| OpenAiBuildError(format!("the base URL {why}; give one as `https://api.openai.com/v1` or `http://localhost:8000/v1`"));
    let mut url = Url::parse(base.trim()).map_err(|err| wrong(&format!("cannot be read: {err}")))?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(wrong("is none of HTTP"));
    }
    let path = url.path().trim_end_matches('/').to_owned();
    if !path.ends_with("/chat/completions") {
        url.set_path(&format!("{path}/chat/completions"));
    }
    url.set_fragment(None);
    Ok(url)
}

/// A model from what the environment says; `get` gives its variables.
pub(super) fn from_vars(model: String, get: impl Fn(&str) -> Option<String>) -> Result<OpenAiCompatible, OpenAiBuildError> {
    let get = |name| get(name).filter(|value| !value.trim().is_empty());
    let builder = OpenAiBuilder::new(model);
    let builder = match (get("OPENAI_BASE_URL"), get("OPENAI_API_KEY")) {
        (None, None) => {
            return Err(OpenAiBuildError(
                "set OPENAI_API_KEY to your key, or OPENAI_BASE_URL to a server that needs none, as `http://localhost:11434/v1`".to_owned(),
            ));
        }
        (base, key) => builder.base_url(base.unwrap_or_else(|| OPENAI.to_owned())).api_key(key.unwrap_or_default()),
    };
    builder.build().map_err(|OpenAiBuildError(why)| OpenAiBuildError(format!("{why} (from OPENAI_BASE_URL and OPENAI_API_KEY)")))
}

impl fmt::Debug for OpenAiBuilder {
    /// Neither the key nor the values of headers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("OpenAiBuilder").field("model", &self.model).field("headers", &headers).finish_non_exhaustive()
    }
}

/// Why a model cannot be set up, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenAiBuildError(String);

impl fmt::Display for OpenAiBuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl error::Error for OpenAiBuildError {}

#[cfg(test)]
mod tests {
    use super::*;
    use replyfold_runtime::{ChatModel as _, ModelErrorKind, ModelRequest};
    use reqwest::dns::{Name, Resolve, Resolving};
    use std::future;

    /// Finds no name, ever: a network that is not there, without one. The clock stands still while anything else is done.
    struct Never;

    impl Resolve for Never {
        fn resolve(&self, _: Name) -> Resolving {
            Box::pin(future::pending())
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_takes_too_long_is_told_before_the_answer_is_waited_for() {
        for (set, seconds) in [(None, 10), (Some(3), 3)] {
            let builder = OpenAiBuilder::new("m".to_owned()).base_url("https://models.example:8443/v1");
            let builder = set.into_iter().fold(builder, |builder, most| builder.connect_timeout(Duration::from_secs(most)));
            // The client is the same as without these two words.
            let client = client(builder.connect_timeout).no_proxy().dns_resolver(Arc::new(Never)).build().unwrap();
            let model = builder.client(client).build().unwrap();
            let start = tokio::time::Instant::now();
            let error = model.call(ModelRequest::default()).await.err().unwrap();
            assert_eq!((error.kind, start.elapsed().as_secs()), (ModelErrorKind::Timeout, seconds));
            assert_eq!(error.message, "no connection to models.example:8443 in time; check that it can be reached from here");
        }
    }

    fn from(vars: &[(&str, &str)]) -> Result<OpenAiCompatible, OpenAiBuildError> {
        from_vars("m".to_owned(), |name| vars.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn the_environment_says_where_and_who() {
        let url = |vars: &[(&str, &str)]| from(vars).unwrap().config.url.to_string();
        assert_eq!(url(&[("OPENAI_API_KEY", "k")]), "https://api.openai.com/v1/chat/completions");
        let local = ("OPENAI_BASE_URL", "http://localhost:1/v1/");
        assert_eq!(url(&[local]), "http://localhost:1/v1/chat/completions");
        assert_eq!(from(&[local]).unwrap().config.headers.get(AUTHORIZATION), None);
        let both = from(&[local, ("OPENAI_API_KEY", "k\n")]).unwrap();
        let key = both.config.headers.get(AUTHORIZATION).unwrap();
        assert_eq!((key.as_bytes(), key.is_sensitive()), (&b"Bearer k"[..], true));
        let told = from(&[("OPENAI_API_KEY", " ")]).unwrap_err().to_string();
        assert!(told.starts_with("set OPENAI_API_KEY") && told.contains("OPENAI_BASE_URL"), "{told}");
        let told = from(&[("OPENAI_BASE_URL", "localhost")]).unwrap_err().to_string();
        assert!(told.contains("(from OPENAI_BASE_URL"), "{told}");
    }

    #[test]
    fn urls_get_the_path_of_calls() {
        let url = |base| endpoint(base).map(|url| url.to_string());
        assert_eq!(url("https://h/a/?api-version=1#x").unwrap(), "https://h/a/chat/completions?api-version=1");
        assert_eq!(url("https://h/v1/chat/completions").unwrap(), "https://h/v1/chat/completions");
        assert_eq!(url(" http://[::1]:8000 ").unwrap(), "http://[::1]:8000/chat/completions");
        for base in ["", "localhost:8000/v1", "ftp://h/v1", "/v1", "http://"] {
            let told = url(base).unwrap_err().to_string();
            assert!(told.contains("give one as `https://"), "{base}: {told}");
        }
    }
}
