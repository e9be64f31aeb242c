//! The cost of the fold, by counting bytes and look-ups, never by time (`reduction.md` section 5).

use crate::{MsgReducer, SessionReducer};
use proptest::prelude::*;
use replyfold_event::{
    AgentEvent, AgentStart, DataBlockDelta, DataBlockStart, HintBlock, MediaDelta, ModelCallEnd, Retry, TextBlockDelta, TextBlockStart,
    ToolCallDelta, ToolCallEnd, ToolCallStart,
};
use replyfold_message::{Block, DataSource, Hint, Role};

#[path = "../tests/it/generate.rs"]
mod generate;

/// A fold that counts the events given to it.
struct Counted {
    reducer: MsgReducer,
    events: u64,
}

impl Counted {
    fn new() -> Self {
        Self { reducer: MsgReducer::new("r1"), events: 0 }
    }

    fn apply(&mut self, payload: impl Into<replyfold_event::Payload>) {
        self.events += 1;
        self.reducer.apply(&AgentEvent::new(payload));
    }

    /// Every byte of content was moved as often as told, and no event looked more than one block up.
    #[track_caller]
    fn assert_cost(&self, copied: u64) {
        assert_eq!(self.reducer.copied, copied);
        assert!(self.reducer.blocks.lookups <= self.events, "{} look-ups in {} events", self.reducer.blocks.lookups, self.events);
        assert!(self.reducer.notes().is_empty());
    }
}

#[test]
fn one_text_of_many_pieces_moves_each_byte_once() {
    let mut fold = Counted::new();
    fold.apply(AgentStart::new("r1", Role::Assistant));
    fold.apply(TextBlockStart::new("r1", "b1"));
    for _ in 0..100_000 {
        fold.apply(TextBlockDelta::new("r1", "b1", "12345678"));
    }
    fold.assert_cost(800_000);
    assert!(matches!(&fold.reducer.message().content[0], Block::Text(text) if text.text.len() == 800_000));
}

#[test]
fn many_calls_cost_their_bytes_once_as_text_and_once_as_input() {
    let mut fold = Counted::new();
    fold.apply(AgentStart::new("r1", Role::Assistant));
    // Twenty pieces a call, and the calls take turns, so that the block of the last event never is the next one's.
    let ids: Vec<_> = (0..2_000).map(|call| format!("c{call}")).collect();
    ids.iter().for_each(|id| fold.apply(ToolCallStart::new("r1", id.as_str(), "f")));
    for piece in 0..20 {
        let text = match piece {
            0 => r#"{"text":""#,
            19 => r#""}"#,
            _ => "12345678",
        };
        ids.iter().for_each(|id| fold.apply(ToolCallDelta::new("r1", id.as_str(), text)));
    }
    ids.iter().for_each(|id| fold.apply(ToolCallEnd::new("r1", id.as_str())));
    let bytes_of_call = 9 + 18 * 8 + 2;
    fold.assert_cost(2_000 * bytes_of_call * 2);
}

#[test]
fn media_is_decoded_once_piece_by_piece() {
    let mut fold = Counted::new();
    fold.apply(AgentStart::new("r1", Role::Assistant));
    fold.apply(DataBlockStart::new("r1", "d1", "image/png"));
    // 16 MiB in 4,000 pieces: 4,194 bytes a piece, and the rest in the last one. `AAAA` is three zero bytes.
    let total = 16 * 1024 * 1024_usize;
    let mut given = 0;
    let mut text_bytes = 0;
    for piece in 0..4_000 {
        let bytes = if piece < 3_999 { 4_194 } else { total - given };
        let padding = ["", "AA==", "AAA="][bytes % 3];
        let text = "AAAA".repeat(bytes / 3) + padding;
        given += bytes;
        text_bytes += text.len() as u64;
        fold.apply(DataBlockDelta::new("r1", "d1", MediaDelta::Base64(text)));
    }
    fold.assert_cost(text_bytes);
    let Block::Data(block) = &fold.reducer.message().content[0] else { unreachable!("the only block is data") };
    assert!(matches!(&block.source, DataSource::Base64 { data, .. } if data.as_bytes().is_some_and(|bytes| bytes.len() == total)));
}

#[test]
fn interleaved_replies_cost_what_each_alone_costs() {
    let mut session = SessionReducer::new();
    let ids: Vec<_> = (0..1_000).map(|reply| format!("r{reply}")).collect();
    let mut each = |make: &dyn Fn(&str) -> AgentEvent| ids.iter().for_each(|id| _ = session.apply(&make(id)));
    each(&|id| AgentEvent::new(AgentStart::new(id, Role::Assistant)));
    each(&|id| AgentEvent::new(TextBlockStart::new(id, "b1")));
    for _ in 0..20 {
        each(&|id| AgentEvent::new(TextBlockDelta::new(id, "b1", "12345678")));
    }
    let replies: Vec<_> = session.replies().collect();
    assert_eq!(replies.len(), 1_000);
    for reply in replies {
        let reducer = reply.reducer();
        assert_eq!(reducer.copied, 160);
        assert!(reducer.blocks.lookups <= 22);
    }
}

#[test]
fn an_end_that_comes_again_parses_only_text_that_changed() {
    let mut fold = Counted::new();
    fold.apply(AgentStart::new("r1", Role::Assistant));
    fold.apply(ToolCallStart::new("r1", "c1", "f"));
    fold.apply(ToolCallDelta::new("r1", "c1", r#"{"a":1}"#));
    fold.apply(ToolCallEnd::new("r1", "c1"));
    assert_eq!(fold.reducer.copied, 14);
    for _ in 0..10 {
        fold.apply(ToolCallEnd::new("r1", "c1"));
    }
    assert_eq!(fold.reducer.copied, 14);
    fold.apply(ToolCallDelta::new("r1", "c1", " "));
    fold.apply(ToolCallEnd::new("r1", "c1"));
    assert_eq!(fold.reducer.copied, 14 + 1 + 8);
}

#[test]
fn a_call_that_starts_again_and_again_is_parsed_when_it_is_whole() {
    let mut fold = Counted::new();
    fold.apply(AgentStart::new("r1", Role::Assistant));
    let mut piece = |text: &str| {
        fold.apply(ToolCallStart::new("r1", "c1", "f"));
        fold.apply(ToolCallDelta::new("r1", "c1", text));
        fold.apply(ToolCallEnd::new("r1", "c1"));
    };
    piece(r#"{"a":""#);
    (0..1_000).for_each(|_| piece("12345678"));
    piece(r#""}"#);
    let length = 6 + 8_000 + 2;
    (0..1_000).for_each(|_| piece(""));
    assert_eq!(fold.reducer.copied, length * 2, "the bytes came once and were parsed once");
    let Block::ToolCall(call) = &fold.reducer.message().content[0] else { unreachable!("the only block is the call") };
    assert_eq!(call.input.as_str().len() as u64, length);
}

#[test]
fn retries_look_at_each_kept_block_once() {
    let mut fold = Counted::new();
    fold.apply(AgentStart::new("r1", Role::Assistant));
    (0..1_000).for_each(|hint| fold.apply(HintBlock::new("r1", format!("h{hint}").as_str(), Hint::Text("x".into()))));
    for _ in 0..1_000 {
        fold.apply(ModelCallEnd::new("r1", None).with_retry(Retry::new(1, 3, 10)));
    }
    assert_eq!(fold.reducer.copied, 1_000);
    assert_eq!(fold.reducer.message().content.len(), 1_000);
}

/// The work of a fold is at most that of its events: twice their bytes moved or parsed, and a look-up or two for each id in them.
fn assert_linear(events: &[AgentEvent]) -> Result<(), TestCaseError> {
    let mut reducer = MsgReducer::new("r1");
    let mut bytes = 0;
    for (folded, event) in (1..).zip(events) {
        reducer.apply(event);
        bytes += event.to_json().len() as u64;
        prop_assert!(reducer.copied <= 2 * bytes, "{} bytes for {bytes}", reducer.copied);
        prop_assert!(reducer.blocks.lookups <= 3 * folded, "{} look-ups for {folded}", reducer.blocks.lookups);
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_log_costs_what_its_events_cost(events in generate::log(), again in 1..20_usize) {
        // Over and over with new ids, so that what a log piles up would show.
        let events: Vec<_> = (0..again).flat_map(|turn| events.iter().cloned().map(move |mut event| {
            event.id = event.id.map(|id| format!("{id}-{turn}").as_str().into());
            event
        })).collect();
        assert_linear(&events)?;
    }

    #[test]
    fn a_well_formed_log_costs_what_its_events_cost(log in generate::well_formed()) {
        let blocks = log.blocks.len() as u64;
        assert_linear(&log.events)?;
        prop_assert!(blocks <= log.events.len() as u64);
    }
}
