//! Where events go on their way out.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use replyfold_event::AgentEvent;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

/// Where events go on their way to the stream.
///
/// Each is given its id and its time when it is handed over, so whoever makes one leaves them out.
#[derive(Clone)]
pub struct EventSink(Arc<dyn Fn(AgentEvent) -> BoxFuture<'static, ()> + Send + Sync>);

impl EventSink {
    pub(crate) fn new(take: impl Fn(AgentEvent) -> BoxFuture<'static, ()> + Send + Sync + 'static) -> Self {
        Self(Arc::new(take))
    }

    /// Emits an event; comes back once the consumer of the stream has it, or a layer dropped it.
    pub fn emit(&self, event: AgentEvent) -> BoxFuture<'static, ()> {
        (self.0)(event)
    }

    /// A sink that gives each event to `see`, with the sink behind: what `see` does not emit there is dropped.
    #[must_use]
    pub fn wrap<F, D>(self, see: F) -> Self
    where
        F: Fn(AgentEvent, EventSink) -> D + Send + Sync + 'static,
        D: Future<Output = ()> + Send + 'static,
    {
        Self::new(move |event| see(event, self.clone()).boxed())
    }
}

impl fmt::Debug for EventSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventSink").finish_non_exhaustive()
    }
}
