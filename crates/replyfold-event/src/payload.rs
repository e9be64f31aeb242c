//! The payloads: one struct an event, one file a family, in the order in which they happen.

mod agent;
mod confirm;
mod control;
mod data_block;
mod extension;
mod external;
mod model_call;
mod subagent;
mod text_block;
mod thinking_block;
mod tool_call;
mod tool_result;

pub use agent::{AgentEnd, AgentStart};
pub use confirm::{ConfirmResult, RequireUserConfirm, UserConfirmResult};
pub use control::{ExceedMaxIters, RequestStop};
pub use data_block::{DataBlockDelta, DataBlockEnd, DataBlockStart};
pub use extension::{AgentResult, AllToolsDenied, Custom, HintBlock, UserInterrupt};
pub use external::{ExternalExecutionResult, RequireExternalExecution};
pub use model_call::{ModelCallEnd, ModelCallStart, Retry};
pub use subagent::SubagentExposed;
pub use text_block::{TextBlockDelta, TextBlockEnd, TextBlockStart};
pub use thinking_block::{ThinkingBlockDelta, ThinkingBlockEnd, ThinkingBlockStart};
pub use tool_call::{ToolCallDelta, ToolCallEnd, ToolCallStart};
pub use tool_result::{ToolResultDataDelta, ToolResultEnd, ToolResultStart, ToolResultTextDelta};

use replyfold_message::json::{DecodeError, FieldValue, Fields, ObjectWriter};

/// One field of a payload on the canonical wire, for reference pages and for programs that list the taxonomy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldInfo {
    /// Key of the field.
    pub key: &'static str,
    /// What it holds.
    pub doc: &'static str,
    /// Whether it must be there.
    pub required: bool,
}

impl FieldInfo {
    pub(crate) const fn new(key: &'static str, doc: &'static str, required: bool) -> Self {
        Self { key, doc, required }
    }
}

/// A payload on the canonical wire.
pub(crate) trait Wire: Sized {
    /// Its own fields in the order of the wire, each list a run of fields that are read together.
    const FIELDS: &'static [&'static [FieldInfo]];

    fn read(fields: &Fields<'_>) -> Result<Self, DecodeError>;
    fn write(&self, object: &mut ObjectWriter<'_>);
}

/// Several wire fields that make one value.
pub(crate) trait FieldGroup: Sized {
    const FIELDS: &'static [FieldInfo];

    fn read(fields: &Fields<'_>) -> Result<Self, DecodeError>;
    fn write(&self, object: &mut ObjectWriter<'_>);
}

/// Makes a payload from the list of its fields.
///
/// Makes: the struct, `new` with the required fields, one `with_*` for each optional one, and its canonical wire ([`Wire`]).
/// Field order is wire order. `group` fields are several wire fields that make one value ([`FieldGroup`]).
macro_rules! payload {
    (
        $(#[$doc:meta])*
        $name:ident {
            $(required { $($(#[doc = $req_doc:literal])+ $req:ident: $req_ty:ty = $req_key:literal,)+ })?
            $(group { $(#[doc = $group_doc:literal])+ $group:ident: $group_ty:ty, })?
            $(optional { $($(#[doc = $opt_doc:literal])+ $opt:ident: $opt_ty:ty = $opt_key:literal, $with:ident;)+ })?
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub struct $name {
            $($($(#[doc = $req_doc])+ pub $req: $req_ty,)+)?
            $($(#[doc = $group_doc])+ pub $group: $group_ty,)?
            $($($(#[doc = $opt_doc])+ pub $opt: Option<$opt_ty>,)+)?
        }

        impl $name {
            /// An event with its required fields.
            #[must_use]
            #[allow(clippy::new_without_default, clippy::allow_attributes, reason = "a payload says something; a default one would not")]
            pub fn new($($($req: impl Into<$req_ty>,)+)? $($group: impl Into<$group_ty>,)?) -> Self {
                Self {
                    $($($req: $req.into(),)+)?
                    $($group: $group.into(),)?
                    $($($opt: None,)+)?
                }
            }

            $($(
                $(#[doc = $opt_doc])+
                #[must_use]
                pub fn $with(mut self, value: impl Into<$opt_ty>) -> Self {
                    self.$opt = Some(value.into());
                    self
                }
            )+)?
        }

        impl $crate::payload::Wire for $name {
            const FIELDS: &'static [&'static [$crate::payload::FieldInfo]] = &[
                $(&[$($crate::payload::FieldInfo::new($req_key, concat!($($req_doc,)+), true),)+],)?
                $(<$group_ty as $crate::payload::FieldGroup>::FIELDS,)?
                $(&[$($crate::payload::FieldInfo::new($opt_key, concat!($($opt_doc,)+), false),)+],)?
            ];

            fn read(_fields: &replyfold_message::json::Fields<'_>) -> Result<Self, replyfold_message::json::DecodeError> {
                Ok(Self {
                    $($($req: _fields.required($req_key)?,)+)?
                    $($group: $crate::payload::FieldGroup::read(_fields)?,)?
                    $($($opt: _fields.required($opt_key)?,)+)?
                })
            }

            fn write(&self, _object: &mut replyfold_message::json::ObjectWriter<'_>) {
                // A demanded field is written also when it is empty.
                $($(replyfold_message::json::FieldValue::write(&self.$req, &mut _object.key($req_key));)+)?
                $($crate::payload::FieldGroup::write(&self.$group, _object);)?
                $($(_object.field($opt_key, &self.$opt);)+)?
            }
        }
    };
}

pub(crate) use payload;

/// Both or neither of the counts, as `MODEL_CALL_END` has them.
impl FieldGroup for Option<replyfold_message::Usage> {
    const FIELDS: &'static [FieldInfo] = &[
        FieldInfo::new("inputTokens", "tokens sent; together with `outputTokens` or not at all", false),
        FieldInfo::new("outputTokens", "tokens written by the model", false),
        FieldInfo::new("cacheInputTokens", "input tokens read from the provider's cache", false),
        FieldInfo::new("cacheCreationInputTokens", "input tokens written to the provider's cache", false),
    ];

    fn read(fields: &Fields<'_>) -> Result<Self, DecodeError> {
        let count = |key| fields.required::<Option<u64>>(key);
        let cache = (count("cacheInputTokens")?, count("cacheCreationInputTokens")?);
        match (count("inputTokens")?, count("outputTokens")?, cache) {
            (Some(input), Some(output), (read, created)) => {
                Ok(Some(replyfold_message::Usage::new(input, output).with_cache(read.unwrap_or_default(), created.unwrap_or_default())))
            }
            (None, None, (None, None)) => Ok(None),
            (None, _, _) => Err(DecodeError::missing("inputTokens")),
            (_, None, _) => Err(DecodeError::missing("outputTokens")),
        }
    }

    fn write(&self, object: &mut ObjectWriter<'_>) {
        if let Some(usage) = self {
            object.field("inputTokens", &usage.input_tokens);
            object.field("outputTokens", &usage.output_tokens);
            for (key, count) in
                [("cacheInputTokens", usage.cache_input_tokens), ("cacheCreationInputTokens", usage.cache_creation_input_tokens)]
            {
                if count > 0 {
                    FieldValue::write(&count, &mut object.key(key));
                }
            }
        }
    }
}
