//! Everything that the macros take, and the three forms of a snapshot.

use replyfold_coarse::{CoarseEvent, Timeline};
use replyfold_reduce::{MsgReducer, SessionReducer};
use replyfold_snapshot::{
    assert_coarse_snapshot, assert_msg_snapshot, assert_prefix_snapshots, assert_timeline_snapshot, given, msg_snapshot, story,
    timeline_snapshot,
};

#[test]
fn a_snapshot_in_a_file_is_named_after_its_test() {
    let log = story().reply("r1").text("Hello");
    assert_msg_snapshot!(log);
    assert_prefix_snapshots!(log);
    assert_coarse_snapshot!(log);
    assert_timeline_snapshot!(log);
}

#[test]
fn a_snapshot_may_have_a_name() {
    let log = story().reply("r1").text("Hello");
    assert_msg_snapshot!("a_named_message", log);
    assert_prefix_snapshots!("named_prefixes", log,);
    let name = String::from("a_name_that_is_made");
    assert_coarse_snapshot!(name, log);
}

#[test]
fn folds_replies_and_messages_are_shown_alike() {
    let log = story().reply("r1").text("Hello").end();
    let (mut reducer, mut session) = (MsgReducer::new("r1"), SessionReducer::new());
    for event in log.events() {
        reducer.apply(event);
        session.apply(event);
    }
    let expected = msg_snapshot(&log);
    assert_eq!(msg_snapshot(reducer.message()), expected);
    assert_eq!(msg_snapshot(vec![reducer.message().clone()]), expected);
    assert_eq!(msg_snapshot(session.replies().next().unwrap()), expected);
    assert_eq!(msg_snapshot(&reducer), expected);
    assert_eq!(msg_snapshot(&session), expected);
    assert_eq!(msg_snapshot(given(&log).end()), expected);
    assert_eq!(msg_snapshot(log.events()), expected);
    assert_eq!(msg_snapshot(MsgReducer::new("r1")), "no message\n");
}

#[test]
fn coarse_events_and_timelines_show_themselves() {
    let events = [
        CoarseEvent::thinking("hm"),
        CoarseEvent::tool_start("f", "c1", None),
        CoarseEvent::tool_end("f", "c1", "ok"),
        CoarseEvent::Complete,
    ];
    assert_coarse_snapshot!(events, @r#"
    thinking "hm"
    tool_start f [call-1] -
    tool_end f [call-1] "ok"
    complete
    "#);
    let mut timeline = Timeline::new();
    events.iter().for_each(|event| timeline.apply(event));
    assert_eq!(timeline_snapshot(&timeline), timeline_snapshot(events.to_vec()));
    assert_timeline_snapshot!(timeline, @r#"
    content: ""
    thinking: ["hm"]
    timeline:
    - thinking: "hm"
    - tool: f
      id: [call-1]
      status: completed
    expanded: no
    complete: yes
    "#);
}
