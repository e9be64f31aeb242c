//! A limit of what a reply may cost.

use super::{Middleware, ModelCall, Next, ReasoningCall, ReplyCall, RoundEnd, Scope};
use crate::model::{ModelChunk, ModelError, ModelErrorKind, ModelStream, ToolChoice};
use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _};
use replyfold_message::{Failure, Usage};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::{Duration, UNIX_EPOCH};

/// What the model is told once the budget is spent.
const WRAP_UP: &str = "The budget of this reply is spent, and tools are switched off. Answer now, from what you have.";

/// A limit of what one reply may cost: tokens, model calls, time (`middleware.md` 7).
///
/// It is looked at before each round, so what crosses it is finished. Then the model is asked once more, without tools, to answer from what it
/// has; if it does not, the reply fails with type `budget`. Whoever has to stop at once cancels the run.
///
/// Every attempt counts, also one that failed, with the tokens that the provider told of it. The count goes on when the reply was parked; the
/// time that it waited for people does not count.
///
/// ```
/// use replyfold_runtime::middleware::Budget;
/// use std::time::Duration;
///
/// let budget = Budget::new().tokens(200_000).model_calls(20).time(Duration::from_secs(300));
/// # let _: Box<dyn replyfold_runtime::middleware::Middleware> = Box::new(budget);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    tokens: Option<u64>,
    weights: (f64, f64),
    model_calls: Option<u64>,
    time: Option<Duration>,
    key: String,
}

/// What a reply has cost, as it is kept.
#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Spent {
    reply: String,
    input_tokens: u64,
    output_tokens: u64,
    model_calls: u64,
    /// Milliseconds of the runs that are over, and when the one that goes on began.
    millis: u64,
    since: Option<u64>,
    /// The model was asked to come to an end.
    is_warned: bool,
}

impl Default for Budget {
    fn default() -> Self {
        Self { tokens: None, weights: (1.0, 1.0), model_calls: None, time: None, key: "budget".to_owned() }
    }
}

impl Budget {
    /// No limit yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// So many tokens, input and output, each with its weight. A provider that tells no usage spends none.
    #[must_use]
    pub fn tokens(mut self, most: u64) -> Self {
        self.tokens = Some(most);
        self
    }

    /// What a token of input, and one of output, counts; 1 without a word.
    #[must_use]
    pub fn weights(mut self, input: f64, output: f64) -> Self {
        self.weights = (input, output);
        self
    }

    /// So many attempts to call a model.
    #[must_use]
    pub fn model_calls(mut self, most: u64) -> Self {
        self.model_calls = Some(most);
        self
    }

    /// So much time at work, by the agent's clock.
    #[must_use]
    pub fn time(mut self, most: Duration) -> Self {
        self.time = Some(most);
        self
    }

    /// The key under which the count is kept, `budget` without a word: a second budget of an agent needs another.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = key.into();
        self
    }

    fn update<R>(&self, scope: &Scope, change: impl FnOnce(&mut Spent) -> R) -> R {
        update(scope, &self.key, change)
    }

    /// Which limit is reached, in words.
    fn reached(&self, spent: &Spent, now: u64) -> Option<String> {
        let (input, output) = self.weights;
        // Counts of tokens are far below where a float is not exact.
        let tokens = spent.input_tokens as f64 * input + spent.output_tokens as f64 * output;
        let millis = spent.millis.saturating_add(spent.since.map_or(0, |since| now.saturating_sub(since)));
        if let Some(most) = self.tokens.filter(|most| tokens >= *most as f64) {
            return Some(format!("{tokens} of {most} tokens"));
        }
        if let Some(most) = self.model_calls.filter(|most| spent.model_calls >= *most) {
            return Some(format!("{} of {most} model calls", spent.model_calls));
        }
        let most = self.time.filter(|most| u128::from(millis) >= most.as_millis())?;
        Some(format!("{} of {} s", millis as f64 / 1000.0, most.as_secs_f64()))
    }
}

/// Changes what the reply has cost; another reply begins anew.
fn update<R>(scope: &Scope, key: &str, change: impl FnOnce(&mut Spent) -> R) -> R {
    scope.update(key, |kept| {
        let mut spent: Spent = serde_json::from_value(kept.take()).unwrap_or_default();
        if spent.reply != scope.reply_id().as_str() {
            spent = Spent { reply: scope.reply_id().as_str().to_owned(), ..Spent::default() };
        }
        let result = change(&mut spent);
        // A struct of numbers and text is a value.
        *kept = serde_json::to_value(spent).unwrap_or(Value::Null);
        result
    })
}

fn millis(scope: &Scope) -> u64 {
    let since = scope.now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

impl Middleware for Budget {
    fn keys(&self) -> Vec<&str> {
        vec![&self.key]
    }

    fn on_reply<'a>(&'a self, call: ReplyCall, next: Next<'a, ReplyCall, Result<(), Failure>>) -> BoxFuture<'a, Result<(), Failure>> {
        async move {
            let scope = call.scope.clone();
            let now = millis(&scope);
            self.update(&scope, |spent| spent.since = Some(now));
            let result = next.run(call).await;
            let now = millis(&scope);
            self.update(&scope, |spent| {
                let run = spent.since.take().map_or(0, |since| now.saturating_sub(since));
                spent.millis = spent.millis.saturating_add(run);
            });
            result
        }
        .boxed()
    }

    fn on_reasoning<'a>(
        &'a self,
        mut call: ReasoningCall,
        next: Next<'a, ReasoningCall, Result<RoundEnd, Failure>>,
    ) -> BoxFuture<'a, Result<RoundEnd, Failure>> {
        async move {
            let now = millis(&call.scope);
            let reached = self.update(&call.scope, |spent| {
                let reached = self.reached(spent, now)?;
                Some((reached, std::mem::replace(&mut spent.is_warned, true)))
            });
            match reached {
                None => {}
                Some((_, false)) => {
                    call.tool_choice = ToolChoice::None;
                    call.hints.push(WRAP_UP.to_owned());
                }
                Some((told, true)) => {
                    let failure = Failure::new(format!("the budget of the reply is spent: {told}"));
                    return Err(failure.with_kind(ModelErrorKind::Budget.as_str().to_owned()));
                }
            }
            next.run(call).await
        }
        .boxed()
    }

    fn on_model_call<'a>(
        &'a self,
        call: ModelCall,
        next: Next<'a, ModelCall, Result<ModelStream, ModelError>>,
    ) -> BoxFuture<'a, Result<ModelStream, ModelError>> {
        async move {
            let scope = call.scope.clone();
            self.update(&scope, |spent| spent.model_calls += 1);
            let answer = next.run(call).await?;
            let (key, mut counted) = (self.key.clone(), Usage::new(0, 0));
            let counting = answer.inspect(move |chunk| {
                let Ok(ModelChunk::Usage(usage)) = chunk else { return };
                // Providers count up: only what is more than was told before is new.
                let usage = usage.max(counted);
                update(&scope, &key, |spent| {
                    spent.input_tokens = spent.input_tokens.saturating_add(usage.input_tokens - counted.input_tokens);
                    spent.output_tokens = spent.output_tokens.saturating_add(usage.output_tokens - counted.output_tokens);
                });
                counted = usage;
            });
            Ok(counting.boxed())
        }
        .boxed()
    }
}
