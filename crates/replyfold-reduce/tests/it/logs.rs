//! Logs and messages as JSON text.

use replyfold_event::AgentEvent;
use replyfold_message::Msg;
use replyfold_reduce::{MsgReducer, SessionReducer};

/// One canonical event a line.
pub(crate) fn events(lines: &str) -> Vec<AgentEvent> {
    let lines = lines.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.map(|line| AgentEvent::from_json(line).unwrap()).collect()
}

/// The fold of the log's reply `r1`.
pub(crate) fn fold(lines: &str) -> MsgReducer {
    fold_events(MsgReducer::new("r1"), &events(lines))
}

pub(crate) fn fold_events(mut reducer: MsgReducer, events: &[AgentEvent]) -> MsgReducer {
    events.iter().for_each(|event| {
        reducer.apply(event);
    });
    reducer
}

pub(crate) fn fold_session(lines: &str) -> SessionReducer {
    let mut session = SessionReducer::new();
    events(lines).iter().for_each(|event| {
        session.apply(event);
    });
    session
}

pub(crate) fn message(json: &str) -> Msg {
    Msg::from_json(json).unwrap()
}

/// The log folds to these blocks.
#[track_caller]
pub(crate) fn assert_content(reducer: &MsgReducer, blocks: &str) {
    let expected = message(&format!(r#"{{"id":"r1","role":"assistant","content":{blocks}}}"#));
    assert_eq!(reducer.message().content, expected.content);
}

/// The words of the notes, in their order.
pub(crate) fn words(reducer: &MsgReducer) -> Vec<&'static str> {
    reducer.notes().iter().map(|note| note.kind.as_str()).collect()
}
