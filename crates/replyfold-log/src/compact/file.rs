//! Compacting a log into a file.

use super::error::Kind;
use super::{CompactError, Compacted, Compactor};
use crate::{LogReader, sidecar};
use std::fs;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::Path;

/// Compacts what a reader reads into a file, which is there only once it is whole.
///
/// The log may be packed; what is written is plain JSONL. A file that is there is replaced only with `replace`, and the log itself never.
///
/// # Errors
///
/// The log cannot be read or is not JSONL, the output cannot be written or is there already, or a line would be read as another event than
/// before. Nothing is written then.
pub fn compact(reader: LogReader, out: impl AsRef<Path>, replace: bool) -> Result<Compacted, CompactError> {
    let (log, out) = (reader.file().map(Path::to_owned), out.as_ref());
    let same = |log: &Path| fs::canonicalize(log).is_ok_and(|log| fs::canonicalize(out).is_ok_and(|out| log == out));
    if log.as_deref().is_some_and(same) {
        return Err(Kind::InPlace(out.to_owned()).into());
    }
    if !replace && out.exists() {
        return Err(Kind::Exists(out.to_owned()).into());
    }
    let failed = |source| CompactError::write(Some(out), source);
    let mut file = sidecar::create(out).map_err(failed)?;
    let compacted = compact_to(reader, &mut file).map_err(|err| err.at(log.as_deref(), out))?;
    sidecar::keep(file, out, replace).map_err(|err| match err.kind() {
        ErrorKind::AlreadyExists => Kind::Exists(out.to_owned()).into(),
        _ => failed(err),
    })?;
    Ok(compacted)
}

/// Compacts what a reader reads into any writer.
///
/// # Errors
///
/// As [`compact`]; lines before the error are written.
pub fn compact_to(reader: LogReader, out: impl Write) -> Result<Compacted, CompactError> {
    let (mut compactor, mut out) = (Compactor::new(reader), BufWriter::new(out));
    let failed = |source| CompactError::write(None, source);
    let mut lines = 0_u64;
    for line in compactor.by_ref() {
        if lines > 0 {
            out.write_all(b"\n").map_err(failed)?;
        }
        out.write_all(&line?.text).map_err(failed)?;
        lines += 1;
    }
    let mut compacted = compactor.compacted();
    if lines > 0 && compactor.is_ended() {
        out.write_all(b"\n").map_err(failed)?;
    } else {
        compacted.bytes_after -= lines.min(1);
    }
    out.flush().map_err(failed)?;
    Ok(compacted)
}
