//! Reasoning between think tags, split from the answer while the text streams.

mod code;
mod tag;

use code::Code;
use std::vec;
use tag::{Candidate, Tag};

/// How think tags are split ("Coarse protocol" sections 4 and 11).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ThinkOptions {
    /// The text begins inside thinking, because the template of the prompt ended with the opening tag. Off by default.
    pub starts_inside: bool,
    /// A tag in a Markdown code span or fence of the answer is text. On by default.
    pub code_spans: bool,
    /// One line break right after a closing tag is dropped. Off by default.
    pub drop_line_break: bool,
    /// Names of the tags, in lower case; `think` and `thinking` by default.
    pub names: Vec<String>,
}

impl Default for ThinkOptions {
    fn default() -> Self {
        Self { starts_inside: false, code_spans: true, drop_line_break: false, names: vec!["think".to_owned(), "thinking".to_owned()] }
    }
}

impl ThinkOptions {
    /// The usual options.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The text begins inside thinking, or not.
    #[must_use]
    pub fn with_starts_inside(mut self, starts_inside: bool) -> Self {
        self.starts_inside = starts_inside;
        self
    }

    /// A tag in code is text, or not.
    #[must_use]
    pub fn with_code_spans(mut self, code_spans: bool) -> Self {
        self.code_spans = code_spans;
        self
    }

    /// One line break right after a closing tag is dropped, or not.
    #[must_use]
    pub fn with_drop_line_break(mut self, drop_line_break: bool) -> Self {
        self.drop_line_break = drop_line_break;
        self
    }

    /// With these names of tags; ASCII case does not matter.
    #[must_use]
    pub fn with_names<T: Into<String>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        self.names = names.into_iter().map(|name| name.into().to_ascii_lowercase()).collect();
        self
    }
}

/// A stretch of text or of thinking; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "text is inside think tags or outside")]
pub enum Piece {
    /// Part of the answer.
    Text(String),
    /// Part of the reasoning.
    Thinking(String),
}

/// Splits a text that arrives in pieces.
///
/// However the text is cut into pieces, the joined text and the joined thinking are the same. It works in linear time and holds back no more
/// than what may still become a tag: at most 256 bytes.
///
/// A tag is `<`, perhaps `/`, one of the names in any ASCII case, perhaps blanks or tabs with attributes, and `>`. Attributes hold no `<` and no
/// line break. Tags are never shown. An opening tag inside thinking and a closing one outside are dropped. What is no complete tag at the end is
/// part of the text it stands in.
///
/// ```
/// use replyfold_coarse::{Piece, ThinkOptions, ThinkSplitter};
///
/// let mut splitter = ThinkSplitter::new(ThinkOptions::new());
/// assert_eq!(splitter.push("<th").count(), 0);
/// assert_eq!(splitter.push("ink>a</think>b").collect::<Vec<_>>(), [Piece::Thinking("a".into()), Piece::Text("b".into())]);
/// assert_eq!(splitter.push("</thi").count(), 0);
/// assert_eq!(splitter.finish().collect::<Vec<_>>(), [Piece::Text("</thi".into())]);
/// ```
#[derive(Clone, Debug)]
pub struct ThinkSplitter {
    options: ThinkOptions,
    inside: bool,
    /// The text from a `<` on, while it may become a tag.
    candidate: Candidate,
    code: Code,
    break_: Break,
    pieces: Vec<Piece>,
}

/// Where the option for line breaks stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Break {
    /// No closing tag stands right before.
    Far,
    /// One does.
    Near,
    /// One does, and `\r` follows, which is held back.
    Return,
}

impl ThinkSplitter {
    /// A splitter at the beginning of a text.
    #[must_use]
    pub fn new(options: ThinkOptions) -> Self {
        let inside = options.starts_inside;
        Self { options, inside, candidate: Candidate::default(), code: Code::default(), break_: Break::Far, pieces: Vec::new() }
    }

    /// Whether the text is inside thinking now.
    #[must_use]
    pub fn is_inside(&self) -> bool {
        self.inside
    }

    /// Takes the next piece of the text. Pieces of the answer that are not consumed are dropped.
    pub fn push(&mut self, chunk: &str) -> vec::Drain<'_, Piece> {
        let mut rest = chunk;
        while let Some(next) = rest.chars().next() {
            rest = if self.candidate.is_empty() { self.plain(rest, next) } else { self.tag_char(rest, next) };
        }
        self.pieces.drain(..)
    }

    /// Ends the text: what was held back is part of the text it stands in. The splitter is then at the beginning of another text.
    pub fn finish(&mut self) -> vec::Drain<'_, Piece> {
        let held = self.candidate.take();
        self.spill(&held);
        self.end_break();
        self.inside = self.options.starts_inside;
        self.code = Code::default();
        self.pieces.drain(..)
    }

    /// Takes plain text up to the next `<` that may begin a tag; gives the rest.
    fn plain<'a>(&mut self, rest: &'a str, next: char) -> &'a str {
        if self.break_ != Break::Far {
            return self.after_closer(rest, next);
        }
        let mut end = rest.len();
        if self.inside || !self.options.code_spans {
            end = rest.find('<').unwrap_or(end);
        } else {
            for (at, char) in rest.char_indices() {
                if self.code.allows_tag(char) {
                    end = at;
                    break;
                }
                self.code.take(char);
            }
        }
        // `end` is the length or the place of a `<`, both on a boundary.
        let (plain, tail) = rest.split_at_checked(end).unwrap_or((rest, ""));
        self.emit(plain);
        match tail.strip_prefix('<') {
            Some(tail) => {
                self.candidate.start();
                tail
            }
            None => tail,
        }
    }

    /// Takes one more character of what may be a tag; gives the rest.
    fn tag_char<'a>(&mut self, rest: &'a str, next: char) -> &'a str {
        match self.candidate.take_char(next, &self.options.names) {
            Tag::Open => self.inside = true,
            Tag::Close => {
                // Also a stray one: what follows it is the same text either way.
                self.inside = false;
                if self.options.drop_line_break {
                    self.break_ = Break::Near;
                }
            }
            Tag::Maybe => {}
            Tag::No => {
                let held = self.candidate.take();
                self.spill(&held);
                return rest;
            }
        }
        rest.get(next.len_utf8()..).unwrap_or_default()
    }

    /// Text that turned out to be no tag. Its only `<` is its first character.
    fn spill(&mut self, held: &str) {
        if !self.inside && self.options.code_spans {
            held.chars().for_each(|char| self.code.take(char));
        }
        self.emit(held);
    }

    fn after_closer<'a>(&mut self, rest: &'a str, next: char) -> &'a str {
        match (self.break_, next) {
            (Break::Near, '\r') => self.break_ = Break::Return,
            (_, '\n') => self.break_ = Break::Far,
            (Break::Far | Break::Near | Break::Return, _) => {
                self.end_break();
                return rest;
            }
        }
        rest.get(next.len_utf8()..).unwrap_or_default()
    }

    fn end_break(&mut self) {
        if std::mem::replace(&mut self.break_, Break::Far) == Break::Return {
            self.spill("\r");
        }
    }

    fn emit(&mut self, text: &str) {
        match (self.pieces.last_mut(), self.inside) {
            _ if text.is_empty() => {}
            (Some(Piece::Thinking(last)), true) | (Some(Piece::Text(last)), false) => last.push_str(text),
            (_, true) => self.pieces.push(Piece::Thinking(text.to_owned())),
            (_, false) => self.pieces.push(Piece::Text(text.to_owned())),
        }
    }
}

/// A whole text, split: the answer and the thinking.
#[must_use]
pub fn split_think_tags(text: &str, options: ThinkOptions) -> (String, String) {
    let mut splitter = ThinkSplitter::new(options);
    let (mut answer, mut thinking) = (String::new(), String::new());
    let mut take = |piece| match piece {
        Piece::Text(text) => answer.push_str(&text),
        Piece::Thinking(text) => thinking.push_str(&text),
    };
    splitter.push(text).for_each(&mut take);
    splitter.finish().for_each(take);
    (answer, thinking)
}

/// A whole text without think tags and what stands between them, with the usual options.
///
/// ```
/// assert_eq!(replyfold_coarse::strip_think_tags("<think>a</think>b"), "b");
/// ```
#[must_use]
pub fn strip_think_tags(text: &str) -> String {
    split_think_tags(text, ThinkOptions::new()).0
}
