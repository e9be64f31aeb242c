//! The result of a tool that did not end well.

use replyfold_event::message::json::{Fields, Style, Writer};

/// How the reason of every failed tool begins, in every language: it is part of the protocol.
pub const FAILED_PREFIX: &str = "工具执行失败：";

/// The reason that a result gives which never came ("Coarse protocol" section 11).
pub(crate) const LOST: &str = "工具响应丢失";

/// The `result` of a tool that ended with an error, was denied or interrupted: the text of a JSON object with the one key `error`.
///
/// The prefix is not added twice ("Coarse protocol" sections 1 and 7).
///
/// ```
/// use replyfold_coarse::failed_result;
///
/// assert_eq!(failed_result("exit \"127\""), r#"{ "error": "工具执行失败：exit \"127\"" }"#);
/// assert_eq!(failed_result("工具执行失败：exit 127"), r#"{ "error": "工具执行失败：exit 127" }"#);
/// ```
#[must_use]
pub fn failed_result(reason: &str) -> String {
    let prefix = if reason.starts_with(FAILED_PREFIX) { "" } else { FAILED_PREFIX };
    error_object(&format!("{prefix}{reason}"))
}

/// The result of a tool whose answer never came.
pub(crate) fn lost_result() -> String {
    error_object(LOST)
}

fn error_object(error: &str) -> String {
    format!("{{ \"error\": {} }}", Writer::text(Style::Compact, |out| out.string(error)))
}

/// The reason in a failed result, without the prefix, if writing it again gives this very text.
pub(crate) fn reason_of(result: &str) -> Option<String> {
    // Most results are no objects; parsing is left to those that could be one of ours.
    let fields = result.starts_with("{ \"error\": ").then(|| Fields::parse(result).ok()).flatten()?;
    let error = fields.required::<String>("error").ok()?;
    let reason = error.strip_prefix(FAILED_PREFIX)?;
    let reason = if failed_result(reason) == result { reason.to_owned() } else { error };
    (failed_result(&reason) == result).then_some(reason)
}
