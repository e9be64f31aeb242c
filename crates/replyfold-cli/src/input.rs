//! Opening the log that a command was given, and telling what could not be read.

use crate::args::Input;
use crate::output::{End, Failure, complain};
use indicatif::{ProgressBar, ProgressStyle};
use replyfold::dialect::LoneSurrogates;
use replyfold::log::{BadRecord, LogOptions, LogReader, Outcome, Place, Record, Strictness};
use replyfold::reduce::ReduceOptions;
use std::io::{self, IsTerminal};

/// Logs above this size, in bytes, show a progress bar on a terminal.
const LARGE: u64 = 32 * 1024 * 1024;
/// Bad records that are told one by one without `--verbose`.
const TOLD: usize = 20;

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

    fn is_stdin(&self) -> bool {
        self.log.as_os_str() == "-"
    }

    /// Name of the log in messages.
    pub(crate) fn name(&self) -> String {
        if self.is_stdin() { "standard input".to_owned() } else { self.log.display().to_string() }
    }

    fn open(&self) -> Result<LogReader, Failure> {
        Ok(if self.is_stdin() {
            LogReader::with_options(io::stdin(), self.options())
        } else {
            LogReader::open_with(&self.log, self.options())?
        })
    }

    /// Reads the log and gives every record to `take` until it says that it has enough.
    pub(crate) fn read(&self, take: impl FnMut(Record) -> Result<bool, Failure>) -> Result<End, Failure> {
        self.read_at_most(None, take)
    }

    /// Reads at most so many records. Even where that is none the log is opened: one that cannot be is no empty log.
    pub(crate) fn read_at_most(&self, most: Option<u64>, mut take: impl FnMut(Record) -> Result<bool, Failure>) -> Result<End, Failure> {
        let mut reader = self.open()?;
        let bar = self.progress();
        let (mut records, mut bad) = (0_u64, 0_usize);
        let mut end = End::Whole;
        while most.is_none_or(|most| records < most) {
            let Some(record) = reader.next() else { break };
            let record = match record {
                // What was read up to there is worth showing: of a packed log that was cut it may be nearly all.
                Err(err) if err.is_bad_record() || records > 0 => {
                    end = End::Stopped(err);
                    break;
                }
                record => record?,
            };
            records += 1;
            if let Some(bar) = bar.as_ref().filter(|_| records.is_multiple_of(4096)) {
                bar.set_position(reader.bytes_read());
            }
            if let Outcome::Bad(told) = &record.outcome {
                bad += 1;
                if bad <= TOLD || self.verbose {
                    self.tell_bad(record.place, told);
                }
            }
            if !take(record)? {
                break;
            }
        }
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
        if bad > TOLD && !self.verbose {
            complain(&format!("{}: {} more bad records; --verbose tells them all", self.name(), bad - TOLD));
        }
        if self.verbose {
            self.tell_reader(&reader, records, bad);
        }
        Ok(end)
    }

    fn tell_bad(&self, place: Place, bad: &BadRecord) {
        let kind = if bad.is_torn() { "the last record is cut off" } else { "bad record" };
        complain(&format!("{}: {place}: {kind}: {}", self.name(), bad.reason));
    }

    fn tell_reader(&self, reader: &LogReader, records: u64, bad: usize) {
        let format = reader.format().map_or_else(|| "nothing".to_owned(), |format| format!("{format:?}"));
        let dialect = reader.dialect().map_or("unknown", |dialect| dialect.as_str());
        complain(&format!("{}: {records} records, {bad} bad; framing {format}, dialect {dialect}", self.name()));
        if let Some(path) = reader.envelope_path() {
            complain(&format!("{}: events stand under `{path}`", self.name()));
        }
    }

    fn progress(&self) -> Option<ProgressBar> {
        let size = std::fs::metadata(&self.log).ok().filter(|_| !self.is_stdin())?.len();
        if size <= LARGE || !io::stderr().is_terminal() {
            return None;
        }
        let style = ProgressStyle::with_template("{wide_bar} {bytes}/{total_bytes} {eta}").ok()?;
        Some(ProgressBar::new(size).with_style(style))
    }
}
