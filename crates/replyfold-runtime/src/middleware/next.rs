//! The layers within a layer.

use super::Middleware;
use futures_util::future::BoxFuture;
use std::fmt;
use std::sync::Arc;

type Step<'a, I, O> = Arc<dyn Fn(I) -> BoxFuture<'a, O> + Send + Sync + 'a>;

/// The layers within a layer, and innermost what is wrapped: from `I` to `O`.
pub struct Next<'a, I, O>(Step<'a, I, O>);

impl<'a, I: 'a, O: 'a> Next<'a, I, O> {
    pub(crate) fn new(step: impl Fn(I) -> BoxFuture<'a, O> + Send + Sync + 'a) -> Self {
        Self(Arc::new(step))
    }

    /// Delegates. What is handed in is what the layers within see.
    pub fn run(&self, call: I) -> BoxFuture<'a, O> {
        (self.0)(call)
    }

    /// `self` with these layers around it, the first one outermost; `enter` is their position.
    pub(crate) fn within(self, layers: &'a [Arc<dyn Middleware>], enter: fn(&'a dyn Middleware, I, Self) -> BoxFuture<'a, O>) -> Self {
        layers.iter().rev().fold(self, |next, layer| Self::new(move |call| enter(layer.as_ref(), call, next.clone())))
    }
}

impl<I, O> Clone for Next<'_, I, O> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<I, O> fmt::Debug for Next<'_, I, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Next").finish_non_exhaustive()
    }
}
