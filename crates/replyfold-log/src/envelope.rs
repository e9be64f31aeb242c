//! Objects that carry an event in one of their members.

use crate::mend::mend;
use replyfold_dialect::{LoneSurrogates, is_known_type};
use replyfold_message::json::{Fields, JsonObject, Style, Value, ValueKind, Writer, replace_lone_surrogates};
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

/// An envelope that was found in a record.
pub(crate) struct Found<'a> {
    pub(crate) envelope: Envelope,
    /// The event as it stands in the record, half surrogate pairs and all.
    pub(crate) event: Cow<'a, str>,
    /// Whether half of a surrogate pair around the event was replaced.
    pub(crate) replaced: bool,
}

/// Finds the envelope that a record is, also in a text that is JSON but for what an event may have too.
///
/// Half of a surrogate pair around the event counts like one within: the record is no envelope then unless halves are replaced.
pub(crate) fn find<'a>(text: &'a str, path: &mut Option<Box<str>>, lone: LoneSurrogates) -> Option<Found<'a>> {
    if let Ok(fields) = Fields::parse(text) {
        let (envelope, event) = open(&fields, text, path)?;
        return Some(Found { envelope, event, replaced: false });
    }
    let mended = mend(text)?;
    let fields = Fields::parse(&mended.text).ok()?;
    let (envelope, event) = open(&fields, &mended.text, path)?;
    let is_halved = |text: &str| replace_lone_surrogates(text).is_some();
    let (event, replaced) = match event {
        Cow::Borrowed(event) => {
            let range = mended.origin(event)?;
            let around = [text.get(..range.start)?, text.get(range.end..)?];
            (Cow::Borrowed(text.get(range)?), around.into_iter().any(is_halved))
        }
        Cow::Owned(event) => (Cow::Owned(event), is_halved(text)),
    };
    (!replaced || lone == LoneSurrogates::Replace).then_some(Found { envelope, event, replaced })
}

/// Opens the envelope that an object is.
///
/// An object is an envelope if it is no event itself and exactly one member holds an object, or a string of one, with a known `type`
/// (field frames, rule 2). Once a log has shown its key, that key decides: Java's agent protocol gives frames types of their own, some of
/// which are names of events too.
fn open<'a>(fields: &Fields<'a>, text: &str, path: &mut Option<Box<str>>) -> Option<(Envelope, Cow<'a, str>)> {
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
    let is_known = |text: &str| Fields::parse(text).is_ok_and(|fields| fields.tag().is_ok_and(|name| is_known_type(&name)));
    // A string may hold what the text around it does not show.
    (is_known(&text) || mend(&text).is_some_and(|mended| is_known(&mended.text))).then_some(text)
}
