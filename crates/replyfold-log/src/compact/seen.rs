//! The ids that each reply has seen, as the fold sees them.

use replyfold_message::{AgentPath, ReplyId};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

/// Ids of events by speaker and reply: 16 bytes and the table's overhead each.
#[derive(Default)]
pub(super) struct Seen {
    replies: Vec<(Option<AgentPath>, ReplyId, HashMap<u128, Kept>)>,
    index: HashMap<(Option<AgentPath>, ReplyId), usize>,
    last: usize,
}

/// What became of the event with an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// It stands in the compacted log, id and all.
    Yes,
    /// It was joined to another, whose id stands there.
    Joined,
}

impl Seen {
    /// What became of the event with this id of this reply; `None` if it is the first. Then it counts as kept.
    pub(super) fn see(&mut self, source: Option<&AgentPath>, reply: &ReplyId, id: &str) -> Option<Kept> {
        let ids = self.ids(source, reply)?;
        let key = key(id);
        let before = ids.get(&key).copied();
        if before.is_none() {
            ids.insert(key, Kept::Yes);
        }
        before
    }

    /// The event with this id was joined to another.
    pub(super) fn join(&mut self, source: Option<&AgentPath>, reply: &ReplyId, id: &str) {
        if let Some(ids) = self.ids(source, reply) {
            ids.insert(key(id), Kept::Joined);
        }
    }

    fn ids(&mut self, source: Option<&AgentPath>, reply: &ReplyId) -> Option<&mut HashMap<u128, Kept>> {
        let is_last = self.replies.get(self.last).is_some_and(|(path, id, _)| id == reply && path.as_ref() == source);
        if !is_last {
            let new = self.replies.len();
            self.last = *self.index.entry((source.cloned(), reply.clone())).or_insert(new);
            if self.last == new {
                self.replies.push((source.cloned(), reply.clone(), HashMap::new()));
            }
        }
        self.replies.get_mut(self.last).map(|(_, _, ids)| ids)
    }
}

/// 128 bits of hash: two ids that share it will not be met.
fn key(id: &str) -> u128 {
    let half = |salt| {
        let mut hasher = DefaultHasher::new();
        hasher.write_u8(salt);
        hasher.write(id.as_bytes());
        u128::from(hasher.finish())
    };
    half(1) << 64 | half(2)
}
