//! Indexes whose checksums are right and whose content is not: nobody writes them, and they panic nowhere and hang nowhere.

use crate::generate;
use crate::seeking::{SMALL, answers, indexed};
use proptest::prelude::*;
use replyfold_log::IndexOptions;

/// The index with these bytes changed and its checksums made right.
fn crafted(index: &[u8], changes: &[(usize, u8)]) -> Vec<u8> {
    let mut crafted = index.to_vec();
    for (at, flip) in changes {
        crafted[*at] ^= flip;
    }
    for (number, page) in crafted.chunks_exact_mut(4096).enumerate() {
        let sum = crc32fast::hash(&[&(number as u64).to_le_bytes()[..], &page[..4092]].concat());
        page[4092..].copy_from_slice(&sum.to_le_bytes());
    }
    crafted
}

#[test]
fn every_byte_may_be_anything() {
    let index = indexed(SMALL, &IndexOptions::new());
    let whole = answers(SMALL.as_bytes(), crafted(&index, &[])).unwrap();
    let mut refused = 0;
    for at in (0..index.len()).filter(|at| index[*at] != 0 || at % 64 == 0) {
        for flip in [1, 0x40, 0x80, 0xff] {
            refused += usize::from(answers(SMALL.as_bytes(), crafted(&index, &[(at, flip)])).as_ref() != Some(&whole));
        }
    }
    assert!(refused > 500, "{refused}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_may_be_anything(log in generate::log(), changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let index = indexed(&log, &IndexOptions::new().with_sizes(5, 2));
        // Where there is something: the rest of each page is zeros.
        let places: Vec<usize> = (0..index.len()).filter(|at| index[*at] != 0 && at % 4096 < 4092).collect();
        let changes: Vec<(usize, u8)> = changes.into_iter().map(|(at, flip)| (places[at.index(places.len())], flip)).collect();
        let _ = answers(log.as_bytes(), crafted(&index, &changes));
    }
}
