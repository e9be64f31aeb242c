//! Single events and messages, and the events of a log that is written.

use crate::java::{self, Lenience};
use crate::loss::{LossKind, Losses};
use crate::{Dialect, Error, EventReader, Loss, ReadOptions, python};
use replyfold_event::{AgentEvent, MediaDelta, Payload, ToolResultDataDelta};
use replyfold_message::Msg;
use replyfold_message::json::{DecodeError, FieldValue, Style, Value, Writer};

/// Reads one event of a dialect that was told. Reply ids stay as they stand on the wire; a log is read with
/// [`EventReader`](crate::EventReader).
///
/// # Errors
///
/// The text is no event of that dialect: no JSON object, no `type`, or a known type whose fields are wrong. Types that are not known are
/// no error.
pub fn read_event(text: &str, dialect: Dialect) -> Result<AgentEvent, Error> {
    match dialect {
        Dialect::Canonical => java::read(text, Lenience::Taxonomy),
        Dialect::Java => java::read(text, Lenience::Jackson),
        Dialect::Python => python::read(text),
    }
}

/// Appends one event in a dialect to a buffer, without a line end. An event that the dialect cannot carry at all appends nothing.
///
/// ```
/// use replyfold_dialect::{Dialect, LossKind, write_event};
/// use replyfold_event::{AgentEvent, ModelCallStart};
///
/// let mut out = Vec::new();
/// let losses = write_event(&AgentEvent::new(ModelCallStart::new("r1").with_model_name("m")), Dialect::Java, &mut out);
/// assert_eq!(out, br#"{"type":"MODEL_CALL_START","replyId":"r1"}"#);
/// assert!(losses.iter().any(|loss| &*loss.what == "modelName" && loss.kind == LossKind::FieldLeftOut));
/// ```
///
/// Gives everything that the dialect cannot carry; [`CANNOT_CARRY`](crate::CANNOT_CARRY) lists the cases.
pub fn write_event(event: &AgentEvent, dialect: Dialect, out: &mut Vec<u8>) -> Vec<Loss> {
    match dialect {
        Dialect::Canonical => write_canonical(event, out),
        Dialect::Java => java::write(event, out),
        Dialect::Python => python::write(event, out),
    }
}

/// Writes the events of one log, in order.
///
/// It tells what [`write_event`] tells, and what only the log shows. A camelCase log is read with the step that gives each event the id of its
/// reply (`wire.md` section 5), a Python log is not. So an event whose reply was never started, written among the events of another, would
/// silently become that one's: the writer reads what it writes and reports it. Nothing on the wire could say that the id is meant as it stands.
///
/// ```
/// use replyfold_dialect::{Dialect, EventWriter, LossKind};
/// use replyfold_event::{AgentEvent, AgentStart, TextBlockDelta};
/// use replyfold_message::Role;
///
/// let (mut writer, mut out) = (EventWriter::new(Dialect::Canonical), Vec::new());
/// let start = AgentEvent::new(AgentStart::new("r1", Role::Assistant));
/// assert!(writer.write(&start, &mut out).is_empty());
/// let stray = AgentEvent::new(TextBlockDelta::new("ghost", "b", "x"));
/// assert_eq!(writer.write(&stray, &mut out)[0].kind, LossKind::ReadOtherwise);
/// ```
#[derive(Clone, Debug)]
pub struct EventWriter {
    dialect: Dialect,
    /// Reads the log as it will be read again; Python's needs no state.
    reader: Option<EventReader>,
}

impl EventWriter {
    /// A writer for one log.
    #[must_use]
    pub fn new(dialect: Dialect) -> Self {
        let reader = match dialect {
            Dialect::Canonical | Dialect::Java => Some(EventReader::new(ReadOptions::new().with_dialect(dialect))),
            Dialect::Python => None,
        };
        Self { dialect, reader }
    }

    /// A writer that goes on with a log which was read so far by this reader: it knows the replies that the log has.
    ///
    /// ```
    /// use replyfold_dialect::{Dialect, EventReader, EventWriter};
    /// use replyfold_event::{AgentEvent, TextBlockDelta};
    ///
    /// let mut reader = EventReader::default();
    /// reader.read(r#"{"type":"AGENT_START","id":"1","createdAt":"T","replyId":"r1","name":"n","role":"assistant"}"#)?;
    /// let (mut writer, mut out) = (EventWriter::resume(Dialect::Canonical, reader), Vec::new());
    /// let stray = AgentEvent::new(TextBlockDelta::new("ghost", "b", "x"));
    /// assert_eq!(writer.write(&stray, &mut out).len(), 1, "it would be read as an event of r1");
    /// # Ok::<(), replyfold_dialect::Error>(())
    /// ```
    #[must_use]
    pub fn resume(dialect: Dialect, reader: EventReader) -> Self {
        let reader = match dialect {
            Dialect::Canonical | Dialect::Java => Some(reader),
            Dialect::Python => None,
        };
        Self { dialect, reader }
    }

    /// Appends the next event to a buffer, without a line end, and gives everything that the dialect cannot carry. An event that it cannot
    /// carry at all appends nothing.
    pub fn write(&mut self, event: &AgentEvent, out: &mut Vec<u8>) -> Vec<Loss> {
        let start = out.len();
        let mut losses = write_event(event, self.dialect, out);
        let line = out.get(start..).filter(|line| !line.is_empty()).and_then(|line| std::str::from_utf8(line).ok());
        let read = line.zip(self.reader.as_mut()).and_then(|(line, reader)| reader.read_ref(line).ok());
        // An event that names no reply is of whatever reply the reader says.
        let told = event.reply_id().filter(|_| !event.absent.reply_id);
        if let (Some(read), Some(told)) = (read, told)
            && read.event.reply_id().is_some_and(|again| again != told)
        {
            let mut log = Losses::new(self.dialect, event.type_name(), event.id.as_ref());
            log.add(LossKind::ReadOtherwise, "replyId");
            losses.append(&mut log.list);
        }
        losses
    }
}

fn write_canonical(event: &AgentEvent, out: &mut Vec<u8>) -> Vec<Loss> {
    let mut losses = Losses::new(Dialect::Canonical, event.type_name(), event.id.as_ref());
    if let Payload::ToolResultDataDelta(ToolResultDataDelta { media: MediaDelta::None, .. }) = &event.payload {
        losses.add(LossKind::EventLeftOut, "data");
        return losses.list;
    }
    losses.filled_ids(event, ["replyId", "blockId", "toolCallId"]);
    event.write_json(out);
    losses.list
}

/// Reads one message of a dialect.
///
/// # Errors
///
/// The text is no message of that dialect; the error names the field.
pub fn read_msg(text: &str, dialect: Dialect) -> Result<Msg, DecodeError> {
    match dialect {
        Dialect::Canonical => Msg::from_json(text),
        Dialect::Java => java::read_msg(Value::parse(text)?, Lenience::Jackson),
        Dialect::Python => python::read_msg(text),
    }
}

/// Appends one message in a dialect to a buffer, and gives what the dialect cannot carry.
pub fn write_msg(msg: &Msg, dialect: Dialect, out: &mut Vec<u8>) -> Vec<Loss> {
    match dialect {
        Dialect::Canonical => {
            msg.write(&mut Writer::new(out, Style::Compact));
            Vec::new()
        }
        Dialect::Java => java::write_msg(msg, &mut Writer::new(out, Style::Compact)),
        Dialect::Python => python::write_msg(msg, out),
    }
}
