//! Following as a stream.

use super::{Follow, Followed};
use crate::LogError;
use futures_core::Stream;
use std::pin::Pin;
use std::task::{Context, Poll};

/// A log that is followed: a stream that looks again at each tick; made by [`Follow::ticking`].
#[derive(Debug)]
pub struct Ticking<T> {
    follow: Follow,
    ticks: T,
}

impl<T: Stream + Unpin> Ticking<T> {
    pub(super) fn new(follow: Follow, ticks: T) -> Self {
        Self { follow, ticks }
    }
}

impl<T: Stream + Unpin> Stream for Ticking<T> {
    type Item = Result<Followed, LogError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Poll::Ready(item) = self.follow.try_next() {
                return Poll::Ready(item);
            }
            match Pin::new(&mut self.ticks).poll_next(context) {
                Poll::Ready(Some(_)) => {}
                Poll::Ready(None) => self.follow.close(),
                Poll::Pending => return Poll::Pending,
            }
        }
    }
}
