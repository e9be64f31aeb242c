//! JSON at the level the wire needs it: the fields of one object as raw text, exact numbers, errors that name the field.
//!
//! This is what the event crate and the dialect adapters are built from. Nothing here knows an event or a dialect.

mod error;
mod fields;
mod scan;
mod string;
mod surrogate;
mod text;
mod value;
mod writer;

pub use error::DecodeError;
pub use fields::Fields;
pub use string::{StringSpan, can_unescape, unescape_into};
pub use surrogate::replace_lone_surrogates;
pub use text::{JsonObject, JsonText};
pub use value::{FieldValue, Value, ValueKind};
pub use writer::{ObjectWriter, Style, Writer};
