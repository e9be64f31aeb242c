//! What the command is told.

use crate::rows::{ROWS, Row};
use replyfold::dialect::Dialect;
use std::path::PathBuf;

/// How to call it.
pub const USAGE: &str = "\
usage: replyfold-bench [options]

  --events N          events of the realistic log, to which the other logs are sized [200000]
  --rounds N          rounds over all rows; the medians are told [7]
  --dialect NAME      java, python, canonical or all [all]
  --rows FILTER       only rows whose name holds this
  --markdown          tables for a page
  --peers             also measure AgentScope Python, installed from PyPI into a folder of its own
  --gigabyte          also run the `replyfold` command on a log of 1 GB
  --replyfold PATH    that command [replyfold]
  --list              only name the rows";

/// What the command is told.
#[derive(Clone, Debug)]
pub struct Options {
    /// Events of the realistic log.
    pub events: usize,
    /// Rounds over all rows.
    pub rounds: usize,
    /// In these dialects.
    pub dialects: Vec<Dialect>,
    /// Only rows whose name holds this.
    pub rows: String,
    /// Tables for a page.
    pub markdown: bool,
    /// Also AgentScope Python.
    pub peers: bool,
    /// Also the command on a large log.
    pub gigabyte: bool,
    /// That command.
    pub replyfold: PathBuf,
    /// Only name the rows.
    pub list: bool,
}

impl Options {
    /// Reads the arguments.
    ///
    /// # Errors
    ///
    /// An argument is not known or its value is wrong; what to tell the caller.
    pub fn parse(args: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            events: 200_000,
            rounds: 7,
            dialects: Dialect::ALL.to_vec(),
            rows: String::new(),
            markdown: false,
            peers: false,
            gigabyte: false,
            replyfold: "replyfold".into(),
            list: false,
        };
        let mut args = args.into_iter();
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("`{arg}` needs a value"));
            match arg.as_str() {
                "--events" => options.events = count(&value()?)?,
                "--rounds" => options.rounds = count(&value()?)?,
                "--dialect" => {
                    let name = value()?;
                    if name != "all" {
                        options.dialects = vec![name.parse().map_err(|err| format!("{err}"))?];
                    }
                }
                "--rows" => options.rows = value()?,
                "--markdown" => options.markdown = true,
                "--peers" => options.peers = true,
                "--gigabyte" => options.gigabyte = true,
                "--replyfold" => options.replyfold = value()?.into(),
                "--list" => options.list = true,
                _ => return Err(format!("`{arg}` is not known\n\n{USAGE}")),
            }
        }
        Ok(options)
    }

    /// The rows that are wanted.
    #[must_use]
    pub fn wanted(&self) -> Vec<Row> {
        ROWS.iter().filter(|row| row.id.contains(&self.rows)).copied().collect()
    }
}

fn count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err(format!("`{text}` is no number above 0")),
        Ok(count) => Ok(count),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &[&str]) -> Result<Options, String> {
        Options::parse(args.iter().map(|arg| (*arg).to_owned()))
    }

    #[test]
    fn arguments_are_read_and_wrong_ones_are_told() {
        let options = parse(&["--events", "2000", "--dialect", "java", "--rows", "floor/", "--markdown"]).unwrap();
        assert_eq!((options.events, options.rounds, options.dialects.as_slice()), (2_000, 7, &[Dialect::Java][..]));
        assert_eq!(options.wanted().len(), 4);
        assert!(parse(&["--rounds", "0"]).is_err() && parse(&["--fast"]).is_err() && parse(&["--dialect", "c"]).is_err());
    }
}
