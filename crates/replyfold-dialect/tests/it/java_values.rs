//! Java's values of every kind, each inside of something that is read and written on its own.

use replyfold_dialect::{Dialect, read_event, read_msg, write_event, write_msg};
use replyfold_event::AgentEvent;
use replyfold_message::Msg;
use replyfold_message::json::{JsonObject, Value};

/// A value that was read: the event or message around it.
#[derive(Debug, PartialEq)]
pub(crate) enum Read {
    Event(AgentEvent),
    Msg(Msg),
}

/// Where a value of a Java class stands: the text before and after it, and the way to it in what is written.
struct Place {
    before: &'static str,
    after: &'static str,
    way: &'static [&'static str],
    is_msg: bool,
}

/// The place of a class, by the name of the target in the corpus.
fn place(target: &str) -> Place {
    let (before, after, way, is_msg): (_, _, &'static [&'static str], _) = match target {
        "AgentEvent" => ("", "", &[], false),
        "Msg" => ("", "", &[], true),
        "ContentBlock" => (
            r#"{"id":"m","name":null,"role":"ASSISTANT","content":["#,
            r#"],"metadata":{},"timestamp":null,"usage":null}"#,
            &["content"],
            true,
        ),
        "ChatUsage" => (r#"{"type":"MODEL_CALL_END","replyId":"r","usage":"#, "}", &["usage"], false),
        "ConfirmResult" => (r#"{"type":"USER_CONFIRM_RESULT","replyId":"r","confirmResults":["#, "]}", &["confirmResults"], false),
        "PermissionRule" => (
            r#"{"type":"USER_CONFIRM_RESULT","replyId":"r","confirmResults":[{"confirmed":true,"toolCall":{"type":"tool_use","id":"c","name":"n","input":{},"content":null,"metadata":{},"state":"asking"},"rules":["#,
            "]}]}",
            &["confirmResults", "rules"],
            false,
        ),
        other => panic!("no place for {other}"),
    };
    Place { before, after, way, is_msg }
}

/// Reads a value of a class as Java does.
pub(crate) fn read(target: &str, text: &str) -> Result<Read, String> {
    let Place { before, after, is_msg, .. } = place(target);
    let text = if before.is_empty() { text.to_owned() } else { format!("{before}{text}{after}") };
    match is_msg {
        true => read_msg(&text, Dialect::Java).map(Read::Msg).map_err(|err| err.to_string()),
        false => read_event(&text, Dialect::Java).map(Read::Event).map_err(|err| err.to_string()),
    }
}

/// The value as Java's writer writes it.
pub(crate) fn write(target: &str, read: &Read) -> String {
    let mut out = Vec::new();
    let losses = match read {
        Read::Event(event) => write_event(event, Dialect::Java, &mut out),
        Read::Msg(msg) => write_msg(msg, Dialect::Java, &mut out),
    };
    assert_eq!(losses, [], "{target}: what Java wrote, Java's writer can carry");
    let out = String::from_utf8(out).unwrap();
    let mut value = Value::parse(&out).unwrap();
    for key in place(target).way {
        let inner = value.object().unwrap().get(key).unwrap();
        value = inner.array().map_or(inner, |items| items[0]);
    }
    value.text().to_owned()
}

/// Whether two texts are the same JSON object.
pub(crate) fn same(a: &str, b: &str) -> bool {
    JsonObject::parse(a).unwrap().is_same_value(&JsonObject::parse(b).unwrap())
}
