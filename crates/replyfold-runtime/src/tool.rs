//! What an agent can do: tools, and where their output goes.

use crate::model::ToolSpec;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use replyfold_message::json::JsonObject;
use replyfold_message::{DataSource, ToolCallId};
use serde_json::{Map, Value};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use std::{error, fmt};

/// A tool.
///
/// What it writes to its [`ToolOutput`] streams; an `Err` becomes a result with state `error`, whose text the model sees. A tool that panics,
/// or takes longer than [`timeout`](Self::timeout), gives such a result too. Dropping the future cancels it.
///
/// ```
/// use futures_util::{FutureExt, future::BoxFuture};
/// use replyfold_runtime::{Tool, ToolError, ToolInput, ToolOutput, ToolSpec};
/// use serde_json::json;
///
/// struct Add;
///
/// impl Tool for Add {
///     fn spec(&self) -> ToolSpec {
///         let number = json!({"type": "number"});
///         ToolSpec::new("add", "Adds two numbers.", json!({"type": "object", "properties": {"a": number, "b": number}, "required": ["a", "b"]}))
///     }
///
///     fn is_concurrency_safe(&self) -> bool {
///         true
///     }
///
///     fn run<'a>(&'a self, input: ToolInput, mut output: ToolOutput<'a>) -> BoxFuture<'a, Result<(), ToolError>> {
///         async move {
///             let number = |key: &str| input.arguments[key].as_f64().ok_or_else(|| ToolError::new(format!("`{key}` is no number")));
///             output.text((number("a")? + number("b")?).to_string()).await;
///             Ok(())
///         }
///         .boxed()
///     }
/// }
/// ```
pub trait Tool: Send + Sync {
    /// What the model is told of it.
    fn spec(&self) -> ToolSpec;

    /// Whether it may run beside other calls of the same round; one that changes things should not.
    fn is_concurrency_safe(&self) -> bool {
        false
    }

    /// Whether its calls are run elsewhere: the reply is parked until their results come in. [`run`](Self::run) is not called then.
    fn is_external(&self) -> bool {
        false
    }

    /// The longest that a call may take; `None` for the agent's own limit.
    fn timeout(&self) -> Option<Duration> {
        None
    }

    /// Runs a call, whose arguments fit the schema.
    fn run<'a>(&'a self, input: ToolInput, output: ToolOutput<'a>) -> BoxFuture<'a, Result<(), ToolError>>;
}

/// One call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ToolInput {
    /// Id of the call, unique within the reply.
    pub call: ToolCallId,
    /// The arguments.
    pub arguments: Map<String, Value>,
}

impl ToolInput {
    /// A call with these arguments.
    #[must_use]
    pub fn new(call: impl Into<ToolCallId>, arguments: Map<String, Value>) -> Self {
        Self { call: call.into(), arguments }
    }
}

/// A piece of a tool's output.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ToolChunk {
    /// Text; pieces follow each other without a gap.
    Text(String),
    /// Media; pieces with the same id belong together.
    Data {
        /// Id of the media within the result.
        id: Option<String>,
        /// The piece.
        source: DataSource,
        /// Name of the file.
        name: Option<String>,
    },
}

/// Takes pieces of output; each is taken once the consumer of the stream has it.
pub(crate) type TakeChunk<'a> = Arc<dyn Fn(ToolChunk) -> BoxFuture<'a, ()> + Send + Sync + 'a>;
/// Takes facts beside the output.
pub(crate) type TakeMetadata<'a> = Arc<dyn Fn(JsonObject) + Send + Sync + 'a>;

/// Where the output of a call goes. Clones write to the same result.
#[derive(Clone)]
pub struct ToolOutput<'a> {
    take: TakeChunk<'a>,
    metadata: TakeMetadata<'a>,
}

impl<'a> ToolOutput<'a> {
    pub(crate) fn new(take: TakeChunk<'a>, metadata: TakeMetadata<'a>) -> Self {
        Self { take, metadata }
    }

    /// An output that gives each piece to `see`, with the output behind: what `see` does not write there is dropped. For middleware.
    #[must_use]
    pub fn wrap<F, D>(self, see: F) -> Self
    where
        F: Fn(ToolChunk, ToolOutput<'a>) -> D + Send + Sync + 'a,
        D: Future<Output = ()> + Send + 'a,
    {
        let metadata = Arc::clone(&self.metadata);
        Self { take: Arc::new(move |chunk| see(chunk, self.clone()).boxed()), metadata }
    }

    /// Writes a piece of text; an empty one is no piece.
    pub async fn text(&mut self, text: impl Into<String>) {
        self.chunk(ToolChunk::Text(text.into())).await;
    }

    /// Writes media in one piece.
    pub async fn data(&mut self, source: DataSource) {
        self.chunk(ToolChunk::Data { id: None, source, name: None }).await;
    }

    /// Writes any piece. It comes back once the consumer of the stream took it, so a tool is never ahead of who listens.
    pub async fn chunk(&mut self, chunk: ToolChunk) {
        (self.take)(chunk).await;
    }

    /// Facts beside the output, which travel on `TOOL_RESULT_END`; the last ones count.
    pub fn set_metadata(&mut self, metadata: JsonObject) {
        (self.metadata)(metadata);
    }
}

impl fmt::Debug for ToolOutput<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolOutput").finish_non_exhaustive()
    }
}

/// Why a call failed, in words that the model sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolError(String);

impl ToolError {
    /// It failed for this reason.
    #[must_use]
    pub fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl error::Error for ToolError {}

impl From<String> for ToolError {
    fn from(reason: String) -> Self {
        Self(reason)
    }
}

impl From<&str> for ToolError {
    fn from(reason: &str) -> Self {
        Self(reason.to_owned())
    }
}

type Answer = Pin<Box<dyn Future<Output = Result<String, ToolError>> + Send>>;

/// A tool that is a function from arguments to text.
///
/// ```
/// use replyfold_runtime::{FnTool, ToolSpec};
/// use serde_json::json;
///
/// let spec = ToolSpec::new("echo", "Says it again.", json!({"type": "object", "properties": {"text": {"type": "string"}}}));
/// let echo = FnTool::new(spec, |arguments| async move { Ok(arguments["text"].as_str().unwrap_or_default().to_owned()) }).concurrency_safe();
/// # let _: Box<dyn replyfold_runtime::Tool> = Box::new(echo);
/// ```
pub struct FnTool {
    spec: ToolSpec,
    function: Box<dyn Fn(Map<String, Value>) -> Answer + Send + Sync>,
    is_concurrency_safe: bool,
    timeout: Option<Duration>,
}

impl FnTool {
    /// A tool that runs `function`.
    #[must_use]
    pub fn new<F, A>(spec: ToolSpec, function: F) -> Self
    where
        F: Fn(Map<String, Value>) -> A + Send + Sync + 'static,
        A: Future<Output = Result<String, ToolError>> + Send + 'static,
    {
        let function = Box::new(move |arguments| Box::pin(function(arguments)) as Answer);
        Self { spec, function, is_concurrency_safe: false, timeout: None }
    }

    /// Its calls may run beside others.
    #[must_use]
    pub fn concurrency_safe(mut self) -> Self {
        self.is_concurrency_safe = true;
        self
    }

    /// A call takes no longer than this.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }
}

impl Tool for FnTool {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn is_concurrency_safe(&self) -> bool {
        self.is_concurrency_safe
    }

    fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    fn run<'a>(&'a self, input: ToolInput, mut output: ToolOutput<'a>) -> BoxFuture<'a, Result<(), ToolError>> {
        async move {
            let text = (self.function)(input.arguments).await?;
            output.text(text).await;
            Ok(())
        }
        .boxed()
    }
}

impl fmt::Debug for FnTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FnTool").field("spec", &self.spec).finish_non_exhaustive()
    }
}

/// A tool whose calls are run elsewhere.
#[derive(Clone, Debug)]
pub struct ExternalTool(ToolSpec);

impl ExternalTool {
    /// A tool that only the outside can run.
    #[must_use]
    pub fn new(spec: ToolSpec) -> Self {
        Self(spec)
    }
}

impl Tool for ExternalTool {
    fn spec(&self) -> ToolSpec {
        self.0.clone()
    }

    fn is_concurrency_safe(&self) -> bool {
        true
    }

    fn is_external(&self) -> bool {
        true
    }

    fn run<'a>(&'a self, _input: ToolInput, _output: ToolOutput<'a>) -> BoxFuture<'a, Result<(), ToolError>> {
        async { Err(ToolError::new("this tool runs outside")) }.boxed()
    }
}
