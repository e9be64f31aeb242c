//! The agent: configuration, what it remembers, and its runs.

mod builder;

pub use builder::AgentBuilder;

use crate::clock::{Clock, written};
use crate::error::{InputError, ReplyError};
use crate::gate::PermissionGate;
use crate::handover::Handover;
use crate::input::Input;
use crate::middleware::Layers;
use crate::model::ChatModel;
use crate::retry::RetryPolicy;
use crate::run::{self, resume};
use crate::state::{AgentState, Going, Kept};
use crate::stream::ReplyStream;
use crate::toolkit::Toolkit;
use futures_util::{FutureExt as _, StreamExt as _};
use replyfold_event::{AgentEvent, Payload};
use replyfold_message::Msg;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// An agent: a model, tools, and a context that they work on.
///
/// It is a handle; clones are the same agent. It works on one input at a time.
///
/// ```
/// # use futures_util::{FutureExt, StreamExt, future::BoxFuture, stream};
/// # use replyfold_runtime::{ChatModel, ModelChunk, ModelError, ModelRequest, ModelStream};
/// # struct Parrot;
/// # impl ChatModel for Parrot {
/// #     fn name(&self) -> &str { "parrot" }
/// #     fn call(&self, request: ModelRequest) -> BoxFuture<'_, Result<ModelStream, ModelError>> {
/// #         let heard = request.messages.last().map(|msg| replyfold_runtime::text_of(msg)).unwrap_or_default();
/// #         async { Ok(stream::iter([ModelChunk::Text(heard), ModelChunk::Finish("stop".to_owned())].map(Ok)).boxed()) }.boxed()
/// #     }
/// # }
/// use replyfold_event::EventType;
/// use replyfold_runtime::Agent;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// let agent = Agent::builder(Parrot).name("Polly").build()?;
/// let mut events = agent.stream("Hello")?;
/// let mut types = Vec::new();
/// while let Some(event) = events.next().await {
///     types.extend(event.event_type());
/// }
/// assert_eq!((types.first(), types.last()), (Some(&EventType::AgentStart), Some(&EventType::AgentEnd)));
///
/// let message = agent.reply("And again").await?;
/// assert_eq!(replyfold_runtime::text_of(&message), "And again");
/// assert_eq!(agent.state().context.len(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Agent(pub(crate) Arc<Inner>);

/// Is given every event.
pub(crate) type OnEvent = Box<dyn Fn(&AgentEvent) + Send + Sync>;

/// What an agent is made of.
pub(crate) struct Config {
    pub(crate) name: String,
    pub(crate) system: String,
    pub(crate) model: Arc<dyn ChatModel>,
    pub(crate) fallback: Option<Arc<dyn ChatModel>>,
    pub(crate) tools: Toolkit,
    pub(crate) gate: Arc<dyn PermissionGate>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) retry: RetryPolicy,
    pub(crate) layers: Layers,
    /// Rounds at most; 0 is no limit.
    pub(crate) max_rounds: u64,
    /// Calls that run at once, at least one.
    pub(crate) concurrency: usize,
    pub(crate) tool_timeout: Option<Duration>,
    pub(crate) on_event: Option<OnEvent>,
}

pub(crate) struct Inner {
    pub(crate) config: Config,
    kept: Mutex<Kept>,
    is_busy: AtomicBool,
}

impl Agent {
    /// Begins to make an agent that answers with this model.
    pub fn builder(model: impl ChatModel + 'static) -> AgentBuilder {
        AgentBuilder::new(Arc::new(model))
    }

    /// Gives the agent an input; its work is the stream of its events.
    ///
    /// Nothing happens before the stream is polled.
    ///
    /// # Errors
    ///
    /// The input cannot be taken as things are; nothing was changed then.
    pub fn stream(&self, input: impl Into<Input>) -> Result<ReplyStream, InputError> {
        self.stream_until(input, CancellationToken::new())
    }

    /// As [`stream`](Self::stream), with a token that interrupts the run once it is cancelled.
    ///
    /// # Errors
    ///
    /// As [`stream`](Self::stream).
    pub fn stream_until(&self, input: impl Into<Input>, token: CancellationToken) -> Result<ReplyStream, InputError> {
        let input = input.into();
        if self.0.is_busy.swap(true, Ordering::AcqRel) {
            return Err(InputError::Busy);
        }
        if let Err(err) = self.0.with(|kept| resume::check(kept, &input)) {
            self.0.set_idle();
            return Err(err);
        }
        let handover = Arc::new(Handover::default());
        let run = run::run(Arc::clone(&self.0), Arc::clone(&handover), input, token.clone()).boxed();
        Ok(ReplyStream { inner: Arc::clone(&self.0), handover, run: Some(run), token, has_begun: false, is_over: false })
    }

    /// Gives the agent an input and waits for the whole message.
    ///
    /// # Errors
    ///
    /// The input cannot be taken, or the reply is parked or failed.
    pub async fn reply(&self, input: impl Into<Input>) -> Result<Msg, ReplyError> {
        let input = input.into();
        let is_interrupt = input == Input::Interrupt;
        let mut stream = self.stream(input)?;
        let mut ended = false;
        while let Some(event) = stream.next().await {
            ended |= matches!(event.payload, Payload::AgentEnd(_));
        }
        self.0.with(|kept| match (&kept.reply, kept.state.context.last()) {
            (Some(going), _) => {
                let calls = going.fold.awaited().map(|call| call.id.clone()).collect();
                Err(ReplyError::Parked { reply: going.fold.reply_id().clone(), calls })
            }
            (None, Some(msg)) if ended => match &msg.error {
                Some(failure) => Err(ReplyError::Failed(failure.clone())),
                None => Ok(msg.clone()),
            },
            (None, Some(msg)) if is_interrupt => Ok(msg.clone()),
            _ => Err(InputError::NothingWaits("somebody to interrupt it").into()),
        })
    }

    /// What the agent remembers, to go on with in another process ([`AgentBuilder::state`]).
    #[must_use]
    pub fn state(&self) -> AgentState {
        self.0.with(|kept| kept.to_state())
    }

    /// The message of the reply that goes on, or is parked, as far as it is.
    #[must_use]
    pub fn current(&self) -> Option<Msg> {
        self.0.with(|kept| kept.reply.as_ref().map(|going| going.message().clone()))
    }

    /// Whether a run goes on.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.0.is_busy.load(Ordering::Acquire)
    }
}

impl Inner {
    /// Looks at what is kept, or changes it. Never held while somebody waits.
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut Kept) -> R) -> R {
        work(&mut self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Looks at the reply that goes on.
    pub(crate) fn with_reply<R>(&self, work: impl FnOnce(&mut Going) -> R) -> Option<R> {
        self.with(|kept| kept.reply.as_mut().map(work))
    }

    pub(crate) fn set_idle(&self) {
        self.is_busy.store(false, Ordering::Release);
    }

    /// An event with an id of its own, at this time.
    pub(crate) fn stamp(&self, payload: impl Into<Payload>) -> AgentEvent {
        let clock = &self.config.clock;
        let id = clock.id();
        AgentEvent::new(payload).with_id(id.as_str()).with_created_at(written(clock.now()).as_str())
    }

    /// Takes an event that was emitted.
    pub(crate) fn take(&self, event: &AgentEvent) {
        self.with(|kept| kept.take(event));
        if let Some(on_event) = &self.config.on_event {
            on_event(event);
        }
    }
}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent").field("name", &self.0.config.name).field("is_busy", &self.is_busy()).finish_non_exhaustive()
    }
}
