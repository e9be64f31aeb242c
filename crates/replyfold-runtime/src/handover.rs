//! Events on their way from the loop to the consumer, one by one: the loop goes on with the next one once the last was taken, so the agent is
//! never ahead of who listens, and what was not taken was never emitted.

use replyfold_event::AgentEvent;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

#[derive(Default)]
pub(crate) struct Handover(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    events: VecDeque<AgentEvent>,
    /// How many were put in and taken out, since the beginning.
    given: u64,
    taken: u64,
    /// Who waits for theirs to be taken.
    wakers: Vec<Waker>,
}

impl Handover {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands over an event; comes back once it was taken.
    pub(crate) async fn give(&self, event: impl FnOnce() -> AgentEvent) {
        let number = {
            let mut waiting = self.waiting();
            // Made under the lock: ids ascend in the order in which events stand here.
            waiting.events.push_back(event());
            waiting.given += 1;
            waiting.given
        };
        self.taken(number).await;
    }

    /// Waits until everything that was handed over is taken.
    pub(crate) async fn all_taken(&self) {
        let number = self.waiting().given;
        self.taken(number).await;
    }

    async fn taken(&self, number: u64) {
        poll_fn(|context| {
            let mut waiting = self.waiting();
            if waiting.taken >= number {
                return Poll::Ready(());
            }
            if !waiting.wakers.iter().any(|waker| waker.will_wake(context.waker())) {
                waiting.wakers.push(context.waker().clone());
            }
            Poll::Pending
        })
        .await;
    }

    pub(crate) fn take(&self) -> Option<AgentEvent> {
        self.waiting().events.pop_front()
    }

    /// What was taken last is done with: who gave it goes on.
    pub(crate) fn done(&self) {
        let wakers = {
            let mut waiting = self.waiting();
            waiting.taken += 1;
            std::mem::take(&mut waiting.wakers)
        };
        wakers.into_iter().for_each(Waker::wake);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting().events.is_empty()
    }
}
