//! The Java dialect, and the reader that takes canonical and Java lines alike (`wire.md` section 5; `FACTS.md` of the Java corpus).

mod blocks;
mod kept;
mod messages;
mod read;
mod scalars;
mod write;

pub(crate) use messages::{read_msg, write_msg};
pub(crate) use read::{Extra, Lenience, read, read_fields};
pub(crate) use write::write;

/// Name of the dialect in residues.
pub(crate) const NAME: &str = "java";

/// Media type of data whose type Java does not tell.
pub(crate) const UNKNOWN_MEDIA: &str = "application/octet-stream";
