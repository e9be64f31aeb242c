//! Very many replies.

use super::writer::LogWriter;
use super::{react, words};
use replyfold::event::{TextBlockDelta, TextBlockEnd, TextBlockStart};

/// Most replies whose pieces alternate.
const ALTERNATING: usize = 1_000;
/// Fewest pieces of each, as long as there is more than one reply.
const FEWEST_PIECES: usize = 4;

/// So many events, of replies whose pieces alternate: all are opened, then each gets a piece in turn, then all are closed.
pub(super) fn interleaved(log: &mut LogWriter, events: usize) {
    // Six events of a reply are no pieces.
    let replies = (events / (6 + FEWEST_PIECES)).clamp(1, ALTERNATING);
    let open: Vec<_> = (0..replies)
        .map(|_| {
            let reply = log.begin_reply();
            let call = log.begin_call(&reply);
            let block = log.block("text");
            log.push(TextBlockStart::new(&call.id, &block));
            (reply, call, block)
        })
        .collect();
    for _ in 0..(events / replies).saturating_sub(6).max(1) {
        for (_, call, block) in &open {
            let piece = words::piece(&mut log.rng);
            log.push(TextBlockDelta::new(&call.id, block, piece));
        }
    }
    for (reply, call, block) in &open {
        log.push(TextBlockEnd::new(&call.id, block));
        log.end_call(call);
        log.end_reply(reply);
    }
}

/// So many replies, one after the other, each a text of two pieces.
pub(super) fn many_replies(log: &mut LogWriter, replies: usize) {
    for _ in 0..replies {
        let reply = log.begin_reply();
        let call = log.begin_call(&reply);
        react::text(log, &call, 2);
        log.end_call(&call);
        log.end_reply(&reply);
    }
}
