//! Short text kept in place: ids and time stamps.

use std::str::Utf8Error;
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

impl InlineStr {
    /// Becomes this text, in place: what was there is not read.
    pub(crate) fn assign(&mut self, text: &[u8]) -> Result<(), Utf8Error> {
        if !text.is_ascii() {
            std::str::from_utf8(text)?;
        }
        match self {
            Self::Inline { len, bytes } if text.len() <= INLINE => {
                if let Some(rest) = bytes.get_mut(text.len()..usize::from(*len)) {
                    rest.fill(0);
                }
                // The cast is exact: the text fits into 38 bytes.
                *len = text.len() as u8;
                copy(text, bytes);
            }
            _ => *self = Self::from(std::str::from_utf8(text)?),
        }
        Ok(())
    }
}

impl From<&str> for InlineStr {
    fn from(text: &str) -> Self {
        if text.len() > INLINE {
            return Self::Shared(text.into());
        }
        let mut bytes = [0; INLINE];
        copy(text.as_bytes(), &mut bytes);
        // The cast is exact: the text fits into 38 bytes.
        Self::Inline { len: text.len() as u8, bytes }
    }
}

/// Copies a text that fits. Its pieces have lengths that the compiler knows, so no function is called.
fn copy(text: &[u8], bytes: &mut [u8; INLINE]) {
    let mut piece = |at: usize| {
        if let (Some(to), Some(from)) =
            (bytes.get_mut(at..).and_then(<[u8]>::first_chunk_mut::<16>), text.get(at..).and_then(<[u8]>::first_chunk))
        {
            *to = *from;
        }
    };
    match text.len() {
        0..16 => {
            if let Some(to) = bytes.get_mut(..text.len()) {
                to.copy_from_slice(text);
            }
        }
        length => {
            piece(0);
            if length > 32 {
                piece(16);
            }
            // The last piece laps over the one before it.
            piece(length - 16);
        }
    }
}

fn differing_bits(a: &[u8; INLINE], b: &[u8; INLINE]) -> u64 {
    let word = |bytes: &[u8; INLINE], at: usize| bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |word| u64::from_ne_bytes(*word));
    // The last word laps over the one before it.
    [0, 8, 16, 24, INLINE - 8].into_iter().fold(0, |all, at| all | (word(a, at) ^ word(b, at)))
}

impl PartialEq for InlineStr {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            // The unused tail is zero on both sides, so whole arrays compare: no loop that depends on the length, and no call.
            (Self::Inline { len: a, bytes: x }, Self::Inline { len: b, bytes: y }) => a == b && differing_bits(x, y) == 0,
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
            let ascii = "0123456789".repeat(8)[..a.len()].to_owned();
            assert_eq!(InlineStr::from(ascii.as_str()).as_str(), ascii);
            for (j, b) in texts.iter().enumerate() {
                assert_eq!(InlineStr::from(*a) == InlineStr::from(*b), i == j);
                let mut assigned = InlineStr::from(*a);
                assigned.assign(b.as_bytes()).unwrap();
                assert_eq!((assigned.as_str(), &assigned), (*b, &InlineStr::from(*b)));
                assert_eq!(InlineStr::from(*a).cmp(&InlineStr::from(*b)), a.cmp(b));
            }
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_refused_at_every_length() {
        for length in 1..50 {
            for at in 0..length {
                let mut bytes = vec![b'a'; length];
                bytes[at] = 0xff;
                let mut text = InlineStr::from("before");
                assert_eq!(text.assign(&bytes).map_err(|err| err.valid_up_to()), Err(at));
                assert_eq!(text.as_str(), "before");
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
