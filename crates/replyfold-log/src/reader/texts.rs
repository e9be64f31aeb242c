//! Records with their texts: for what copies a log or remembers its places.

use super::{LogReader, Next};
use crate::buffer::Buffer;
use crate::framing::Framing;
use crate::input::Input;
use crate::segments::Rest;
use crate::{LogError, LogOptions, Place, RecordRef};
use replyfold_dialect::{Dialect, EventReader, ReadOptions};
use std::io::Read;
use std::path::Path;

/// The state of a reader at a place of its log.
pub(crate) struct Resume {
    pub(crate) place: Place,
    pub(crate) position: u64,
    pub(crate) events: EventReader,
    pub(crate) is_utf16: bool,
    /// Where each segment begins, up to that of the place.
    pub(crate) starts: Vec<u64>,
    /// The segments that follow.
    pub(crate) rest: Option<Rest>,
}

/// A record, and how it stands in the log.
pub(crate) struct WithText<'a> {
    pub(crate) record: RecordRef<'a>,
    /// Its text, without its line end.
    pub(crate) text: &'a [u8],
    /// Where its segment begins: its offset counts from there.
    pub(crate) start: u64,
}

impl LogReader {
    /// As [`next_ref`](Self::next_ref), with the text of the record as it stands in the log.
    pub(crate) fn next_with_text(&mut self) -> Option<Result<WithText<'_>, LogError>> {
        self.text.get_or_insert_default();
        match self.advance()? {
            Err(err) => Some(Err(err)),
            Ok(Next::Made) => {
                let record = self.current.as_ref()?.as_ref();
                let text = record.bad().map_or(self.text.as_deref().unwrap_or_default(), |bad| &bad.text);
                Some(Ok(WithText { record, text, start: self.start(record.place) }))
            }
            Ok(Next::Lent(place)) => {
                let text = self.buffer.as_ref().ok()?.lent_line();
                self.lend(place).map(|record| Ok(WithText { record, text, start: self.start(place) }))
            }
        }
    }

    /// Where the segment of a record begins.
    fn start(&self, place: Place) -> u64 {
        usize::try_from(place.segment).ok().and_then(|at| self.starts.get(at)).copied().unwrap_or_default()
    }

    /// Where each segment begins that was met so far.
    pub(crate) fn starts(&self) -> &[u64] {
        &self.starts
    }

    /// How events are read, and the member that they stand in if it was told.
    pub(crate) fn read_options(&self) -> (ReadOptions, Option<&str>) {
        let mut options = ReadOptions::new().with_lone_surrogates(self.lone_surrogates);
        options.dialect = self.told;
        (options, self.path.key().filter(|_| self.path.is_told()))
    }

    /// The file that is read, if it was opened by name.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Goes on reading JSONL behind a place where a reader of events has read what is before.
    pub(crate) fn resume(rest: impl Read + Send + 'static, options: LogOptions, from: Resume) -> Self {
        let mut reader = Self::with_options(std::io::empty(), options);
        reader.buffer = Input::new(rest).map(|input| Buffer::behind(input, from.place)).map_err(Some);
        reader.framing = Some(Framing::lines());
        (reader.events, reader.position, reader.is_utf16) = (from.events, from.position, from.is_utf16);
        (reader.starts, reader.rest) = (from.starts, from.rest);
        reader.file = reader.rest.as_ref().map(Rest::path);
        reader
    }

    /// What changes when a record says something of those that come.
    pub(crate) fn version(&self) -> (u64, Option<Dialect>) {
        (self.events.version(), self.events.dialect())
    }

    /// Whether the log is packed, so that its places are not those of the file.
    pub(crate) fn is_packed(&self) -> bool {
        self.buffer.as_ref().is_ok_and(Buffer::is_packed)
    }

    /// Where the reading is, counted over all segments: once it is over, the length of the unpacked log.
    pub(crate) fn offset(&self) -> u64 {
        self.buffer.as_ref().map_or(0, |buffer| self.start(buffer.place()) + buffer.place().offset)
    }
}
