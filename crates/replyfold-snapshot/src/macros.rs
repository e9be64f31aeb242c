//! The macros: `insta::assert_snapshot!` with the text of a value.

/// Asserts what a message is: of a message, of a fold, of all replies of a log at its end or at a point.
///
/// It takes what [`insta::assert_snapshot!`] takes: a value alone (the snapshot is a file named after the test), a name and a value, or a value
/// and the snapshot itself behind `@`. The value is anything that has messages to show ([`Snapshot<of::Messages>`](crate::Snapshot)), or
/// [`SnapshotOptions::of`](crate::SnapshotOptions::of) it.
///
/// A block without a second time is still open. `input` alone says that the text of a call's arguments is this JSON, `content` alone that the
/// arguments are no JSON object yet.
///
/// ```
/// use replyfold_snapshot::{assert_msg_snapshot, given, json, story};
///
/// let log = story().reply("r1").tool("search", json!({ "q": "x" })).result("two hits").text("Found two.").end();
/// assert_msg_snapshot!(given(&log).end(), @r#"
/// message: [reply-1]
/// role: assistant
/// at: +0.000s..+0.100s
/// content:
/// - tool_use: search
///   id: [call-1]
///   input: {"q":"x"}
///   state: finished
///   at: +0.010s..+0.030s
/// - tool_result: search
///   id: [call-1]
///   output:
///   - text: "two hits"
///     at: +0.050s..
///   state: success
///   at: +0.040s..+0.060s
/// - text: "Found two."
///   id: [block-1]
///   at: +0.070s..+0.090s
/// "#);
/// ```
#[macro_export]
macro_rules! assert_msg_snapshot {
    ($($arg:tt)*) => { $crate::__assert!(msg_snapshot, $($arg)*) };
}

/// Asserts how the messages of a log grow: a line a record with what it changed, nothing else.
///
/// Record k changes the message of prefix k - 1 into that of prefix k, so one snapshot holds every prefix. `+` is a new part, `-` one that
/// is gone (counted as it was before), `=` a new value, `+=` text that was appended, `!` a note of the fold with what it is about. Parameters as
/// with [`assert_msg_snapshot!`].
///
/// After each record the whole message is compared with what it was, so the cost grows with their product: some thousand records are fine.
///
/// ```
/// use replyfold_snapshot::{assert_prefix_snapshots, story};
///
/// let log = story().reply("r1").open_text(["Hel", "lo"]);
/// assert_prefix_snapshots!(log, @r#"
/// 1 AGENT_START  + {message: [reply-1], role: assistant, at: +0.000s.., content: []}
/// 2 TEXT_BLOCK_START  + content[0] {text: "", id: [block-1], at: +0.010s..}
/// 3 TEXT_BLOCK_DELTA  content[0].text += "Hel"
/// 4 TEXT_BLOCK_DELTA  content[0].text += "lo"
/// "#);
/// ```
#[macro_export]
macro_rules! assert_prefix_snapshots {
    ($($arg:tt)*) => { $crate::__assert!(prefix_snapshots, $($arg)*) };
}

/// Asserts what a front end of the coarse protocol shows: of a timeline, of coarse events, or of every reply of a log.
///
/// Streams that are open stay open, so a log that is cut anywhere shows what is on the screen at that moment. Parameters as with
/// [`assert_msg_snapshot!`].
///
/// ```
/// use replyfold_snapshot::{assert_timeline_snapshot, json, story};
///
/// let log = story().reply("r1").thinking("look it up").tool("search", json!({ "q": "x" })).open_result("one");
/// assert_timeline_snapshot!(log, @r#"
/// content: ""
/// thinking: ["look it up"]
/// timeline:
/// - thinking: "look it up"
/// - tool: search
///   id: [call-1]
///   status: running
/// expanded: yes
/// complete: no
/// "#);
/// ```
#[macro_export]
macro_rules! assert_timeline_snapshot {
    ($($arg:tt)*) => { $crate::__assert!(timeline_snapshot, $($arg)*) };
}

/// Asserts coarse events, a line each: those that are given, or those that a log collapses into. `-` is a text that is absent.
///
/// Streams that are open stay open. Parameters as with [`assert_msg_snapshot!`].
///
/// ```
/// use replyfold_snapshot::{assert_coarse_snapshot, json, story};
///
/// let log = story().reply("r1").tool("search", json!({ "q": "x" })).result(["two ", "hits"]).model_call("m").text("Found two.").end();
/// assert_coarse_snapshot!(log, @r#"
/// tool_start search [call-1] "{\"q\":\"x\"}"
/// tool_end search [call-1] "two hits"
/// text "Found two."
/// complete
/// "#);
/// ```
#[macro_export]
macro_rules! assert_coarse_snapshot {
    ($($arg:tt)*) => { $crate::__assert!(coarse_snapshot, $($arg)*) };
}

/// The forms of `insta::assert_snapshot!`, each with the expression as it stands in the test.
#[doc(hidden)]
#[macro_export]
macro_rules! __assert {
    ($make:ident, $value:expr, @$snapshot:literal $(,)?) => {
        $crate::__insta::assert_snapshot!($crate::$make(&$value), stringify!($value), @$snapshot)
    };
    ($make:ident, $value:expr $(,)?) => {
        $crate::__insta::assert_snapshot!(None::<&str>, $crate::$make(&$value), stringify!($value))
    };
    ($make:ident, $name:expr, $value:expr $(,)?) => {
        $crate::__insta::assert_snapshot!($name, $crate::$make(&$value), stringify!($value))
    };
}

/// A snapshot that does not fit fails the test, here the compiled example.
///
/// ```should_panic
/// replyfold_snapshot::assert_msg_snapshot!(replyfold_snapshot::story().reply("r1"), @"message: [reply-2]");
/// ```
#[cfg(doctest)]
struct Fails;
