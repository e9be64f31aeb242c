//! What a fold costs when its log doubles: allocations and bytes are counted, never timed.

use allocation_counter::{AllocationInfo, measure};
use replyfold_log::LogReader;
use replyfold_reduce::SessionReducer;
use std::fmt::Write as _;
use std::io::Cursor;

/// A log with as many pieces as told, in one of the shapes that have been slow elsewhere.
type Shape = fn(usize) -> String;

fn line(log: &mut String, at: usize, kind: &str, reply: usize, rest: &str) {
    writeln!(log, r#"{{"type":"{kind}","id":"{at:032x}","createdAt":"T","replyId":"r{reply}"{rest}}}"#).unwrap();
}

fn start(log: &mut String, at: usize, reply: usize) {
    line(log, at, "AGENT_START", reply, r#","role":"assistant""#);
    line(log, at + 1, "TEXT_BLOCK_START", reply, r#","blockId":"b""#);
}

fn one_text(pieces: usize) -> String {
    let mut log = String::new();
    start(&mut log, 0, 0);
    for at in 0..pieces {
        line(&mut log, at + 2, "TEXT_BLOCK_DELTA", 0, r#","blockId":"b","delta":"a few more words ""#);
    }
    log
}

fn many_calls(pieces: usize) -> String {
    let mut log = String::new();
    start(&mut log, 0, 0);
    for at in 0..pieces {
        let (call, id) = (at / 20, at * 3 + 2);
        if at % 20 == 0 {
            line(&mut log, id, "TOOL_CALL_START", 0, &format!(r#","toolCallId":"c{call}","toolCallName":"t""#));
        }
        line(&mut log, id + 1, "TOOL_CALL_DELTA", 0, &format!(r#","toolCallId":"c{call}","delta":"            ""#));
        if at % 20 == 19 {
            line(&mut log, id + 2, "TOOL_CALL_END", 0, &format!(r#","toolCallId":"c{call}""#));
        }
    }
    log
}

fn media(pieces: usize) -> String {
    let mut log = String::new();
    start(&mut log, 0, 0);
    line(&mut log, 2, "DATA_BLOCK_START", 0, r#","blockId":"d","mediaType":"image/png""#);
    let piece = "QUJD".repeat(40);
    for at in 0..pieces {
        line(&mut log, at + 3, "DATA_BLOCK_DELTA", 0, &format!(r#","blockId":"d","mediaType":"image/png","data":"{piece}""#));
    }
    log
}

fn interleaved(pieces: usize) -> String {
    let mut log = String::new();
    (0..1_000).for_each(|reply| start(&mut log, reply * 2, reply));
    for at in 0..pieces {
        line(&mut log, at + 2_000, "TEXT_BLOCK_DELTA", at % 1_000, r#","blockId":"b","delta":"a few more words ""#);
    }
    log
}

fn many_replies(pieces: usize) -> String {
    let mut log = String::new();
    for reply in 0..pieces / 4 {
        let id = reply * 5;
        start(&mut log, id, reply);
        line(&mut log, id + 2, "TEXT_BLOCK_DELTA", reply, r#","blockId":"b","delta":"a few words""#);
        line(&mut log, id + 3, "TEXT_BLOCK_END", reply, r#","blockId":"b""#);
        line(&mut log, id + 4, "AGENT_END", reply, "");
    }
    log
}

/// Folds the log, and what that allocates.
fn fold(log: String) -> AllocationInfo {
    let mut session = SessionReducer::new();
    let info = measure(|| {
        let mut reader = LogReader::new(Cursor::new(log));
        while let Some(record) = reader.next_ref() {
            if let Some(event) = record.unwrap().event() {
                session.apply(event);
            }
        }
    });
    assert!(session.messages().count() > 0 && session.notes().is_empty());
    info
}

const SHAPES: [(&str, Shape); 5] = [
    ("one text", one_text),
    ("calls of 20 pieces", many_calls),
    ("media", media),
    ("1,000 interleaved replies", interleaved),
    ("many replies", many_replies),
];

#[test]
fn twice_the_log_costs_at_most_a_little_more_than_twice() {
    for (name, shape) in SHAPES {
        let (half, whole) = (fold(shape(20_000)), fold(shape(40_000)));
        let ratio = |half: u64, whole: u64| whole as f64 / half as f64;
        // Tables double, so that one more doubling may fall into the second half.
        assert!(ratio(half.bytes_total, whole.bytes_total) < 2.6, "{name}: {} to {} bytes", half.bytes_total, whole.bytes_total);
        assert!(ratio(half.count_total, whole.count_total) < 2.3, "{name}: {} to {} allocations", half.count_total, whole.count_total);
        assert!(ratio(half.bytes_max, whole.bytes_max) < 2.6, "{name}: {} to {} bytes at once", half.bytes_max, whole.bytes_max);
    }
}

#[test]
fn a_piece_in_a_run_allocates_only_where_a_text_or_a_table_grows() {
    let pieces = 40_000;
    for (name, shape) in [SHAPES[0], SHAPES[2], SHAPES[3]] {
        let info = fold(shape(pieces));
        // 1,000 replies open, and their texts grow, before the run goes on.
        let allowed = if name == "1,000 interleaved replies" { 60_000 } else { 1_000 };
        assert!(info.count_total < allowed, "{name}: {} allocations for {pieces} pieces", info.count_total);
    }
}

/// The reader keeps pieces of the log, not the log.
#[test]
fn the_buffer_does_not_grow_with_the_log() {
    let read = |pieces| {
        let log = one_text(pieces);
        let info = measure(|| {
            let mut reader = LogReader::new(Cursor::new(log));
            while let Some(record) = reader.next_ref() {
                record.unwrap();
            }
        });
        info.bytes_max
    };
    let (small, large) = (read(4_000), read(80_000));
    assert_eq!(small, large);
}

/// Pieces of one block, each with an end behind it: giving room back at an end must not copy the text each time.
#[test]
fn ends_between_the_pieces_of_a_block_copy_its_text_once() {
    let log = |pieces: usize| {
        let mut log = String::new();
        start(&mut log, 0, 0);
        for at in 0..pieces {
            line(&mut log, at * 2 + 2, "TEXT_BLOCK_DELTA", 0, r#","blockId":"b","delta":"a few more words ""#);
            line(&mut log, at * 2 + 3, "TEXT_BLOCK_END", 0, r#","blockId":"b""#);
        }
        log
    };
    let bytes = |pieces| {
        let log = log(pieces);
        measure(|| {
            let (mut reader, mut session) = (LogReader::new(Cursor::new(log)), SessionReducer::new());
            while let Some(record) = reader.next_ref() {
                record.unwrap().event().map(|event| session.apply(event));
            }
        })
        .bytes_total
    };
    let (half, whole) = (bytes(5_000), bytes(10_000));
    assert!((whole as f64) < half as f64 * 2.6, "{half} to {whole} bytes");
}
