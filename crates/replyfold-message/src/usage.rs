//! Token counts.

use crate::json::{DecodeError, FieldValue, Value, Writer};

/// Tokens spent, as counted by the model's provider. All counts are numbers of tokens; an absent count is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Usage {
    /// Tokens sent to the model.
    pub input_tokens: u64,
    /// Tokens that the model wrote.
    pub output_tokens: u64,
    /// Input tokens that were read from the provider's cache.
    pub cache_input_tokens: u64,
    /// Input tokens that were written to the provider's cache.
    pub cache_creation_input_tokens: u64,
}

impl Usage {
    /// Usage without a cache.
    #[must_use]
    pub const fn new(input_tokens: u64, output_tokens: u64) -> Self {
        Self { input_tokens, output_tokens, cache_input_tokens: 0, cache_creation_input_tokens: 0 }
    }

    /// With these tokens read from and written to the cache.
    #[must_use]
    pub const fn with_cache(mut self, read: u64, created: u64) -> Self {
        self.cache_input_tokens = read;
        self.cache_creation_input_tokens = created;
        self
    }

    /// The greater of each number: what one call has spent of which providers tell now this, now that.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.max(other.input_tokens),
            output_tokens: self.output_tokens.max(other.output_tokens),
            cache_input_tokens: self.cache_input_tokens.max(other.cache_input_tokens),
            cache_creation_input_tokens: self.cache_creation_input_tokens.max(other.cache_creation_input_tokens),
        }
    }

    /// The sum, field by field; a sum above `u64::MAX` stays there (`reduction.md` section 2, `MODEL_CALL_END`).
    #[must_use]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cache_input_tokens: self.cache_input_tokens.saturating_add(other.cache_input_tokens),
            cache_creation_input_tokens: self.cache_creation_input_tokens.saturating_add(other.cache_creation_input_tokens),
        }
    }
}

impl FieldValue for Usage {
    fn read(value: Value<'_>) -> Result<Self, DecodeError> {
        let fields = value.object()?;
        let count = |key| fields.optional(key, Value::u64).map(Option::unwrap_or_default);
        Ok(Self {
            input_tokens: count("inputTokens")?,
            output_tokens: count("outputTokens")?,
            cache_input_tokens: count("cacheInputTokens")?,
            cache_creation_input_tokens: count("cacheCreationInputTokens")?,
        })
    }

    fn write(&self, out: &mut Writer<'_>) {
        out.object(|object| {
            object.field("inputTokens", &self.input_tokens);
            object.field("outputTokens", &self.output_tokens);
            object.field("cacheInputTokens", &self.cache_input_tokens);
            object.field("cacheCreationInputTokens", &self.cache_creation_input_tokens);
        });
    }
}
