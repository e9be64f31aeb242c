//! The line of a record in the whole log, in one number: its segment stands above the line within that.

use replyfold::log::Place;

/// Bits of the line within its segment. No file has more lines.
const BITS: u32 = 40;

pub(crate) fn of(place: Place) -> u64 {
    (u64::from(place.segment) << BITS) | place.line
}

/// The segment and the line within it.
pub(crate) fn parts(line: u64) -> (u64, u64) {
    (line >> BITS, line & ((1 << BITS) - 1))
}

/// To stand in a sentence.
pub(crate) fn words(line: u64) -> String {
    match parts(line) {
        (0, line) => format!("line {line}"),
        (segment, line) => format!("segment {segment}, line {line}"),
    }
}
