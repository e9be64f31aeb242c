//! Framing: every form of a log gives the same records, however its bytes arrive.

use crate::corpus::{fixtures, names, read};
use proptest::prelude::*;
use replyfold_log::{Format, LogOptions, LogReader, Record, Strictness};
use std::io::{self, Cursor, Read, Write};

/// A reader that gives at most so many bytes at a time.
struct Pieces(Cursor<Vec<u8>>, usize);

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = self.1.min(buffer.len());
        self.0.read(&mut buffer[..most])
    }
}

fn records(bytes: &[u8], piece: usize) -> Vec<Record> {
    LogReader::new(Pieces(Cursor::new(bytes.to_vec()), piece)).map(|record| record.unwrap()).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

/// The same events in each form.
fn forms(lines: &[&str]) -> Vec<(&'static str, String)> {
    vec![
        ("jsonl", lines.iter().map(|line| format!("{line}\n")).collect()),
        ("jsonl with crlf and blank lines", lines.iter().map(|line| format!("\r\n{line}\r\n \n")).collect()),
        ("jsonl without the last line end", lines.join("\n")),
        ("jsonl with a mark", format!("\u{feff}{}", lines.join("\n"))),
        ("array", format!("[{}]", lines.join(","))),
        ("array on many lines", format!("\n[\n  {}\n]\n", lines.join(",\n  "))),
        ("sse", lines.iter().map(|line| format!("data: {line}\n\n")).collect()),
        ("sse with cr", lines.iter().map(|line| format!("id: 1\rdata:{line}\r\r")).collect()),
        ("sse with crlf", lines.iter().map(|line| format!("event: x\r\ndata: {line}\r\n\r\n")).collect()),
        (
            "sse without the last blank line",
            format!("retry: 10\n\n: c\n{}", lines.iter().map(|line| format!("data: {line}\n\n")).collect::<String>().trim_end()),
        ),
    ]
}

const LINES: [&str; 4] = [
    r#"{"type":"AGENT_START","id":"1","createdAt":"T","replyId":"r1","name":"a [b], {c} \"d\\"}"#,
    "{\"type\":\"TEXT_BLOCK_START\",\"id\":\"2\",\"replyId\":\"r1\",\"blockId\":\"b\u{2028}\u{85}\u{7f}é漢\"}",
    r#"{"type":"MOOD","x":[1,{"y":"]}"}],"n":1.50}"#,
    r#"{"type":"AGENT_END","id":"4","replyId":"r1"}"#,
];

#[test]
fn every_form_and_packing_gives_the_same_events_at_any_piece_size() {
    let wanted: Vec<String> = LINES.iter().map(|line| line.to_string()).collect();
    for (form, text) in forms(&LINES) {
        let halves = text.as_bytes().split_at(text.len() / 2);
        let packings = [
            ("plain", text.as_bytes().to_vec()),
            ("gzip", gzip(text.as_bytes())),
            ("gzip of two members", [gzip(halves.0), gzip(halves.1)].concat()),
            ("zstd", zstd(text.as_bytes())),
            ("zstd of two frames", [zstd(halves.0), zstd(halves.1)].concat()),
        ];
        for (packing, bytes) in packings {
            for piece in [1, 2, 3, 7, 4096, 1 << 20] {
                let got: Vec<String> = records(&bytes, piece)
                    .iter()
                    .map(|record| record.event().unwrap().to_json().replace(r#","role":"assistant""#, ""))
                    .collect();
                assert_eq!(got, wanted, "{form}, {packing}, pieces of {piece}");
            }
        }
    }
}

#[test]
fn records_know_their_line_and_offset_in_every_form() {
    for (form, text) in forms(&LINES) {
        if form == "sse with cr" {
            continue;
        }
        for record in records(text.as_bytes(), 5) {
            let offset = record.place.offset as usize;
            let line = 1 + text[..offset].matches('\n').count() as u64;
            assert_eq!(record.place.line, line, "{form}");
            let here = text[offset..].trim_start_matches("data:").trim_start();
            assert!(here.starts_with(r#"{"type":"#), "{form}: {here:?}");
        }
    }
}

#[test]
fn forms_are_recognised_by_content() {
    for (text, format) in [
        ("{}", Format::Jsonl),
        ("", Format::Jsonl),
        ("\n\n  [", Format::JsonArray),
        (": c", Format::Sse),
        ("data", Format::Jsonl),
        ("data:", Format::Sse),
        ("data\n", Format::Sse),
        ("retry: 1", Format::Sse),
        ("database", Format::Jsonl),
        ("\u{feff}data: x", Format::Sse),
    ] {
        let mut reader = LogReader::new(Cursor::new(text));
        let _ = reader.next();
        assert_eq!(reader.format(), Some(format), "{text:?}");
    }
}

#[test]
fn a_capture_of_the_real_service_reads_as_its_events() {
    let folder = fixtures().join("conformance/python/service");
    for name in names(&folder, ".sse") {
        let events = |suffix: &str| -> Vec<String> {
            let text = read(&folder.join(format!("{name}{suffix}")));
            records(text.as_bytes(), 4096)
                .iter()
                .map(|record| record.event().unwrap_or_else(|| panic!("{name}{suffix}: {record:?}")).to_json())
                .collect()
        };
        assert_eq!(events(".sse"), events(".events.jsonl"), "{name}");
    }
}

#[test]
fn a_strict_reader_stops_at_the_first_bad_record_and_names_it() {
    let log = "{\"type\":\"MOOD\"}\n{\"type\":}\n{\"type\":\"MOOD\"}\n";
    let options = LogOptions::new().with_strictness(Strictness::Strict);
    let mut reader = LogReader::with_options(Cursor::new(log), options);
    assert!(reader.next().unwrap().is_ok());
    let err = reader.next().unwrap().unwrap_err();
    assert_eq!(err.to_string(), "line 2 (byte 16): no event: not JSON: expected value at byte 8");
    assert!(err.is_bad_record() && reader.next().is_none());
}

#[test]
fn a_packed_log_that_is_cut_gives_what_it_has_and_then_an_error() {
    let text: String = (0..2000).map(|n| format!("{{\"type\":\"MOOD\",\"n\":{n}}}\n")).collect();
    let packed = gzip(text.as_bytes());
    let mut reader = LogReader::new(Cursor::new(packed[..packed.len() / 2].to_vec()));
    let read: Vec<_> = reader.by_ref().collect();
    assert!(read.len() > 10 && read.last().unwrap().is_err());
    assert!(read.iter().rev().skip(1).all(|record| record.is_ok()));
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let err = LogReader::open("no/such.jsonl").unwrap_err();
    assert!(err.to_string().starts_with("no/such.jsonl: cannot open the log: "), "{err}");
    assert!(LogReader::open(env!("CARGO_MANIFEST_DIR")).is_err());
}

proptest! {
    #[test]
    fn any_bytes_give_the_same_records_in_any_pieces(bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), Just(b':'), Just(b'{'), Just(b'}'), Just(b'"'), Just(b'['), Just(b','), Just(b'd'), any::<u8>()], 0..200), piece in 1_usize..20) {
        for head in [&b""[..], b"data: ", b"[", b": x\n"] {
            let bytes = [head, &bytes].concat();
            prop_assert_eq!(records(&bytes, piece), records(&bytes, 1 << 20));
        }
    }
}
