//! Whether the argument text of a call may be a whole object, told without reading it again at each end.

/// How far an argument text was read, and what is open there.
///
/// A call may end many times, with more text each time. Only a text whose brackets close with its last byte can be an object, and brackets are
/// counted once: a text becomes whole at most once, and what follows then spoils it for good.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ArgumentText {
    /// Bytes that are counted.
    at: usize,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, Default)]
enum Stage {
    /// Nothing but space yet.
    #[default]
    Blank,
    /// Inside of this many brackets, one at least.
    Open { depth: usize, string: Within },
    /// The outermost object is closed.
    Whole,
    /// It does not begin with an object, or more than space follows the object.
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Within {
    Nothing,
    String,
    Escape,
}

impl ArgumentText {
    /// Counts what was added to `text` since the last time. Whether it may be an object now: if not, it is none.
    pub(crate) fn may_be_object(&mut self, text: &str) -> bool {
        let added = text.as_bytes().get(self.at..).unwrap_or_default();
        self.stage = added.iter().fold(self.stage, |stage, byte| stage.after(*byte));
        self.at = text.len();
        matches!(self.stage, Stage::Whole)
    }

    /// Whether what was counted is nothing but space.
    pub(crate) fn is_blank(self) -> bool {
        matches!(self.stage, Stage::Blank)
    }
}

impl Stage {
    fn after(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Blank | Self::Whole, b' ' | b'\t' | b'\n' | b'\r') => self,
            (Self::Blank, b'{') => Self::Open { depth: 1, string: Within::Nothing },
            (Self::Open { depth, string }, byte) => match (string, byte) {
                (Within::Escape, _) => Self::Open { depth, string: Within::String },
                (Within::String, b'\\') => Self::Open { depth, string: Within::Escape },
                (Within::String, b'"') => Self::Open { depth, string: Within::Nothing },
                (Within::Nothing, b'"') => Self::Open { depth, string: Within::String },
                (Within::Nothing, b'{' | b'[') => Self::Open { depth: depth + 1, string },
                (Within::Nothing, b'}' | b']') if depth == 1 => Self::Whole,
                (Within::Nothing, b'}' | b']') => Self::Open { depth: depth - 1, string },
                _ => self,
            },
            (Self::Blank | Self::Whole | Self::Never, _) => Self::Never,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ArgumentText;
    use proptest::prelude::*;
    use replyfold_message::json::JsonObject;

    proptest! {
        /// In any pieces: what is an object is never missed, and the answer is that of the whole text.
        #[test]
        fn an_object_is_never_missed(pieces in proptest::collection::vec(r#"[{}\[\]"\\ :,1a\n]{0,4}|\{"a": ?\[1,"\\"\}"\]\}"#, 0..6)) {
            let (mut text, mut counted) = (String::new(), ArgumentText::default());
            for piece in pieces {
                text.push_str(&piece);
                let told = counted.may_be_object(&text);
                prop_assert_eq!(told, ArgumentText::default().may_be_object(&text));
                prop_assert!(told || JsonObject::parse(&text).is_err(), "{}", text);
                prop_assert_eq!(counted.is_blank(), text.bytes().all(|byte| byte == b' ' || byte == b'\n'));
            }
        }
    }
}
