//! What answers: a chat model, and what is said between it and the agent.

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use replyfold_message::json::JsonObject;
use replyfold_message::{DataSource, Failure, Msg, Usage};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use std::{error, fmt};

/// A chat model.
///
/// One call is one attempt: the agent retries ([`RetryPolicy`](crate::RetryPolicy)), so an implementation should not. Dropping the stream, or
/// the future before it, cancels the call.
///
/// ```
/// use futures_util::{FutureExt, StreamExt, future::BoxFuture, stream};
/// use replyfold_runtime::{ChatModel, ModelChunk, ModelError, ModelRequest, ModelStream};
///
/// struct Parrot;
///
/// impl ChatModel for Parrot {
///     fn name(&self) -> &str {
///         "parrot"
///     }
///
///     fn call(&self, request: ModelRequest) -> BoxFuture<'_, Result<ModelStream, ModelError>> {
///         let heard = request.messages.last().map(|msg| replyfold_runtime::text_of(msg)).unwrap_or_default();
///         let chunks = [ModelChunk::Text(heard), ModelChunk::Finish("stop".to_owned())];
///         async { Ok(stream::iter(chunks.map(Ok)).boxed()) }.boxed()
///     }
/// }
/// ```
pub trait ChatModel: Send + Sync {
    /// The name that stands in `MODEL_CALL_START`.
    fn name(&self) -> &str;

    /// Calls the model once.
    fn call(&self, request: ModelRequest) -> BoxFuture<'_, Result<ModelStream, ModelError>>;
}

impl<T: ChatModel + ?Sized> ChatModel for Arc<T> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn call(&self, request: ModelRequest) -> BoxFuture<'_, Result<ModelStream, ModelError>> {
        (**self).call(request)
    }
}

/// An answer while it comes: chunks in order. An `Err` is the last item. An answer without [`ModelChunk::Finish`] was cut off.
pub type ModelStream = BoxStream<'static, Result<ModelChunk, ModelError>>;

/// A piece of an answer.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ModelChunk {
    /// A piece of the text.
    Text(String),
    /// A piece of the thinking.
    Thinking(String),
    /// What the provider wants to have back with the thinking before (`signature`, …), as fields of an object.
    ThinkingMetadata(JsonObject),
    /// A piece of a tool call, as the provider sent it.
    Call(CallFragment),
    /// A piece of media: pieces with the same id belong together.
    Data {
        /// Id of the media within the answer.
        id: String,
        /// The piece.
        source: DataSource,
    },
    /// Tokens that the call spent so far. Providers count up, and leave out what did not change: the greatest of each number counts.
    Usage(Usage),
    /// The answer is complete; why the model stopped, in the provider's word.
    Finish(String),
}

/// A piece of a tool call. Which call it belongs to is told by the id if that is known, else by the index if that was met, else it is the call
/// that was opened last; only a name opens one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallFragment {
    /// Index of the call within the answer.
    pub index: Option<u64>,
    /// Id of the call.
    pub id: Option<String>,
    /// Name of the tool.
    pub name: Option<String>,
    /// A piece of the arguments' JSON text.
    pub arguments: String,
}

impl CallFragment {
    /// A piece of arguments that names no call.
    #[must_use]
    pub fn new(arguments: impl Into<String>) -> Self {
        Self { arguments: arguments.into(), ..Self::default() }
    }

    /// Of the call with this index.
    #[must_use]
    pub fn with_index(mut self, index: u64) -> Self {
        self.index = Some(index);
        self
    }

    /// Of the call with this id.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Of a call of this tool.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }
}

/// What a model is asked.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ModelRequest {
    /// The system prompt; empty if there is none.
    pub system: String,
    /// The context, oldest message first. An assistant message holds all rounds of its reply; [`turns`](crate::turns) takes it apart.
    pub messages: Vec<Msg>,
    /// The tools that may be called.
    pub tools: Vec<ToolSpec>,
    /// Whether one has to be.
    pub tool_choice: ToolChoice,
}

/// What a model is told of a tool.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ToolSpec {
    /// The name that it calls.
    pub name: String,
    /// What the tool does.
    pub description: String,
    /// JSON Schema of its arguments, which are an object.
    pub parameters: Value,
}

impl ToolSpec {
    /// A tool with these parameters.
    #[must_use]
    pub fn new(name: impl Into<String>, description: impl Into<String>, parameters: Value) -> Self {
        Self { name: name.into(), description: description.into(), parameters }
    }
}

/// Whether a model has to call a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolChoice {
    /// It decides.
    #[default]
    Auto,
    /// It must not.
    None,
    /// It must call one.
    Required,
    /// It must call this one.
    Tool(String),
}

/// Why a model did not answer, or not to the end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelError {
    /// The class of the failure.
    pub kind: ModelErrorKind,
    /// What happened, for people: without secrets, and without the body of an answer.
    pub message: String,
    /// Technical detail.
    pub detail: Option<String>,
    /// How long the provider asks to wait before the next attempt.
    pub retry_after: Option<Duration>,
    /// Whether no other attempt of this model can do better, so that none is made whatever the policy says; the fallback is called.
    pub is_for_good: bool,
}

/// Classes of failures of a model call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ModelErrorKind {
    /// Too many calls.
    RateLimit,
    /// The provider has too much to do.
    Overloaded,
    /// The provider failed.
    Server,
    /// The provider cannot be reached, or the connection broke.
    Network,
    /// No answer came in time.
    Timeout,
    /// The answer ended in the middle.
    Incomplete,
    /// The answer is none that is understood.
    Protocol,
    /// The answer was empty.
    Empty,
    /// The key is wrong or missing.
    Authentication,
    /// The account may not do this, or has no money left.
    Permission,
    /// The context is longer than the model takes.
    ContextLength,
    /// The request is wrong, or the model does not exist.
    InvalidRequest,
    /// The provider does not want to answer this.
    ContentFilter,
    /// A budget of ours is spent.
    Budget,
    /// Anything else.
    Other,
}

impl ModelErrorKind {
    /// All classes.
    pub const ALL: [Self; 15] = [
        Self::RateLimit,
        Self::Overloaded,
        Self::Server,
        Self::Network,
        Self::Timeout,
        Self::Incomplete,
        Self::Protocol,
        Self::Empty,
        Self::Authentication,
        Self::Permission,
        Self::ContextLength,
        Self::InvalidRequest,
        Self::ContentFilter,
        Self::Budget,
        Self::Other,
    ];

    /// The word on the wire: `type` of the failure.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RateLimit => "rate_limit",
            Self::Overloaded => "overloaded",
            Self::Server => "server",
            Self::Network => "network",
            Self::Timeout => "timeout",
            Self::Incomplete => "incomplete",
            Self::Protocol => "protocol",
            Self::Empty => "empty",
            Self::Authentication => "authentication",
            Self::Permission => "permission",
            Self::ContextLength => "context_length",
            Self::InvalidRequest => "invalid_request",
            Self::ContentFilter => "content_filter",
            Self::Budget => "budget",
            Self::Other => "other",
        }
    }

    /// Whether the same call may succeed later.
    #[must_use]
    pub const fn is_transient(self) -> bool {
        matches!(
            self,
            Self::RateLimit
                | Self::Overloaded
                | Self::Server
                | Self::Network
                | Self::Timeout
                | Self::Incomplete
                | Self::Protocol
                | Self::Empty
        )
    }
}

impl ModelError {
    /// A failure of this class.
    #[must_use]
    pub fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), detail: None, retry_after: None, is_for_good: false }
    }

    /// With this technical detail.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// The provider asks to wait so long.
    #[must_use]
    pub fn with_retry_after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// No other attempt of this model can do better.
    #[must_use]
    pub fn for_good(mut self) -> Self {
        self.is_for_good = true;
        self
    }

    /// As events and messages carry it.
    #[must_use]
    pub fn to_failure(&self) -> Failure {
        let mut failure = Failure::new(self.message.clone()).with_kind(self.kind.as_str().to_owned());
        failure.detail.clone_from(&self.detail);
        failure
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.kind.as_str())
    }
}

impl error::Error for ModelError {}
