//! What stands between the agent and what it does: middleware at seven positions.

mod budget;
mod calls;
mod dynamic_context;
mod event_sink;
mod next;
mod result_limit;
mod scope;
mod tracing;

pub use self::tracing::Tracing;
pub use budget::Budget;
pub use calls::{ActingCall, CompressCall, ModelCall, PermissionCall, ReasoningCall, ReplyCall, RoundEnd};
pub use dynamic_context::DynamicContext;
pub use event_sink::EventSink;
pub use next::Next;
pub use result_limit::ResultLimit;
pub use scope::Scope;

use crate::gate::Decision;
use crate::model::{ModelError, ModelStream};
use crate::tool::{Tool, ToolError};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use replyfold_message::{Failure, Msg};
use std::sync::Arc;

/// Stands between the agent and what it does, at the positions that it implements (`middleware.md` 1).
///
/// Each position but the system prompt is an onion: the middleware that was added first is the outermost. A layer is given what is to be done,
/// and [`Next`], the layers within. It may call that never, once, or again, and with something changed; what it leaves as it is goes on. What it
/// keeps for a reply belongs into [`Scope::keep`], which is saved with the agent's state, not into fields of its own: one middleware may serve
/// many agents and calls at once.
///
/// Events that a layer drops, adds or changes on their way out ([`EventSink::wrap`]) are dropped, added or changed for everybody: the message is
/// the fold of what was handed over, and calls are run with the arguments that stand there. So whoever drops a start drops its end too. What
/// ends a reply that failed, or that somebody stopped, passes no layer.
///
/// ```
/// use futures_util::{FutureExt, future::BoxFuture};
/// use replyfold_runtime::middleware::{ActingCall, Middleware, Next};
/// use replyfold_runtime::ToolError;
///
/// /// Runs a call again that failed.
/// struct Twice;
///
/// impl Middleware for Twice {
///     fn on_acting<'a>(
///         &'a self,
///         call: ActingCall<'a>,
///         next: Next<'a, ActingCall<'a>, Result<(), ToolError>>,
///     ) -> BoxFuture<'a, Result<(), ToolError>> {
///         async move {
///             match next.run(call.clone()).await {
///                 Ok(()) => Ok(()),
///                 Err(_) => next.run(call).await,
///             }
///         }
///         .boxed()
///     }
/// }
/// ```
pub trait Middleware: Send + Sync {
    /// Tools that the agent gets with this middleware.
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        Vec::new()
    }

    /// The keys under which it keeps something ([`Scope::keep`]), or what they begin with. An agent whose layers share one is not made: what one of them keeps would be
    /// taken for what the other did.
    fn keys(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Around the work on one input. What it says to `call.events` is the stream of the run.
    ///
    /// A layer that keeps back `AGENT_END` has the agent go on with another round; an end by the limit of rounds cannot be kept back. Delegating
    /// once more to a reply that has ended is an `Err`. One that comes out of the outermost layer ends the reply as failed.
    fn on_reply<'a>(&'a self, call: ReplyCall, next: Next<'a, ReplyCall, Result<(), Failure>>) -> BoxFuture<'a, Result<(), Failure>> {
        next.run(call)
    }

    /// Around one round's reasoning: the model call with its retries. An `Err` ends the reply as failed.
    ///
    /// A layer that returns without delegating has to have told a whole answer to `call.events`; a round that it returns counts in any case.
    fn on_reasoning<'a>(
        &'a self,
        call: ReasoningCall,
        next: Next<'a, ReasoningCall, Result<RoundEnd, Failure>>,
    ) -> BoxFuture<'a, Result<RoundEnd, Failure>> {
        next.run(call)
    }

    /// Around one attempt to call a model. An `Err` is a failed attempt: retries and the fallback follow.
    fn on_model_call<'a>(
        &'a self,
        call: ModelCall,
        next: Next<'a, ModelCall, Result<ModelStream, ModelError>>,
    ) -> BoxFuture<'a, Result<ModelStream, ModelError>> {
        next.run(call)
    }

    /// Around the gate's decision on one call; also on one that a person confirmed. The call in the message stays as it is, whatever a layer
    /// changes in its copy.
    fn on_check_permission<'a>(&'a self, call: PermissionCall, next: Next<'a, PermissionCall, Decision>) -> BoxFuture<'a, Decision> {
        next.run(call)
    }

    /// Around running one call that may run here. The layer may change name and arguments, the pieces of output, and the error.
    ///
    /// All pieces stay in the result, also those of an attempt that a layer repeats: what was handed over is not taken back.
    fn on_acting<'a>(
        &'a self,
        call: ActingCall<'a>,
        next: Next<'a, ActingCall<'a>, Result<(), ToolError>>,
    ) -> BoxFuture<'a, Result<(), ToolError>> {
        next.run(call)
    }

    /// Around what is made of the context before each round; what comes back is the context from now on. Innermost it comes back as it is. The
    /// reply that goes on is not part of it.
    fn on_compress_context<'a>(&'a self, call: CompressCall, next: Next<'a, CompressCall, Vec<Msg>>) -> BoxFuture<'a, Vec<Msg>> {
        next.run(call)
    }

    /// What becomes of the system prompt, once a round. Not an onion: each sees what the one that was added before it made.
    fn on_system_prompt<'a>(&'a self, scope: &'a Scope, prompt: String) -> BoxFuture<'a, String> {
        let _ = scope;
        async { prompt }.boxed()
    }
}

/// The layers of an agent, outermost first.
pub(crate) type Layers = Vec<Arc<dyn Middleware>>;
