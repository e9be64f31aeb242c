//! The Python dialect: snake_case, nulls written, most fields demanded (`wire.md` section 5; `FACTS.md` of the Python corpus).

mod blocks;
mod guess;
mod read;
mod scalars;
mod write;

pub(crate) use read::{read, read_fields, read_msg};
pub(crate) use write::{write, write_msg};

/// Name of the dialect in residues.
pub(crate) const NAME: &str = "python";

/// The types that Python has, in the order in which its reader tries them.
pub(crate) const TYPES: [&str; 28] = [
    "REPLY_START",
    "REPLY_END",
    "EXCEED_MAX_ITERS",
    "REQUIRE_USER_CONFIRM",
    "REQUIRE_EXTERNAL_EXECUTION",
    "MODEL_CALL_START",
    "MODEL_CALL_END",
    "TEXT_BLOCK_START",
    "TEXT_BLOCK_DELTA",
    "TEXT_BLOCK_END",
    "DATA_BLOCK_START",
    "DATA_BLOCK_DELTA",
    "DATA_BLOCK_END",
    "THINKING_BLOCK_START",
    "THINKING_BLOCK_DELTA",
    "THINKING_BLOCK_END",
    "HINT_BLOCK",
    "TOOL_CALL_START",
    "TOOL_CALL_DELTA",
    "TOOL_CALL_END",
    "TOOL_RESULT_START",
    "TOOL_RESULT_TEXT_DELTA",
    "TOOL_RESULT_DATA_DELTA",
    "TOOL_RESULT_END",
    "USER_CONFIRM_RESULT",
    "USER_INTERRUPT",
    "EXTERNAL_EXECUTION_RESULT",
    "CUSTOM",
];
