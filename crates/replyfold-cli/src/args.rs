//! The command line.

mod run;

pub(crate) use run::Run;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use replyfold::coarse::Language;
use replyfold::log::Durability;
use std::path::PathBuf;
use std::time::Duration;

/// Replays, checks and converts recorded event logs of LLM agents.
///
/// A log is JSONL, a capture of server-sent events or a JSON array, plain, gzip or zstd, in the Java, Python or canonical dialect or of the
/// coarse protocol: all of this is recognised. `-` reads standard input.
#[derive(Debug, Parser)]
#[command(name = "replyfold", version, max_term_width = 100, after_help = EXIT)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT: &str = "Exit status:
  0  done; records that cannot be read are told on standard error
  1  findings of `check`, a bad record with --strict, or a reply of `run` that failed
  2  wrong usage, a log that cannot be read, output that cannot be written";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show the messages that a log folds into, at its end or at any prefix.
    #[command(
        after_help = "Examples:\n  replyfold replay run.jsonl\n  replyfold replay run.jsonl --at 40\n  replyfold replay run.jsonl --follow\n  curl -sN URL | tee run.sse | replyfold replay - --format json"
    )]
    Replay(Replay),
    /// Print the messages after every prefix: line k is the JSON array of messages after k records.
    ///
    /// The first line is k = 0, before any record; a log of n records gives n + 1 lines. With --every N the lines are k = 0, N, 2N and so
    /// on, and the last k. A line holds whole messages, so the output grows with the square of the log: --every and --reply keep it small.
    /// With --reply the lines before the reply begins are printed once it does; nothing is printed for one that the log does not have.
    #[command(
        after_help = "Examples:\n  replyfold prefixes run.jsonl --every 100\n  replyfold prefixes run.jsonl --reply r1 --dialect python"
    )]
    Prefixes(Prefixes),
    /// Write a log in another dialect, as JSONL; what the dialect cannot carry is told on standard error.
    ///
    /// A coarse log comes out as the fine events that it is lifted to, and standard error says so.
    #[command(
        after_help = "Examples:\n  replyfold convert java.sse --to canonical > run.jsonl\n  replyfold convert run.jsonl --to python --drop-unknown"
    )]
    Convert(Convert),
    /// Find what is wrong with a log, record by record; exit status 1 if anything is.
    ///
    /// With --strict the bad record that ends the reading is the last finding.
    #[command(after_help = "Examples:\n  replyfold check run.jsonl\n  replyfold check run.jsonl --format json | jq '.[].kind'")]
    Check(Check),
    /// Count and time what is in a log: events, tokens, tools, latencies.
    ///
    /// Events that a log holds twice, by their ids, count once: their repetitions stand in the count of events and are told.
    #[command(after_help = "Examples:\n  replyfold stats run.jsonl\n  replyfold stats run.jsonl.zst --format json")]
    Stats(Stats),
    /// Write a log as the six coarse events that simple front ends know, one stream a reply.
    ///
    /// Every stream is closed: one whose log just stops, or cannot be read on, ends with `error` and `complete`.
    #[command(
        after_help = "Examples:\n  replyfold coarse run.jsonl\n  replyfold coarse run.jsonl --reply r1 --sse --lang en\n  replyfold coarse run.jsonl --think-tags --subagents thinking"
    )]
    Coarse(Coarse),
    /// Show the answer and the timeline that a simple front end shows, at the end of a log or at any prefix.
    ///
    /// It is the state at that point: a reply that has no end there is streaming, and no error is made up for it.
    #[command(after_help = "Examples:\n  replyfold timeline run.jsonl --at 40\n  replyfold timeline run.jsonl --format html > run.html")]
    Timeline(Timeline),
    /// Write a log anew with fewer records: pieces of one block that follow each other become one, events that came twice go.
    ///
    /// At every point that is left the messages are what they were. Records that cannot be read stay as they stand. The log itself is left
    /// alone.
    #[command(
        after_help = "Examples:\n  replyfold compact run.jsonl -o small.jsonl\n  replyfold compact run.jsonl.zst -o run.jsonl --force"
    )]
    Compact(Compact),
    /// Build the index of a log, so that `replay --at`, `--until` and `--reply` need not read all of it.
    ///
    /// The index stands beside the log, as LOG.idx. It is used as long as it fits the log; without it everything is the same, only slower.
    /// A log has one if it is plain JSONL.
    #[command(after_help = "Examples:\n  replyfold index run.jsonl\n  replyfold replay run.jsonl --at 750000 --reply r17")]
    Index(Index),
    /// Append events from standard input to a log, and keep them whatever happens.
    ///
    /// An event is durable before the next one is read; --sync allows for less. The log is JSONL; it goes on where it ends, and what a crash left
    /// there is mended and told first. One `record` has a log at a time. Records that cannot be read are told and not recorded.
    #[command(
        after_help = "Examples:\n  my-agent | replyfold record run.jsonl\n  curl -sN URL | replyfold record run.jsonl.zst --sync 200 --max-bytes 100000000\n  my-agent | replyfold record run.jsonl --ack"
    )]
    Record(Record),
    /// Play a log on the whole terminal: its messages as they grew, beside the records that made them.
    ///
    /// It plays as fast as the log was recorded; nothing waits longer than two seconds. Space pauses, the arrow keys step forwards and
    /// backwards, `?` shows all keys. A large log opens at once if `replyfold index` has made its index.
    #[command(
        after_help = "Examples:\n  replyfold play run.jsonl\n  replyfold play run.jsonl --speed 8\n  replyfold play run.jsonl --paused --at 1371"
    )]
    Play(Play),
    /// Run an agent whose model, tools and people follow a script, and print its events.
    ///
    /// The script is YAML; docs/how-to/run-a-script.md in the source describes it. With --seed a run is the same each time, and waits take no
    /// time. Exit status 1 says that a reply failed.
    #[command(
        after_help = "Examples:\n  replyfold run --script weather.yaml --seed 1\n  replyfold run --script ask.yaml --state session.json --log session.jsonl\n  replyfold run --script ask.yaml --coarse --lang en"
    )]
    Run(Run),
}

/// What every command takes: the log and how to read it.
#[derive(ClapArgs, Debug)]
pub(crate) struct Input {
    /// The log: a file, or `-` for standard input.
    #[arg(value_name = "LOG")]
    pub(crate) log: PathBuf,
    /// Read every record in this dialect instead of telling it from the record. Coarse logs need none.
    #[arg(long, value_name = "DIALECT", help_heading = "Reading")]
    pub(crate) from: Option<DialectArg>,
    /// The member of each record that holds the event, for logs with envelopes [default: found on the first records].
    #[arg(long, value_name = "KEY", help_heading = "Reading", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) path: Option<String>,
    /// Read half of a surrogate pair as U+FFFD instead of refusing the record.
    #[arg(long, help_heading = "Reading")]
    pub(crate) replace_surrogates: bool,
    /// Stop at the first bad record, show what was read before it, and end with exit status 1.
    #[arg(long, help_heading = "Reading")]
    pub(crate) strict: bool,
    /// Open a block for a piece whose block was never started: for captures that hold only pieces.
    #[arg(long, help_heading = "Reading")]
    pub(crate) open_missing: bool,
    /// Tell everything on standard error: how the log is read, every bad record, what the dialect that is written has no place for.
    #[arg(long, short, help_heading = "Reading")]
    pub(crate) verbose: bool,
}

/// A point of the log; without one, its end.
#[derive(ClapArgs, Debug, Default)]
pub(crate) struct Point {
    /// After this many records, readable or not; of a log with fewer all, and a note [default: all].
    #[arg(long, value_name = "N", conflicts_with = "until")]
    pub(crate) at: Option<u64>,
    /// After the event with this id.
    #[arg(long, value_name = "EVENT_ID")]
    pub(crate) until: Option<String>,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Replay {
    #[command(flatten)]
    pub(crate) input: Input,
    /// Only the message of this reply.
    #[arg(long, value_name = "ID")]
    pub(crate) reply: Option<String>,
    #[command(flatten)]
    pub(crate) point: Point,
    /// A transcript to read, or one JSON array.
    #[arg(long, value_enum, default_value_t = Format::Pretty)]
    pub(crate) format: Format,
    /// Dialect of the messages, with --format json [default: canonical].
    #[arg(long, value_enum)]
    pub(crate) dialect: Option<DialectArg>,
    /// Write the path of the agent that spoke into each message, with --format json.
    #[arg(long)]
    pub(crate) with_source: bool,
    /// Go on as the log is written, until Ctrl-C: texts are printed as they grow. With --format json, a line for each message once its
    /// reply ends or pauses.
    #[arg(long, short)]
    pub(crate) follow: bool,
    /// End once every reply that is in the log has ended or paused, with --follow.
    #[arg(long, requires = "follow")]
    pub(crate) until_end: bool,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Prefixes {
    #[command(flatten)]
    pub(crate) input: Input,
    /// Only the message of this reply.
    #[arg(long, value_name = "ID")]
    pub(crate) reply: Option<String>,
    /// Dialect of the messages.
    #[arg(long, value_enum, default_value_t = DialectArg::Canonical)]
    pub(crate) dialect: DialectArg,
    /// Only every Nth prefix, and the last.
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) every: u64,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Convert {
    #[command(flatten)]
    pub(crate) input: Input,
    /// The dialect to write.
    #[arg(long, value_enum, value_name = "DIALECT")]
    pub(crate) to: DialectArg,
    /// Leave out events of types that are not known, instead of passing them through.
    #[arg(long)]
    pub(crate) drop_unknown: bool,
    /// Write each event inside the envelope it came in.
    #[arg(long)]
    pub(crate) keep_envelope: bool,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) input: Input,
    /// Sentences to read, or one JSON array.
    #[arg(long, value_enum, default_value_t = Format::Pretty)]
    pub(crate) format: Format,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Stats {
    #[command(flatten)]
    pub(crate) input: Input,
    /// Tables to read, or one JSON object.
    #[arg(long, value_enum, default_value_t = Format::Pretty)]
    pub(crate) format: Format,
}

/// How a log is collapsed; it may be a fine or a coarse one.
#[derive(ClapArgs, Debug)]
pub(crate) struct Collapse {
    /// Only this reply.
    #[arg(long, value_name = "ID")]
    pub(crate) reply: Option<String>,
    /// Take thinking out of text between think tags.
    #[arg(long)]
    pub(crate) think_tags: bool,
    /// Language of error messages.
    #[arg(long, value_enum, default_value_t = Lang::Zh)]
    pub(crate) lang: Lang,
    /// What becomes of the events of sub-agents.
    #[arg(long, value_enum, default_value_t = Subagents::Drop)]
    pub(crate) subagents: Subagents,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Coarse {
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) collapse: Collapse,
    /// Write server-sent events instead of JSONL.
    #[arg(long)]
    pub(crate) sse: bool,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Timeline {
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) collapse: Collapse,
    #[command(flatten)]
    pub(crate) point: Point,
    /// To read, as one JSON array, or as a page with a scrubber that needs nothing else.
    #[arg(long, value_enum, default_value_t = PageFormat::Pretty)]
    pub(crate) format: PageFormat,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Compact {
    #[command(flatten)]
    pub(crate) input: Input,
    /// The file to write.
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// Replace the file if it is there.
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Play {
    #[command(flatten)]
    pub(crate) input: Input,
    /// How many times as fast as recorded, from 0.01 to 1000.
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = speed)]
    pub(crate) speed: f64,
    /// Begin after this many records.
    #[arg(long, value_name = "N")]
    pub(crate) at: Option<u64>,
    /// Begin paused.
    #[arg(long)]
    pub(crate) paused: bool,
}

fn speed(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(speed) if (0.01..=1000.0).contains(&speed) => Ok(speed),
        _ => Err("not a number from 0.01 to 1000".to_owned()),
    }
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Index {
    #[command(flatten)]
    pub(crate) input: Input,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Record {
    /// The log to append to; it is made if it is not there.
    #[arg(value_name = "LOG")]
    pub(crate) log: PathBuf,
    /// The dialect of the log; one that is of another is refused.
    #[arg(long, value_enum, default_value_t = DialectArg::Canonical)]
    pub(crate) dialect: DialectArg,
    /// When events are made durable: each before the next (`event`), those that wait after so many MILLISECONDS, or all at the end (`close`).
    #[arg(long, value_name = "event|MILLISECONDS|close", default_value = "event", value_parser = sync)]
    pub(crate) sync: Durability,
    /// Go on in a new file, LOG.00001 and so on with the number before the extension, where one would grow above so many bytes.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_bytes: Option<u64>,
    /// Go on in a new file once one is so many seconds old.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_age: Option<u64>,
    /// Pack new files with zstd; the name of a log that ends in `.zst` says so too.
    #[arg(long)]
    pub(crate) zstd: bool,
    /// Print the position of each event on standard output, one a line, once it is durable.
    #[arg(long)]
    pub(crate) ack: bool,
    /// Read every record in this dialect instead of telling it from the record.
    #[arg(long, value_name = "DIALECT", help_heading = "Reading")]
    pub(crate) from: Option<DialectArg>,
    /// The member of each record that holds the event, for events in envelopes [default: found on the first records].
    #[arg(long, value_name = "KEY", help_heading = "Reading", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) path: Option<String>,
    /// Read half of a surrogate pair as U+FFFD instead of refusing the record.
    #[arg(long, help_heading = "Reading")]
    pub(crate) replace_surrogates: bool,
    /// Stop at the first bad record, keep what was read before it, and end with exit status 1.
    #[arg(long, help_heading = "Reading")]
    pub(crate) strict: bool,
    /// Tell everything on standard error: how the events are read, every bad record, what the dialect that is written has no place for.
    #[arg(long, short, help_heading = "Reading")]
    pub(crate) verbose: bool,
}

impl Record {
    /// Standard input, and how it is read.
    pub(crate) fn input(&self) -> Input {
        Input {
            log: "-".into(),
            from: self.from,
            path: self.path.clone(),
            replace_surrogates: self.replace_surrogates,
            strict: self.strict,
            open_missing: false,
            verbose: self.verbose,
        }
    }
}

fn sync(word: &str) -> Result<Durability, String> {
    match word {
        "event" => Ok(Durability::EveryEvent),
        "close" => Ok(Durability::OnClose),
        _ => match word.parse() {
            Ok(milliseconds) if milliseconds > 0 => Ok(Durability::Every(Duration::from_millis(milliseconds))),
            _ => Err("expected `event`, `close` or a number of milliseconds above 0".to_owned()),
        },
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Lang {
    Zh,
    En,
}

impl From<Lang> for Language {
    fn from(lang: Lang) -> Self {
        match lang {
            Lang::Zh => Self::Chinese,
            Lang::En => Self::English,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Subagents {
    Drop,
    Thinking,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PageFormat {
    Pretty,
    Json,
    Html,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Pretty,
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DialectArg {
    Canonical,
    Python,
    Java,
}

impl From<DialectArg> for replyfold::dialect::Dialect {
    fn from(dialect: DialectArg) -> Self {
        match dialect {
            DialectArg::Canonical => Self::Canonical,
            DialectArg::Python => Self::Python,
            DialectArg::Java => Self::Java,
        }
    }
}
