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
        let fields = Fields::parse(&self.text).unwrap_or_default();
        Writer::text(Style::Compact, |out| {
            out.object(|object| {
                for (key, value) in fields.iter() {
                    let mut place = object.key(key);
                    match (key == &*self.key, self.is_text) {
                        (true, true) => place.string(event),
                        (true, false) => place.raw(event),
                        (false, _) => place.raw(value.text()),
                    }
                }
            });
        })
    }
}

/// Whether a value is an event, or a string of one.
pub(crate) fn is_event_value(value: Value<'_>) -> bool {
    event_of(value).is_some()
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
fn find<'a>(text: &'a str, told: Option<&str>, lone: LoneSurrogates) -> Option<Found<'a>> {
    if let Ok(fields) = Fields::parse(text) {
        let (envelope, event) = open(&fields, text, told)?;
        return Some(Found { envelope, event, replaced: false });
    }
    let mended = mend(text)?;
    let fields = Fields::parse(&mended.text).ok()?;
    let (envelope, event) = open(&fields, &mended.text, told)?;
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
/// (field frames, rule 2). Each object shows that on its own: what hosts send in between says nothing of the other records. A key that was
/// told decides instead.
fn open<'a>(fields: &Fields<'a>, text: &str, told: Option<&str>) -> Option<(Envelope, Cow<'a, str>)> {
    let (key, event) = match told {
        Some(key) => (key, event_of(fields.get(key)?)?),
        // Most records are events: their members need no look.
        None if is_event(fields) && fields.get("eventType").is_none() => return None,
        None => {
            let mut members = fields.iter().filter_map(|(key, value)| event_of(value).map(|event| (key, event)));
            let (key, event) = members.next()?;
            if members.next().is_some() || (is_event(fields) && !names_event(fields, &event)) {
                return None;
            }
            (key, event)
        }
    };
    let members = fields.iter().filter(|(name, _)| *name != key).collect();
    let is_text = fields.get(key)?.kind() == ValueKind::String;
    Some((Envelope { members, is_text, text: text.into(), key: key.into() }, event.text))
}

/// Whether the object is an event itself: its type is known under a name that is not a legacy one only.
fn is_event(fields: &Fields<'_>) -> bool {
    let legacy = ["RUN_STARTED", "RUN_FINISHED", "MODEL_CALL_STARTED", "MODEL_CALL_ENDED", "THREAD_EXPOSED"];
    fields.tag().is_ok_and(|name| is_known_type(&name) && !legacy.contains(&name.as_ref()))
}

/// Whether `eventType` of the object is the type of this event: the mark of the frames of Java's agent protocol. Their own types are names
/// of events too.
fn names_event(fields: &Fields<'_>, event: &Event<'_>) -> bool {
    fields.get("eventType").and_then(|value| value.string().ok()).is_some_and(|name| *name == *event.name)
}

/// An event in a member of an object.
struct Event<'a> {
    name: Box<str>,
    text: Cow<'a, str>,
}

/// The event that a value is, or that stands in it as a string of JSON.
fn event_of(value: Value<'_>) -> Option<Event<'_>> {
    let text = match value.kind() {
        ValueKind::Object => Cow::Borrowed(value.text()),
        ValueKind::String => value.string().ok().filter(|text| text.trim_start().starts_with('{'))?,
        _ => return None,
    };
    // A string may hold what the text around it does not show.
    let name = known_type(&text).or_else(|| known_type(&mend(&text)?.text))?;
    Some(Event { name, text })
}

fn known_type(text: &str) -> Option<Box<str>> {
    let name = Fields::parse(text).ok()?.tag().ok()?;
    is_known_type(&name).then(|| name.into())
}

/// The key under which the events of a log stand.
#[derive(Default)]
pub(crate) struct Path {
    told: bool,
    key: Option<Box<str>>,
    /// How many more records had this key than another since it was taken.
    lead: u64,
}

impl Path {
    pub(crate) fn told(key: Option<Box<str>>) -> Self {
        Self { told: key.is_some(), key, lead: 0 }
    }

    pub(crate) fn is_told(&self) -> bool {
        self.told
    }

    /// The key that was told, else the one of most records so far.
    pub(crate) fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// Finds the envelope that a record is.
    pub(crate) fn find<'a>(&mut self, text: &'a str, lone: LoneSurrogates) -> Option<Found<'a>> {
        if self.told {
            return find(text, self.key.as_deref(), lone);
        }
        let found = find(text, None, lone)?;
        // A vote that one key at a time takes part in: the key of more than half of the records wins, whatever came first.
        match &self.key {
            Some(key) if *key == found.envelope.key => self.lead += 1,
            Some(_) if self.lead > 0 => self.lead -= 1,
            _ => (self.key, self.lead) = (Some(found.envelope.key.clone()), 1),
        }
        Some(found)
    }
}
