//! Reading the events of one log.

use crate::camel::Camel;
use crate::detect::look;
use crate::java::{self, Extra, Lenience};
use crate::template::{LineEnd, Template, Templates, Wire};
use crate::{Dialect, Error, python};
use replyfold_event::{AgentEvent, EventRef, Payload};
use replyfold_message::json::{DecodeError, Fields, replace_lone_surrogates};
use std::fmt;

/// What a reader of events is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadOptions {
    /// The dialect of the log; `None` lets the reader tell it, line by line.
    pub dialect: Option<Dialect>,
    /// What to do with half of a surrogate pair.
    pub lone_surrogates: LoneSurrogates,
    /// Whether every line is parsed on its own, also one that is like an earlier one. The result is the same and costs more: it is what tests
    /// compare with.
    pub parse_each: bool,
}

/// What to do with half of a surrogate pair, which no Rust string can hold (`wire.md` section 6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there is nothing else to do with it")]
pub enum LoneSurrogates {
    /// The line is an error.
    #[default]
    Refuse,
    /// It is read as U+FFFD.
    Replace,
}

impl ReadOptions {
    /// The dialect is told, and half pairs are refused.
    #[must_use]
    pub const fn new() -> Self {
        Self { dialect: None, lone_surrogates: LoneSurrogates::Refuse, parse_each: false }
    }

    /// All lines are of this dialect.
    #[must_use]
    pub const fn with_dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = Some(dialect);
        self
    }

    /// Half of a surrogate pair is treated in this way.
    #[must_use]
    pub const fn with_lone_surrogates(mut self, lone_surrogates: LoneSurrogates) -> Self {
        self.lone_surrogates = lone_surrogates;
        self
    }

    /// Every line is parsed on its own.
    #[must_use]
    pub const fn with_parse_each(mut self, parse_each: bool) -> Self {
        self.parse_each = parse_each;
        self
    }
}

/// One event of a log.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ReadEvent {
    /// The event, with the id of its reply.
    pub event: AgentEvent,
    /// The dialect of its line.
    pub dialect: Dialect,
    /// What the reader did that one should know.
    pub notes: Vec<ReadNote>,
}

impl ReadEvent {
    /// An event that comes of no line: of this dialect, with nothing that one should know.
    #[must_use]
    pub fn new(event: AgentEvent, dialect: Dialect) -> Self {
        Self { event, dialect, notes: Vec::new() }
    }
}

/// One event of a log that its reader lends.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ReadEventRef<'a> {
    /// The event, with the id of its reply.
    pub event: EventRef<'a>,
    /// The dialect of its line.
    pub dialect: Dialect,
    /// What the reader did that one should know.
    pub notes: &'a [ReadNote],
}

impl<'a> From<&'a ReadEvent> for ReadEventRef<'a> {
    fn from(read: &'a ReadEvent) -> Self {
        Self { event: EventRef::from(&read.event), dialect: read.dialect, notes: &read.notes }
    }
}

impl ReadEventRef<'_> {
    /// The event, to keep.
    #[must_use]
    pub fn to_read(self) -> ReadEvent {
        ReadEvent { event: self.event.to_event(), dialect: self.dialect, notes: self.notes.to_vec() }
    }
}

/// What a reader did that one should know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ReadNote {
    /// The line is of another dialect than the log; it was read as its own.
    OtherDialect(Dialect),
    /// Several runs of one speaker are open and nothing tells which one the event is of; one was guessed.
    GuessedRun,
    /// The event has no reply and no run is open: the log's anonymous reply was opened.
    AnonymousReply,
    /// Half of a surrogate pair was replaced by U+FFFD.
    ReplacedSurrogate,
}

impl fmt::Display for ReadNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherDialect(dialect) => write!(f, "the line is of the {dialect} dialect, unlike the log; it was read as such"),
            Self::GuessedRun => f.write_str("several runs are open and nothing tells which one the event is of; one was guessed"),
            Self::AnonymousReply => f.write_str("the event names no reply and no run is open; an anonymous reply was opened"),
            Self::ReplacedSurrogate => f.write_str("half of a surrogate pair was replaced by U+FFFD"),
        }
    }
}

/// Reads the events of one log, in order: tells the dialect of each line and gives each event the id of its reply.
///
/// A line that is refused changes nothing: the next one is read as if it had not been there.
///
/// ```
/// use replyfold_dialect::{Dialect, EventReader};
///
/// let mut reader = EventReader::default();
/// let start = reader.read(r#"{"type":"AGENT_START","id":"1","replyId":"run","role":"assistant","type":"AGENT_START"}"#)?;
/// let delta = reader.read(r#"{"type":"TEXT_BLOCK_DELTA","id":"2","replyId":"call","blockId":"text","delta":"Hi","type":"TEXT_BLOCK_DELTA"}"#)?;
///
/// // Java gives the model call an id of its own; the reader gives both events the id of their reply.
/// assert_eq!(start.dialect, Dialect::Java);
/// assert_eq!(delta.event.reply_id().map(|id| id.as_str()), Some("run"));
/// assert_eq!(delta.event.block_id().map(|id| id.as_str()), Some("call:text"));
/// # Ok::<(), replyfold_dialect::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct EventReader {
    options: ReadOptions,
    /// Whether the log is Python's, once an event of a known type was read.
    is_python: Option<bool>,
    camel: Camel,
    templates: Templates,
    /// The last event that was lent and came of no template.
    lent: Option<Box<ReadEvent>>,
}

impl EventReader {
    /// A reader for one log.
    #[must_use]
    pub fn new(options: ReadOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// The dialect of the log as far as it is known: what was told, else what its events showed.
    #[must_use]
    pub fn dialect(&self) -> Option<Dialect> {
        self.options.dialect.or(match self.is_python {
            Some(true) => Some(Dialect::Python),
            Some(false) if self.camel.has_residues() => Some(Dialect::Java),
            Some(false) => Some(Dialect::Canonical),
            None => None,
        })
    }

    /// A number that stays the same as long as what was read says nothing of what comes: a reader that read only the lines at which it, or
    /// [`dialect`](Self::dialect), became another one reads what comes like one that read all of them.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.camel.version()
    }

    /// Reads the next event.
    ///
    /// # Errors
    ///
    /// The text is no event: no JSON object, no `type`, half of a surrogate pair unless told otherwise, or a known type whose fields are
    /// wrong. Types that are not known are no error.
    pub fn read(&mut self, text: &str) -> Result<ReadEvent, Error> {
        let alike = self.templates.fill(text.as_bytes(), LineEnd::Text, &mut self.camel);
        match alike.and_then(|_| self.templates.lent(text.as_bytes())) {
            Some(read) => Ok(read.to_read()),
            None => self.parse(text),
        }
    }

    /// Reads the next event and lends it until the one after is read. A piece that follows another of its block costs little more than
    /// comparing its line with that of the other, and no allocation.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn read_ref<'a>(&'a mut self, text: &'a str) -> Result<ReadEventRef<'a>, Error> {
        if self.templates.fill(text.as_bytes(), LineEnd::Text, &mut self.camel).is_none() {
            self.lent = Some(Box::new(self.parse(text)?));
        }
        let lent = self.templates.lent(text.as_bytes()).or(self.lent.as_deref().map(ReadEventRef::from));
        // A line that fits no template leaves none lent, and was parsed.
        lent.ok_or_else(|| Error::new(None, DecodeError::invalid("no event")))
    }

    /// Reads the line at the start of `text` if it ends with `\n` and is like an earlier one, for readers of many lines: no byte after it is
    /// looked at. Gives the length of the line, its end included; [`alike`](Self::alike) lends its event. `None` changes nothing.
    ///
    /// Such a line has the keys of the other in their order, so it is an event if the other was one, and nothing else.
    ///
    /// ```
    /// use replyfold_dialect::EventReader;
    ///
    /// let line = |delta| format!(r#"{{"type":"TEXT_BLOCK_DELTA","replyId":"r","blockId":"b","delta":"{delta}"}}"#);
    /// let mut reader = EventReader::default();
    /// reader.read(&line("Hel"))?;
    /// let rest = format!("{}\nand more", line("lo"));
    /// assert_eq!(reader.read_alike(rest.as_bytes()), Some(rest.len() - 8));
    /// assert_eq!(reader.alike(rest.as_bytes()).and_then(|read| read.event.text()).as_deref(), Some("lo"));
    /// assert_eq!(reader.read_alike(b"and more"), None);
    /// # Ok::<(), replyfold_dialect::Error>(())
    /// ```
    pub fn read_alike(&mut self, text: &[u8]) -> Option<usize> {
        self.templates.fill(text, LineEnd::Newline, &mut self.camel)
    }

    /// The event of the line that [`read_alike`](Self::read_alike) read last, given the same text.
    #[must_use]
    pub fn alike<'a>(&'a self, text: &'a [u8]) -> Option<ReadEventRef<'a>> {
        self.templates.lent(text)
    }

    fn parse(&mut self, text: &str) -> Result<ReadEvent, Error> {
        match self.read_once(text) {
            Err(err) if err.is_lone_surrogate() && self.options.lone_surrogates == LoneSurrogates::Replace => {
                let fixed = replace_lone_surrogates(text).ok_or(err)?;
                let mut read = self.read_once(&fixed)?;
                read.notes.push(ReadNote::ReplacedSurrogate);
                Ok(read)
            }
            result => result,
        }
    }

    fn read_once(&mut self, text: &str) -> Result<ReadEvent, Error> {
        match self.options.dialect {
            Some(Dialect::Python) => python::read(text).map(|event| self.python(text, event)),
            Some(Dialect::Java) if text.trim_start().starts_with('[') => {
                let event = java::read(text, Lenience::Jackson)?;
                Ok(self.camel(text, event, Extra::default(), Dialect::Java))
            }
            Some(dialect) => {
                let lenience = if dialect == Dialect::Java { Lenience::Jackson } else { Lenience::Taxonomy };
                let fields = Fields::parse(text).map_err(|err| Error::new(None, err))?;
                let (event, extra) = java::read_fields(&fields, text, lenience)?;
                Ok(self.camel(text, event, extra, dialect))
            }
            None => self.read_untold(text),
        }
    }

    fn read_untold(&mut self, text: &str) -> Result<ReadEvent, Error> {
        let fields = match Fields::parse(text) {
            Ok(fields) => fields,
            // Numbers that are no JSON are Python's; its reader knows them.
            Err(err) if err.is_syntax() && self.is_python != Some(false) => {
                let event = python::read(text)?;
                return Ok(self.python(text, event));
            }
            Err(err) => return Err(Error::new(None, err)),
        };
        let look = look(&fields);
        if look.dialect == Dialect::Python {
            let event = python::read_fields(&fields, text)?;
            return Ok(self.python(text, event));
        }
        let lenience = if look.marked { Lenience::Jackson } else { Lenience::Taxonomy };
        let (event, extra) = java::read_fields(&fields, text, lenience)?;
        Ok(self.camel(text, event, extra, look.dialect))
    }

    fn python(&mut self, text: &str, event: AgentEvent) -> ReadEvent {
        let read = self.as_it_is(event, Dialect::Python);
        if self.wants_template(&read.event) {
            self.templates.learn(Template::new(text, &read, Wire::of(&read.event), None));
        }
        read
    }

    fn wants_template(&self, event: &AgentEvent) -> bool {
        !self.options.parse_each && self.templates.wants(event)
    }

    /// A camelCase event takes the reply step.
    fn camel(&mut self, text: &str, mut event: AgentEvent, extra: Extra, dialect: Dialect) -> ReadEvent {
        let before = (self.wants_template(&event) && event.residue.is_empty()).then(|| (extra.clone(), Wire::of(&event)));
        let note = self.camel.finish(&mut event, extra);
        let mut read = self.as_it_is(event, dialect);
        read.notes.extend(note);
        if let Some((extra, wire)) = before {
            self.templates.learn(Template::new(text, &read, wire, Some((extra, &self.camel))));
        }
        read
    }

    fn as_it_is(&mut self, event: AgentEvent, dialect: Dialect) -> ReadEvent {
        let mut notes = Vec::new();
        // An unknown type says nothing of the log: hosts send frames of their own.
        if !matches!(event.payload, Payload::Unknown(_)) {
            let is_python = dialect == Dialect::Python;
            if *self.is_python.get_or_insert(is_python) != is_python {
                notes.push(ReadNote::OtherDialect(dialect));
            }
        }
        ReadEvent { event, dialect, notes }
    }
}
