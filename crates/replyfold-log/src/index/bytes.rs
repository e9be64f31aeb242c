//! How numbers and texts stand in an index, and how what belongs together is packed.

use std::io::Read as _;

/// Numbers and texts, one after the other.
#[derive(Default)]
pub(super) struct Encoder(pub(super) Vec<u8>);

impl Encoder {
    /// A number in as few bytes as it needs: seven bits each, the lowest first.
    pub(super) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number.to_le_bytes()[0] | 0x80);
            number >>= 7;
        }
        self.0.push(number.to_le_bytes()[0]);
    }

    pub(super) fn fixed(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    pub(super) fn flag(&mut self, flag: bool) {
        self.0.push(u8::from(flag));
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    pub(super) fn optional(&mut self, text: Option<&str>) {
        self.flag(text.is_some());
        if let Some(text) = text {
            self.bytes(text.as_bytes());
        }
    }
}

/// Takes numbers and texts off the front; every answer is `None` where the bytes do not hold what is asked for.
pub(super) struct Decoder<'a>(pub(super) &'a [u8]);

impl<'a> Decoder<'a> {
    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return None;
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    pub(super) fn fixed(&mut self) -> Option<u64> {
        let (bytes, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*bytes))
    }

    /// A number of bytes or things, which is never more than there are bytes left.
    pub(super) fn count(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok().filter(|count| *count <= self.0.len())
    }

    pub(super) fn flag(&mut self) -> Option<bool> {
        let (byte, rest) = self.0.split_first()?;
        self.0 = rest;
        (*byte < 2).then_some(*byte == 1)
    }

    pub(super) fn bytes(&mut self) -> Option<&'a [u8]> {
        let count = self.count()?;
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes)
    }

    pub(super) fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    pub(super) fn optional(&mut self) -> Option<Option<&'a str>> {
        if self.flag()? { self.text().map(Some) } else { Some(None) }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Bytes below this are not worth packing.
const SMALL: usize = 128;

/// Packs bytes, if that makes them fewer.
pub(super) fn pack(raw: Vec<u8>) -> Vec<u8> {
    let mut out = Encoder::default();
    if raw.len() > SMALL
        && let Ok(packed) = zstd::bulk::compress(&raw, 3)
        && packed.len() < raw.len()
    {
        out.flag(true);
        out.number(raw.len() as u64);
        out.0.extend_from_slice(&packed);
    } else {
        out.flag(false);
        out.0.extend_from_slice(&raw);
    }
    out.0
}

/// What [`pack`] was given; `None` if this is nothing that it gave.
pub(super) fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Decoder(packed);
    if !bytes.flag()? {
        return Some(bytes.0.to_vec());
    }
    // The length is believed only as far as bytes come.
    let length = bytes.number()?;
    let mut raw = Vec::new();
    zstd::Decoder::with_buffer(bytes.0).ok()?.take(length.checked_add(1)?).read_to_end(&mut raw).ok()?;
    (raw.len() as u64 == length).then_some(raw)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read_again(numbers in prop::collection::vec(any::<u64>(), 0..8), text in proptest::option::of(".{0,9}"), raw in prop::collection::vec(0..4_u8, 0..400)) {
            let mut out = Encoder::default();
            numbers.iter().for_each(|number| out.number(*number));
            numbers.iter().for_each(|number| out.fixed(*number));
            out.optional(text.as_deref());
            out.bytes(&raw);
            let mut read = Decoder(&out.0);
            prop_assert!(numbers.iter().all(|number| read.number() == Some(*number)));
            prop_assert!(numbers.iter().all(|number| read.fixed() == Some(*number)));
            prop_assert_eq!(read.optional(), Some(text.as_deref()));
            prop_assert_eq!(read.bytes(), Some(&raw[..]));
            prop_assert!(read.is_empty() && read.number().is_none() && read.flag().is_none());
            prop_assert_eq!(unpack(&pack(raw.clone())), Some(raw));
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let _ = unpack(&bytes);
            let mut read = Decoder(&bytes);
            while read.optional().is_some() || read.number().is_some() {}
        }
    }
}
