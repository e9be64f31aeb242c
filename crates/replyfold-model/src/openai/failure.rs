//! Failures by class: what a status, a code or a provider's words mean.

use super::secrets::Secrets;
use chrono::{DateTime, NaiveDateTime, Utc};
use replyfold_runtime::{ModelError, ModelErrorKind};
use reqwest::StatusCode;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use serde_json::Value;
use std::error::Error;
use std::time::{Duration, SystemTime};
use std::{io, iter};

/// Most characters of a provider's message that are told.
const MESSAGE: usize = 300;
impl Secrets {
    /// What a provider told instead of an answer.
    pub(super) fn of_status(&self, status: StatusCode, headers: &HeaderMap, body: &str) -> ModelError {
        let told = Told::of_body(body);
        let kind = told.kind(Some(status.as_u16()));
        let mut message = format!("the provider answered {}", reason(status));
        if !told.message.is_empty() {
            message = format!("{message}: {}", self.cut(&told.message, MESSAGE));
        }
        if status.is_redirection() {
            message.push_str("; redirects are not followed, since they would carry the key elsewhere: set the base URL to where it is now");
        }
        let mut error = ModelError::new(kind, message);
        if !told.code.is_empty() {
            error = error.with_detail(self.cut(&format!("code {}", told.code), MESSAGE));
        }
        error.retry_after = retry_after(headers);
        error
    }

    /// What a provider told in the middle of an answer.
    pub(super) fn of_told(&self, told: &Told) -> ModelError {
        let what = if told.message.is_empty() { &told.code } else { &told.message };
        let message = match what.is_empty() {
            true => "the provider ended its answer with an error".to_owned(),
            false => format!("the provider ended its answer with an error: {}", self.cut(what, MESSAGE)),
        };
        let error = ModelError::new(told.kind(None), message);
        if told.code.is_empty() { error } else { error.with_detail(self.cut(&format!("code {}", told.code), MESSAGE)) }
    }
}

fn reason(status: StatusCode) -> String {
    match status.canonical_reason() {
        Some(reason) => format!("{} {reason}", status.as_u16()),
        None => status.as_u16().to_string(),
    }
}

/// What a provider says of a failure, wherever it says it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) message: String,
    /// Its words for the class, in one text: code and type.
    pub(super) code: String,
}

impl Told {
    /// What the body of a failed call says; of a page for people nothing.
    fn of_body(body: &str) -> Self {
        match serde_json::from_str::<Value>(body) {
            Ok(value) => Self::of_value(&value),
            Err(_) if body.trim_start().starts_with('<') => Self::default(),
            Err(_) => Self { message: body.to_owned(), code: String::new() },
        }
    }

    /// What a document says that is an error, or holds one under `error`.
    pub(super) fn of_value(value: &Value) -> Self {
        match value {
            Value::String(text) => Self { message: text.clone(), code: String::new() },
            Value::Array(list) => list.first().map(Self::of_value).unwrap_or_default(),
            Value::Object(fields) => {
                if let Some(error) = fields.get("error").filter(|error| error.is_object() || error.is_string()) {
                    let mut told = Self::of_value(error);
                    // Some tell the message inside and the code outside, or the other way round.
                    let outer = Self { message: text(fields.get("message")), code: codes(fields) };
                    if told.message.is_empty() || told.message == told.code {
                        told.message = outer.message;
                    }
                    if told.code.is_empty() {
                        told.code = outer.code;
                    }
                    return told;
                }
                let message = ["message", "msg", "detail"].iter().map(|key| text(fields.get(*key))).find(|text| !text.is_empty());
                Self { message: message.unwrap_or_default(), code: codes(fields) }
            }
            _ => Self::default(),
        }
    }

    /// The class of the failure. Outside HTTP the code is often its status.
    pub(super) fn kind(&self, status: Option<u16>) -> ModelErrorKind {
        let status = status.or_else(|| self.code.split(' ').find_map(|word| word.parse().ok()).filter(|code| (400..600).contains(code)));
        let words = format!("{} {}", self.code, self.message).to_ascii_lowercase();
        let has = |any: &[&str]| any.iter().any(|word| words.contains(word));
        let code = self.code.to_ascii_lowercase();
        let is = |any: &[&str]| any.iter().any(|word| code.contains(word));
        // What says more than its status.
        if has(&["insufficient_quota", "insufficient balance", "insufficient_balance", "arrearage"]) {
            return ModelErrorKind::Permission;
        }
        if matches!(status, None | Some(400 | 404 | 413 | 422 | 500)) {
            if has(&LONG) {
                return ModelErrorKind::ContextLength;
            }
            if is(&["content_filter", "content_policy", "data_inspection_failed", "datainspectionfailed"])
                || has(&["data_inspection_failed", "content_filter"])
            {
                return ModelErrorKind::ContentFilter;
            }
        }
        match status {
            Some(401) => ModelErrorKind::Authentication,
            Some(402 | 403) => ModelErrorKind::Permission,
            Some(408 | 504) => ModelErrorKind::Timeout,
            Some(413) => ModelErrorKind::ContextLength,
            Some(429) => ModelErrorKind::RateLimit,
            Some(503 | 529) => ModelErrorKind::Overloaded,
            Some(status) if status >= 500 => ModelErrorKind::Server,
            Some(_) => ModelErrorKind::InvalidRequest,
            None if is(&["rate_limit", "ratelimit", "throttling", "too_many", "limit_requests"]) => ModelErrorKind::RateLimit,
            None if is(&["overloaded", "unavailable", "busy", "capacity"]) => ModelErrorKind::Overloaded,
            None if is(&["timeout", "timed_out"]) => ModelErrorKind::Timeout,
            None if is(&["api_key", "apikey", "authentication", "unauthorized"]) => ModelErrorKind::Authentication,
            None if is(&["permission", "forbidden", "accessdenied", "access_denied"]) => ModelErrorKind::Permission,
            None if is(&["invalid", "badrequest", "bad_request", "not_found", "notfound"]) => ModelErrorKind::InvalidRequest,
            // An answer that was begun and failed: the provider's, and worth another attempt.
            None => ModelErrorKind::Server,
        }
    }
}

/// How providers say that a context is too long.
const LONG: [&str; 7] = [
    "context_length_exceeded",
    "maximum context length",
    "context window",
    "context length",
    "exceed_context_size",
    "prompt is too long",
    "range of input length",
];

fn text(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        // Of a list of faults the first one says enough.
        Some(Value::Array(list)) => list.first().map(|first| Told::of_value(first).message).unwrap_or_default(),
        Some(Value::Object(_)) => value.map(|value| Told::of_value(value).message).unwrap_or_default(),
        _ => String::new(),
    }
}

fn codes(fields: &serde_json::Map<String, Value>) -> String {
    let mut words: Vec<String> =
        ["code", "type", "status"].iter().map(|key| text(fields.get(*key))).filter(|word| !word.is_empty()).collect();
    words.dedup();
    words.join(" ")
}

/// How long a provider asks to wait. A date counts from the provider's own, so a clock that is wrong here does not matter.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(wait) = text("retry-after-ms").and_then(|text| text.parse().ok()).and_then(|millis: f64| seconds(millis / 1000.0)) {
        return Some(wait);
    }
    let told = text(RETRY_AFTER.as_str())?;
    if let Ok(told) = told.parse() {
        return seconds(told);
    }
    let until = date(told)?;
    let now = text(DATE.as_str()).and_then(date).unwrap_or_else(|| {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        DateTime::from_timestamp(i64::try_from(since.as_secs()).unwrap_or(i64::MAX), 0).unwrap_or(until)
    });
    // What is over already asks for no wait.
    Some((until - now).to_std().unwrap_or_default())
}

/// What is below zero, or no number at all, says nothing; what no wait can hold asks for the longest.
fn seconds(told: f64) -> Option<Duration> {
    (told >= 0.0).then(|| Duration::try_from_secs_f64(told).unwrap_or(Duration::MAX))
}

/// A date of HTTP, also in the two forms that are out of use (RFC 9110, 5.6.7).
fn date(text: &str) -> Option<DateTime<Utc>> {
    let old = |form| NaiveDateTime::parse_from_str(text, form).map(|date| date.and_utc()).ok();
    let date = DateTime::parse_from_rfc2822(text).map(|date| date.with_timezone(&Utc)).ok();
    date.or_else(|| old("%A, %d-%b-%y %H:%M:%S GMT")).or_else(|| old("%a %b %e %H:%M:%S %Y"))
}

/// A call that got no answer at all.
pub(super) fn unreachable(error: reqwest::Error, place: &str, is_local: bool) -> ModelError {
    let (is_connect, is_timeout, is_tls) = (error.is_connect(), error.is_timeout(), is_tls(&error));
    let detail = causes(&error.without_url());
    let error = match (is_connect, is_timeout) {
        (_, true) => {
            ModelError::new(ModelErrorKind::Timeout, format!("no connection to {place} in time; check that it can be reached from here"))
        }
        (true, false) if is_tls => {
            let told = format!("{place} was reached, but HTTPS failed");
            let help = "if it speaks HTTP alone, begin the base URL with `http://`; if its certificate is of your own, give a client with `client`";
            ModelError::new(ModelErrorKind::Network, format!("{told}; {help}"))
        }
        (true, false) => {
            let help = if is_local { "check that the server runs there" } else { "check the base URL and the network" };
            ModelError::new(ModelErrorKind::Network, format!("{place} cannot be reached; {help}"))
        }
        (false, false) => {
            ModelError::new(ModelErrorKind::Network, format!("the connection to {place} broke before the answer began; try again"))
        }
    };
    error.with_detail(detail)
}

/// Whether a connection was made that TLS would not have: what comes then is no data that it knows, a certificate for one.
fn is_tls(error: &reqwest::Error) -> bool {
    let mut causes = iter::successors(error.source(), |cause: &&(dyn Error + 'static)| (*cause).source());
    causes.any(|cause| cause.downcast_ref::<io::Error>().is_some_and(is_invalid))
}

/// The connector wraps the error of TLS in one of its own, whose source is not that error but what is behind it.
fn is_invalid(error: &io::Error) -> bool {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<io::Error>());
    error.kind() == io::ErrorKind::InvalidData || inner.is_some_and(is_invalid)
}

/// A connection that broke in the middle of an answer.
pub(super) fn broken(error: reqwest::Error) -> ModelError {
    let kind = if error.is_timeout() { ModelErrorKind::Timeout } else { ModelErrorKind::Incomplete };
    ModelError::new(kind, "the connection broke in the middle of the answer").with_detail(causes(&error.without_url()))
}

/// An error and what led to it.
fn causes(error: &reqwest::Error) -> String {
    let mut told = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if !told.ends_with(&text) {
            told = format!("{told}: {text}");
        }
        cause = error.source();
    }
    told
}
