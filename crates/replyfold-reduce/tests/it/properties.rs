//! What holds for every log (`reduction.md` section 1).

use crate::generate::log;
use crate::logs::fold_events;
use proptest::prelude::*;
use replyfold_event::AgentEvent;
use replyfold_message::Msg;
use replyfold_reduce::{MsgReducer, SessionReducer};

fn session(events: &[AgentEvent]) -> SessionReducer {
    let mut session = SessionReducer::new();
    events.iter().for_each(|event| {
        session.apply(event);
    });
    session
}

fn messages(session: &SessionReducer) -> Vec<Msg> {
    session.messages().cloned().collect()
}

proptest! {
    #[test]
    fn a_fold_that_goes_on_from_a_checkpoint_ends_like_one_that_never_stopped(events in log()) {
        let whole = fold_events(MsgReducer::new("r1"), &events);
        for k in 0..=events.len() {
            let first = fold_events(MsgReducer::new("r1"), &events[..k]);
            let checkpoint = first.checkpoint();
            let resumed = fold_events(MsgReducer::resume(checkpoint.clone()), &events[k..]);
            prop_assert_eq!(resumed.message(), whole.message());
            prop_assert_eq!(resumed.notes(), whole.notes());
            prop_assert_eq!(checkpoint.message(), first.message());
        }
    }

    #[test]
    fn a_session_that_goes_on_from_a_checkpoint_ends_like_one_that_never_stopped(events in log()) {
        let whole = messages(&session(&events));
        for k in 0..=events.len() {
            let mut resumed = SessionReducer::resume(session(&events[..k]).checkpoint());
            events[k..].iter().for_each(|event| { resumed.apply(event); });
            prop_assert_eq!(messages(&resumed), &whole[..]);
        }
    }

    #[test]
    fn a_log_that_is_replayed_after_any_prefix_gives_the_same_message(events in log()) {
        let whole = fold_events(MsgReducer::new("r1"), &events);
        for k in 0..=events.len() {
            let replayed = fold_events(fold_events(MsgReducer::new("r1"), &events[..k]), &events);
            prop_assert_eq!(replayed.message(), whole.message());
        }
    }

    #[test]
    fn every_prefix_is_a_message_that_reads_back_from_its_json(events in log()) {
        let mut reducer = MsgReducer::new("r1");
        for event in &events {
            let before = reducer.message().clone();
            let applied = reducer.apply(event);
            let msg = reducer.message();
            prop_assert_eq!(&Msg::from_json(&msg.to_json()).unwrap(), msg);
            // What did not change the message is told so, and the other way round nothing changes silently.
            prop_assert!(applied.is_change() || *msg == before, "{}", event.to_json());
        }
    }

    #[test]
    fn a_block_without_an_end_is_flagged_open(events in log()) {
        let mut reducer = MsgReducer::new("r1");
        for event in &events {
            reducer.apply(event);
            for (index, block) in reducer.message().content.iter().enumerate() {
                prop_assert_eq!(reducer.is_open(index), block.finished_at().is_none());
            }
            prop_assert!(!reducer.is_open(reducer.message().content.len()));
        }
    }
}
