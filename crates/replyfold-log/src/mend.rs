//! Lines that only their numbers or half surrogate pairs keep from being JSON.
//!
//! An envelope is found in the mended text, and its event is read as it stood: what is refused, replaced or noted in an event does not
//! depend on what is around it.

use replyfold_message::json::replace_lone_surrogates;
use std::ops::Range;

/// The numbers that Python writes and JSON does not have.
const NUMBERS: [&str; 3] = ["NaN", "Infinity", "-Infinity"];
/// What stands for them.
const NULL: &str = "null";

/// A text that was mended, and the way back to the text as it stood.
pub(crate) struct Mended {
    pub(crate) text: String,
    /// Where in `text` a null stands for a number, and the length of that number.
    numbers: Vec<(usize, usize)>,
}

/// Mends a text: numbers that are no JSON become null, half surrogate pairs U+FFFD. `None` if it has neither.
pub(crate) fn mend(text: &str) -> Option<Mended> {
    let mut mended = Mended { text: String::with_capacity(text.len()), numbers: Vec::new() };
    let mut done = 0;
    for number in numbers(text) {
        mended.text.push_str(text.get(done..number.start).unwrap_or_default());
        mended.numbers.push((mended.text.len(), number.len()));
        mended.text.push_str(NULL);
        done = number.end;
    }
    mended.text.push_str(text.get(done..).unwrap_or_default());
    match replace_lone_surrogates(&mended.text) {
        // Offsets do not move.
        Some(text) => mended.text = text,
        None if mended.numbers.is_empty() => return None,
        None => {}
    }
    Some(mended)
}

impl Mended {
    /// Where `part`, which is a slice of the mended text, stood before.
    pub(crate) fn origin(&self, part: &str) -> Option<Range<usize>> {
        let start = part.as_ptr().addr().checked_sub(self.text.as_ptr().addr())?;
        Some(self.before(start)?..self.before(start + part.len())?)
    }

    /// Where an offset was before; none is asked for that lies within a number.
    fn before(&self, offset: usize) -> Option<usize> {
        let earlier = self.numbers.iter().take_while(|(at, _)| *at < offset);
        let (nulls, lengths) = earlier.fold((0, 0), |(nulls, lengths), (_, length)| (nulls + NULL.len(), lengths + length));
        (offset + lengths).checked_sub(nulls)
    }
}

/// Where numbers that are no JSON stand, strings left out.
fn numbers(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut quoted, mut escaped, mut skip) = (false, false, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if at < skip => {}
            _ if escaped => escaped = false,
            b'\\' => escaped = quoted,
            b'"' => quoted = !quoted,
            b'N' | b'I' | b'-' if !quoted => {
                let here = text.get(at..).unwrap_or_default();
                if let Some(number) = NUMBERS.into_iter().find(|number| here.starts_with(number)) {
                    skip = at + number.len();
                    found.push(at..skip);
                }
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_null_outside_strings_and_every_part_is_found_again() {
        let text = r#"{"a":[-Infinity,NaN,-1,"NaN \" Infinity"],"b":{"c":Infinity,"d":"\ud83d"},"e":NaN}"#;
        let mended = mend(text).unwrap();
        assert_eq!(mended.text, r#"{"a":[null,null,-1,"NaN \" Infinity"],"b":{"c":null,"d":"\ufffd"},"e":null}"#);
        for (part, origin) in [(r#"{"c":null,"d":"\ufffd"}"#, r#"{"c":Infinity,"d":"\ud83d"}"#), ("-1", "-1"), ("null}", "NaN}")] {
            let at = mended.text.find(part).unwrap();
            let range = mended.origin(&mended.text[at..at + part.len()]).unwrap();
            assert_eq!(&text[range], origin);
        }
    }

    #[test]
    fn text_that_needs_no_mending_is_none() {
        assert!(mend(r#"{"a":"NaN","b":[-1,"\ud83d\ude00"]}"#).is_none());
    }
}
