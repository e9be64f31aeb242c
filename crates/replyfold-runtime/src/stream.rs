//! The events of one run, as a stream.

use crate::agent::Inner;
use crate::closing;
use crate::handover::Handover;
use futures_core::Stream;
use futures_core::future::BoxFuture;
use replyfold_event::AgentEvent;
use replyfold_message::FinishedReason;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio_util::sync::CancellationToken;

/// The events of one run. The agent works while the stream is polled, and no further than to the event that was taken last.
///
/// It ends behind `AGENT_END`, or behind `REQUEST_STOP` if the reply is parked. Dropped before, it cancels what runs, and the reply ends as
/// interrupted: every open block and call is closed in its message, by events that [`AgentBuilder::on_event`](crate::AgentBuilder::on_event)
/// is given.
#[must_use = "an agent works only while its stream is polled"]
pub struct ReplyStream {
    pub(crate) inner: Arc<Inner>,
    pub(crate) handover: Arc<Handover>,
    /// The loop; `None` once it is over.
    pub(crate) run: Option<BoxFuture<'static, ()>>,
    pub(crate) token: CancellationToken,
    pub(crate) has_begun: bool,
    pub(crate) is_over: bool,
}

impl ReplyStream {
    /// Interrupts the run once it is cancelled: the stream goes on with what closes the reply, and ends.
    #[must_use]
    pub fn cancellation_token(&self) -> CancellationToken {
        self.token.clone()
    }
}

impl Stream for ReplyStream {
    type Item = AgentEvent;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<AgentEvent>> {
        let this = self.get_mut();
        this.has_begun = true;
        loop {
            if let Some(event) = this.handover.take() {
                this.inner.take(&event);
                this.handover.done();
                return Poll::Ready(Some(event));
            }
            let Some(run) = &mut this.run else {
                this.finish();
                return Poll::Ready(None);
            };
            match run.as_mut().poll(context) {
                Poll::Ready(()) => this.run = None,
                Poll::Pending if this.handover.is_empty() => return Poll::Pending,
                Poll::Pending => {}
            }
        }
    }
}

impl ReplyStream {
    /// The agent takes inputs again.
    fn finish(&mut self) {
        if !std::mem::replace(&mut self.is_over, true) {
            self.inner.set_idle();
        }
    }
}

impl Drop for ReplyStream {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        // Tools and models stop here; what was not taken was not emitted.
        self.run = None;
        // A stream that was never polled has done nothing yet, and a reply that is parked waits on.
        if self.has_begun {
            let payloads = self.inner.with(|kept| match &kept.reply {
                Some(going) if !going.is_parked => closing::payloads(going, FinishedReason::Interrupted, None),
                _ => Vec::new(),
            });
            for payload in payloads {
                let event = self.inner.stamp(payload);
                self.inner.take(&event);
            }
        }
        self.finish();
    }
}

impl fmt::Debug for ReplyStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplyStream").field("is_over", &self.is_over).finish_non_exhaustive()
    }
}
