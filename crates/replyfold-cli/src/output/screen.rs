//! Text for people: nothing of a log reaches a terminal as it is.

use anstyle::Style;
use std::fmt::{self, Display, Write as _};
use std::io::{self, Write};

/// No style.
pub(crate) const PLAIN: Style = Style::new();

/// Where text for people goes.
///
/// It is no `Write` on purpose. Every text goes through [`put`](Self::put), which lets nothing pass that a terminal would obey, so no
/// command has to remember which of its texts come from a log. Styles and line ends are said beside the text, never in it.
pub(crate) struct Screen<W>(W);

/// What text for people can be written on: a screen, or lines that are laid out later. Both clean.
pub(crate) trait Paper {
    /// Writes a text in a style; the text stays on the line.
    fn put(&mut self, style: Style, text: impl Display) -> io::Result<&mut Self>;
    /// Ends the line.
    fn end_line(&mut self) -> io::Result<()>;
}

impl<W: Write> Paper for Screen<W> {
    fn put(&mut self, style: Style, text: impl Display) -> io::Result<&mut Self> {
        Screen::put(self, style, text)
    }

    fn end_line(&mut self) -> io::Result<()> {
        Screen::end_line(self)
    }
}

impl<W: Write> Screen<W> {
    pub(crate) fn new(out: W) -> Self {
        Self(out)
    }

    /// Writes a text in a style; the text stays on the line.
    pub(crate) fn put(&mut self, style: Style, text: impl Display) -> io::Result<&mut Self> {
        write!(self.0, "{style}{}{style:#}", Clean(text))?;
        Ok(self)
    }

    pub(crate) fn end_line(&mut self) -> io::Result<()> {
        self.0.write_all(b"\n")
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A text on one line, without what a terminal would obey and without what hides or turns text: an agent's output is no friend's.
pub(crate) struct Clean<T>(pub(crate) T);

impl<T: Display> Display for Clean<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(Cleaner(f), "{}", self.0)
    }
}

struct Cleaner<'a, 'f>(&'a mut fmt::Formatter<'f>);

impl fmt::Write for Cleaner<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut rest = text;
        while let Some((at, bad)) = rest.char_indices().find(|(_, c)| clean(*c) != *c) {
            // `at` is where a character begins, and `bad` is that character.
            let (good, after) = rest.split_at(at);
            self.0.write_str(good)?;
            self.0.write_char(clean(bad))?;
            rest = after.get(bad.len_utf8()..).unwrap_or_default();
        }
        self.0.write_str(rest)
    }
}

/// What stands for a character: a blank for one that parts words or lines, U+FFFD for one that steers a terminal or cannot be seen.
/// One column stands for one character, so texts can be cut and aligned before or after.
fn clean(c: char) -> char {
    match c {
        '\t'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => ' ',
        // Characters without a width, and those that turn the direction of the text around them; not the two joiners, which many scripts
        // and emoji are spelled with.
        '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' => '\u{fffd}',
        c if c.is_control() => '\u{fffd}',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anstyle::AnsiColor;

    #[test]
    fn what_a_terminal_would_obey_is_taken_out() {
        assert_eq!(Clean("a\u{1b}[31mb\r\u{7}c\u{9b}2J").to_string(), "a\u{fffd}[31mb \u{fffd}c\u{fffd}2J");
        assert_eq!(Clean("a\nb\u{85}c\u{2028}d\te").to_string(), "a b c d e");
    }

    #[test]
    fn what_hides_or_turns_text_is_made_visible() {
        let hidden = ['\u{200b}', '\u{200f}', '\u{202a}', '\u{202e}', '\u{2066}', '\u{2069}', '\u{feff}', '\u{61c}', '\u{2060}'];
        for c in hidden {
            assert_eq!(Clean(format!("é{c}漢")).to_string(), "é\u{fffd}漢", "{c:?}");
        }
    }

    #[test]
    fn what_scripts_and_emoji_are_spelled_with_stays() {
        for text in ["می\u{200c}خواهم", "👩\u{200d}👩\u{200d}👧", "e\u{301}"] {
            assert_eq!(Clean(text).to_string(), text);
        }
    }

    #[test]
    fn a_screen_writes_its_own_styles_and_lines_only() {
        let mut screen = Screen::new(Vec::new());
        let red = AnsiColor::Red.on_default();
        let text = "x\n\u{1b}[0my";
        screen.put(red, format_args!("<{text:>8}>")).unwrap().put(PLAIN, "\u{7}").unwrap().end_line().unwrap();
        assert_eq!(String::from_utf8_lossy(&screen.0), "\u{1b}[31m< x \u{fffd}[0my>\u{1b}[0m\u{fffd}\n");
    }
}
