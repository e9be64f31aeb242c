//! An index beside a log: what lets a reader begin anywhere.
//!
//! It holds where records stand, which event has which id, where each reply is, and what the events of each interval did to each reply in as
//! few events as say the same, so that a state is reached without reading what is before. `docs/wire/index-format.md` tells the format,
//! `docs/adr/0013-an-index-holds-compacted-events.md` why it is so.

mod build;
mod bytes;
mod chunk;
mod detail;
mod error;
mod grow;
mod layout;
mod lookup;
mod mark;
mod options;
mod pages;

pub(crate) use chunk::{Item, each};
pub(crate) use detail::{Bad, Block, Detail, Patch};
pub use error::IndexError;
pub use grow::update_index;
pub(crate) use layout::{ChunkEntry, Interval, NEVER, ReplyEntry, VERSION};
pub use options::IndexOptions;

use crate::joined::{Joined, Source};
use crate::{LogOptions, LogReader, Strictness, sidecar};
use bytes::Decoder;
use error::Kind;
use layout::{Header, Span, Told, entries, entry};
use mark::{Compared, Mark};
use pages::{PAGE, Pages, ROOM};
use replyfold_message::{AgentPath, ReplyId};
use replyfold_reduce::ReduceOptions;
use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// A log with its index.
///
/// What it answers is what a reader of the whole log would find. The log is read only where that is needed, and whatever is read, of the log or
/// of the index, is held against its checksum.
///
/// ```
/// use replyfold_log::{Index, IndexOptions, build_index};
///
/// # let folder = tempfile::tempdir()?;
/// let log = folder.path().join("run.jsonl");
/// std::fs::write(&log, "{\"type\":\"AGENT_START\",\"id\":\"e1\",\"replyId\":\"r1\",\"createdAt\":\"T\"}\nnonsense\n")?;
/// let built = build_index(&log, &IndexOptions::new(), |_, _| true)?;
/// assert_eq!((built.records, built.path), (2, folder.path().join("run.jsonl.idx")));
///
/// let mut index = Index::open(&log, &IndexOptions::new())?;
/// assert_eq!(index.find_event("e1")?, Some(0));
/// assert_eq!(index.session_at(1)?.messages().count(), 1);
/// assert!(index.record(1)?.is_some_and(|record| record.bad().is_some()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Index {
    pages: Pages,
    pub(crate) log: Joined,
    pub(crate) header: Header,
    pub(crate) options: LogOptions,
    pub(crate) reduce: ReduceOptions,
    unknown: Vec<Box<str>>,
    /// Whether an event of a known type was met.
    knows: bool,
    is_grown: bool,
    /// The replies that were met, by number: most are met in many intervals.
    names: HashMap<u64, (Option<AgentPath>, ReplyId)>,
    /// The interval that was looked into last, and its number.
    detail: Option<(u64, Arc<Detail>)>,
}

/// An index that was built.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct IndexBuilt {
    /// The file that it stands in.
    pub path: PathBuf,
    /// Its size, in bytes.
    pub bytes: u64,
    /// Records of the log, readable or not.
    pub records: u64,
}

/// The file in which the index of a log stands: its name and `.idx`.
#[must_use]
pub fn index_path(log: impl AsRef<Path>) -> PathBuf {
    let mut name = OsString::from(log.as_ref());
    name.push(".idx");
    name.into()
}

/// Builds the index of a log and writes it beside it: it is there once it is whole, and replaces an older one.
///
/// Reads the log once; takes the memory that its fold takes, and 16 bytes an event. `progress` is called now and then with the bytes that were
/// read and those that there are; `false` stops.
///
/// # Errors
///
/// The log cannot be read, is packed or no JSONL, or the index cannot be written.
pub fn build_index(
    log: impl AsRef<Path>,
    options: &IndexOptions,
    progress: impl FnMut(u64, u64) -> bool,
) -> Result<IndexBuilt, IndexError> {
    let log = log.as_ref();
    let path = index_path(log);
    let mut file = sidecar::create(&path).map_err(|err| IndexError::from(err).at(&path))?;
    let (_, records) = built(log, options, &mut file, progress).map_err(|err| err.at(log))?;
    let bytes = file.as_file().metadata().map_err(|err| IndexError::from(err).at(&path))?.len();
    sidecar::keep(file, &path, true).map_err(|err| IndexError::from(err).at(&path))?;
    Ok(IndexBuilt { path, bytes, records })
}

fn built<W: std::io::Write + Seek>(
    log: &Path,
    options: &IndexOptions,
    out: W,
    mut progress: impl FnMut(u64, u64) -> bool,
) -> Result<(W, u64), IndexError> {
    // A bad record never ends the reading: whoever is strict asks for them.
    let reader = LogReader::open_with(log, options.log.clone().with_strictness(Strictness::Lenient))?;
    let length = length(log)?;
    build::build(reader, options, out, |length| marked(log, length), |read| progress(read, length))
}

/// Bytes of a log, in all of its files.
pub(crate) fn length(log: &Path) -> Result<u64, IndexError> {
    Ok(Joined::open(log)?.0.seek(SeekFrom::End(0))?)
}

/// The mark of so many bytes of a log, which are all that it had when it was read.
fn marked(log: &Path, length: u64) -> Result<Mark, IndexError> {
    let (mut files, changed) = Joined::open(log)?;
    Ok(Mark::of(&mut files, length, changed)?)
}

impl Index {
    /// Opens the log with the index beside it.
    ///
    /// # Errors
    ///
    /// There is no index, it is damaged or of another version, it does not fit the log as it is, or it was built for other options.
    pub fn open(log: impl AsRef<Path>, options: &IndexOptions) -> Result<Self, IndexError> {
        let log = log.as_ref();
        let path = index_path(log);
        let index = File::open(&path).map_err(|err| match err.kind() {
            std::io::ErrorKind::NotFound => IndexError::from(Kind::Missing),
            _ => err.into(),
        });
        let open = || {
            let index = index?;
            let (files, changed) = Joined::open(log)?;
            Self::over(index, files, changed, options)
        };
        open().map_err(|err| err.at(log))
    }

    /// Builds an index in memory, beside which no file is written.
    ///
    /// # Errors
    ///
    /// As [`build_index`].
    pub fn in_memory(log: impl AsRef<Path>, options: &IndexOptions, progress: impl FnMut(u64, u64) -> bool) -> Result<Self, IndexError> {
        let log = log.as_ref();
        let build = || {
            let (index, _) = built(log, options, Cursor::new(Vec::new()), progress)?;
            let (files, changed) = Joined::open(log)?;
            Self::over(Cursor::new(index.into_inner()), files, changed, options)
        };
        build().map_err(|err| err.at(log))
    }

    /// An index and its log, of one file, from anything that can be read at any place; `changed` is when the log was changed, if that is known.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn new(
        index: impl Read + Seek + Send + 'static,
        log: impl Read + Seek + Send + 'static,
        changed: Option<SystemTime>,
        options: &IndexOptions,
    ) -> Result<Self, IndexError> {
        Self::over(index, Joined::one(log), changed, options)
    }

    fn over(
        index: impl Source + 'static,
        mut log: Joined,
        changed: Option<SystemTime>,
        options: &IndexOptions,
    ) -> Result<Self, IndexError> {
        let mut pages = Pages::new(index);
        let header = Header::decode(&pages.header()?)?;
        if pages.length()? != (1 + header.length.div_ceil(ROOM as u64)).saturating_mul(PAGE as u64) {
            return Err(IndexError::damaged("it has another length than it was written with"));
        }
        let bytes = header.told.unpack(&mut pages)?;
        let (told, (knows, unknown, starts)) = told(&mut Decoder(&bytes)).ok_or_else(|| IndexError::damaged("how the log was read"))?;
        if !log.starts().starts_with(&starts) {
            return Err(IndexError::stale("its segments are others"));
        }
        let is_grown = match header.mark.compare(&mut log, changed)? {
            Compared::Same => false,
            Compared::Grown => true,
            Compared::Other(what) => return Err(IndexError::stale(what)),
        };
        if told != Told::new(options) {
            return Err(Kind::Options.into());
        }
        let (options, reduce) = (options.log.clone(), options.reduce);
        Ok(Self { pages, log, header, options, reduce, unknown, knows, is_grown, names: HashMap::new(), detail: None })
    }

    /// Reads the whole index and holds it against its checksums; else that is done with what is read of it.
    ///
    /// # Errors
    ///
    /// A page cannot be read or is not what was written.
    pub fn verify(&mut self) -> Result<(), IndexError> {
        Ok(self.pages.verify(self.header.length)?)
    }

    /// Whether the log has grown since it was indexed. What is before [`records`](Self::records) is answered for all the same.
    #[must_use]
    pub fn is_grown(&self) -> bool {
        self.is_grown
    }

    /// Number of records that are answered for: all, unless the log has grown.
    #[must_use]
    pub fn records(&self) -> u64 {
        if self.is_grown { self.header.stable } else { self.header.records }
    }

    /// The types that are not known of the events before the first one whose type is, at most 64: a log that begins with events of another
    /// protocol may be one of that.
    pub fn unknown_types(&self) -> impl Iterator<Item = &str> {
        self.unknown.iter().map(|name| &**name)
    }

    /// The log's length when it was indexed.
    pub(crate) fn log_length(&self) -> u64 {
        self.header.mark.length
    }

    pub(crate) fn intervals(&self) -> u64 {
        self.header.intervals.length / <Interval as layout::Entry>::size()
    }

    pub(crate) fn interval(&mut self, number: u64) -> Result<Interval, IndexError> {
        entry(self.header.intervals, number, &mut self.pages)
    }

    /// The number of the interval that this record is in.
    pub(crate) fn interval_of(&mut self, position: u64) -> Result<u64, IndexError> {
        // The first that begins behind it, by halves.
        let (mut low, mut high) = (0, self.intervals());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.interval(middle)?.position > position { high = middle } else { low = middle + 1 }
        }
        low.checked_sub(1).ok_or_else(|| IndexError::damaged("no interval has the record"))
    }

    pub(crate) fn detail(&mut self, number: u64) -> Result<Arc<Detail>, IndexError> {
        if let Some((kept, detail)) = &self.detail
            && *kept == number
        {
            return Ok(Arc::clone(detail));
        }
        let interval = self.interval(number)?;
        let bytes = interval.detail.unpack(&mut self.pages)?;
        let detail = Detail::decode(interval.position, &mut Decoder(&bytes)).ok_or_else(|| IndexError::damaged("an interval"))?;
        let detail = Arc::new(detail);
        self.detail = Some((number, Arc::clone(&detail)));
        Ok(detail)
    }

    pub(crate) fn chunks(&mut self, table: Span) -> Result<Vec<ChunkEntry>, IndexError> {
        entries(table, &mut self.pages)
    }

    pub(crate) fn unpack(&mut self, span: Span) -> Result<Vec<u8>, IndexError> {
        span.unpack(&mut self.pages)
    }

    pub(crate) fn replies_in_all(&self) -> u64 {
        self.header.replies.length / <ReplyEntry as layout::Entry>::size()
    }

    pub(crate) fn reply_entry(&mut self, number: u64) -> Result<ReplyEntry, IndexError> {
        entry(self.header.replies, number, &mut self.pages)
    }

    /// Speaker and id of the reply with this number.
    pub(crate) fn reply_name(&mut self, number: u64) -> Result<(Option<AgentPath>, ReplyId), IndexError> {
        if let Some(name) = self.names.get(&number) {
            return Ok(name.clone());
        }
        let entry = self.reply_entry(number)?;
        let bytes = self.unpack(entry.name)?;
        let mut bytes = Decoder(&bytes);
        let name = bytes.optional().and_then(|source| Some((source.map(AgentPath::new), ReplyId::new(bytes.text()?))));
        let name = name.ok_or_else(|| IndexError::damaged("the name of a reply"))?;
        self.names.insert(number, name.clone());
        Ok(name)
    }

    /// The numbers of the replies whose id may be this.
    pub(crate) fn named(&mut self, id: &str) -> Result<Vec<u64>, IndexError> {
        let mut numbers = Vec::new();
        let take = |_: &mut Pages, number| -> Result<Option<()>, IndexError> {
            numbers.push(number);
            Ok(None)
        };
        self.header.names.find(&mut self.pages, lookup::hash(id), take)?;
        Ok(numbers)
    }

    /// The positions of the events whose id may be this, in order.
    pub(crate) fn may_have(&mut self, id: &str, mut take: impl FnMut(u64) -> bool) -> Result<(), IndexError> {
        let take = |_: &mut Pages, number| -> Result<Option<()>, IndexError> { Ok((!take(number)).then_some(())) };
        self.header.ids.find(&mut self.pages, lookup::hash(id), take)?;
        Ok(())
    }
}

/// Whether a known type was met, the unknown ones before it, and where the segments begin.
type Seen = (bool, Vec<Box<str>>, Vec<u64>);

/// How the log was read, and what was seen of it.
fn told(bytes: &mut Decoder<'_>) -> Option<(Told, Seen)> {
    let (told, knows) = (Told::decode(bytes)?, bytes.flag()?);
    let unknown = (0..bytes.count()?).map(|_| bytes.text().map(Into::into)).collect::<Option<_>>()?;
    let starts = (0..bytes.count()?).map(|_| bytes.number()).collect::<Option<_>>()?;
    Some((told, (knows, unknown, starts)))
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Index").field("records", &self.header.records).field("is_grown", &self.is_grown).finish_non_exhaustive()
    }
}
