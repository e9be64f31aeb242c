//! Markdown code in the answer, as far as a stream shows it.
//!
//! A span ends at the end of its line at the latest: waiting for a closing run that may never come would hold back the whole answer.

/// State of the answer's Markdown, character by character.
#[derive(Clone, Debug)]
pub(super) struct Code {
    place: Place,
    /// Blanks since the line began; `None` once something else stood on it.
    indent: Option<usize>,
    /// The run of fence characters that goes on.
    run: Option<Run>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Not in code.
    Text,
    /// In a span that a run of this length opened and a run of the same length closes.
    Span(usize),
    /// After the opening run of a fence of backticks, or of a span: another run on this line tells.
    Info(usize),
    /// In a fence of this character, opened by a run of this length.
    Fence(char, usize),
    /// After the closing run of a fence, if the rest of the line is blank.
    FenceEnd(char, usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    char: char,
    len: usize,
    /// Nothing but at most three blanks stands before it.
    at_start: bool,
}

impl Default for Code {
    fn default() -> Self {
        Self { place: Place::Text, indent: Some(0), run: None }
    }
}

impl Code {
    /// Whether this character begins what may be a tag: a `<` outside of code.
    pub(super) fn allows_tag(&mut self, char: char) -> bool {
        if char != '<' {
            return false;
        }
        self.end_run();
        self.place == Place::Text
    }

    /// Takes the next character of the answer.
    pub(super) fn take(&mut self, char: char) {
        if let Some(run) = self.run.as_mut().filter(|run| run.char == char) {
            run.len += 1;
            return;
        }
        self.end_run();
        match char {
            '`' | '~' => self.run = Some(Run { char, len: 1, at_start: self.indent.is_some_and(|blanks| blanks <= 3) }),
            '\n' => {
                self.end_line();
                return;
            }
            ' ' => {
                self.indent = self.indent.map(|blanks| blanks + 1);
                return;
            }
            '\t' | '\r' => {}
            _ => {
                if let Place::FenceEnd(char, len) = self.place {
                    self.place = Place::Fence(char, len);
                }
            }
        }
        self.indent = None;
    }

    fn end_run(&mut self) {
        let Some(Run { char, len, at_start }) = self.run.take() else { return };
        let fence = at_start && len >= 3;
        self.place = match self.place {
            Place::Text if fence && char == '`' => Place::Info(len),
            Place::Text if fence => Place::Fence(char, len),
            Place::Text if char == '`' => Place::Span(len),
            Place::Span(opened) | Place::Info(opened) if char == '`' && len == opened => Place::Text,
            Place::Info(opened) if char == '`' => Place::Span(opened),
            Place::Fence(opened, least) if fence && char == opened && len >= least => Place::FenceEnd(opened, least),
            Place::FenceEnd(opened, least) => Place::Fence(opened, least),
            place @ (Place::Text | Place::Span(_) | Place::Info(_) | Place::Fence(..)) => place,
        };
    }

    fn end_line(&mut self) {
        self.place = match self.place {
            Place::Text | Place::Span(_) | Place::FenceEnd(..) => Place::Text,
            Place::Info(len) => Place::Fence('`', len),
            Place::Fence(char, len) => Place::Fence(char, len),
        };
        self.indent = Some(0);
    }
}
