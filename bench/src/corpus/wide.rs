//! One message with very much of one thing.

use super::writer::LogWriter;
use super::{react, words};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use replyfold::event::{
    DataBlockDelta, DataBlockEnd, DataBlockStart, MediaDelta, ToolCallDelta, ToolCallEnd, ToolCallStart, ToolResultEnd, ToolResultStart,
    ToolResultTextDelta,
};
use replyfold::message::ToolResultState;

/// Bytes of media in a piece, before base64: 4,000 of them are 16 MiB.
pub(super) const PIECE: usize = 4_194;
/// Pieces of the arguments of a call.
const CALL_PIECES: usize = 20;

/// One text of so many pieces.
pub(super) fn text_only(log: &mut LogWriter, pieces: usize) {
    let reply = log.begin_reply();
    let call = log.begin_call(&reply);
    react::text(log, &call, pieces);
    log.end_call(&call);
    log.end_reply(&reply);
}

/// So many calls, 50 in each model call, each with a short result.
pub(super) fn many_tools(log: &mut LogWriter, calls: usize) {
    let reply = log.begin_reply();
    let mut left = calls;
    while left > 0 {
        let round = left.min(50);
        left -= round;
        let call = log.begin_call(&reply);
        let tools: Vec<_> = (0..round).map(|_| log.tool("lookup")).collect();
        for tool in &tools {
            log.push(ToolCallStart::new(&call.id, &tool.id, tool.name));
            let filling = CALL_PIECES - 2;
            let pieces = std::iter::once(r#"{"key":"#.to_owned() + "\"")
                .chain((0..filling).map(|n| format!("part {n} of it, ")))
                .chain(["\"}".into()]);
            for piece in pieces {
                log.push_of(tool, ToolCallDelta::new(&call.id, &tool.id, piece));
            }
            log.push_of(tool, ToolCallEnd::new(&call.id, &tool.id));
        }
        log.end_call(&call);
        let acting = log.phase(&reply);
        for tool in &tools {
            log.push(ToolResultStart::new(&acting.id, &tool.id, tool.name));
            let piece = words::piece(&mut log.rng);
            log.push_of(tool, ToolResultTextDelta::new(&acting.id, &tool.id, piece));
            log.push_of(tool, ToolResultEnd::new(&acting.id, &tool.id, ToolResultState::Success));
        }
    }
    log.end_reply(&reply);
}

/// A picture of so many pieces, each encoded and padded on its own.
pub(super) fn big_media(log: &mut LogWriter, pieces: usize) {
    let reply = log.begin_reply();
    let call = log.begin_call(&reply);
    let block = log.block("data");
    log.push(DataBlockStart::new(&call.id, &block, "image/png"));
    let mut bytes = vec![0; PIECE];
    for _ in 0..pieces {
        log.rng.fill(&mut bytes);
        log.push(DataBlockDelta::new(&call.id, &block, MediaDelta::Base64(STANDARD.encode(&bytes))));
    }
    log.push(DataBlockEnd::new(&call.id, &block));
    log.end_call(&call);
    log.end_reply(&reply);
}
