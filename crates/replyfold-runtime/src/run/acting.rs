//! The calls of a round: each is looked at, asked about, run, and answered.

use super::resume::{calls, data_delta};
use super::{Run, arguments};
use crate::closing;
use crate::gate::{Decision, Question};
use crate::middleware::ActingCall;
use crate::tool::{ToolChunk, ToolInput, ToolOutput};
use futures_util::future::{BoxFuture, FutureExt as _};
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use replyfold_event::{RequireExternalExecution, RequireUserConfirm, ToolResultEnd, ToolResultStart, ToolResultTextDelta};
use replyfold_message::json::JsonObject;
use replyfold_message::{PermissionRule, ToolCallBlock, ToolCallId, ToolCallState, ToolResultState};
use std::sync::{Arc, Mutex, PoisonError};

/// What becomes of a call before it runs.
enum Prepared {
    /// It is answered already, or asked about, or handed out.
    Done {
        /// Whether the reply has to wait for somebody because of it.
        waits: bool,
    },
    /// It runs.
    Run(Box<Job>),
}

struct Job {
    call: ToolCallBlock,
    input: ToolInput,
}

impl Run {
    /// Runs calls: neighbours that may run at once together, the others one by one, in their order. Once one waits for somebody, no later batch
    /// begins.
    pub(super) async fn act(&self, ids: &[ToolCallId]) {
        let all: Vec<ToolCallBlock> = self.with(|going| calls(going).filter(|call| ids.contains(&call.id)).cloned().collect());
        // A tool that is not known does nothing, so it may stand beside any.
        let is_safe = |call: &ToolCallBlock| self.inner.config.tools.get(&call.name).is_none_or(|entry| entry.tool.is_concurrency_safe());
        for batch in all.chunk_by(|one, other| is_safe(one) == is_safe(other)) {
            let waits = match batch.first().is_some_and(is_safe) {
                true => self.act_together(batch).await,
                false => self.act_in_order(batch).await,
            };
            if waits {
                return;
            }
        }
    }

    async fn act_in_order(&self, batch: &[ToolCallBlock]) -> bool {
        for call in batch {
            match self.prepare(call, &mut Vec::new()).await {
                Prepared::Done { waits: true } => return true,
                Prepared::Done { waits: false } => {}
                Prepared::Run(job) => {
                    self.begin(&job.call).await;
                    self.run_job(job).await;
                }
            }
        }
        false
    }

    async fn act_together(&self, batch: &[ToolCallBlock]) -> bool {
        let limit = self.inner.config.concurrency;
        let (mut waits, mut suggested, mut jobs) = (false, Vec::new(), Vec::new());
        for call in batch {
            match self.prepare(call, &mut suggested).await {
                Prepared::Done { waits: is_waiting } => waits |= is_waiting,
                Prepared::Run(job) => {
                    // Results stand in the order of their calls, whichever is done first.
                    if jobs.len() < limit {
                        self.begin(&job.call).await;
                    }
                    jobs.push(job);
                }
            }
        }
        let mut jobs = jobs.into_iter();
        let mut running: FuturesUnordered<_> = jobs.by_ref().take(limit).map(|job| self.run_job(job).boxed()).collect();
        while running.next().await.is_some() {
            if let Some(job) = jobs.next() {
                running.push(
                    async move {
                        self.begin(&job.call).await;
                        self.run_job(job).await;
                    }
                    .boxed(),
                );
            }
        }
        waits
    }

    async fn begin(&self, call: &ToolCallBlock) {
        self.emit(ToolResultStart::new(self.reply.clone(), call.id.clone(), call.name.as_str())).await;
    }

    /// Looks at a call: whether its tool is known, its arguments fit, and it may run. `suggested` are the rules that questions of its batch offer.
    async fn prepare(&self, call: &ToolCallBlock, suggested: &mut Vec<PermissionRule>) -> Prepared {
        let Some(entry) = self.inner.config.tools.get(&call.name) else {
            return self.fail(call, &format!("ToolNotFoundError: The tool named '{}' doesn't exist.", call.name)).await;
        };
        // What a person edited may have no text.
        let text = if call.content.trim().is_empty() { call.input.as_str() } else { &call.content };
        let arguments = match arguments::parse(text, &entry.spec.parameters) {
            Ok(arguments) => arguments,
            Err(why) => return self.fail(call, &why).await,
        };
        if let Some(why) = entry.misfit(&arguments) {
            return self.fail(call, &why).await;
        }
        let rules = self.inner.with(|kept| kept.state.rules.clone());
        let is_confirmed = call.state == ToolCallState::Allowed;
        let question = Question { call, arguments: &arguments, rules: &rules, is_confirmed };
        match self.decide(question).await {
            Decision::Allow => {}
            Decision::Deny(why) => {
                self.answer(&call.id, &call.name, &why, ToolResultState::Denied).await;
                return Prepared::Done { waits: false };
            }
            Decision::Ask { suggested_rules, is_safety } => {
                let is_covered = !is_safety && suggested.iter().any(|rule| self.inner.config.gate.covers(rule, question));
                if !is_covered {
                    suggested.extend(suggested_rules.iter().cloned());
                    let asked = call.clone().with_state(ToolCallState::Asking).with_suggested_rules(suggested_rules);
                    self.emit(RequireUserConfirm::new(self.reply.clone(), vec![asked])).await;
                }
                return Prepared::Done { waits: true };
            }
        }
        if entry.tool.is_external() {
            self.begin(call).await;
            let submitted = call.clone().with_state(ToolCallState::Submitted);
            self.emit(RequireExternalExecution::new(self.reply.clone(), vec![submitted])).await;
            return Prepared::Done { waits: true };
        }
        let input = ToolInput::new(call.id.clone(), arguments);
        Prepared::Run(Box::new(Job { call: call.clone(), input }))
    }

    async fn fail(&self, call: &ToolCallBlock, why: &str) -> Prepared {
        self.answer(&call.id, &call.name, why, ToolResultState::Error).await;
        Prepared::Done { waits: false }
    }

    /// Runs a call whose result has begun, and ends the result.
    async fn run_job(&self, job: Box<Job>) {
        let Job { call, input } = *job;
        let metadata = Mutex::new(JsonObject::default());
        let output = ToolOutput::new(
            Arc::new(|chunk| self.chunk(&call.id, chunk)),
            Arc::new(|facts| *metadata.lock().unwrap_or_else(PoisonError::into_inner) = facts),
        );
        let scope = self.scope();
        let failed = self.execute(ActingCall { scope, tool: call.name.clone(), input, output }).await.err().map(|err| err.to_string());
        let state = if failed.is_some() { ToolResultState::Error } else { ToolResultState::Success };
        if let Some(why) = failed.filter(|why| !why.is_empty()) {
            let why = self.with(|going| closing::on_its_own_line(going, &call.id, &why));
            self.emit(ToolResultTextDelta::new(self.reply.clone(), call.id.clone(), why)).await;
        }
        let metadata = metadata.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.emit_with_metadata(ToolResultEnd::new(self.reply.clone(), call.id.clone(), state), metadata).await;
    }

    fn chunk<'a>(&'a self, call: &'a ToolCallId, chunk: ToolChunk) -> BoxFuture<'a, ()> {
        async move {
            match chunk {
                ToolChunk::Text(text) if text.is_empty() => {}
                ToolChunk::Text(text) => self.emit(ToolResultTextDelta::new(self.reply.clone(), call.clone(), text)).await,
                ToolChunk::Data { id, source, name } => {
                    if let Some(mut delta) = data_delta(&self.reply, call, &source) {
                        delta.block_id = id.map(|id| id.as_str().into());
                        delta.name = name;
                        self.emit(delta).await;
                    }
                }
            }
        }
        .boxed()
    }
}
