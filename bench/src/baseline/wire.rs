//! The taxonomy as serde users write it down: an enum told apart by `type`, every string owned; once with the envelope in each variant,
//! once with the variants flattened into the envelope.

use super::body::Envelope;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Counts as Java nests them.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the names are those of the wire")]
pub struct JavaUsage {
    pub input_tokens: u64,
    pub output_tokens: u64,
    #[serde(default)]
    pub cached_tokens: u64,
    #[serde(default)]
    pub time: f64,
    #[serde(default)]
    pub total_tokens: u64,
}

/// An event as serde reads it.
pub trait Wire: DeserializeOwned {
    /// Its envelope and its own fields.
    fn into_parts(self) -> (Envelope, Body);
}

/// Makes the table of events once for each of the two cases of keys.
macro_rules! table {
    ($($event:ident = $camel:literal / $snake:literal { $($field:ident: $ty:ty),* ; $($opt:ident: $opt_ty:ty),* })+) => {
        /// The own fields of an event, whatever its wire.
        #[derive(Debug)]
        #[expect(missing_docs, reason = "the names are those of the wire")]
        pub enum Body { $($event { $($field: $ty,)* $($opt: Option<$opt_ty>,)* },)+ }

        case! { camel, "camelCase", "Keys in camel case: canonical and Java.", $($event = $camel { $($field: $ty),* ; $($opt: $opt_ty),* })+ }
        case! { snake, "snake_case", "Keys in snake case: Python.", $($event = $snake { $($field: $ty),* ; $($opt: $opt_ty),* })+ }
    };
}

/// Makes a module with `Tagged` and `Flattened` for one case of keys.
macro_rules! case {
    ($module:ident, $case:literal, $doc:literal, $($event:ident = $word:literal { $($field:ident: $ty:ty),* ; $($opt:ident: $opt_ty:ty),* })+) => {
        #[doc = $doc]
        #[expect(missing_docs, reason = "the names are those of the wire")]
        pub mod $module {
            use super::*;

            /// Internally tagged, the envelope in each variant.
            #[derive(Debug, Deserialize, Serialize)]
            #[serde(tag = "type", rename_all_fields = $case)]
            pub enum Tagged {
                $(#[serde(rename = $word)]
                $event {
                    id: String,
                    created_at: String,
                    $($field: $ty,)*
                    $(#[serde(default, skip_serializing_if = "Option::is_none")] $opt: Option<$opt_ty>,)*
                    #[serde(default, skip_serializing_if = "Option::is_none")]
                    source: Option<String>,
                    #[serde(default, skip_serializing_if = "Option::is_none")]
                    metadata: Option<serde_json::Map<String, Value>>,
                },)+
            }

            /// The envelope, with the tagged variants flattened into it.
            #[derive(Debug, Deserialize, Serialize)]
            #[serde(rename_all = $case)]
            pub struct Flattened {
                id: String,
                created_at: String,
                #[serde(default, skip_serializing_if = "Option::is_none")]
                source: Option<String>,
                #[serde(default, skip_serializing_if = "Option::is_none")]
                metadata: Option<serde_json::Map<String, Value>>,
                #[serde(flatten)]
                own: Own,
            }

            /// The variants without the envelope.
            #[derive(Debug, Deserialize, Serialize)]
            #[serde(tag = "type", rename_all_fields = $case)]
            pub enum Own {
                $(#[serde(rename = $word)]
                $event {
                    $($field: $ty,)*
                    $(#[serde(default, skip_serializing_if = "Option::is_none")] $opt: Option<$opt_ty>,)*
                },)+
            }

            impl Wire for Tagged {
                fn into_parts(self) -> (Envelope, Body) {
                    match self {
                        $(Self::$event { id, created_at, $($field,)* $($opt,)* source, metadata } => {
                            (Envelope { id, created_at, source, metadata }, Body::$event { $($field,)* $($opt,)* })
                        })+
                    }
                }
            }

            impl Wire for Flattened {
                fn into_parts(self) -> (Envelope, Body) {
                    let Self { id, created_at, source, metadata, own } = self;
                    let body = match own {
                        $(Own::$event { $($field,)* $($opt,)* } => Body::$event { $($field,)* $($opt,)* },)+
                    };
                    (Envelope { id, created_at, source, metadata }, body)
                }
            }
        }
    };
}

table! {
    AgentStart = "AGENT_START" / "REPLY_START" { reply_id: String ; session_id: String, name: String, role: String }
    AgentEnd = "AGENT_END" / "REPLY_END" { reply_id: String ; session_id: String, finished_reason: String, error: Value }
    ModelCallStart = "MODEL_CALL_START" / "MODEL_CALL_START" { reply_id: String ; model_name: String }
    ModelCallEnd = "MODEL_CALL_END" / "MODEL_CALL_END" {
        reply_id: String ;
        input_tokens: u64, output_tokens: u64, cache_input_tokens: u64, cache_creation_input_tokens: u64, usage: JavaUsage,
        finished_reason: String, error: Value, retry: Value
    }
    TextBlockStart = "TEXT_BLOCK_START" / "TEXT_BLOCK_START" { reply_id: String, block_id: String ; }
    TextBlockDelta = "TEXT_BLOCK_DELTA" / "TEXT_BLOCK_DELTA" { reply_id: String, block_id: String, delta: String ; }
    TextBlockEnd = "TEXT_BLOCK_END" / "TEXT_BLOCK_END" { reply_id: String, block_id: String ; text: String }
    ThinkingBlockStart = "THINKING_BLOCK_START" / "THINKING_BLOCK_START" { reply_id: String, block_id: String ; }
    ThinkingBlockDelta = "THINKING_BLOCK_DELTA" / "THINKING_BLOCK_DELTA" { reply_id: String, block_id: String, delta: String ; }
    ThinkingBlockEnd = "THINKING_BLOCK_END" / "THINKING_BLOCK_END" { reply_id: String, block_id: String ; }
    DataBlockStart = "DATA_BLOCK_START" / "DATA_BLOCK_START" { reply_id: String, block_id: String ; media_type: String, name: String }
    DataBlockDelta = "DATA_BLOCK_DELTA" / "DATA_BLOCK_DELTA" {
        reply_id: String, block_id: String ;
        data: String, delta: String, url: String, media_type: String
    }
    DataBlockEnd = "DATA_BLOCK_END" / "DATA_BLOCK_END" { reply_id: String, block_id: String ; }
    ToolCallStart = "TOOL_CALL_START" / "TOOL_CALL_START" { reply_id: String, tool_call_id: String, tool_call_name: String ; }
    ToolCallDelta = "TOOL_CALL_DELTA" / "TOOL_CALL_DELTA" {
        reply_id: String, tool_call_id: String, delta: String ;
        tool_call_name: String
    }
    ToolCallEnd = "TOOL_CALL_END" / "TOOL_CALL_END" { reply_id: String, tool_call_id: String ; tool_call_name: String }
    ToolResultStart = "TOOL_RESULT_START" / "TOOL_RESULT_START" { reply_id: String, tool_call_id: String, tool_call_name: String ; }
    ToolResultTextDelta = "TOOL_RESULT_TEXT_DELTA" / "TOOL_RESULT_TEXT_DELTA" {
        reply_id: String, tool_call_id: String, delta: String ;
        tool_call_name: String
    }
    ToolResultDataDelta = "TOOL_RESULT_DATA_DELTA" / "TOOL_RESULT_DATA_DELTA" {
        reply_id: String, tool_call_id: String ;
        tool_call_name: String, block_id: String, media_type: String, data: Value, url: String, name: String
    }
    ToolResultEnd = "TOOL_RESULT_END" / "TOOL_RESULT_END" { reply_id: String, tool_call_id: String, state: String ; tool_call_name: String }
    ExceedMaxIters = "EXCEED_MAX_ITERS" / "EXCEED_MAX_ITERS" { reply_id: String ; max_iters: i64, current_iter: i64, name: String }
    RequestStop = "REQUEST_STOP" / "REQUEST_STOP" { generate_reason: String ; reply_id: String, reason: String }
    RequireUserConfirm = "REQUIRE_USER_CONFIRM" / "REQUIRE_USER_CONFIRM" { reply_id: String, tool_calls: Vec<Value> ; }
    UserConfirmResult = "USER_CONFIRM_RESULT" / "USER_CONFIRM_RESULT" { reply_id: String, confirm_results: Vec<Value> ; }
    RequireExternalExecution = "REQUIRE_EXTERNAL_EXECUTION" / "REQUIRE_EXTERNAL_EXECUTION" { reply_id: String, tool_calls: Vec<Value> ; }
    ExternalExecutionResult = "EXTERNAL_EXECUTION_RESULT" / "EXTERNAL_EXECUTION_RESULT" { reply_id: String ; tool_results: Vec<Value>, execution_results: Vec<Value> }
    SubagentExposed = "SUBAGENT_EXPOSED" / "SUBAGENT_EXPOSED" {
        subagent_id: String, agent_id: String, session_id: String ;
        reply_id: String, label: String
    }
}
