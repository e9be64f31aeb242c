//! What a reason of the library cannot name: the option that helps.

use crate::args::Input;
use replyfold::log::BadRecord;
use replyfold::message::json::Fields;

impl Input {
    /// Why a record is bad, and the option that helps, if one does.
    pub(crate) fn reason(&self, bad: &BadRecord) -> String {
        match self.hint(bad) {
            Some(hint) => format!("{}; {hint}", bad.reason),
            None => bad.reason.clone(),
        }
    }

    fn hint(&self, bad: &BadRecord) -> Option<String> {
        if bad.reason.contains("half of a surrogate pair") && !self.replace_surrogates {
            return Some("--replace-surrogates reads it as U+FFFD".to_owned());
        }
        if bad.reason.contains("only a key that is told chooses one") && self.path.is_none() {
            return Some("--path KEY tells it".to_owned());
        }
        let key = self.path.as_deref()?;
        let fields = Fields::parse(std::str::from_utf8(&bad.text).ok()?).ok()?;
        fields.get(key).is_none().then(|| format!("it has no member `{key}`, which --path names"))
    }
}
