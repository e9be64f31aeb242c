//! Realistic sessions: an agent that thinks, calls tools, reads their results and answers.

use super::words;
use super::writer::{LogWriter, Phase, Reply, Tool};
use replyfold::event::{
    TextBlockDelta, TextBlockEnd, TextBlockStart, ThinkingBlockDelta, ThinkingBlockEnd, ThinkingBlockStart, ToolCallDelta, ToolCallEnd,
    ToolCallStart, ToolResultEnd, ToolResultStart, ToolResultTextDelta,
};
use replyfold::message::ToolResultState;

const TOOLS: [&str; 5] = ["search_documents", "read_file", "run_tests", "web_fetch", "bash"];

/// One reply: rounds of model calls with tools, then the answer.
pub(super) fn reply(log: &mut LogWriter) {
    let reply = log.begin_reply();
    for _ in 0..log.rng.usize(1..=5) {
        let call = log.begin_call(&reply);
        think(log, &call);
        if log.rng.u8(..3) == 0 {
            let pieces = log.rng.usize(5..=25);
            text(log, &call, pieces);
        }
        let tools: Vec<Tool> = (0..log.rng.usize(1..=3)).map(|_| tool_call(log, &call)).collect();
        log.end_call(&call);
        act(log, &reply, &tools);
    }
    let call = log.begin_call(&reply);
    think(log, &call);
    let pieces = log.rng.usize(40..=250);
    text(log, &call, pieces);
    log.end_call(&call);
    log.end_reply(&reply);
}

fn think(log: &mut LogWriter, call: &Phase) {
    let block = log.block("thinking");
    log.push(ThinkingBlockStart::new(&call.id, &block));
    for _ in 0..log.rng.usize(10..=60) {
        let piece = words::piece(&mut log.rng);
        log.push(ThinkingBlockDelta::new(&call.id, &block, piece));
    }
    log.push(ThinkingBlockEnd::new(&call.id, &block));
}

/// A text of so many pieces.
pub(super) fn text(log: &mut LogWriter, call: &Phase, pieces: usize) {
    let block = log.block("text");
    log.push(TextBlockStart::new(&call.id, &block));
    for _ in 0..pieces {
        let piece = words::piece(&mut log.rng);
        log.push(TextBlockDelta::new(&call.id, &block, piece));
    }
    log.push(TextBlockEnd::new(&call.id, &block));
}

fn tool_call(log: &mut LogWriter, call: &Phase) -> Tool {
    let name = TOOLS[log.rng.usize(..TOOLS.len())];
    let tool = log.tool(name);
    log.push(ToolCallStart::new(&call.id, &tool.id, tool.name));
    let arguments = words::arguments(&mut log.rng);
    for piece in words::cut(&arguments, || log.rng.usize(4..=20)) {
        log.push_of(&tool, ToolCallDelta::new(&call.id, &tool.id, piece));
    }
    log.push_of(&tool, ToolCallEnd::new(&call.id, &tool.id));
    tool
}

/// The tools run, one after the other.
fn act(log: &mut LogWriter, reply: &Reply, tools: &[Tool]) {
    let acting = log.phase(reply);
    for tool in tools {
        log.push(ToolResultStart::new(&acting.id, &tool.id, tool.name));
        for _ in 0..log.rng.usize(1..=8) {
            let piece = words::piece(&mut log.rng) + &words::piece(&mut log.rng);
            log.push_of(tool, ToolResultTextDelta::new(&acting.id, &tool.id, piece));
        }
        log.push_of(tool, ToolResultEnd::new(&acting.id, &tool.id, ToolResultState::Success));
    }
}
