//! Which events were folded already.

use replyfold_message::EventId;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hasher};

/// The ids of all events seen, 16 bytes each.
///
/// An id of 32 lower-case hexadecimal digits, the form that both field implementations give, is kept exactly. Any other is kept as a
/// 128-bit hash with fixed keys, so that the same log gives the same answer everywhere.
#[derive(Clone, Debug, Default)]
pub(crate) struct Duplicates(HashSet<u128>);

impl Duplicates {
    /// Remembers the id; `false` when it was there already.
    pub(crate) fn insert(&mut self, id: &EventId) -> bool {
        self.0.insert(key(id.as_str()))
    }
}

fn key(id: &str) -> u128 {
    exact(id).unwrap_or_else(|| {
        let half = |salt| {
            let mut hasher = DefaultHasher::new();
            hasher.write_u8(salt);
            hasher.write(id.as_bytes());
            u128::from(hasher.finish())
        };
        half(1) << 64 | half(2)
    })
}

fn exact(id: &str) -> Option<u128> {
    let bytes = <&[u8; 32]>::try_from(id.as_bytes()).ok()?;
    bytes.iter().try_fold(0, |value, byte| {
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'f' => byte - b'a' + 10,
            _ => return None,
        };
        Some(value << 4 | u128::from(digit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_told_apart_in_every_form() {
        let ids =
            ["", "e1", "e2", "0123456789abcdef0123456789abcdef", "0123456789ABCDEF0123456789abcdef", "00000000000000000000000000000000"];
        let mut seen = Duplicates::default();
        for id in ids {
            assert!(seen.insert(&id.into()), "{id}");
        }
        for id in ids {
            assert!(!seen.insert(&id.into()), "{id}");
        }
        assert_eq!(exact("0123456789abcdef0123456789abcdef"), Some(0x0123_4567_89ab_cdef_0123_4567_89ab_cdef));
    }
}
