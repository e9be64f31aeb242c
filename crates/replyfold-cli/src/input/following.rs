//! Reading a log while it is being written.

use super::{Reading, TOLD};
use crate::args::Input;
use crate::lifted::{Lifted, Step};
use crate::output::{End, Failure, complain};
use replyfold::coarse::Language;
use replyfold::log::{Follow, Followed, LogError, LogReader, Record};
use std::task::Poll;
use std::thread;
use std::time::Duration;

/// Time between two looks at a file.
const INTERVAL: Duration = Duration::from_millis(100);

/// What happens while a log is followed.
#[expect(clippy::large_enum_variant, reason = "nobody keeps one")]
pub(crate) enum Moment<'a> {
    Record(Step<'a>),
    /// All that is there was read.
    Idle,
}

/// What comes next.
enum Next {
    Record(Box<Record>),
    Notice(String),
    Nothing,
    End,
}

/// Where the records come from.
enum Source {
    File(Box<Follow>),
    /// A stream is read as it comes: reading it waits.
    Stream {
        reader: Box<LogReader>,
        is_told: bool,
    },
}

impl Input {
    /// Gives every record of the log to `take` as it is written, and tells it when all that is there was read; until it says that it has
    /// enough, at most so many records, or the end of standard input.
    pub(crate) fn follow(&self, most: Option<u64>, mut take: impl FnMut(Moment<'_>) -> Result<bool, Failure>) -> Result<Reading, Failure> {
        let mut source = self.source()?;
        let mut lifted = Lifted::new(Language::default());
        let (mut records, mut bad) = (0_u64, 0_usize);
        let mut end = End::Whole;
        let mut goes_on = true;
        while goes_on && most.is_none_or(|most| records < most) {
            match source.next() {
                Ok(Next::Record(record)) => {
                    records += 1;
                    if let Some(told) = record.bad() {
                        bad += 1;
                        if bad <= TOLD || self.verbose {
                            self.tell_bad(record.place, told);
                        }
                        if bad == TOLD && !self.verbose {
                            complain(&format!("{}: no more bad records are told; --verbose tells them all", self.name()));
                        }
                    }
                    goes_on = take(Moment::Record(lifted.step(record.as_ref().as_ref())))?;
                }
                Ok(Next::Notice(notice)) => complain(&format!("{}: {notice}", self.name())),
                Ok(Next::Nothing) => {
                    goes_on = take(Moment::Idle)?;
                    if goes_on && matches!(source, Source::File(_)) {
                        thread::sleep(INTERVAL);
                    }
                }
                Ok(Next::End) => break,
                Err(err) if err.is_bad_record() || records > 0 => {
                    end = self.stopped(&err);
                    break;
                }
                Err(err) => return Err(self.failure(&err)),
            }
        }
        Ok(Reading { end, is_coarse: lifted.is_coarse(), held: lifted.finish() })
    }

    fn source(&self) -> Result<Source, Failure> {
        // A pipe or a device with a name is no file that could grow.
        if self.is_stdin() || std::fs::metadata(&self.log).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
            return Ok(Source::Stream { reader: Box::new(self.open()?.0), is_told: true });
        }
        let follow = Follow::open_with(&self.log, self.options()).map_err(|err| self.failure(&err))?;
        Ok(Source::File(Box::new(follow)))
    }
}

impl Source {
    fn next(&mut self) -> Result<Next, LogError> {
        match self {
            Self::File(follow) => Ok(match follow.try_next() {
                Poll::Pending => Next::Nothing,
                Poll::Ready(None) => Next::End,
                Poll::Ready(Some(followed)) => match followed? {
                    Followed::Record(record) => Next::Record(Box::new(record)),
                    Followed::Notice(notice) => Next::Notice(notice.to_string()),
                },
            }),
            Self::Stream { reader, is_told } => {
                *is_told = !*is_told;
                // Nobody knows whether reading on would wait, so everything is shown before.
                if *is_told {
                    return Ok(Next::Nothing);
                }
                reader.next().map_or(Ok(Next::End), |record| record.map(|record| Next::Record(Box::new(record))))
            }
        }
    }
}
