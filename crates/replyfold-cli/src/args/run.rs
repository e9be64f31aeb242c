//! The arguments of `run`.

use super::Lang;
use clap::Args as ClapArgs;
use std::path::PathBuf;

#[derive(ClapArgs, Debug)]
pub(crate) struct Run {
    /// The script; `-` reads it from standard input.
    #[arg(long, value_name = "FILE")]
    pub(crate) script: PathBuf,
    /// Append the canonical events to this log, too; it is made if it is not there, packed if its name ends in `.zst`.
    #[arg(long, value_name = "OUT")]
    pub(crate) log: Option<PathBuf>,
    /// Print the coarse stream instead of the canonical events.
    #[arg(long)]
    pub(crate) coarse: bool,
    /// Language of error messages in the coarse stream.
    #[arg(long, value_enum, default_value_t = Lang::Zh, requires = "coarse")]
    pub(crate) lang: Lang,
    /// Go on with what the agent remembers in this file, if it is there, and keep it there after each input.
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// Ids, times and chance come from this number; waits take no time.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
}
