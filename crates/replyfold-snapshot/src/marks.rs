//! Ids and times as a snapshot shows them.

use crate::SnapshotOptions;
use crate::quote::{quoted, word};
use chrono::{DateTime, FixedOffset};
use replyfold_message::Timestamp;
use std::collections::BTreeMap;
use std::ops::Range;

/// What an id is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum IdKind {
    Reply,
    Block,
    Call,
    /// In a note.
    Event,
    /// Of what is not known, in a note.
    Other,
}

impl IdKind {
    const fn word(self) -> &'static str {
        match self {
            Self::Reply => "reply",
            Self::Block => "block",
            Self::Call => "call",
            Self::Event => "event",
            Self::Other => "id",
        }
    }

    /// Whether the message has the id in a field of its own: then other texts of it may name it.
    const fn is_of_message(self) -> bool {
        matches!(self, Self::Reply | Self::Block | Self::Call)
    }
}

/// Gives every id its mark in the order of appearance, and every time its distance from the first.
#[derive(Clone, Debug)]
pub(crate) struct Marks {
    options: SnapshotOptions,
    ids: BTreeMap<(IdKind, String), usize>,
    /// Ids so far, kind by kind.
    counts: BTreeMap<IdKind, usize>,
    /// Ids that other texts may name, with their marks, in the order of appearance.
    seen: Vec<(String, String)>,
    first: Option<DateTime<FixedOffset>>,
}

impl Marks {
    pub(crate) fn new(options: &SnapshotOptions) -> Self {
        Self { options: options.clone(), ids: BTreeMap::new(), counts: BTreeMap::new(), seen: Vec::new(), first: None }
    }

    pub(crate) fn options(&self) -> &SnapshotOptions {
        &self.options
    }

    /// Takes the time as the first one, if there was none.
    pub(crate) fn begin_at(&mut self, time: Option<&Timestamp>) {
        if self.first.is_none() {
            self.first = time.and_then(Timestamp::to_datetime);
        }
    }

    /// The value of an id field.
    pub(crate) fn id(&mut self, kind: IdKind, id: &str) -> String {
        if !self.options.ids || id.is_empty() {
            return word(id);
        }
        let count = self.counts.entry(kind).or_default();
        let number = *self.ids.entry((kind, id.to_owned())).or_insert(*count + 1);
        let mark = format!("[{}-{number}]", kind.word());
        if number > *count {
            *count = number;
            if kind.is_of_message() {
                self.seen.push((id.to_owned(), mark.clone()));
            }
        }
        mark
    }

    /// The value of a time field.
    pub(crate) fn time(&mut self, time: &Timestamp) -> String {
        let Some(moment) = time.to_datetime() else { return quoted(time.as_str()) };
        if !self.options.times {
            return word(time.as_str());
        }
        let first = *self.first.get_or_insert(moment);
        match (moment - first).num_nanoseconds() {
            Some(nanos) => offset(nanos),
            // Centuries apart: no distance that anybody reads.
            None => word(time.as_str()),
        }
    }

    /// A text of the message's structure, in which ids are marked too.
    pub(crate) fn within(&self, text: &str) -> String {
        if !self.options.ids || !self.options.texts {
            return text.to_owned();
        }
        let mut out = String::with_capacity(text.len());
        let mut rest = 0;
        while let Some((range, mark)) = self.next_id(text, rest) {
            push_literal(text.get(rest..range.start).unwrap_or_default(), &mut out);
            out.push_str(mark);
            rest = range.end;
        }
        push_literal(text.get(rest..).unwrap_or_default(), &mut out);
        out
    }

    /// The first id at or after a place that stands on its own, the longest if several begin there. Of one id of two kinds, the one that
    /// appeared first.
    fn next_id(&self, text: &str, from: usize) -> Option<(Range<usize>, &str)> {
        let ids = self.seen.iter().filter(|(id, _)| is_telling(id));
        let found = ids.filter_map(|(id, mark)| {
            let places = text.get(from..)?.match_indices(id.as_str()).map(|(at, id)| from + at..from + at + id.len());
            places.into_iter().find(|range| stands_alone(text, range)).map(|range| (range, mark.as_str()))
        });
        found.min_by_key(|(range, _)| (range.start, usize::MAX - range.len()))
    }

    /// The same of a JSON string as it stands; its escapes part words, whatever letters they are written with.
    fn within_string(&self, string: &str, out: &mut String) {
        let mut rest = string;
        while let Some(start) = rest.find('\\') {
            let (before, escape) = rest.split_at(start);
            let (escape, after) = escape.split_at(escape_end(escape));
            out.push_str(&self.within(before));
            out.push_str(escape);
            rest = after;
        }
        out.push_str(&self.within(rest));
    }

    /// A JSON text of the message's structure, without space between its tokens.
    pub(crate) fn json(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find('"') {
            let (before, string) = rest.split_at(start);
            out.extend(before.chars().filter(|c| !c.is_ascii_whitespace()));
            let end = string_end(string);
            let (string, after) = string.split_at(end);
            self.within_string(string, &mut out);
            rest = after;
        }
        out.extend(rest.chars().filter(|c| !c.is_ascii_whitespace()));
        crate::quote::json(&out)
    }
}

/// Bytes of the escape at the start of what stands in a JSON string.
fn escape_end(text: &str) -> usize {
    let length = if text.starts_with("\\u") { 6 } else { 2 };
    if text.is_char_boundary(length) { length } else { text.len() }
}

/// Bytes of the JSON string at the start of a text, quotes included.
fn string_end(text: &str) -> usize {
    let mut escaped = false;
    let end = text.bytes().enumerate().skip(1).find(|(_, byte)| {
        let ends = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

/// Whether an id can be told from words and numbers: `call_1` can, `text` and `10` cannot.
fn is_telling(id: &str) -> bool {
    let has = |is: fn(&char) -> bool| id.chars().any(|c| is(&c));
    has(char::is_ascii_digit) && (has(char::is_ascii_alphabetic) || id.len() >= 8)
}

fn stands_alone(text: &str, range: &Range<usize>) -> bool {
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let before = text.get(..range.start).and_then(|text| text.chars().next_back());
    let after = text.get(range.end..).and_then(|text| text.chars().next());
    !before.is_some_and(joins) && !after.is_some_and(joins)
}

/// Appends text as it is, but for what looks like a mark: that gets `=` behind its bracket, so that nothing can be taken for a mark.
fn push_literal(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find('[') {
        let (before, bracket) = rest.split_at(at + 1);
        out.push_str(before);
        if looks_like_mark(bracket) {
            out.push('=');
        }
        rest = bracket;
    }
    out.push_str(rest);
}

/// Whether what stands behind a bracket could be the rest of a mark.
fn looks_like_mark(text: &str) -> bool {
    let text = text.trim_start_matches('=');
    let kinds = [IdKind::Reply, IdKind::Block, IdKind::Call, IdKind::Event, IdKind::Other].map(IdKind::word);
    kinds.iter().any(|kind| {
        let digits = text.strip_prefix(kind).and_then(|rest| rest.strip_prefix('-'));
        let end = digits.and_then(|digits| digits.find(|c: char| !c.is_ascii_digit()).and_then(|at| digits.get(at..)));
        end.is_some_and(|end| end.starts_with(']'))
    })
}

/// `+0.120s`: seconds with three decimals, or with as many thousands of them as it takes to lose nothing.
fn offset(nanos: i64) -> String {
    let sign = if nanos < 0 { '-' } else { '+' };
    let (seconds, rest) = (nanos.unsigned_abs() / 1_000_000_000, nanos.unsigned_abs() % 1_000_000_000);
    match (rest % 1_000_000, rest % 1_000) {
        (0, _) => format!("{sign}{seconds}.{:03}s", rest / 1_000_000),
        (_, 0) => format!("{sign}{seconds}.{:06}s", rest / 1_000),
        _ => format!("{sign}{seconds}.{rest:09}s"),
    }
}
