//! What stands where in an index; `docs/wire/index-format.md` tells it in words.

use super::bytes::{Decoder, Encoder, pack, unpack};
use super::error::{IndexError, Kind};
use super::lookup::Lookup;
use super::mark::Mark;
use super::options::IndexOptions;
use super::pages::Pages;
use replyfold_dialect::{Dialect, LoneSurrogates};

pub(super) const MAGIC: &[u8; 8] = b"rfoldidx";
/// Version of the format. Other versions are not read.
pub(crate) const VERSION: u64 = 2;
/// For "never" where a position stands.
pub(crate) const NEVER: u64 = u64::MAX;

/// Where a packed value stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: u64,
    pub(crate) length: u64,
}

/// What is true of the whole log.
#[derive(Clone, Debug, Default)]
pub(crate) struct Header {
    pub(super) mark: Mark,
    /// Bytes in the pages.
    pub(super) length: u64,
    pub(crate) records: u64,
    /// Records that stay what they are when the log grows.
    pub(crate) stable: u64,
    /// Position of the first note that tells of a missing start, and of the first one that tells of something else.
    pub(crate) first_lack: u64,
    pub(crate) first_other: u64,
    pub(crate) intervals: Span,
    pub(crate) replies: Span,
    pub(super) ids: Lookup,
    pub(super) names: Lookup,
    /// How the log was read, and the unknown types before the first known one.
    pub(super) told: Span,
}

impl Header {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Encoder(MAGIC.to_vec());
        out.fixed(VERSION);
        self.mark.encode(&mut out);
        [self.length, self.records, self.stable, self.first_lack, self.first_other].into_iter().for_each(|number| out.fixed(number));
        [self.intervals, self.replies, self.told].into_iter().for_each(|span| span.encode(&mut out));
        self.ids.encode(&mut out);
        self.names.encode(&mut out);
        out.0
    }

    pub(super) fn decode(page: &[u8]) -> Result<Self, IndexError> {
        let Some(rest) = page.strip_prefix(MAGIC) else { return Err(IndexError::damaged("it is no index")) };
        let mut bytes = Decoder(rest);
        match bytes.fixed() {
            Some(VERSION) => Self::fields(&mut bytes).ok_or_else(|| IndexError::damaged("its header")),
            version => Err(Kind::Version(version.unwrap_or_default()).into()),
        }
    }

    fn fields(bytes: &mut Decoder<'_>) -> Option<Self> {
        Some(Self {
            mark: Mark::decode(bytes)?,
            length: bytes.fixed()?,
            records: bytes.fixed()?,
            stable: bytes.fixed()?,
            first_lack: bytes.fixed()?,
            first_other: bytes.fixed()?,
            intervals: Span::decode(bytes)?,
            replies: Span::decode(bytes)?,
            told: Span::decode(bytes)?,
            ids: Lookup::decode(bytes)?,
            names: Lookup::decode(bytes)?,
        })
    }
}

impl Span {
    pub(super) fn encode(self, out: &mut Encoder) {
        out.fixed(self.start);
        out.fixed(self.length);
    }

    pub(super) fn decode(bytes: &mut Decoder<'_>) -> Option<Self> {
        Some(Self { start: bytes.fixed()?, length: bytes.fixed()? })
    }

    /// The packed value that stands here.
    pub(super) fn unpack(self, pages: &mut Pages) -> Result<Vec<u8>, IndexError> {
        unpack(&pages.read(self.start, self.length)?).ok_or_else(|| IndexError::damaged("a value cannot be unpacked"))
    }
}

/// How the log was read, and what no reader of the log may take for fine events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) dialect: Option<Dialect>,
    pub(crate) replaces_surrogates: bool,
    pub(crate) open_missing: bool,
    pub(crate) path: Option<Box<str>>,
}

impl Told {
    pub(super) fn new(options: &IndexOptions) -> Self {
        let IndexOptions { log, reduce, .. } = options;
        Self {
            dialect: log.read.dialect,
            replaces_surrogates: log.read.lone_surrogates == LoneSurrogates::Replace,
            open_missing: reduce.open_missing,
            path: log.path.clone(),
        }
    }

    pub(super) fn encode(&self, out: &mut Encoder) {
        out.optional(self.dialect.map(Dialect::as_str));
        out.flag(self.replaces_surrogates);
        out.flag(self.open_missing);
        out.optional(self.path.as_deref());
    }

    pub(super) fn decode(bytes: &mut Decoder<'_>) -> Option<Self> {
        let dialect = match bytes.optional()? {
            Some(name) => Some(name.parse().ok()?),
            None => None,
        };
        let (replaces_surrogates, open_missing) = (bytes.flag()?, bytes.flag()?);
        Some(Self { dialect, replaces_surrogates, open_missing, path: bytes.optional()?.map(Into::into) })
    }
}

/// An entry of a table: so many numbers of eight bytes.
pub(super) trait Entry: Sized {
    const NUMBERS: u64;
    fn numbers(&self) -> Vec<u64>;
    fn decode(bytes: &mut Decoder<'_>) -> Option<Self>;

    fn size() -> u64 {
        Self::NUMBERS * 8
    }

    fn encode(&self) -> Vec<u8> {
        let mut out = Encoder::default();
        self.numbers().into_iter().for_each(|number| out.fixed(number));
        out.0
    }
}

/// Where an interval begins, and where what is known of it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interval {
    pub(crate) position: u64,
    pub(crate) offset: u64,
    pub(crate) line: u64,
    /// Bad records before it.
    pub(crate) bad_before: u64,
    pub(crate) detail: Span,
    /// Its chunks, one a reply.
    pub(crate) chunks: Span,
}

impl Entry for Interval {
    const NUMBERS: u64 = 8;

    fn numbers(&self) -> Vec<u64> {
        let Self { position, offset, line, bad_before, detail, chunks } = *self;
        vec![position, offset, line, bad_before, detail.start, detail.length, chunks.start, chunks.length]
    }

    fn decode(bytes: &mut Decoder<'_>) -> Option<Self> {
        let (position, offset, line, bad_before) = (bytes.fixed()?, bytes.fixed()?, bytes.fixed()?, bytes.fixed()?);
        Some(Self { position, offset, line, bad_before, detail: Span::decode(bytes)?, chunks: Span::decode(bytes)? })
    }
}

/// One reply of the log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReplyEntry {
    pub(crate) first: u64,
    pub(crate) last: u64,
    /// Position of the event that opened its message, or [`NEVER`].
    pub(crate) opened: u64,
    pub(crate) name: Span,
    /// Its chunks, one an interval.
    pub(crate) chunks: Span,
}

impl Entry for ReplyEntry {
    const NUMBERS: u64 = 7;

    fn numbers(&self) -> Vec<u64> {
        let Self { first, last, opened, name, chunks } = *self;
        vec![first, last, opened, name.start, name.length, chunks.start, chunks.length]
    }

    fn decode(bytes: &mut Decoder<'_>) -> Option<Self> {
        let (first, last, opened) = (bytes.fixed()?, bytes.fixed()?, bytes.fixed()?);
        Some(Self { first, last, opened, name: Span::decode(bytes)?, chunks: Span::decode(bytes)? })
    }
}

/// One chunk, as the table of an interval or of a reply has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChunkEntry {
    /// In the table of an interval the number of the reply and one, or 0 for events of no reply; in that of a reply the position where
    /// the interval begins.
    pub(crate) of: u64,
    pub(crate) span: Span,
}

impl Entry for ChunkEntry {
    const NUMBERS: u64 = 3;

    fn numbers(&self) -> Vec<u64> {
        vec![self.of, self.span.start, self.span.length]
    }

    fn decode(bytes: &mut Decoder<'_>) -> Option<Self> {
        Some(Self { of: bytes.fixed()?, span: Span::decode(bytes)? })
    }
}

/// The entry with this number of a table.
pub(super) fn entry<T: Entry>(table: Span, number: u64, pages: &mut Pages) -> Result<T, IndexError> {
    let wrong = || IndexError::damaged("an entry of a table");
    let start =
        number.checked_mul(T::size()).filter(|at| *at < table.length).and_then(|at| at.checked_add(table.start)).ok_or_else(wrong)?;
    T::decode(&mut Decoder(&pages.read(start, T::size())?)).ok_or_else(wrong)
}

/// All entries of a table.
pub(super) fn entries<T: Entry>(table: Span, pages: &mut Pages) -> Result<Vec<T>, IndexError> {
    let bytes = pages.read(table.start, table.length)?;
    let mut rest = Decoder(&bytes);
    let mut list = Vec::new();
    while !rest.is_empty() {
        list.push(T::decode(&mut rest).ok_or_else(|| IndexError::damaged("a table ends in the middle"))?);
    }
    Ok(list)
}

/// Writes what belongs together as one packed value.
pub(super) fn packed(write: impl FnOnce(&mut Encoder)) -> Vec<u8> {
    let mut out = Encoder::default();
    write(&mut out);
    pack(out.0)
}
