//! The body of an answer: a stream of events or one document, whichever came, whatever was asked for.

use super::answer::Answer;
use super::sse::{Decoder, Event, Fault};
use replyfold_runtime::{ModelChunk, ModelError, ModelErrorKind};

/// Most bytes of an answer in one document.
const MOST: usize = 64 << 20;
const BOM: &[u8] = b"\xEF\xBB\xBF";
/// How a stream of events begins: with one of these, then a colon or the end of the line. A colon alone begins a comment.
const FIELDS: [&[u8]; 5] = [b"", b"data", b"event", b"id", b"retry"];
/// Most bytes that are kept of the beginning of a stream, to be told if nothing is in it.
const HEAD: usize = 1 << 10;

/// Takes bytes, gives pieces of the answer.
pub(super) struct Body {
    answer: Answer,
    form: Form,
    /// The type that the server told.
    content_type: String,
    /// The beginning of a stream that may be none: another type was told, or it begins with no field.
    doubtful: Option<Vec<u8>>,
    events: u64,
    is_done: bool,
}

enum Form {
    /// Not known yet: what came so far.
    Open(Vec<u8>),
    Events(Box<Decoder>),
    /// One document, not whole yet.
    Document(Vec<u8>),
}

impl Body {
    pub(super) fn new(answer: Answer, content_type: String) -> Self {
        Self { answer, form: Form::Open(Vec::new()), content_type, doubtful: None, events: 0, is_done: false }
    }

    pub(super) fn pop(&mut self) -> Option<ModelChunk> {
        self.answer.pop()
    }

    /// Whether nothing of the body counts any more.
    pub(super) fn is_done(&self) -> bool {
        self.is_done
    }

    /// Whether the model said why it stopped: a body that breaks now lacks nothing.
    pub(super) fn is_finished(&self) -> bool {
        self.answer.is_finished()
    }

    /// A failure without what is secret.
    pub(super) fn hidden(&self, error: ModelError) -> ModelError {
        self.answer.secrets().hidden(error)
    }

    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<(), ModelError> {
        match &mut self.form {
            Form::Open(head) if head.len() + bytes.len() > MOST => Err(too_long("the blank beginning of the answer")),
            Form::Open(head) => {
                head.extend_from_slice(bytes);
                let head = std::mem::take(head);
                match self.form_of(&head, false)? {
                    Some(form) => {
                        self.form = form;
                        self.push(&head)
                    }
                    None => {
                        self.form = Form::Open(head);
                        Ok(())
                    }
                }
            }
            Form::Document(text) if text.len() + bytes.len() > MOST => Err(too_long("the answer")),
            Form::Document(text) => {
                text.extend_from_slice(bytes);
                Ok(())
            }
            Form::Events(decoder) => {
                if let Some(head) = &mut self.doubtful {
                    head.extend(bytes.iter().take(HEAD.saturating_sub(head.len())));
                }
                let mut events = Vec::new();
                let pushed = decoder.push(bytes, |event| events.push(event));
                self.take(events)?;
                if self.is_done { Ok(()) } else { pushed.map_err(fault) }
            }
        }
    }

    /// Ends the body.
    pub(super) fn finish(&mut self) -> Result<(), ModelError> {
        if let Form::Open(head) = &mut self.form {
            let head = std::mem::take(head);
            if let Some(form) = self.form_of(&head, true)? {
                self.form = form;
                self.push(&head)?;
            }
        }
        match &mut self.form {
            Form::Open(_) => {}
            Form::Events(decoder) => {
                let mut events = Vec::new();
                let finished = decoder.finish(|event| events.push(event));
                self.take(events)?;
                if !self.is_done {
                    finished.map_err(fault)?;
                }
                // Not one event: what came only looks like a stream, as `id: 5 is not known` does.
                if let Some(head) = self.doubtful.take_if(|_| self.events == 0) {
                    return Err(self.no_answer(&head));
                }
            }
            Form::Document(text) => {
                let text = std::mem::take(text);
                let bytes = text.strip_prefix(BOM).unwrap_or(&text);
                let text = str::from_utf8(bytes).map_err(|err| {
                    let told = format!("the provider's answer is no UTF-8 behind byte {}", err.valid_up_to());
                    ModelError::new(ModelErrorKind::Protocol, told)
                })?;
                self.answer.take(text, false, "its answer")?;
                return self.end(true);
            }
        }
        if self.is_done { Ok(()) } else { self.end(false) }
    }

    /// Ends the answer though its body is not over.
    pub(super) fn end(&mut self, is_told: bool) -> Result<(), ModelError> {
        self.is_done = true;
        self.answer.end(is_told)
    }

    /// What the body is, by its first bytes: the type that a server tells may be another one. `None` if more is needed.
    fn form_of(&mut self, head: &[u8], is_whole: bool) -> Result<Option<Form>, ModelError> {
        let text = head.strip_prefix(BOM).unwrap_or(head).trim_ascii_start();
        if text.is_empty() || BOM.starts_with(text) {
            return Ok(None);
        }
        if text.starts_with(b"{") {
            return Ok(Some(Form::Document(Vec::new())));
        }
        let is_stream = self.content_type.starts_with("text/event-stream");
        let begins = FIELDS.map(|field| begins(text, field, is_whole));
        let is_field = begins.contains(&Some(true));
        if !is_field && begins.contains(&None) {
            return Ok(None);
        }
        if is_field || is_stream && !text.starts_with(b"<") {
            self.doubtful = (!is_field || !is_stream).then(Vec::new);
            return Ok(Some(Form::Events(Box::default())));
        }
        Err(self.no_answer(text))
    }

    /// The failure of a body that is no answer, with its beginning.
    fn no_answer(&self, head: &[u8]) -> ModelError {
        let text = head.strip_prefix(BOM).unwrap_or(head).trim_ascii_start();
        let what = match self.content_type.as_str() {
            _ if text.starts_with(b"<") => "a web page".to_owned(),
            "" => "something of no type".to_owned(),
            told if told.starts_with("text/event-stream") => "a stream without an event".to_owned(),
            told => format!("`{}`", self.answer.secrets().excerpt(told)),
        };
        let message = format!("the provider sent {what} instead of an answer; check the base URL: it usually ends with `/v1`");
        let detail = format!("it begins with `{}`", self.answer.secrets().excerpt(&String::from_utf8_lossy(text)));
        ModelError::new(ModelErrorKind::Protocol, message).with_detail(detail)
    }

    fn take(&mut self, events: Vec<Event>) -> Result<(), ModelError> {
        for event in events {
            self.events += 1;
            let data = event.data.trim();
            if data.is_empty() {
                continue;
            }
            if data == "[DONE]" {
                return self.end(true);
            }
            let place = format!("event {} at byte {}", self.events, event.offset);
            self.answer.take(data, event.name == "error", &place)?;
        }
        Ok(())
    }
}

/// Whether a text begins with this field; `None` if its next bytes decide.
fn begins(text: &[u8], field: &[u8], is_whole: bool) -> Option<bool> {
    match text.strip_prefix(field) {
        Some([b':', ..]) => Some(true),
        // A field without a value; an empty line is none.
        Some([b'\r' | b'\n', ..]) => Some(!field.is_empty()),
        Some([_, ..]) => Some(false),
        Some([]) if is_whole => Some(true),
        None if is_whole || !field.starts_with(text) => Some(false),
        _ => None,
    }
}

fn fault(fault: Fault) -> ModelError {
    match fault {
        Fault::Encoding(offset) => {
            ModelError::new(ModelErrorKind::Protocol, format!("the line at byte {offset} of the provider's answer is no UTF-8"))
        }
        Fault::Length(offset) => too_long(&format!("the event at byte {offset} of the answer")),
    }
}

fn too_long(what: &str) -> ModelError {
    ModelError::new(ModelErrorKind::Protocol, format!("{what} has more than {} MiB; nothing more of it is read", MOST >> 20))
}
