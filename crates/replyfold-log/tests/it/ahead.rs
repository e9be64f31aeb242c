//! Logs that are long enough to be read by a thread of their own.

use replyfold_log::{LogReader, Record};
use std::io::{self, Cursor, Read, Write};

/// A log of 4 MB, which every form below gives.
fn log() -> String {
    let start = "{\"type\":\"AGENT_START\",\"id\":\"e\",\"createdAt\":\"T\",\"replyId\":\"r1\"}\n{,\n";
    let piece = |n: u32| {
        format!(
            "{{\"type\":\"TEXT_BLOCK_DELTA\",\"id\":\"e{n}\",\"createdAt\":\"T\",\"replyId\":\"r1\",\"blockId\":\"b\",\"delta\":\"{n}\"}}\n"
        )
    };
    start.chars().chain((0..40_000).flat_map(|n| piece(n).chars().collect::<Vec<_>>())).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Gives the bytes, then fails.
struct Failing(Cursor<Vec<u8>>);

impl Read for Failing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer)? {
            0 => Err(io::Error::other("unplugged")),
            count => Ok(count),
        }
    }
}

#[test]
fn records_are_the_same_whoever_reads_and_however_the_log_is_packed() {
    let log = log();
    // Bytes in memory are read by who asks.
    let expected: Vec<Record> = LogReader::new(Cursor::new(log.clone())).map(|record| record.unwrap()).collect();
    assert_eq!(expected.len(), 40_002);
    let directory = tempfile::tempdir().unwrap();
    for (name, bytes) in
        [("plain", log.clone().into_bytes()), ("gz", gzip(log.as_bytes())), ("zst", zstd::encode_all(log.as_bytes(), 1).unwrap())]
    {
        let path = directory.path().join(name);
        std::fs::write(&path, &bytes).unwrap();
        let mut reader = LogReader::open(&path).unwrap();
        let (mut records, mut before) = (Vec::new(), 0);
        while let Some(record) = reader.next() {
            records.push(record.unwrap());
            assert!(reader.bytes_read() >= before, "{name}");
            before = reader.bytes_read();
        }
        assert!(records == expected, "{name}");
        assert_eq!(reader.bytes_read(), bytes.len() as u64, "{name}");
    }
}

#[test]
fn an_error_in_the_middle_comes_after_the_records_before_it() {
    let packed = gzip(log().as_bytes());
    let cut = packed[..packed.len() - 4].to_vec();
    let mut records: Vec<_> = LogReader::new(Cursor::new(cut)).collect();
    assert!(records.pop().unwrap().unwrap_err().to_string().ends_with("the gzip data ends in the middle"));
    assert_eq!((records.len(), records.iter().filter(|record| record.is_err()).count()), (40_002, 0));

    let stored = zstd::encode_all(log().as_bytes(), 1).unwrap();
    let mut records: Vec<_> = LogReader::new(Failing(Cursor::new(stored[..stored.len() / 2].to_vec()))).collect();
    assert!(records.pop().unwrap().unwrap_err().to_string().ends_with("unplugged"));
    assert!(records.len() > 10_000 && records.iter().all(Result::is_ok), "{}", records.len());
}

#[test]
fn a_reader_may_be_dropped_before_the_end() {
    let packed = gzip(log().as_bytes());
    for taken in [0, 1, 20_000] {
        let mut reader = LogReader::new(Cursor::new(packed.clone()));
        assert_eq!(reader.by_ref().take(taken).filter(Result::is_ok).count(), taken);
        drop(reader);
    }
}
