//! One value for each reply of a log.

use replyfold::message::{AgentPath, ReplyId};
use std::collections::HashMap;

/// Values by source and reply. Most events are of the reply of the event before them, so that one is compared and not looked up.
pub(crate) struct ByReply<T> {
    values: Vec<T>,
    index: HashMap<(Option<AgentPath>, ReplyId), usize>,
    last: Option<((Option<AgentPath>, ReplyId), usize)>,
}

impl<T> Default for ByReply<T> {
    fn default() -> Self {
        Self { values: Vec::new(), index: HashMap::new(), last: None }
    }
}

impl<T: Default> ByReply<T> {
    /// Number of the reply's value, made if it is new.
    pub(crate) fn place(&mut self, source: Option<&AgentPath>, reply: &ReplyId) -> usize {
        if let Some(((path, id), place)) = &self.last
            && id == reply
            && path.as_ref() == source
        {
            return *place;
        }
        let key = (source.cloned(), reply.clone());
        let place = *self.index.entry(key.clone()).or_insert(self.values.len());
        if place == self.values.len() {
            self.values.push(T::default());
        }
        self.last = Some((key, place));
        place
    }

    /// The value at a place that [`place`](Self::place) gave.
    pub(crate) fn at(&mut self, place: usize) -> Option<&mut T> {
        self.values.get_mut(place)
    }

    /// The value of a reply, if it has one.
    pub(crate) fn get(&self, source: Option<&AgentPath>, reply: &ReplyId) -> Option<&T> {
        self.values.get(*self.index.get(&(source.cloned(), reply.clone()))?)
    }
}
