//! What tells a log from another, and from itself after it was changed.

use super::bytes::{Decoder, Encoder};
use std::io::{self, Read, Seek, SeekFrom};
use std::time::{SystemTime, UNIX_EPOCH};

/// Bytes at the start and at the end of a log that are looked at.
const LOOKED_AT: u64 = 64 * 1024;

/// The length of a log, the checksums of its first and last bytes, and when it was changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) length: u64,
    first: u32,
    last: u32,
    /// Since 1970: seconds, as two's complement, and nanoseconds.
    changed: Option<(u64, u64)>,
}

/// How a log compares with its mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compared {
    Same,
    /// There is more behind what was marked.
    Grown,
    Other(&'static str),
}

impl Mark {
    /// The mark of so many bytes of a log.
    pub(super) fn of(log: &mut (impl Read + Seek + ?Sized), length: u64, changed: Option<SystemTime>) -> io::Result<Self> {
        let near = length.min(LOOKED_AT);
        let (first, last) = (checksum(log, 0, near)?, checksum(log, length - near, near)?);
        Ok(Self { length, first, last, changed: changed.map(since_1970) })
    }

    /// Compares with the log as it is now.
    pub(super) fn compare(&self, log: &mut (impl Read + Seek + ?Sized), changed: Option<SystemTime>) -> io::Result<Compared> {
        let length = log.seek(SeekFrom::End(0))?;
        if length < self.length {
            return Ok(Compared::Other("it is shorter"));
        }
        let now = Self::of(log, self.length, changed)?;
        Ok(if (now.first, now.last) != (self.first, self.last) {
            Compared::Other("its bytes are others")
        } else if length > self.length {
            Compared::Grown
        } else if self.changed.is_some() && now.changed.is_some() && now.changed != self.changed {
            Compared::Other("it was written or copied since")
        } else {
            Compared::Same
        })
    }

    pub(super) fn encode(&self, out: &mut Encoder) {
        let (seconds, nanos) = self.changed.unwrap_or_default();
        for number in [self.length, self.first.into(), self.last.into(), u64::from(self.changed.is_some()), seconds, nanos] {
            out.fixed(number);
        }
    }

    pub(super) fn decode(bytes: &mut Decoder<'_>) -> Option<Self> {
        let (length, first, last) = (bytes.fixed()?, bytes.fixed()?.try_into().ok()?, bytes.fixed()?.try_into().ok()?);
        let (is_known, seconds, nanos) = (bytes.fixed()?, bytes.fixed()?, bytes.fixed()?);
        Some(Self { length, first, last, changed: (is_known == 1).then_some((seconds, nanos)) })
    }
}

fn since_1970(time: SystemTime) -> (u64, u64) {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => (after.as_secs(), after.subsec_nanos().into()),
        Err(before) => (before.duration().as_secs().wrapping_neg(), before.duration().subsec_nanos().into()),
    }
}

fn checksum(log: &mut (impl Read + Seek + ?Sized), start: u64, length: u64) -> io::Result<u32> {
    log.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    log.take(length).read_to_end(&mut bytes)?;
    Ok(crc32fast::hash(&bytes))
}
