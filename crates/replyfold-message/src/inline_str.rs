//! Short text kept in place: ids and time stamps.

use std::{fmt, hash, sync::Arc};

/// Longest text kept in place, in bytes: a 32-digit or dashed UUID, or a time stamp with nine decimals and a zone.
const INLINE: usize = 38;

/// Text of up to 38 bytes is kept in place, longer text is shared.
///
/// Either way a clone allocates nothing, and so an event does not allocate for its ids.
#[derive(Clone)]
pub(crate) enum InlineStr {
    /// `bytes[..len]` is UTF-8: `from` is the only place that fills it, and it copies a whole `str`.
    Inline {
        len: u8,
        bytes: [u8; INLINE],
    },
    Shared(Arc<str>),
}

impl InlineStr {
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Inline { .. } => std::str::from_utf8(self.as_bytes()).unwrap_or_default(),
            Self::Shared(text) => text,
        }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Inline { len, bytes } => bytes.get(..usize::from(*len)).unwrap_or_default(),
            Self::Shared(text) => text.as_bytes(),
        }
    }
}

impl Default for InlineStr {
    fn default() -> Self {
        Self::Inline { len: 0, bytes: [0; INLINE] }
    }
}

impl From<&str> for InlineStr {
    fn from(text: &str) -> Self {
        let mut bytes = [0; INLINE];
        match bytes.get_mut(..text.len()) {
            // The cast is exact: the text fits into 38 bytes.
            Some(head) => {
                head.copy_from_slice(text.as_bytes());
                Self::Inline { len: text.len() as u8, bytes }
            }
            None => Self::Shared(text.into()),
        }
    }
}

impl PartialEq for InlineStr {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            // The unused tail is zero on both sides, so whole arrays compare: no length-dependent loop.
            (Self::Inline { len: a, bytes: x }, Self::Inline { len: b, bytes: y }) => a == b && x == y,
            (Self::Shared(a), Self::Shared(b)) => Arc::ptr_eq(a, b) || a == b,
            _ => false,
        }
    }
}

impl Eq for InlineStr {}

impl PartialOrd for InlineStr {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for InlineStr {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl hash::Hash for InlineStr {
    fn hash<H: hash::Hasher>(&self, state: &mut H) {
        // As `str` hashes, so that ids may be looked up by `&str`.
        state.write(self.as_bytes());
        state.write_u8(0xff);
    }
}

impl fmt::Debug for InlineStr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{collections::HashSet, hash::BuildHasher};

    #[test]
    fn text_of_every_length_round_trips_and_compares_as_text() {
        let long = "é".repeat(40);
        let texts: Vec<&str> = long.char_indices().map(|(at, _)| &long[..at]).collect();
        for (i, a) in texts.iter().enumerate() {
            assert_eq!(InlineStr::from(*a).as_str(), *a);
            for (j, b) in texts.iter().enumerate() {
                assert_eq!(InlineStr::from(*a) == InlineStr::from(*b), i == j);
                assert_eq!(InlineStr::from(*a).cmp(&InlineStr::from(*b)), a.cmp(b));
            }
        }
    }

    #[test]
    fn inline_text_takes_forty_bytes_also_as_an_option() {
        assert_eq!(size_of::<InlineStr>(), 40);
        assert_eq!(size_of::<Option<InlineStr>>(), 40);
    }

    #[test]
    fn hash_equals_the_hash_of_the_text() {
        let hasher = HashSet::<()>::new().hasher().clone();
        for text in ["", "r1", "0123456789abcdef0123456789abcdef0123456789"] {
            assert_eq!(hasher.hash_one(InlineStr::from(text)), hasher.hash_one(text));
        }
    }
}
