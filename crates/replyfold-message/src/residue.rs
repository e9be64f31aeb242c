//! What stands beside a value and is no part of it.

use crate::EventId;
use crate::json::{JsonObject, Value};
use std::{fmt, sync::Arc};

/// Fields that only one dialect has, kept for writing the value back in that dialect (`wire.md` section 5, "Residue").
///
/// Set by dialect adapters; only the writer of the dialect that set it reads it, and it is no part of equality: two residues are always
/// equal. The data is shared, so a run of deltas with the same residue holds it once.
#[derive(Clone, Default)]
pub struct Residue(Option<Arc<Kept>>);

struct Kept {
    dialect: &'static str,
    fields: JsonObject,
}

impl Residue {
    /// The residue of a dialect, named by `dialect`.
    #[must_use]
    pub fn new(dialect: &'static str, fields: JsonObject) -> Self {
        Self((!fields.is_empty()).then(|| Arc::new(Kept { dialect, fields })))
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The fields, if this dialect set them.
    #[must_use]
    pub fn fields_of(&self, dialect: &str) -> Option<&JsonObject> {
        self.0.as_deref().filter(|kept| kept.dialect == dialect).map(|kept| &kept.fields)
    }

    /// One field, if this dialect set it.
    #[must_use]
    pub fn get(&self, dialect: &str, key: &str) -> Option<Value<'_>> {
        self.fields_of(dialect)?.get(key)
    }
}

impl PartialEq for Residue {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Residue {}

impl fmt::Debug for Residue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(kept) => write!(f, "{}:{:?}", kept.dialect, kept.fields),
            None => f.write_str("none"),
        }
    }
}

/// The event that opened a block, kept for blocks that have no id of their own.
///
/// The Python dialect demands an id of every block and fills it as `gen-<event id>` (`reduction.md` D7, D14). It is no part of equality:
/// two origins are always equal.
#[derive(Clone, Default)]
pub struct Origin(Option<EventId>);

impl Origin {
    /// The event with this id opened the block.
    #[must_use]
    pub fn new(event: Option<EventId>) -> Self {
        Self(event)
    }

    /// The event that opened the block, if it is known.
    #[must_use]
    pub fn event(&self) -> Option<&EventId> {
        self.0.as_ref()
    }
}

impl PartialEq for Origin {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Origin {}

impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(event) => f.write_str(event.as_str()),
            None => f.write_str("unknown"),
        }
    }
}
