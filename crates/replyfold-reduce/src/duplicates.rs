//! Which events were folded already.

use foldhash::HashSet;
use std::hash::{DefaultHasher, Hasher};

/// The ids of all events seen, 16 bytes each.
///
/// An id of 32 lower-case hexadecimal digits, the form that both field implementations give, is kept exactly. Any other is kept as a
/// 128-bit hash with fixed keys, so that the same log gives the same answer everywhere.
#[derive(Clone, Debug, Default)]
pub(crate) struct Duplicates(HashSet<u128>);

impl Duplicates {
    /// Remembers the id; `false` when it was there already.
    pub(crate) fn insert(&mut self, id: &[u8]) -> bool {
        self.0.insert(key(id))
    }

    /// Whether the id is there.
    pub(crate) fn contains(&self, id: &[u8]) -> bool {
        self.0.contains(&key(id))
    }
}

fn key(id: &[u8]) -> u128 {
    exact(id).unwrap_or_else(|| {
        let half = |salt| {
            let mut hasher = DefaultHasher::new();
            hasher.write_u8(salt);
            hasher.write(id);
            u128::from(hasher.finish())
        };
        half(1) << 64 | half(2)
    })
}

fn exact(id: &[u8]) -> Option<u128> {
    let digits = <&[u8; 32]>::try_from(id).ok()?;
    let (eights, _) = digits.as_chunks::<8>();
    let [a, b, c, d] = *<&[[u8; 8]; 4]>::try_from(eights).ok()?;
    let (high, low) = (u64::from(hex(a)?) << 32 | u64::from(hex(b)?), u64::from(hex(c)?) << 32 | u64::from(hex(d)?));
    Some(u128::from(high) << 64 | u128::from(low))
}

/// The number that eight lower-case hexadecimal digits are, all eight read at once.
fn hex(digits: [u8; 8]) -> Option<u32> {
    const EACH: u64 = u64::MAX / 255;
    let text = u64::from_be_bytes(digits);
    // No byte has its high bit set, so none of the sums below carries into its neighbour.
    let ascii = text & (EACH * 0x80) == 0;
    let text = text & (EACH * 0x7f);
    let at_least = |least: u8| text + EACH * u64::from(0x80 - least);
    let above = |most: u8| text + EACH * u64::from(0x7f - most);
    let digit = at_least(b'0') & !above(b'9');
    let letter = at_least(b'a') & !above(b'f');
    if !ascii || (digit | letter) & (EACH * 0x80) != EACH * 0x80 {
        return None;
    }
    // `a` is 0x61: its low half is 1, and stands for 10.
    let letters = (letter >> 7) & EACH;
    let halves = (text & (EACH * 0x0f)) + letters * 9;
    let pairs = (halves | halves >> 4) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs | pairs >> 8) & 0x0000_ffff_0000_ffff;
    // The cast keeps the eight digits: the upper half is shifted in.
    Some((fours | fours >> 16) as u32)
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
            assert!(seen.insert(id.as_bytes()), "{id}");
        }
        for id in ids {
            assert!(!seen.insert(id.as_bytes()), "{id}");
        }
        assert_eq!(exact(b"0123456789abcdef0123456789abcdef"), Some(0x0123_4567_89ab_cdef_0123_4567_89ab_cdef));
    }

    /// Every byte at every place is judged, and counts, as the standard library says.
    #[test]
    fn eight_digits_at_once_are_what_they_are_one_by_one() {
        for at in 0..8 {
            for byte in 0..=u8::MAX {
                let mut digits = *b"09af3c7e";
                digits[at] = byte;
                let slow = digits
                    .iter()
                    .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
                    .then(|| u32::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap());
                assert_eq!(hex(digits), slow, "{digits:?}");
            }
        }
    }
}
