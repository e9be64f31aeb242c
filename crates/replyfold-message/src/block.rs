//! The six kinds of content blocks (`wire.md` section 4).
//!
//! Every block may carry the time it was opened and closed. In a message that is still being built, a block without `finished_at` is open.

mod call;
mod data;
mod hint;
mod result;
mod text;
mod thinking;

pub use call::ToolCallBlock;
pub use data::DataBlock;
pub use hint::{Hint, HintBlock};
pub use result::ToolResultBlock;
pub use text::TextBlock;
pub use thinking::ThinkingBlock;

use crate::Timestamp;
use crate::json::{DecodeError, FieldValue, Fields, ObjectWriter, Value, Writer};

/// Makes builder methods: `name(field: Option<T>)` sets the field to `Some(value.into())`.
macro_rules! with {
    ($($(#[$doc:meta])* $name:ident($field:ident: Option<$ty:ty>))*) => {
        $($(#[$doc])*
        #[must_use]
        pub fn $name(mut self, value: impl Into<$ty>) -> Self {
            self.$field = Some(value.into());
            self
        })*
    };
}

pub(crate) use with;

/// A piece of a message's content.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Block {
    /// Text for the reader.
    Text(TextBlock),
    /// Reasoning of the model.
    Thinking(ThinkingBlock),
    /// Media.
    Data(DataBlock),
    /// A call of a tool (`tool_use` on the wire).
    ToolCall(ToolCallBlock),
    /// What a tool answered.
    ToolResult(ToolResultBlock),
    /// A hint that the host gave to the model.
    Hint(HintBlock),
}

impl Block {
    /// How deep blocks may stand in each other's `output` or `hint` when they are read; the outermost is number 1.
    ///
    /// `wire.md` section 4 has text and data there, so two; Java may write any block there, results with results included. The bound keeps a
    /// line of a few kilobytes from taking the stack or the time of its reader. Building and writing are not bounded.
    pub const MAX_DEPTH: usize = 32;

    /// Reads the block that stands as number `depth` of those in each other.
    fn read_at(value: Value<'_>, depth: usize) -> Result<Self, DecodeError> {
        Self::check_depth(depth)?;
        Self::read_tagged(value, depth)
    }

    /// Whether a block may stand as number `depth` of those in each other; for readers of dialects.
    ///
    /// # Errors
    ///
    /// `depth` is above [`MAX_DEPTH`](Self::MAX_DEPTH).
    pub fn check_depth(depth: usize) -> Result<(), DecodeError> {
        match depth <= Self::MAX_DEPTH {
            true => Ok(()),
            false => Err(DecodeError::invalid(format!("blocks stand in each other more than {} deep", Self::MAX_DEPTH))),
        }
    }

    /// The `type` on the canonical wire.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Thinking(_) => "thinking",
            Self::Data(_) => "data",
            Self::ToolCall(_) => "tool_use",
            Self::ToolResult(_) => "tool_result",
            Self::Hint(_) => "hint",
        }
    }

    /// The id as text: a block id, or the id of the call for calls and results.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        match self {
            Self::Text(block) => block.id.as_ref().map(AsRef::as_ref),
            Self::Thinking(block) => block.id.as_ref().map(AsRef::as_ref),
            Self::Data(block) => block.id.as_ref().map(AsRef::as_ref),
            Self::ToolCall(block) => Some(block.id.as_str()),
            Self::ToolResult(block) => Some(block.id.as_str()),
            Self::Hint(block) => block.id.as_ref().map(AsRef::as_ref),
        }
    }

    /// When the block was opened.
    #[must_use]
    pub fn created_at(&self) -> Option<&Timestamp> {
        self.times().0.as_ref()
    }

    /// When the block was closed; `None` while it is open, and where the log does not tell.
    #[must_use]
    pub fn finished_at(&self) -> Option<&Timestamp> {
        self.times().1.as_ref()
    }

    fn times(&self) -> (&Option<Timestamp>, &Option<Timestamp>) {
        match self {
            Self::Text(block) => (&block.created_at, &block.finished_at),
            Self::Thinking(block) => (&block.created_at, &block.finished_at),
            Self::Data(block) => (&block.created_at, &block.finished_at),
            Self::ToolCall(block) => (&block.created_at, &block.finished_at),
            Self::ToolResult(block) => (&block.created_at, &block.finished_at),
            Self::Hint(block) => (&block.created_at, &block.finished_at),
        }
    }
}

/// Makes the way into and out of [`Block`] for one kind: `From`, and [`FieldValue`] with the `type` checked and written first.
macro_rules! kind {
    ($($block:ident in $variant:ident = $tag:literal,)+) => {
        $(
            impl From<$block> for Block {
                fn from(block: $block) -> Self {
                    Self::$variant(block)
                }
            }

            impl FieldValue for $block {
                fn read(value: Value<'_>) -> Result<Self, DecodeError> {
                    let fields = value.object()?;
                    match fields.tag()?.as_ref() {
                        $tag => Self::read_fields(&fields, 1),
                        other => Err(DecodeError::invalid(format!(concat!("expected `", $tag, "`, found `{}`"), other)).within("type")),
                    }
                }

                fn write(&self, out: &mut Writer<'_>) {
                    out.object(|object| {
                        object.string("type", $tag);
                        self.write_fields(object);
                        object.field("createdAt", &self.created_at);
                        object.field("finishedAt", &self.finished_at);
                    });
                }
            }
        )+

        impl Block {
            fn read_tagged(value: Value<'_>, depth: usize) -> Result<Self, DecodeError> {
                let fields = value.object()?;
                match fields.tag()?.as_ref() {
                    $($tag => $block::read_fields(&fields, depth).map(Self::$variant),)+
                    other => Err(DecodeError::invalid(format!(
                        concat!("expected one of", $(" `", $tag, "`",)+ ", found `{}`"), other
                    )).within("type")),
                }
            }
        }

        impl FieldValue for Block {
            fn read(value: Value<'_>) -> Result<Self, DecodeError> {
                Self::read_at(value, 1)
            }

            fn write(&self, out: &mut Writer<'_>) {
                match self {
                    $(Self::$variant(block) => block.write(out),)+
                }
            }
        }
    };
}

kind! {
    TextBlock in Text = "text",
    ThinkingBlock in Thinking = "thinking",
    DataBlock in Data = "data",
    ToolCallBlock in ToolCall = "tool_use",
    ToolResultBlock in ToolResult = "tool_result",
    HintBlock in Hint = "hint",
}

/// The fields of one kind of block, without `type` and the two times.
trait BlockFields: Sized {
    /// `depth` is the block's number among those in each other.
    fn read_fields(fields: &Fields<'_>, depth: usize) -> Result<Self, DecodeError>;
    fn write_fields(&self, object: &mut ObjectWriter<'_>);
}
