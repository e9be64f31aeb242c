//! The three dialects.

use std::{error, fmt, str::FromStr};

/// A wire format of the one taxonomy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// Ours: the published taxonomy as its design describes it.
    Canonical,
    /// What AgentScope Java 2.x puts on the wire.
    Java,
    /// What AgentScope Python 2.0 puts on the wire.
    Python,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: [Self; 3] = [Self::Canonical, Self::Java, Self::Python];

    /// Its name, in lower case.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Canonical => "canonical",
            Self::Java => "java",
            Self::Python => "python",
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A word that names no dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownDialect(String);

impl fmt::Display for UnknownDialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected `canonical`, `java` or `python`, found `{}`", self.0)
    }
}

impl error::Error for UnknownDialect {}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(word: &str) -> Result<Self, UnknownDialect> {
        Self::ALL.into_iter().find(|dialect| dialect.as_str() == word).ok_or_else(|| UnknownDialect(word.to_owned()))
    }
}
