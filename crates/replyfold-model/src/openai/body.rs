//! The body of an answer: a stream of events or one document, whichever came, whatever was asked for.

use super::answer::Answer;
use super::sse::{Decoder, Event, Fault};
use replyfold_runtime::{ModelChunk, ModelError, ModelErrorKind};

/// Most bytes of an answer in one document.
const MOST: usize = 64 << 20;
const BOM: &[u8] = b"\xEF\xBB\xBF";
/// How a stream of events begins.
const FIELDS: [&[u8]; 5] = [b"data", b"event", b"id", b"retry", b":"];

/// Takes bytes, gives pieces of the answer.
pub(super) struct Body {
    answer: Answer,
    form: Form,
    /// The type that the server told.
    content_type: String,
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
        Self { answer, form: Form::Open(Vec::new()), content_type, events: 0, is_done: false }
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
    fn form_of(&self, head: &[u8], is_whole: bool) -> Result<Option<Form>, ModelError> {
        let text = head.strip_prefix(BOM).unwrap_or(head).trim_ascii_start();
        if text.is_empty() || BOM.starts_with(text) {
            return Ok(None);
        }
        if text.starts_with(b"{") {
            return Ok(Some(Form::Document(Vec::new())));
        }
        if FIELDS.iter().any(|field| text.starts_with(field)) {
            return Ok(Some(Form::Events(Box::default())));
        }
        if !is_whole && FIELDS.iter().any(|field| field.starts_with(text)) {
            return Ok(None);
        }
        let is_page = text.starts_with(b"<");
        if !is_page && self.content_type.starts_with("text/event-stream") {
            return Ok(Some(Form::Events(Box::default())));
        }
        let what = match (is_page, self.content_type.as_str()) {
            (true, _) => "a web page".to_owned(),
            (false, "") => "something of no type".to_owned(),
            (false, told) => format!("`{}`", self.answer.secrets().excerpt(told)),
        };
        let message = format!("the provider sent {what} instead of an answer; check the base URL: it usually ends with `/v1`");
        let detail = format!("it begins with `{}`", self.answer.secrets().excerpt(&String::from_utf8_lossy(text)));
        Err(ModelError::new(ModelErrorKind::Protocol, message).with_detail(detail))
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
