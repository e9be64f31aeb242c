//! Stories as logs.

use super::Story;
use crate::log::{Log, ReadLog};
use replyfold_dialect::{Dialect, EventWriter, Loss};
use replyfold_log::LogError;

/// A story as a log of one dialect.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Written {
    /// The log: JSONL, an event a line.
    pub text: String,
    /// What the dialect cannot carry.
    pub losses: Vec<Loss>,
}

impl Story {
    /// The story as a log of this dialect, and what that cannot carry.
    ///
    /// ```
    /// use replyfold_dialect::Dialect;
    /// use replyfold_snapshot::{given, story};
    ///
    /// let story = story().reply("r1").text("Hello");
    /// let python = story.to_jsonl(Dialect::Python);
    /// assert!(python.text.lines().next().is_some_and(|line| line.contains("REPLY_START")));
    /// assert_eq!(given(&python).end().messages(), given(&story).end().messages());
    /// ```
    #[must_use]
    pub fn to_jsonl(&self, dialect: Dialect) -> Written {
        let (mut writer, mut out, mut losses) = (EventWriter::new(dialect), Vec::new(), Vec::new());
        for event in &self.events {
            let before = out.len();
            losses.extend(writer.write(event, &mut out));
            // An event that the dialect cannot carry at all is no line.
            if out.len() > before {
                out.push(b'\n');
            }
        }
        Written { text: String::from_utf8_lossy(&out).into_owned(), losses }
    }
}

impl ReadLog for Written {
    fn read_log(&self) -> Result<Log, LogError> {
        self.text.read_log()
    }
}
