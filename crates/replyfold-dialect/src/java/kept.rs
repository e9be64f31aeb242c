//! Text that is kept because writing the value anew would not give it back.

use super::NAME;
use super::read::Lenience;
use crate::Dialect;
use crate::loss::Losses;
use replyfold_message::Residue;
use replyfold_message::json::{FieldValue, JsonObject, Style, Value, Writer};

/// The key under which a value's own text is kept.
const TEXT: &str = "text";

/// The residue of a value that was read from `text` and that Java's writer writes with `write`: nothing if that gives the same JSON.
///
/// A line that is not marked may be canonical: what is the canonical form of the value, or says something that Java cannot, is not Java's.
pub(super) fn residue<T: FieldValue>(
    text: Value<'_>,
    lenience: Lenience,
    value: &T,
    write: impl FnOnce(&T, &mut Writer<'_>, &mut Losses<'_>),
) -> Residue {
    let is_told = |written: &str| {
        JsonObject::parse(written).is_ok_and(|anew| JsonObject::parse(text.text()).is_ok_and(|told| anew.is_same_value(&told)))
    };
    let mut losses = Losses::new(Dialect::Java, "", None).with_kept_fresh();
    let same = is_told(&Writer::text(Style::Compact, |out| write(value, out, &mut losses)))
        || (lenience == Lenience::Taxonomy && (!losses.list.is_empty() || is_told(&Writer::text(Style::Compact, |out| value.write(out)))));
    match same {
        true => Residue::default(),
        false => Residue::new(NAME, [(TEXT, text)].into_iter().collect()),
    }
}

/// The text that was kept, if the value still is what that text says.
///
/// Where the value was read a moment ago it is: to read its text once more at each level of blocks in each other would double the work with
/// each level.
pub(super) fn text<T: PartialEq>(
    value: &T,
    residue: &Residue,
    losses: &Losses<'_>,
    read: impl FnOnce(Value<'_>) -> Option<T>,
) -> Option<String> {
    let kept = residue.get(NAME, TEXT)?;
    (losses.kept_is_fresh || read(kept)? == *value).then(|| kept.text().to_owned())
}
