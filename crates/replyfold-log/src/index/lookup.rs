//! Finding numbers by the hash of a text, in an index that is read in pieces.

use super::bytes::{Decoder, Encoder};
use super::pages::{PageError, PageWriter, Pages};
use std::io::{self, Seek, Write};

/// Bytes of one entry: six of the hash, six of the number.
const ENTRY: u64 = 12;
/// Entries of a bucket, on average.
const USUAL: u64 = 64;
/// Entries that are read at once.
const AT_ONCE: u64 = 256;

/// 48 bits of a text, the same everywhere and always: FNV-1a, its bits spread.
pub(super) fn hash(text: &str) -> u64 {
    let mut hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    for factor in [0xff51_afd7_ed55_8ccd_u64, 0xc4ce_b9fe_1a85_ec53] {
        hash = (hash ^ (hash >> 33)).wrapping_mul(factor);
    }
    (hash ^ (hash >> 33)) >> 16
}

/// Where a table stands: its buckets, its entries and how many bits of a hash tell its bucket.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lookup {
    buckets: u64,
    entries: u64,
    bits: u64,
}

impl Lookup {
    /// Writes a table of hashes and numbers.
    pub(super) fn write<W: Write + Seek>(mut list: Vec<(u64, u64)>, out: &mut PageWriter<W>) -> io::Result<Self> {
        list.sort_unstable();
        let bits = u64::from((list.len() as u64 / USUAL).next_power_of_two().trailing_zeros());
        let entries = out.position();
        for (hash, number) in &list {
            out.write(&hash.to_le_bytes()[..6])?;
            out.write(&number.to_le_bytes()[..6])?;
        }
        let buckets = out.position();
        let mut at = 0;
        for bucket in 0..=(1_u64 << bits) {
            while list.get(at).is_some_and(|(hash, _)| bucket_of(*hash, bits) < bucket) {
                at += 1;
            }
            let mut start = Encoder::default();
            start.fixed(at as u64);
            out.write(&start.0)?;
        }
        Ok(Self { buckets, entries, bits })
    }

    pub(super) fn encode(self, out: &mut Encoder) {
        [self.buckets, self.entries, self.bits].into_iter().for_each(|number| out.fixed(number));
    }

    pub(super) fn decode(bytes: &mut Decoder<'_>) -> Option<Self> {
        Some(Self { buckets: bytes.fixed()?, entries: bytes.fixed()?, bits: bytes.fixed().filter(|bits| *bits < 48)? })
    }

    /// Every hash and its number.
    pub(super) fn all(self, pages: &mut Pages) -> Result<Vec<(u64, u64)>, PageError> {
        // The buckets stand behind the entries.
        let mut rest = self.buckets.saturating_sub(self.entries) / ENTRY;
        let mut list = Vec::new();
        while rest > 0 {
            let count = rest.min(AT_ONCE * 16);
            let bytes = pages.read(self.entries + list.len() as u64 * ENTRY, count * ENTRY)?;
            list.extend(bytes.as_chunks::<12>().0.iter().map(|entry| (six(&entry[..6]), six(&entry[6..]))));
            rest -= count;
        }
        Ok(list)
    }

    /// The numbers under this hash, in their order, given to `take` until it has what it wants.
    pub(super) fn find<T, E: From<PageError>>(
        self,
        pages: &mut Pages,
        hash: u64,
        mut take: impl FnMut(&mut Pages, u64) -> Result<Option<T>, E>,
    ) -> Result<Option<T>, E> {
        let bounds = pages.read(self.buckets + bucket_of(hash, self.bits) * 8, 16)?;
        let mut bounds = Decoder(&bounds);
        let (Some(start), Some(end)) = (bounds.fixed(), bounds.fixed()) else { return Ok(None) };
        let mut at = start;
        while at < end {
            let count = (end - at).min(AT_ONCE);
            let place = at.checked_mul(ENTRY).and_then(|at| at.checked_add(self.entries)).ok_or(PageError::Damaged)?;
            let bytes = pages.read(place, count * ENTRY)?;
            for entry in bytes.as_chunks::<12>().0 {
                let (found, number) = (six(&entry[..6]), six(&entry[6..]));
                if found > hash {
                    return Ok(None);
                }
                if found == hash
                    && let Some(wanted) = take(pages, number)?
                {
                    return Ok(Some(wanted));
                }
            }
            at += count;
        }
        Ok(None)
    }
}

fn bucket_of(hash: u64, bits: u64) -> u64 {
    hash >> (48 - bits)
}

/// A number of six bytes.
fn six(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn every_text_is_found_and_no_other() {
        for count in [0, 1, 2, 100, 3000_u64] {
            // Every third text twice.
            let list: Vec<(u64, u64)> =
                (0..count).flat_map(|n| [(hash(&format!("e{n}")), n), (hash(&format!("e{}", n / 3 * 3)), n + count)]).collect();
            let mut out = PageWriter::new(Cursor::new(Vec::new())).unwrap();
            out.write(b"before").unwrap();
            let lookup = Lookup::write(list.clone(), &mut out).unwrap();
            let mut pages = Pages::new(Cursor::new(out.finish(Vec::new()).unwrap().into_inner()));
            let mut find = |text: &str| {
                let mut all = Vec::new();
                let _: Option<()> = lookup
                    .find::<_, PageError>(&mut pages, hash(text), |_, number| {
                        all.push(number);
                        Ok(None)
                    })
                    .unwrap();
                all
            };
            for n in 0..count {
                let text = format!("e{n}");
                let mut wanted: Vec<u64> = list.iter().filter(|(h, _)| *h == hash(&text)).map(|(_, number)| *number).collect();
                wanted.sort_unstable();
                assert_eq!(find(&text), wanted, "{count} {n}");
            }
            assert!(find("f").is_empty());
            let mut sorted = list.clone();
            sorted.sort_unstable();
            assert_eq!(lookup.all(&mut pages).unwrap(), sorted);
        }
    }

    /// An index is read by other builds than the one that wrote it.
    #[test]
    fn hashes_stay_what_they_are() {
        assert_eq!(["", "e1", "e2"].map(hash), [0xefd0_1f60_ba99, 0x5029_5bda_7c69, 0xa31f_2e8b_8bdb]);
    }
}
