//! Following with a wait between two looks.

use super::{Follow, Followed};
use crate::LogError;
use std::task::Poll;

/// A log that is followed: an iterator that waits when nothing is at hand; made by [`Follow::waiting`].
pub struct Waiting<W> {
    follow: Follow,
    wait: W,
}

impl<W: FnMut() -> bool> Waiting<W> {
    pub(super) fn new(follow: Follow, wait: W) -> Self {
        Self { follow, wait }
    }

    /// The follower, to go on with in another way.
    pub fn into_inner(self) -> Follow {
        self.follow
    }
}

impl<W: FnMut() -> bool> Iterator for Waiting<W> {
    type Item = Result<Followed, LogError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.follow.try_next() {
                Poll::Ready(item) => return item,
                Poll::Pending if (self.wait)() => {}
                Poll::Pending => self.follow.close(),
            }
        }
    }
}

impl<W> std::fmt::Debug for Waiting<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Waiting").field("follow", &self.follow).finish_non_exhaustive()
    }
}
