//! What holds for every log (`reduction.md` section 1).

use crate::generate::{WellFormed, log, well_formed};
use crate::logs::fold_events;
use proptest::prelude::*;
use replyfold_event::AgentEvent;
use replyfold_message::{Block, Msg};
use replyfold_reduce::{MsgReducer, ReduceOptions, SessionReducer};

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

/// Kind and content of a block.
fn said(block: &Block) -> (&'static str, String) {
    let content = match block {
        Block::Text(block) => block.text.clone(),
        Block::Thinking(block) => block.thinking.clone(),
        Block::ToolCall(block) => block.content.clone(),
        Block::ToolResult(block) => block.text(),
        other => unreachable!("no such block is drawn: {other:?}"),
    };
    (block.type_name(), content)
}

proptest! {
    /// A sound log says everything once: nothing is noted, and the message is what was drawn, with the arguments parsed.
    #[test]
    fn a_well_formed_log_gives_its_blocks_and_no_note(log in well_formed()) {
        let WellFormed { events, blocks } = log;
        let reducer = fold_events(MsgReducer::new("r1"), &events);
        let content = &reducer.message().content;
        prop_assert_eq!(content.iter().map(said).collect::<Vec<_>>(), blocks);
        prop_assert_eq!(reducer.notes(), []);
        for block in content.iter() {
            prop_assert!(block.finished_at().is_some());
            if let Block::ToolCall(call) = block {
                prop_assert_eq!(call.input.as_str(), &call.content);
            }
        }
    }

    /// At each prefix of it every block so far has a beginning of what it will have, and what is open is flagged.
    #[test]
    fn every_prefix_of_a_well_formed_log_shows_a_beginning_of_each_block(log in well_formed()) {
        let WellFormed { events, blocks } = log;
        let mut reducer = MsgReducer::new("r1");
        for event in &events {
            reducer.apply(event);
            prop_assert!(reducer.message().content.len() <= blocks.len());
            for (index, (block, (kind, whole))) in reducer.message().content.iter().zip(&blocks).enumerate() {
                let (shown, so_far) = said(block);
                prop_assert!(shown == *kind && whole.starts_with(&so_far));
                prop_assert!(reducer.is_open(index) || so_far == *whole);
                prop_assert!(shown != "tool_use" || reducer.partial_input(index).is_some());
            }
        }
    }

    #[test]
    fn a_well_formed_log_goes_on_from_any_checkpoint_and_bears_any_replay(log in well_formed()) {
        let events = log.events;
        let whole = messages(&session(&events));
        for k in 0..=events.len() {
            let first = session(&events[..k]);
            let go_on = |rest: &[AgentEvent]| {
                let mut resumed = SessionReducer::resume(first.checkpoint());
                rest.iter().for_each(|event| _ = resumed.apply(event));
                messages(&resumed)
            };
            prop_assert_eq!(go_on(&events[k..]), &whole[..]);
            prop_assert_eq!(go_on(&events), &whole[..]);
        }
    }

    #[test]
    fn a_session_that_is_replayed_after_any_prefix_gives_the_same_messages(events in log()) {
        let whole = messages(&session(&events));
        for k in 0..=events.len() {
            let mut replayed = session(&events[..k]);
            events.iter().for_each(|event| _ = replayed.apply(event));
            prop_assert_eq!(messages(&replayed), &whole[..]);
        }
    }

    /// The walk over all prefixes ends where the fold of all events ends, and meets on its way what each prefix folds into.
    #[test]
    fn the_walk_over_the_prefixes_meets_the_fold_of_each(events in log()) {
        let mut prefixes = SessionReducer::new().prefixes(&events);
        let mut k = 0;
        while let Some(met) = prefixes.next() {
            prop_assert_eq!(messages(met), messages(&session(&events[..k])));
            k += 1;
        }
        prop_assert_eq!(k, events.len() + 1);
    }

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

    #[test]
    fn events_that_are_taken_back_leave_what_was_before_them(events in log(), checked in any::<bool>()) {
        let options = ReduceOptions::new().with_check_duplicates(checked);
        let shown = |session: &SessionReducer| {
            let notes: Vec<_> = session.notes().into_iter().map(|(reply, note)| (reply.clone(), note.clone())).collect();
            (messages(session), notes, session.exposed().to_vec(), session.last_notes().to_vec())
        };
        let mut session = SessionReducer::with_options(options);
        let mut undos = Vec::new();
        let mut states = Vec::new();
        // Twice, so that events repeat.
        for event in events.iter().chain(&events) {
            states.push(shown(&session));
            undos.push(session.before(event));
            session.apply(event);
        }
        let whole = shown(&session);
        for (undo, state) in undos.into_iter().zip(states).rev() {
            session.undo(undo);
            prop_assert_eq!(shown(&session), state);
        }
        // And forwards again.
        events.iter().chain(&events).for_each(|event| _ = session.apply(event));
        prop_assert_eq!(shown(&session), whole);
    }
}
