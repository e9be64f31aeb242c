//! Objects that carry an event in one of their members.

use replyfold_dialect::is_known_type;
use replyfold_message::json::{Fields, JsonObject, Style, Value, ValueKind, Writer};
use std::borrow::Cow;

/// The object that carries an event: everything of it but the event.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Envelope {
    /// Key of the member that is the event.
    pub key: Box<str>,
    /// The other members.
    pub members: JsonObject,
    /// Whether the event stands there as a string of JSON.
    pub is_text: bool,
    text: Box<str>,
}

impl Envelope {
    /// The envelope with another event in it, its other members as they were.
    #[must_use]
    pub fn wrap(&self, event: &str) -> String {
        let mut out = Vec::new();
        if let Ok(fields) = Fields::parse(&self.text) {
            Writer::new(&mut out, Style::Compact).object(|object| {
                for (key, value) in fields.iter() {
                    let mut place = object.key(key);
                    match (key == &*self.key, self.is_text) {
                        (true, true) => place.string(event),
                        (true, false) => place.raw(event),
                        (false, _) => place.raw(value.text()),
                    }
                }
            });
        }
        // The writer is given UTF-8 only.
        String::from_utf8(out).unwrap_or_default()
    }
}

/// Finds the event in an envelope.
///
/// An object is an envelope if it is no event itself and exactly one member holds an object, or a string of one, with a known `type`
/// (field frames, rule 2). Once a log has shown its key, that key decides: Java's agent protocol gives frames types of their own, some of
/// which are names of events too.
pub(crate) fn open<'a>(fields: &Fields<'a>, text: &str, path: &mut Option<Box<str>>) -> Option<(Envelope, Cow<'a, str>)> {
    let key: Box<str> = match path {
        Some(key) => key.clone(),
        None if is_event(fields) => return None,
        None => {
            let mut members = fields.iter().filter(|(_, value)| event_of(*value).is_some());
            let (key, _) = members.next()?;
            if members.next().is_some() {
                return None;
            }
            key.into()
        }
    };
    let value = fields.get(&key)?;
    let event = event_of(value)?;
    *path = Some(key.clone());
    let members = fields.iter().filter(|(name, _)| **name != *key).collect();
    Some((Envelope { members, is_text: value.kind() == ValueKind::String, text: text.into(), key }, event))
}

/// Whether the object is an event itself: its type is known under a name that is not a legacy one only.
fn is_event(fields: &Fields<'_>) -> bool {
    let legacy = ["RUN_STARTED", "RUN_FINISHED", "MODEL_CALL_STARTED", "MODEL_CALL_ENDED", "THREAD_EXPOSED"];
    fields.tag().is_ok_and(|name| is_known_type(&name) && !legacy.contains(&name.as_ref()))
}

/// The text of the event that a member holds.
fn event_of(value: Value<'_>) -> Option<Cow<'_, str>> {
    let text = match value.kind() {
        ValueKind::Object => Cow::Borrowed(value.text()),
        ValueKind::String => value.string().ok().filter(|text| text.trim_start().starts_with('{'))?,
        _ => return None,
    };
    let known = Fields::parse(&text).is_ok_and(|fields| fields.tag().is_ok_and(|name| is_known_type(&name)));
    known.then_some(text)
}
