use super::payload;
use replyfold_message::json::{DecodeError, FieldValue, Value, Writer};
use replyfold_message::{Failure, ReplyId, Usage};

payload! {
    /// The model is called.
    ///
    /// Sent once per attempt. Wire: `docs/wire/events.md#model_call_start`.
    ModelCallStart {
        required {
            /// The reply.
            reply_id: ReplyId = "replyId",
        }
        optional {
            /// Name of the model.
            model_name: String = "modelName", with_model_name;
        }
    }
}

payload! {
    /// The model's answer is complete, or the call failed: then with `error`, and with `retry` if it is tried again.
    ///
    /// Sent once per attempt, after the end of its blocks. Wire: `docs/wire/events.md#model_call_end`.
    ModelCallEnd {
        required {
            /// The reply.
            reply_id: ReplyId = "replyId",
        }
        group {
            /// Tokens that this call spent; `None` when the provider gave no counts.
            usage: Option<Usage>,
        }
        optional {
            /// Why the model stopped, in the provider's word.
            finished_reason: String = "finishedReason", with_finished_reason;
            /// Why the call failed.
            error: Box<Failure> = "error", with_error;
            /// The call is tried again after this.
            retry: Retry = "retry", with_retry;
        }
    }
}

/// A failed model call is tried again (`wire.md` section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Retry {
    /// Number of the retry, from 1.
    pub attempt: u64,
    /// Most retries of this call.
    pub max_retries: u64,
    /// Wait before the retry, in milliseconds.
    pub delay_ms: u64,
}

impl Retry {
    /// Retry number `attempt` of at most `max_retries`, after `delay_ms` milliseconds.
    #[must_use]
    pub const fn new(attempt: u64, max_retries: u64, delay_ms: u64) -> Self {
        Self { attempt, max_retries, delay_ms }
    }
}

impl FieldValue for Retry {
    fn read(value: Value<'_>) -> Result<Self, DecodeError> {
        let fields = value.object()?;
        Ok(Self::new(fields.required("attempt")?, fields.required("maxRetries")?, fields.required("delayMs")?))
    }

    fn write(&self, out: &mut Writer<'_>) {
        out.object(|object| {
            object.field("attempt", &self.attempt);
            object.field("maxRetries", &self.max_retries);
            object.field("delayMs", &self.delay_ms);
        });
    }
}
