//! Many replies in one log.

use crate::logs::{assert_content, events, fold, fold_session, message};
use replyfold_event::{AgentEvent, AgentStart};
use replyfold_message::Role;
use replyfold_reduce::{ReduceOptions, SessionReducer};

const INTERLEAVED: &str = r#"
    {"type":"AGENT_START","replyId":"r1","role":"assistant","name":"Friday"}
    {"type":"TEXT_BLOCK_START","replyId":"r1","blockId":"x"}
    {"type":"AGENT_START","replyId":"r2","role":"assistant","name":"Helper","source":"main/helper"}
    {"type":"TEXT_BLOCK_START","replyId":"r2","blockId":"x","source":"main/helper"}
    {"type":"TEXT_BLOCK_DELTA","replyId":"r1","blockId":"x","delta":"a"}
    {"type":"TEXT_BLOCK_DELTA","replyId":"r2","blockId":"x","delta":"b","source":"main/helper"}
    {"type":"TEXT_BLOCK_DELTA","replyId":"r1","blockId":"x","delta":"c"}
    {"type":"AGENT_END","replyId":"r2","finishedReason":"completed","source":"main/helper"}"#;

#[test]
fn interleaved_replies_each_get_their_own_events() {
    let session = fold_session(INTERLEAVED);
    let messages: Vec<_> = session.messages().cloned().collect();
    assert_eq!(
        messages,
        [
            message(r#"{"id":"r1","role":"assistant","name":"Friday","content":[{"type":"text","id":"x","text":"ac"}]}"#),
            message(
                r#"{"id":"r2","role":"assistant","name":"Helper","content":[{"type":"text","id":"x","text":"b"}],"finishedReason":"completed"}"#
            ),
        ]
    );
}

#[test]
fn a_sub_agent_never_touches_the_parents_message_even_with_the_parents_reply_id() {
    let log = r#"
        {"type":"AGENT_START","replyId":"r1","role":"assistant","name":"Friday"}
        {"type":"TEXT_BLOCK_START","replyId":"r1","blockId":"x"}
        {"type":"TEXT_BLOCK_START","replyId":"r1","blockId":"x","source":"main/helper"}
        {"type":"TEXT_BLOCK_DELTA","replyId":"r1","blockId":"x","delta":"b","source":"main/helper"}
        {"type":"AGENT_END","replyId":"r1","source":"main/helper"}"#;
    let session = fold_session(log);
    let parent = session.reply("r1").unwrap();
    assert!(parent.source().is_none() && !parent.reducer().is_ended());
    assert_content(parent.reducer(), r#"[{"type":"text","id":"x","text":""}]"#);
    let child = session.replies().nth(1).unwrap();
    assert_content(child.reducer(), r#"[{"type":"text","id":"x","text":"b"}]"#);
}

#[test]
fn a_sub_agent_tells_whom_it_works_for() {
    let log = r#"
        {"type":"AGENT_START","replyId":"r1","role":"assistant"}
        {"type":"AGENT_START","replyId":"r2","role":"assistant","source":"helper"}
        {"type":"AGENT_START","replyId":"r3","role":"assistant","source":"main/helper/deep"}"#;
    let session = fold_session(log);
    let parents: Vec<_> = session.replies().map(|reply| (reply.source().map(|path| path.as_str()), reply.parent())).collect();
    assert_eq!(parents, [(None, None), (Some("helper"), Some("")), (Some("main/helper/deep"), Some("main/helper"))]);
}

#[test]
fn messages_stand_in_the_order_of_their_opening_not_of_their_first_event() {
    let log = r#"
        {"type":"TEXT_BLOCK_DELTA","replyId":"r1","blockId":"x","delta":"lost"}
        {"type":"AGENT_START","replyId":"r2","role":"assistant"}
        {"type":"AGENT_START","replyId":"r1","role":"assistant"}
        {"type":"MODEL_CALL_START","replyId":"r3"}"#;
    let session = fold_session(log);
    assert_eq!(session.messages().map(|msg| msg.id.as_str()).collect::<Vec<_>>(), ["r2", "r1"]);
    assert!(session.reply("r3").is_none());
}

#[test]
fn prefixes_show_the_session_after_each_event_beginning_with_none() {
    let events = events(INTERLEAVED);
    let mut prefixes = SessionReducer::new().prefixes(&events);
    let mut seen = 0;
    while let Some(session) = prefixes.next() {
        let mut alone = SessionReducer::new();
        events[..seen].iter().for_each(|event| {
            alone.apply(event);
        });
        assert!(session.messages().eq(alone.messages()), "after {seen} events");
        seen += 1;
    }
    assert_eq!(seen, events.len() + 1);
}

#[test]
fn exposed_sub_agents_are_listed_by_their_reply_or_by_the_session() {
    let of_reply = r#"{"type":"SUBAGENT_EXPOSED","replyId":"r1","subagentId":"a1","agentId":"helper","sessionId":"s1","label":"Helper"}"#;
    let of_none = of_reply.replace(r#""replyId":"r1","#, "").replace("a1", "a2");
    let session = fold_session(&format!("{}\n{of_reply}\n{of_none}", r#"{"type":"AGENT_START","replyId":"r1","role":"assistant"}"#));
    let ids = |list: &[replyfold_event::SubagentExposed]| list.iter().map(|one| one.subagent_id.to_string()).collect::<Vec<_>>();
    assert_eq!(ids(session.reply("r1").unwrap().reducer().exposed()), ["a1"]);
    assert_eq!(ids(session.exposed()), ["a2"]);
    assert!(session.reply("r1").unwrap().message().content.is_empty());
}

#[test]
fn notes_of_all_replies_stand_in_the_order_of_the_log() {
    let log = r#"
        {"type":"TEXT_BLOCK_END","replyId":"r2","blockId":"x"}
        {"type":"TEXT_BLOCK_END","replyId":"r1","blockId":"x"}
        {"type":"TEXT_BLOCK_END","replyId":"r2","blockId":"y"}"#;
    let session = fold_session(log);
    let notes: Vec<_> = session.notes().into_iter().map(|(reply, note)| (reply.as_str(), note.position)).collect();
    assert_eq!(notes, [("r2", 0), ("r1", 1), ("r2", 2)]);
}

#[test]
fn a_capture_of_pieces_alone_is_recognised() {
    let piece = r#"{"type":"TEXT_BLOCK_DELTA","replyId":"r1","blockId":"x","delta":"a"}"#;
    assert!(fold_session(piece).lacks_starts());
    assert!(!fold_session(INTERLEAVED).lacks_starts());
}

#[test]
fn one_reply_alone_folds_as_it_does_in_its_session() {
    let own = INTERLEAVED.lines().filter(|line| line.contains(r#""r1""#)).collect::<Vec<_>>().join("\n");
    assert_eq!(fold_session(INTERLEAVED).reply("r1").unwrap().message(), fold(&own).message());
}

#[test]
fn an_event_that_was_folded_already_is_told_as_a_duplicate() {
    let log = events(
        r#"
        {"type":"AGENT_START","id":"e1","replyId":"r1","role":"assistant"}
        {"type":"TEXT_BLOCK_START","id":"e2","replyId":"r1","blockId":"x"}
        {"type":"TEXT_BLOCK_DELTA","id":"e3","replyId":"r1","blockId":"x","delta":"a"}
        {"type":"TEXT_BLOCK_DELTA","replyId":"r1","blockId":"x","delta":"b"}
        {"type":"AGENT_END","id":"e4","replyId":"r1"}"#,
    );
    let mut session = SessionReducer::new();
    assert!(log.iter().all(|event| !session.apply(event).duplicate));
    for event in &log {
        let applied = session.apply(event);
        assert_eq!((applied.duplicate, applied.is_change()), (event.id.is_some(), event.id.is_none()), "{event:?}");
    }
    // An id is looked for in its own reply.
    let other = r#"{"type":"AGENT_START","id":"e1","replyId":"r2","role":"assistant"}"#;
    assert!(!session.apply(&events(other)[0]).duplicate);
    let mut lenient = SessionReducer::with_options(ReduceOptions::new().with_check_duplicates(false));
    assert!(log.iter().chain(&log).all(|event| !lenient.apply(event).duplicate));
}

#[test]
fn a_repeat_that_is_known_is_noted_like_one_that_is_found() {
    let event = AgentEvent::new(AgentStart::new("r1", Role::Assistant)).with_id("e1").with_source("main/helper");
    let mut found = SessionReducer::new();
    let mut told = SessionReducer::with_options(ReduceOptions::new().with_check_duplicates(false));
    assert!(!found.apply(&event).noted && !told.apply(&event).noted);
    let applied = found.apply_at(7, &event);
    assert!(applied.duplicate && applied.noted);
    assert_eq!(told.note_repeat(7, event.source.as_ref(), &"r1".into(), "e1"), applied);
    assert_eq!(told.notes(), found.notes());
    assert_eq!(told.last_notes(), told.notes().into_iter().map(|(_, note)| note.clone()).collect::<Vec<_>>());
    assert!(told.messages().eq(found.messages()));
    told.apply_at(8, &AgentEvent::new(AgentStart::new("r1", Role::Assistant)));
    assert_eq!(told.last_notes(), []);
}
