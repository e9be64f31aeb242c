//! One line of a log, read without what is before it.

use crate::envelope::Path;
use crate::index::Patch;
use crate::{Frame, IndexError, LogOptions, Place};
use replyfold_dialect::{EventReader, ReadEvent};

/// The texts of the records in these bytes, which begin at this place: lines that are not blank.
pub(super) fn texts(bytes: &[u8], mut place: Place) -> impl Iterator<Item = (Place, &[u8])> {
    bytes.split_inclusive(|byte| *byte == b'\n').filter_map(move |line| {
        let here = place;
        place = Place { line: place.line + 1, offset: place.offset + line.len() as u64, ..place };
        let text = match line.strip_suffix(b"\n") {
            Some(text) => text.strip_suffix(b"\r").unwrap_or(text),
            None => line,
        };
        (!text.trim_ascii().is_empty()).then_some((here, text))
    })
}

/// What stands around the event of a line that is known to be none that can be read.
pub(super) fn frame(text: &[u8], options: &LogOptions) -> Frame {
    let found = std::str::from_utf8(text).ok().and_then(|text| Path::told(options.path.clone()).find(text, options.read.lone_surrogates));
    Frame { envelope: found.map(|found| found.envelope), ..Frame::default() }
}

/// Reads a line that is known to be an event. What its reader found out from the lines before stands in the patch.
pub(super) fn read(text: &[u8], options: &LogOptions, patch: Option<&Patch>) -> Result<(Frame, ReadEvent), IndexError> {
    let wrong = || IndexError::stale("a line is no event");
    let text = std::str::from_utf8(text).map_err(|_| wrong())?;
    let mut frame = Frame::default();
    let mut reader = EventReader::new(options.read.with_parse_each(true));
    let found = Path::told(options.path.clone()).find(text, options.read.lone_surrogates);
    let event = match found {
        Some(found) => {
            frame.envelope = Some(found.envelope);
            reader.read(&found.event)
        }
        None => reader.read(text),
    };
    let mut read = event.map_err(|_| wrong())?;
    read.notes.clear();
    if let Some(patch) = patch {
        if let Some(reply) = &patch.reply {
            read.event.set_reply_id(reply.clone());
        }
        if let (Some(place), Some(block)) = (read.event.block_id_mut(), &patch.block) {
            *place = block.clone();
        }
        read.notes.extend_from_slice(&patch.notes);
    }
    Ok((frame, read))
}
