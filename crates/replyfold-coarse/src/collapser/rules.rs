//! The table: what each event shows ("Coarse protocol" section 7, with section 11).

use super::{Collapser, Ending, detail_of};
use crate::{CoarseEvent, ConfirmPolicy, ErrorCode, Piece, lifter};
use replyfold_event::message::BlockId;
use replyfold_event::{AgentEvent, Custom, Extension, GenerateReason, ModelCallEnd, Payload, PieceText, RequireUserConfirm};
use std::borrow::Cow;

impl Collapser {
    /// Takes a piece of text by what it has of its own; `false` if it is none.
    #[expect(clippy::wildcard_enum_match_arm, reason = "whatever is no piece of text goes to the table")]
    pub(super) fn piece(&mut self, base: &AgentEvent, text: PieceText<'_>) -> bool {
        match &base.payload {
            Payload::TextBlockDelta(delta) => self.text(&delta.block_id, text.get()),
            Payload::ThinkingBlockDelta(_) => self.thinking(text.get()),
            Payload::ToolCallDelta(delta) => self.calls.arguments(&delta.tool_call_id, &text.get()),
            Payload::ToolResultTextDelta(delta) => self.calls.answer(&delta.tool_call_id, &text.get()),
            // Media has no carrier, and no other event is a piece.
            _ => return false,
        }
        true
    }

    pub(super) fn apply(&mut self, event: &AgentEvent) {
        match &event.payload {
            Payload::AgentEnd(end) => self.end_run(end.finished_reason, end.error.as_deref()),
            Payload::ModelCallStart(_) => self.model_call_start(),
            Payload::ModelCallEnd(end) => self.model_call_end(end),
            Payload::TextBlockDelta(delta) => self.text(&delta.block_id, Cow::Borrowed(&delta.delta)),
            Payload::TextBlockEnd(end) => self.text_end(&end.block_id),
            Payload::ThinkingBlockDelta(delta) => self.thinking(Cow::Borrowed(&delta.delta)),
            Payload::ToolCallStart(start) => {
                // What a splitter held back came before the call.
                self.flush_text();
                self.hidden = true;
                self.calls.start(&start.tool_call_id, &start.tool_call_name, self.model_call);
            }
            Payload::ToolCallDelta(delta) => self.calls.arguments(&delta.tool_call_id, &delta.delta),
            Payload::ToolCallEnd(end) => self.calls.written(&end.tool_call_id),
            Payload::ToolResultStart(start) => self.calls.run(&start.tool_call_id, &start.tool_call_name, &mut self.out),
            Payload::ToolResultTextDelta(delta) => self.calls.answer(&delta.tool_call_id, &delta.delta),
            Payload::ToolResultDataDelta(delta) => self.calls.media(&delta.tool_call_id, delta.block_id.as_ref(), &delta.media),
            Payload::ToolResultEnd(end) => self.calls.end(&end.tool_call_id, end.state, &mut self.out),
            Payload::ExceedMaxIters(_) => self.exceeded = true,
            Payload::RequestStop(_) => self.park(Ending::Stopped),
            Payload::RequireUserConfirm(require) => self.require_confirm(require),
            Payload::UserConfirmResult(answer) => answer.confirm_results.iter().for_each(|result| self.calls.confirmed(result)),
            Payload::RequireExternalExecution(require) => {
                for call in &require.tool_calls {
                    self.calls.take_missing_arguments(call);
                    self.calls.run_outside(call);
                }
                self.park(Ending::WaitsForOutside);
            }
            Payload::ExternalExecutionResult(results) => {
                results.tool_results.iter().for_each(|result| self.calls.external(result, &mut self.out));
            }
            Payload::Extension(extension) => self.extension(extension),
            // The state is there from the beginning, and a continuation keeps it.
            Payload::AgentStart(_) => self.held = None,
            // The pieces were shown as they came.
            Payload::TextBlockStart(_)
            | Payload::ThinkingBlockStart(_)
            | Payload::ThinkingBlockEnd(_)
            // There is no carrier for media.
            | Payload::DataBlockStart(_)
            | Payload::DataBlockDelta(_)
            | Payload::DataBlockEnd(_)
            | Payload::SubagentExposed(_)
            | Payload::Unknown(_) => {}
            // The enum may grow; what is new shows nothing until it has a row here.
            _ => (),
        }
    }

    fn extension(&mut self, extension: &Extension) {
        match extension {
            Extension::AgentResult(result) => match result.result.as_deref().and_then(generate_reason) {
                Some(reason) if parks(&reason) => self.park(Ending::Stopped),
                Some(_) => self.unpark(),
                None => {}
            },
            Extension::Custom(custom) => self.custom(custom),
            Extension::HintBlock(_) | Extension::UserInterrupt(_) | Extension::AllToolsDenied(_) => {}
            // As above.
            _ => (),
        }
    }

    fn model_call_start(&mut self) {
        self.flush_text();
        self.hidden = false;
        self.showed_text = false;
        self.told_failure = false;
        self.model_call += 1;
        self.calls.model_call_start();
        self.unpark();
    }

    fn model_call_end(&mut self, end: &ModelCallEnd) {
        self.flush_text();
        let detail = end.error.as_deref().map(detail_of);
        match (end.retry, detail) {
            (Some(retry), detail) => {
                self.retries = retry.attempt;
                self.calls.withdraw();
                let message = self.options.language.retrying(retry.attempt, retry.max_retries);
                self.out.push(CoarseEvent::error(ErrorCode::LlmCallFailed.as_str(), message, detail));
            }
            (None, Some(detail)) => self.tell_failure(Some(detail)),
            (None, None) => self.retries = 0,
        }
    }

    fn text(&mut self, block: &BlockId, delta: Cow<'_, str>) {
        if self.hidden || delta.is_empty() {
            return;
        }
        match self.splitters.push(block, &delta) {
            Some(pieces) => self.show(pieces),
            None => self.show([Piece::Text(delta.into_owned())]),
        }
    }

    fn text_end(&mut self, block: &BlockId) {
        let pieces = self.splitters.end(block);
        self.show(pieces);
    }

    /// Shows what think splitters held back.
    pub(super) fn flush_text(&mut self) {
        let pieces = self.splitters.end_all();
        self.show(pieces);
    }

    fn show(&mut self, pieces: impl IntoIterator<Item = Piece>) {
        for piece in pieces {
            self.speaker.leader();
            match piece {
                Piece::Text(text) => {
                    self.showed_text = true;
                    self.out.push(CoarseEvent::text(text));
                }
                Piece::Thinking(text) => self.out.push(CoarseEvent::thinking(text)),
            }
        }
    }

    fn thinking(&mut self, delta: Cow<'_, str>) {
        if !self.hidden && !delta.is_empty() {
            self.show([Piece::Thinking(delta.into_owned())]);
        }
    }

    fn require_confirm(&mut self, require: &RequireUserConfirm) {
        for call in &require.tool_calls {
            self.calls.take_missing_arguments(call);
            self.calls.ask(call);
        }
        self.park(Ending::WaitsForPerson);
        match self.options.confirm {
            ConfirmPolicy::StayOpen => {}
            ConfirmPolicy::Error => {
                self.flush_text();
                self.end_open_tools();
                self.confirmation_required();
                self.complete(Ending::Closed);
            }
        }
    }

    fn park(&mut self, ending: Ending) {
        // A stop after a question says less than the question.
        if ending != Ending::Stopped || !self.ending.is_parked() {
            self.ending = ending;
        }
    }

    fn unpark(&mut self) {
        self.held = None;
        if self.ending.is_parked() {
            self.ending = Ending::Open;
            self.calls.await_nothing();
        }
    }

    /// A retry that a runtime announces in its own way, or an event that the lifter could not say otherwise; else nothing.
    fn custom(&mut self, custom: &Custom) {
        if custom.name == lifter::CARRIER {
            if let Some(event) = lifter::carried(&custom.value) {
                self.carried(event);
            }
            return;
        }
        let count = |key| custom.value.get(key).and_then(|value| value.u64().ok());
        if let (Some(attempt), Some(limit)) = (count("attempt"), count("limit")) {
            let detail = custom.value.get("detail").and_then(|value| value.string().ok()).map(|text| text.into_owned());
            let message = self.options.language.retrying(attempt, limit);
            self.out.push(CoarseEvent::error(ErrorCode::LlmCallFailed.as_str(), message, detail));
        }
    }

    /// Only errors and foreign types are carried; anything else would break the order that the stream promises.
    fn carried(&mut self, event: CoarseEvent) {
        if matches!(event, CoarseEvent::Error { .. } | CoarseEvent::Other(_)) {
            self.flush_text();
            self.out.push(event);
        }
    }
}

/// Why a run returned, in Java's message.
fn generate_reason(message: &replyfold_event::message::Msg) -> Option<GenerateReason> {
    message.metadata.get("agentscope_generate_reason").and_then(|value| value.string().ok()).map(|word| GenerateReason::from(&*word))
}

/// Whether the reply waits after a run that returned for this reason (`wire.md` section 5, rule 3).
fn parks(reason: &GenerateReason) -> bool {
    matches!(
        reason,
        GenerateReason::PermissionAsking
            | GenerateReason::ToolSuspended
            | GenerateReason::MiddlewareStopRequested
            | GenerateReason::ReasoningStopRequested
            | GenerateReason::ActingStopRequested
    )
}
