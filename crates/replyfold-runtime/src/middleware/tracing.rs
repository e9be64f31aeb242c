//! Spans of what an agent does.

use super::{ActingCall, Middleware, ModelCall, Next, ReplyCall};
use crate::input::Input;
use crate::model::{ModelChunk, ModelError, ModelStream};
use crate::tool::ToolError;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _};
use replyfold_event::Payload;
use replyfold_message::{Failure, ToolCallId, ToolResultState, Usage};
use std::sync::{Arc, Mutex, PoisonError};
use tracing::field::Empty;
use tracing::{Instrument as _, Span, info_span};

/// Spans of the `tracing` crate with the names of OpenTelemetry's conventions for generative AI: `invoke_agent`, within it one `chat` for each
/// attempt to call a model and one `execute_tool` for each call, also for one whose result came from outside (`middleware.md` 7).
///
/// A span of a model call ends with its answer. Which subscriber exports the spans is the program's choice; without one they cost next to
/// nothing. No content is recorded: prompts, answers and arguments may be anybody's secret.
///
/// The fields: `gen_ai.operation.name`, `gen_ai.agent.name`, `gen_ai.conversation.id`, `gen_ai.response.id` (the reply), `gen_ai.request.model`,
/// `gen_ai.usage.input_tokens`, `gen_ai.usage.output_tokens`, `gen_ai.response.finish_reasons`, `gen_ai.tool.name`, `gen_ai.tool.call.id`,
/// `gen_ai.tool.type`, `error.type`; and `otel.name`, `otel.kind`, `otel.status_code` for `tracing-opentelemetry`.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "there is nothing to say about it")]
pub struct Tracing;

fn fail(span: &Span, kind: &str) {
    span.record("error.type", kind);
    span.record("otel.status_code", "ERROR");
}

fn tool_span(name: &str, call: &ToolCallId) -> Span {
    info_span!(
        "execute_tool",
        otel.name = format!("execute_tool {name}"),
        otel.kind = "internal",
        otel.status_code = Empty,
        gen_ai.operation.name = "execute_tool",
        gen_ai.tool.name = name,
        gen_ai.tool.call.id = call.as_str(),
        gen_ai.tool.r#type = "function",
        error.r#type = Empty,
    )
}

impl Middleware for Tracing {
    fn on_reply<'a>(&'a self, mut call: ReplyCall, next: Next<'a, ReplyCall, Result<(), Failure>>) -> BoxFuture<'a, Result<(), Failure>> {
        let scope = &call.scope;
        let span = info_span!(
            "invoke_agent",
            otel.name = format!("invoke_agent {}", scope.agent_name()),
            otel.kind = "internal",
            otel.status_code = Empty,
            gen_ai.operation.name = "invoke_agent",
            gen_ai.agent.name = scope.agent_name(),
            gen_ai.conversation.id = scope.session_id().map(|id| id.as_str().to_owned()),
            gen_ai.response.id = scope.reply_id().as_str(),
            gen_ai.usage.input_tokens = Empty,
            gen_ai.usage.output_tokens = Empty,
            error.r#type = Empty,
        );
        if let Input::Results(results) = &call.input {
            for result in &results.tool_results {
                let tool = span.in_scope(|| tool_span(&result.name, &result.id));
                if result.state == ToolResultState::Error {
                    fail(&tool, "tool_error");
                }
            }
        }
        let total = Arc::new(Mutex::new(Usage::new(0, 0)));
        let counted = Arc::clone(&total);
        call.events = call.events.wrap(move |event, events| {
            if let Payload::ModelCallEnd(end) = &event.payload {
                let mut total = counted.lock().unwrap_or_else(PoisonError::into_inner);
                *total = total.saturating_add(end.usage.unwrap_or_default());
            }
            events.emit(event)
        });
        let reply = span.clone();
        async move {
            let (result, span) = (next.run(call).await, reply);
            let total = *total.lock().unwrap_or_else(PoisonError::into_inner);
            span.record("gen_ai.usage.input_tokens", total.input_tokens);
            span.record("gen_ai.usage.output_tokens", total.output_tokens);
            if let Err(failure) = &result {
                fail(&span, failure.kind.as_deref().unwrap_or("error"));
            }
            result
        }
        .instrument(span)
        .boxed()
    }

    fn on_model_call<'a>(
        &'a self,
        call: ModelCall,
        next: Next<'a, ModelCall, Result<ModelStream, ModelError>>,
    ) -> BoxFuture<'a, Result<ModelStream, ModelError>> {
        let model = call.model.name();
        let span = info_span!(
            "chat",
            otel.name = format!("chat {model}"),
            otel.kind = "client",
            otel.status_code = Empty,
            gen_ai.operation.name = "chat",
            gen_ai.request.model = model,
            gen_ai.usage.input_tokens = Empty,
            gen_ai.usage.output_tokens = Empty,
            gen_ai.response.finish_reasons = Empty,
            error.r#type = Empty,
        );
        let answer = span.clone();
        async move {
            let stream = next.run(call).await.inspect_err(|err| fail(&answer, err.kind.as_str()))?;
            // The span lives in the stream, so it ends with it.
            let seen = stream.inspect(move |chunk| match chunk {
                Ok(ModelChunk::Usage(usage)) => {
                    answer.record("gen_ai.usage.input_tokens", usage.input_tokens);
                    answer.record("gen_ai.usage.output_tokens", usage.output_tokens);
                }
                Ok(ModelChunk::Finish(reason)) => {
                    answer.record("gen_ai.response.finish_reasons", reason.as_str());
                }
                Ok(_) => {}
                Err(err) => fail(&answer, err.kind.as_str()),
            });
            Ok(seen.boxed())
        }
        .instrument(span)
        .boxed()
    }

    fn on_acting<'a>(
        &'a self,
        call: ActingCall<'a>,
        next: Next<'a, ActingCall<'a>, Result<(), ToolError>>,
    ) -> BoxFuture<'a, Result<(), ToolError>> {
        let span = tool_span(&call.tool, &call.input.call);
        let tool = span.clone();
        async move { next.run(call).await.inspect_err(|_| fail(&tool, "tool_error")) }.instrument(span).boxed()
    }
}
