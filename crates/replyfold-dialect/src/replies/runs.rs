//! The open runs of one speaker.

use foldhash::{HashMap, HashSet, HashSetExt as _};
use replyfold_event::Payload;
use replyfold_message::{ReplyId, ToolCallId};
use std::collections::{BTreeMap, BTreeSet};

/// The open runs, by number in the order of their starts. Any number of them may be open side by side: each question costs a look-up.
#[derive(Clone, Debug, Default)]
pub(super) struct Runs {
    open: BTreeMap<u64, Run>,
    /// Number of the next run.
    next: u64,
    /// The open runs of each reply.
    of_reply: HashMap<ReplyId, BTreeSet<u64>>,
    /// The open runs that started each call.
    of_call: HashMap<ToolCallId, BTreeSet<u64>>,
    /// The open runs without an open model call.
    between_model_calls: BTreeSet<u64>,
}

/// One run of an agent: from a start to its end.
#[derive(Clone, Debug)]
struct Run {
    reply: ReplyId,
    first_id: ReplyId,
    calls: HashSet<ToolCallId>,
}

impl Runs {
    pub(super) fn open(&mut self, first_id: ReplyId, reply: ReplyId) {
        self.of_reply.entry(reply.clone()).or_default().insert(self.next);
        self.between_model_calls.insert(self.next);
        self.open.insert(self.next, Run { reply, first_id, calls: HashSet::new() });
        self.next += 1;
    }

    pub(super) fn close(&mut self, run: u64) {
        let Some(Run { reply, calls, .. }) = self.open.remove(&run) else { return };
        self.between_model_calls.remove(&run);
        forget(&mut self.of_reply, &reply, run);
        calls.iter().for_each(|call| forget(&mut self.of_call, call, run));
    }

    pub(super) fn clear(&mut self) {
        *self = Self { next: self.next, ..Self::default() };
    }

    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    pub(super) fn are_many(&self) -> bool {
        self.open.len() > 1
    }

    pub(super) fn newest(&self) -> Option<u64> {
        self.open.keys().next_back().copied()
    }

    /// The newest run of the reply.
    pub(super) fn of_reply(&self, reply: &ReplyId) -> Option<u64> {
        self.of_reply.get(reply)?.last().copied()
    }

    /// The oldest run that started the call.
    pub(super) fn of_call(&self, call: &ToolCallId) -> Option<u64> {
        self.of_call.get(call)?.first().copied()
    }

    pub(super) fn oldest_between_model_calls(&self) -> Option<u64> {
        self.between_model_calls.first().copied()
    }

    pub(super) fn reply(&self, run: u64) -> Option<&ReplyId> {
        self.open.get(&run).map(|run| &run.reply)
    }

    /// The id that the run was opened under.
    pub(super) fn first_id(&self, run: u64) -> Option<&ReplyId> {
        self.open.get(&run).map(|run| &run.first_id)
    }

    /// Follows an event of the run.
    pub(super) fn see(&mut self, run: u64, payload: &Payload) {
        let Some(open) = self.open.get_mut(&run) else { return };
        match payload {
            Payload::ModelCallStart(_) => _ = self.between_model_calls.remove(&run),
            Payload::ModelCallEnd(_) => _ = self.between_model_calls.insert(run),
            Payload::ToolCallStart(start) => {
                open.calls.insert(start.tool_call_id.clone());
                self.of_call.entry(start.tool_call_id.clone()).or_default().insert(run);
            }
            _ => {}
        }
    }
}

fn forget<Id: std::hash::Hash + Eq>(index: &mut HashMap<Id, BTreeSet<u64>>, id: &Id, run: u64) {
    if let Some(runs) = index.get_mut(id) {
        runs.remove(&run);
        if runs.is_empty() {
            index.remove(id);
        }
    }
}
