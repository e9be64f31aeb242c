//! What must not be told: keys, and whatever else may be one.
//!
//! Providers echo what they were sent, also in headers and parameters whose names say nothing. So every value that somebody gave is hidden, but
//! for a few that are known to be none.

use replyfold_message::Media;
use replyfold_runtime::ModelError;
use serde_json::Value;
use url::{Url, form_urlencoded};

/// Fewest characters of what is hidden. What is shorter is guessed in no time, so hiding it protects nothing; and it stands in ordinary words
/// and numbers, so messages would be garbled (a key `1`, a header `on`).
const FEWEST: usize = 6;
/// Most characters of what was no answer.
const EXCERPT: usize = 80;

/// Headers that hold no key.
const HEADERS: [&str; 13] = [
    "accept",
    "accept-charset",
    "accept-encoding",
    "accept-language",
    "anthropic-beta",
    "anthropic-version",
    "cache-control",
    "content-type",
    "http-referer",
    "openai-beta",
    "referer",
    "user-agent",
    "x-title",
];
/// Parameters of a URL that hold none.
const QUERY: [&str; 5] = ["api-version", "api_version", "beta", "model", "version"];
/// What people write where a server wants a key and takes any, and switches: words that messages are made of.
const WORDS: [&str; 28] = [
    "anything",
    "api-key",
    "api_key",
    "apikey",
    "bearer",
    "changeme",
    "default",
    "disable",
    "disabled",
    "enable",
    "enabled",
    "ignored",
    "llama.cpp",
    "lm-studio",
    "localhost",
    "no-key",
    "no-key-required",
    "not-needed",
    "not-required",
    "ollama",
    "openai",
    "password",
    "placeholder",
    "required",
    "secret",
    "undefined",
    "unused",
    "whatever",
];

#[derive(Clone, Default)]
pub(super) struct Secrets {
    /// Longest first: one may be the beginning of another, of which the rest would stay.
    list: Vec<String>,
    /// What is told anyway: the model, the host.
    known: Vec<String>,
}

impl Secrets {
    /// None yet. What is `known` is told in messages, and no secret if it stands elsewhere too.
    pub(super) fn new(known: impl IntoIterator<Item = String>) -> Self {
        Self { list: Vec::new(), known: known.into_iter().collect() }
    }

    fn push(&mut self, secret: &str) {
        let secret = secret.trim();
        let is_word = WORDS.iter().any(|word| word.eq_ignore_ascii_case(secret)) || self.known.iter().any(|known| known == secret);
        if secret.chars().count() < FEWEST || is_word {
            return;
        }
        // Excerpts show JSON as it came, where some characters are escaped, and by some servers slashes too.
        let escaped = Value::from(secret).to_string();
        let escaped = escaped.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(secret);
        for spelling in [secret.to_owned(), escaped.to_owned(), escaped.replace('/', "\\/")] {
            if !self.list.contains(&spelling) {
                self.list.push(spelling);
            }
        }
        self.list.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    }

    /// The value of a header: the whole, what stands behind a scheme (`Bearer …`), and the values of its fields (`Credential=…, Signature=…`).
    pub(super) fn push_header(&mut self, name: &str, value: &str) {
        if !HEADERS.contains(&name) {
            self.push_value(value);
        }
    }

    fn push_value(&mut self, value: &str) {
        self.push(value);
        if let Some((scheme, rest)) = value.split_once(char::is_whitespace) {
            self.push(rest);
            if scheme.eq_ignore_ascii_case("basic") {
                self.push_basic(rest.trim());
            }
        }
        for field in value.split([',', ';', ' ', '\t']) {
            if let Some((_, value)) = field.split_once('=') {
                self.push(value.trim_matches('"'));
            }
        }
    }

    /// Name and password in Base64, as a server that read them may tell them.
    fn push_basic(&mut self, base64: &str) {
        let media = Media::from_base64(base64);
        if let Some((name, password)) = media.as_bytes().and_then(|bytes| str::from_utf8(bytes).ok()?.split_once(':')) {
            [name, password].into_iter().for_each(|secret| self.push(secret));
        }
    }

    /// What a URL holds beside the place: name and password, and the values of its query. Each as it is written and as it is meant.
    pub(super) fn push_url(&mut self, url: &Url) {
        let [name, password] = [url.username(), url.password().unwrap_or_default()].map(|text| (text, decoded(text)));
        for text in [name.0, &name.1, password.0, &password.1] {
            self.push(text);
        }
        if !(name.1.is_empty() && password.1.is_empty()) {
            // They are sent in this form.
            self.push(&Media::from(format!("{}:{}", name.1, password.1).as_bytes()).to_base64());
        }
        for pair in url.query().unwrap_or_default().split('&') {
            let Some((name, value)) = form_urlencoded::parse(pair.as_bytes()).next() else { continue };
            match pair.split_once('=') {
                // A name without a value is all there is.
                None => [pair, &name].into_iter().for_each(|text| self.push(text)),
                Some((_, raw)) if !QUERY.contains(&&*name.to_ascii_lowercase()) => {
                    [raw, &value].into_iter().for_each(|text| self.push(text));
                }
                Some(_) => {}
            }
        }
    }

    /// Keys in a field of the request's body: some gateways want them there. Other fields are what is asked for, not who asks.
    pub(super) fn push_parameter(&mut self, name: &str, value: &Value) {
        let name = name.to_ascii_lowercase();
        match value {
            Value::String(text)
                if ["auth", "cookie", "credential", "key", "password", "secret", "token"].iter().any(|word| name.contains(word)) =>
            {
                self.push_value(text);
            }
            Value::Array(list) => list.iter().for_each(|value| self.push_parameter("", value)),
            Value::Object(fields) => fields.iter().for_each(|(name, value)| self.push_parameter(name, value)),
            _ => {}
        }
    }

    /// The text without them.
    pub(super) fn hide(&self, text: &str) -> String {
        self.list.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), "***"))
    }

    /// The failure without them.
    pub(super) fn hidden(&self, mut error: ModelError) -> ModelError {
        error.message = self.hide(&error.message);
        error.detail = error.detail.map(|detail| self.hide(&detail));
        error
    }

    /// The beginning of a text. What is secret is hidden first: half a key is one too.
    pub(super) fn cut(&self, text: &str, most: usize) -> String {
        let text = self.hide(text.trim());
        match text.char_indices().nth(most) {
            Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
            None => text,
        }
    }

    /// The beginning of what was no answer, in one line.
    pub(super) fn excerpt(&self, text: &str) -> String {
        // Hidden before its blanks are joined: a secret may have some.
        self.cut(&self.hide(text).split_whitespace().collect::<Vec<_>>().join(" "), EXCERPT)
    }
}

/// A part of a URL as it is meant.
fn decoded(text: &str) -> String {
    // The decoder is one for forms, where these mean something else.
    let text = text.replace('+', "%2B").replace('&', "%26").replace('=', "%3D");
    form_urlencoded::parse(text.as_bytes()).next().map(|(name, _)| name.into_owned()).unwrap_or_default()
}
