//! How a log is written.

use replyfold_dialect::Dialect;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// When what was appended is made durable: safe from a crash of the machine, not only of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Durability {
    /// Before each `append` comes back. No event that it acknowledged is ever lost.
    #[default]
    EveryEvent,
    /// Once what is not durable is this old; needs a [clock](WriterOptions::with_clock). It is looked at with each `append` and
    /// [`tick`](crate::LogWriter::tick), so a program whose events may stop coming calls the latter.
    Every(Duration),
    /// When the writer is closed, the log goes on in a new segment, or [`sync`](crate::LogWriter::sync) is called.
    OnClose,
}

/// How new files are packed. A file that is not empty goes on as it is packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Packing {
    /// Lines as they are.
    #[default]
    Plain,
    /// zstd, a frame each time that events are written: with each `append` under [`Durability::EveryEvent`], which packs little; else when
    /// they are made durable, or there are enough of them.
    Zstd,
}

/// How a log is written, from [`WriterOptions::new`] on.
#[derive(Clone)]
pub struct WriterOptions {
    pub(crate) dialect: Dialect,
    pub(crate) durability: Durability,
    pub(crate) packing: Packing,
    pub(crate) max_bytes: Option<u64>,
    pub(crate) max_age: Option<Duration>,
    pub(crate) clock: Option<Clock>,
}

/// Tells the time.
pub(crate) type Clock = Arc<dyn Fn() -> SystemTime + Send + Sync>;

impl WriterOptions {
    /// Events are written in this dialect, each is durable before it is acknowledged, and the log stays one plain file.
    #[must_use]
    pub fn new(dialect: Dialect) -> Self {
        Self { dialect, durability: Durability::default(), packing: Packing::default(), max_bytes: None, max_age: None, clock: None }
    }

    /// What was appended is made durable then.
    #[must_use]
    pub fn with_durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// New files are packed in this way.
    #[must_use]
    pub fn with_packing(mut self, packing: Packing) -> Self {
        self.packing = packing;
        self
    }

    /// The log goes on in a new segment where a file would grow above this size, in bytes as they stand in it. A file holds one `append`
    /// at least, however long that is.
    #[must_use]
    pub fn with_max_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = Some(bytes);
        self
    }

    /// The log goes on in a new segment once the file that is written is this old; needs a [clock](Self::with_clock). A file's age begins when
    /// it was made; where the system does not keep that, when the writer opened it.
    #[must_use]
    pub fn with_max_age(mut self, age: Duration) -> Self {
        self.max_age = Some(age);
        self
    }

    /// The clock, `SystemTime::now` as a rule: the writer has none of its own.
    #[must_use]
    pub fn with_clock(mut self, clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.clock = Some(Arc::new(clock));
        self
    }

    /// Which option needs a clock, if one does and there is none.
    pub(crate) fn lacks_clock(&self) -> Option<&'static str> {
        match self {
            Self { clock: Some(_), .. } => None,
            Self { durability: Durability::Every(_), .. } => Some("Durability::Every"),
            Self { max_age: Some(_), .. } => Some("with_max_age"),
            _ => None,
        }
    }

    pub(crate) fn now(&self) -> Option<SystemTime> {
        self.clock.as_ref().map(|clock| clock())
    }
}

impl fmt::Debug for WriterOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { dialect, durability, packing, max_bytes, max_age, clock } = self;
        f.debug_struct("WriterOptions")
            .field("dialect", dialect)
            .field("durability", durability)
            .field("packing", packing)
            .field("max_bytes", max_bytes)
            .field("max_age", max_age)
            .field("has_clock", &clock.is_some())
            .finish()
    }
}
