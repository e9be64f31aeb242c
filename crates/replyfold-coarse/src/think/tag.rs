//! What may become a think tag.

/// Longest tag, in bytes. Without a limit, `<think` and a blank in an answer would hold back everything up to the next `>`.
const LONGEST: usize = 256;

/// The text from a `<` on.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidate(String);

/// What one more character makes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    /// It is an opening tag; the character was its last.
    Open,
    /// It is a closing tag; the character was its last.
    Close,
    /// It may still become a tag; the character was taken.
    Maybe,
    /// It is no tag; the character was not taken.
    No,
}

impl Candidate {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn start(&mut self) {
        self.0.push('<');
    }

    pub(super) fn take(&mut self) -> String {
        std::mem::take(&mut self.0)
    }

    pub(super) fn take_char(&mut self, next: char, names: &[String]) -> Tag {
        let body = self.0.strip_prefix('<').unwrap_or_default();
        let (closes, name) = match body.strip_prefix('/') {
            Some(name) => (true, name),
            None => (false, body),
        };
        let (name, attributes) = match name.find([' ', '\t']) {
            Some(at) => (name.get(..at).unwrap_or_default(), true),
            None => (name, false),
        };
        let is_name = || names.iter().any(|known| known.eq_ignore_ascii_case(name));
        let may_go_on = match next {
            '>' if attributes || is_name() => {
                self.0.clear();
                return if closes { Tag::Close } else { Tag::Open };
            }
            '<' | '>' | '\n' | '\r' => false,
            _ if attributes => true,
            ' ' | '\t' => is_name(),
            '/' if body.is_empty() => true,
            _ => names.iter().any(|known| {
                let head = known.get(..name.len() + next.len_utf8());
                head.is_some_and(|head| head.get(..name.len()).is_some_and(|same| same.eq_ignore_ascii_case(name)) && ends_with(head, next))
            }),
        };
        if !may_go_on || self.0.len() + next.len_utf8() >= LONGEST {
            return Tag::No;
        }
        self.0.push(next);
        Tag::Maybe
    }
}

fn ends_with(head: &str, next: char) -> bool {
    head.chars().next_back().is_some_and(|last| last.eq_ignore_ascii_case(&next))
}
