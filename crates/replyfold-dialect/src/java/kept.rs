//! Text that is kept because writing the value anew would not give it back.

use super::NAME;
use replyfold_message::Residue;
use replyfold_message::json::{JsonObject, Value};

/// The key under which a value's own text is kept.
const TEXT: &str = "text";

/// The residue of a value that was read from `text` and that Java's writer writes as `written`: nothing if both are the same JSON.
pub(super) fn residue(text: Value<'_>, written: &str) -> Residue {
    let same = JsonObject::parse(written).is_ok_and(|anew| JsonObject::parse(text.text()).is_ok_and(|told| anew.is_same_value(&told)));
    match same {
        true => Residue::default(),
        false => Residue::new(NAME, [(TEXT, text)].into_iter().collect()),
    }
}

/// The text that was kept, if the value still is what that text says.
pub(super) fn text<T: PartialEq>(value: &T, residue: &Residue, read: impl FnOnce(Value<'_>) -> Option<T>) -> Option<String> {
    let kept = residue.get(NAME, TEXT)?;
    (read(kept)? == *value).then(|| kept.text().to_owned())
}
