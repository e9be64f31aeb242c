//! Opening the log that a command was given, and telling what could not be read.

mod following;
mod packing;

pub(crate) use following::Moment;

use crate::args::Input;
use crate::lifted::{Lifted, Step};
use crate::output::{End, Failure, complain};
use indicatif::{ProgressBar, ProgressStyle};
use packing::Packing;
use replyfold::coarse::Language;
use replyfold::dialect::LoneSurrogates;
use replyfold::event::AgentEvent;
use replyfold::log::{BadRecord, Format, IndexOptions, LogError, LogOptions, LogReader, Place, Strictness, segments};
use replyfold::reduce::ReduceOptions;
use std::fs;
use std::io::{self, IsTerminal};

/// Logs above this size, in bytes, show a progress bar on a terminal.
const LARGE: u64 = 32 * 1024 * 1024;
/// Bad records that are told one by one without `--verbose`.
pub(crate) const TOLD: usize = 20;

/// What the reading of a log came to.
pub(crate) struct Reading {
    pub(crate) end: End,
    /// Events of a coarse log that were held back until it ended.
    pub(crate) held: Vec<AgentEvent>,
    /// Whether the log has coarse records, which were lifted.
    pub(crate) is_coarse: bool,
}

impl Input {
    pub(crate) fn options(&self) -> LogOptions {
        let mut options = LogOptions::new();
        if let Some(dialect) = self.from {
            options = options.with_dialect(dialect.into());
        }
        if let Some(path) = &self.path {
            options = options.with_path(path.as_str());
        }
        if self.replace_surrogates {
            options = options.with_lone_surrogates(LoneSurrogates::Replace);
        }
        if self.strict {
            options = options.with_strictness(Strictness::Strict);
        }
        options
    }

    pub(crate) fn reduce(&self) -> ReduceOptions {
        ReduceOptions::new().with_open_missing(self.open_missing)
    }

    /// What an index of the log answers for.
    pub(crate) fn index_options(&self) -> IndexOptions {
        IndexOptions::new().with_log(self.options()).with_reduce(self.reduce())
    }

    pub(crate) fn is_stdin(&self) -> bool {
        self.log.as_os_str() == "-"
    }

    /// Name of the log in messages.
    pub(crate) fn name(&self) -> String {
        if self.is_stdin() { "standard input".to_owned() } else { self.log.display().to_string() }
    }

    fn open(&self) -> Result<(LogReader, Packing), Failure> {
        if self.is_stdin() {
            let (stdin, packing) = Packing::watch(io::stdin());
            return Ok((LogReader::with_options(stdin, self.options()), packing));
        }
        let reader = LogReader::open_with(&self.log, self.options()).map_err(|err| self.failure(&err))?;
        // Only words of `--verbose` need it.
        let packing = if self.verbose { Packing::of_file(&self.log) } else { Packing::default() };
        Ok((reader, packing))
    }

    /// A reader of the log, for what needs no more than its records.
    pub(crate) fn reader(&self) -> Result<LogReader, Failure> {
        self.open().map(|(reader, _)| reader)
    }

    /// Reads the log and gives every record to `take` until it says that it has enough.
    pub(crate) fn read(&self, take: impl FnMut(Step<'_>) -> Result<bool, Failure>) -> Result<Reading, Failure> {
        self.read_at_most(None, Language::default(), take)
    }

    /// Reads at most so many records; errors of a coarse log are in this language. Even where that is none the log is opened: one that
    /// cannot be is no empty log.
    pub(crate) fn read_at_most(
        &self,
        most: Option<u64>,
        language: Language,
        mut take: impl FnMut(Step<'_>) -> Result<bool, Failure>,
    ) -> Result<Reading, Failure> {
        let (mut reader, packing) = self.open()?;
        let mut lifted = Lifted::new(language);
        let bar = self.progress();
        let (mut records, mut bad) = (0_u64, 0_usize);
        let mut end = End::Whole;
        let mut enough = false;
        while !enough && most.is_none_or(|most| records < most) {
            if let Some(bar) = bar.as_ref().filter(|_| records.is_multiple_of(4096)) {
                bar.set_position(reader.bytes_read());
            }
            let Some(record) = reader.next_ref() else { break };
            let record = match record {
                Ok(record) => record,
                // What was read up to there is worth showing: of a packed log that was cut it may be nearly all.
                Err(err) if err.is_bad_record() || records > 0 => {
                    end = self.stopped(&err);
                    break;
                }
                Err(err) => return Err(self.failure(&err)),
            };
            records += 1;
            if let Some(told) = record.bad() {
                bad += 1;
                if bad <= TOLD || self.verbose {
                    self.tell_bad(record.place, told);
                }
            }
            enough = !take(lifted.step(record))?;
        }
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
        self.tell_more_bad(bad as u64);
        if let Some(most) = most.filter(|most| records < *most && end.is_whole()) {
            self.tell_beyond(records, most);
        }
        if self.verbose {
            bad += usize::from(end.bad().is_some());
            self.tell_reader(&reader, &packing, lifted.is_coarse(), records + u64::from(end.bad().is_some()), bad);
        }
        Ok(Reading { end, is_coarse: lifted.is_coarse(), held: lifted.finish() })
    }

    fn failure(&self, err: &LogError) -> Failure {
        // The reader of a file names it.
        let name = if self.is_stdin() { format!("{}: ", self.name()) } else { String::new() };
        Failure::Log(format!("{name}{err}"))
    }

    fn stopped(&self, err: &LogError) -> End {
        match err.bad_record() {
            Some((place, bad)) => End::BadRecord { log: self.name(), place, is_torn: bad.is_torn(), reason: self.reason(bad) },
            None => End::Stopped(self.failure(err)),
        }
    }

    /// Tells how many bad records were not told one by one.
    pub(crate) fn tell_more_bad(&self, bad: u64) {
        let more = bad.saturating_sub(TOLD as u64);
        if more > 0 && !self.verbose {
            complain(&format!("{}: {more} more bad records; --verbose tells them all", self.name()));
        }
    }

    /// Tells that a point behind the end was asked for.
    pub(crate) fn tell_beyond(&self, records: u64, point: u64) {
        let records = if records == 1 { "1 record".to_owned() } else { format!("{records} records") };
        complain(&format!("{}: the log has {records}: {point} is beyond its end", self.name()));
    }

    pub(crate) fn tell_bad(&self, place: Place, bad: &BadRecord) {
        let kind = if bad.is_torn() { "the last record is cut off" } else { "bad record" };
        complain(&format!("{}: {place}: {kind}: {}", self.name(), self.reason(bad)));
    }

    fn tell_reader(&self, reader: &LogReader, packing: &Packing, is_coarse: bool, records: u64, bad: usize) {
        let format = match reader.format() {
            Some(Format::Jsonl) => "JSONL",
            Some(Format::Sse) => "a capture of server-sent events",
            Some(Format::JsonArray) => "a JSON array",
            _ => "nothing",
        };
        let dialect = match reader.dialect() {
            _ if is_coarse => "the coarse protocol, lifted".to_owned(),
            Some(dialect) => format!("dialect {}", dialect.as_str()),
            None => "dialect unknown".to_owned(),
        };
        let records = if records == 1 { "1 record".to_owned() } else { format!("{records} records") };
        complain(&format!("{}: {records}, {bad} bad; {}{format}, {dialect}", self.name(), packing.words()));
        if let Some(path) = reader.envelope_path() {
            complain(&format!("{}: events stand under `{path}`", self.name()));
        }
    }

    pub(crate) fn progress(&self) -> Option<ProgressBar> {
        let files = segments(&self.log).ok().filter(|_| !self.is_stdin())?;
        let size = files.iter().map(|file| fs::metadata(file).map_or(0, |metadata| metadata.len())).sum();
        if size <= LARGE || !io::stderr().is_terminal() {
            return None;
        }
        let style = ProgressStyle::with_template("{wide_bar} {bytes}/{total_bytes} {eta}").ok()?;
        Some(ProgressBar::new(size).with_style(style))
    }
}
