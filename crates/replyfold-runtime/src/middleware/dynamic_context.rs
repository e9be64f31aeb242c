//! What a model cannot know from the context.

use super::{Middleware, Next, ReasoningCall, RoundEnd};
use chrono::{DateTime, FixedOffset, Offset as _, Utc};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use replyfold_event::{AgentEvent, HintBlock};
use replyfold_message::{Failure, Hint};
use serde_json::json;
use std::time::{Duration, UNIX_EPOCH};

/// Tells the model the time: before the first round of all, and before a round when the time that was told last is half an hour old
/// (`runtime.md` 11.3).
///
/// It is told as a `HINT_BLOCK`, which stays in the message: so what the model was told when can be seen later.
///
/// ```
/// use replyfold_runtime::middleware::DynamicContext;
/// use std::time::Duration;
///
/// let context = DynamicContext::new().utc_offset_minutes(120).every(Duration::from_secs(600));
/// # let _: Box<dyn replyfold_runtime::middleware::Middleware> = Box::new(context);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DynamicContext {
    every: Duration,
    offset: FixedOffset,
    key: String,
}

impl Default for DynamicContext {
    fn default() -> Self {
        Self::new()
    }
}

impl DynamicContext {
    /// The time in UTC, every half an hour.
    #[must_use]
    pub fn new() -> Self {
        Self { every: Duration::from_secs(1800), offset: offset(0), key: "dynamicContext".to_owned() }
    }

    /// The time is told again when it is so old.
    #[must_use]
    pub fn every(mut self, every: Duration) -> Self {
        self.every = every;
        self
    }

    /// The time of a zone this many minutes east of UTC, or west if negative; a day and more stays UTC.
    #[must_use]
    pub fn utc_offset_minutes(mut self, minutes: i32) -> Self {
        self.offset = offset(minutes);
        self
    }

    /// The key under which the time of the last hint is kept, `dynamicContext` without a word: a second one of an agent needs another.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = key.into();
        self
    }
}

fn offset(minutes: i32) -> FixedOffset {
    minutes.checked_mul(60).and_then(FixedOffset::east_opt).unwrap_or_else(|| Utc.fix())
}

impl Middleware for DynamicContext {
    fn keys(&self) -> Vec<&str> {
        vec![&self.key]
    }

    fn on_reasoning<'a>(
        &'a self,
        call: ReasoningCall,
        next: Next<'a, ReasoningCall, Result<RoundEnd, Failure>>,
    ) -> BoxFuture<'a, Result<RoundEnd, Failure>> {
        async move {
            let scope = &call.scope;
            let now = scope.now();
            let told = scope.kept(&self.key).and_then(|value| value.as_u64()).map(|millis| UNIX_EPOCH + Duration::from_millis(millis));
            // A clock that was set back tells the time anew.
            let is_due = told.is_none_or(|told| now.duration_since(told).is_ok_and(|age| age >= self.every) || now < told);
            if is_due {
                let since = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
                scope.keep(&self.key, json!(u64::try_from(since).unwrap_or(u64::MAX)));
                let time = DateTime::<Utc>::from(now).with_timezone(&self.offset).format("%A, %Y-%m-%d %H:%M (UTC%:z)");
                let hint = HintBlock::new(scope.reply_id().clone(), scope.new_id().as_str(), Hint::from(format!("It is {time}.")))
                    .with_hint_source(json!({"label": "System", "sublabel": "Runtime State"}).to_string());
                call.events.emit(AgentEvent::new(hint)).await;
            }
            next.run(call).await
        }
        .boxed()
    }
}
