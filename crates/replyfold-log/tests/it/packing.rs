//! Packed logs that are cut, damaged or padded: what unpacked comes first.

use replyfold_event::AgentEvent;
use replyfold_log::{LogError, LogOptions, LogReader, Record, Strictness};
use std::io::{self, Cursor, Read, Write};

const LOG: &str = "{\"type\":\"A\"}\n{\"type\":\"B\"}\n{\"type\":\"C\"}\n";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// The texts of the records, those that cannot be read in brackets, and the error at the end.
fn read(bytes: Vec<u8>) -> (Vec<String>, Option<LogError>) {
    let mut texts = Vec::new();
    for record in LogReader::new(Cursor::new(bytes)) {
        match record {
            Ok(record) => texts.push(text(&record)),
            Err(err) => return (texts, Some(err)),
        }
    }
    (texts, None)
}

fn text(record: &Record) -> String {
    match record.bad() {
        Some(bad) => format!("({})", String::from_utf8_lossy(&bad.text)),
        None => record.event().map(AgentEvent::to_json).unwrap(),
    }
}

const ALL: [&str; 3] = [r#"{"type":"A"}"#, r#"{"type":"B"}"#, r#"{"type":"C"}"#];

#[test]
fn small_gzip_that_is_cut_anywhere_gives_what_unpacks_and_then_the_error() {
    let packed = gzip(LOG.as_bytes());
    // Before the trailer, all of it unpacks.
    for cut in packed.len() - 8..packed.len() {
        let (texts, err) = read(packed[..cut].to_vec());
        assert_eq!(texts, ALL, "{cut}");
        let message = err.map(|err| err.to_string());
        assert_eq!(message.as_deref(), Some("cannot read on after byte 39 of the unpacked log: the gzip data ends in the middle"), "{cut}");
    }
    let mut seen = 0;
    for cut in 2..packed.len() - 8 {
        let (texts, err) = read(packed[..cut].to_vec());
        assert!(err.is_some_and(|err| err.to_string().ends_with("the gzip data ends in the middle")), "{cut}");
        let whole = texts.iter().take_while(|text| !text.starts_with('(')).count();
        assert!(texts.len() <= whole + 1, "{cut}: {texts:?}");
        assert_eq!(texts[..whole], ALL[..whole], "{cut}");
        assert!(whole >= seen, "{cut}: more of the file is more of the log");
        seen = whole;
    }
    assert_eq!(seen, 3);
}

#[test]
fn record_in_which_a_cut_log_ends_is_torn_and_a_strict_reader_names_the_cut() {
    let packed = gzip(&[LOG.as_bytes(), b"{\"type\":\"D\",\"x\":"].concat());
    let cut = packed[..packed.len() - 3].to_vec();
    let records: Vec<_> = LogReader::new(Cursor::new(cut.clone())).collect();
    let torn = records[3].as_ref().unwrap();
    assert_eq!((records.len(), text(torn).as_str()), (5, "({\"type\":\"D\",\"x\":)"));
    assert!(torn.bad().is_some_and(|bad| bad.is_torn()));
    assert!(records[4].is_err());

    let strict = LogOptions::new().with_strictness(Strictness::Strict);
    let records: Vec<_> = LogReader::with_options(Cursor::new(cut), strict).collect();
    let err = records[3].as_ref().unwrap_err();
    assert!(records.len() == 4 && !err.is_bad_record(), "{err}");
}

#[test]
fn damage_in_gzip_costs_nothing_of_what_stands_before_it() {
    // Stored blocks show where the damage is.
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    encoder.write_all(LOG.as_bytes()).unwrap();
    encoder.flush().unwrap();
    let good = encoder.get_ref().len();
    encoder.write_all(LOG.as_bytes()).unwrap();
    let mut packed = encoder.finish().unwrap();
    packed[good] = 0xff;
    let (texts, err) = read(packed);
    assert_eq!(texts, ALL);
    assert_eq!(
        err.map(|err| err.to_string()).as_deref(),
        Some("cannot read on after byte 39 of the unpacked log: the gzip data is damaged")
    );

    let mut packed = gzip(LOG.as_bytes());
    let crc = packed.len() - 8;
    packed[crc] ^= 1;
    let (texts, err) = read(packed);
    assert_eq!(texts, ALL);
    assert!(err.is_some_and(|err| err.to_string().ends_with("the gzip data does not match its checksum")));
}

#[test]
fn zero_bytes_after_a_gzip_member_are_padding() {
    let packed = gzip(LOG.as_bytes());
    for zeros in [1, 511, 200_000] {
        let (texts, err) = read([&packed[..], &vec![0; zeros]].concat());
        assert_eq!((texts.as_slice(), err.is_none()), (&ALL.map(String::from)[..], true), "{zeros}");
    }
    let (texts, err) = read([&packed[..], &[0; 100], &packed[..]].concat());
    assert_eq!((texts, err.is_none()), ([ALL, ALL].concat().into_iter().map(String::from).collect(), true));
}

#[test]
fn other_bytes_after_a_gzip_member_are_told_as_a_bad_record() {
    let packed = gzip(LOG.as_bytes());
    for junk in [&b"junk"[..], b"\x1f", b"\x1fxx", b"\0\0junk"] {
        let bytes = [&packed[..], junk].concat();
        let records: Vec<Record> = LogReader::new(Cursor::new(bytes)).map(|record| record.unwrap()).collect();
        assert_eq!(records[..3].iter().map(text).collect::<Vec<_>>(), ALL);
        let told = junk.trim_ascii_start().iter().copied().filter(|byte| *byte != 0).collect::<Vec<_>>();
        let bad = records[3].bad().unwrap();
        assert_eq!((records.len(), &bad.text), (4, &told));
        assert_eq!(bad.reason, format!("{} bytes after the end of the gzip data that are no gzip", told.len()));
        assert_eq!((records[3].place.line, records[3].place.offset), (4, 39));
    }
}

#[test]
fn gzip_headers_may_have_every_field() {
    let mut encoder =
        flate2::GzBuilder::new().filename("log").comment("c").extra(vec![1, 2, 3]).mtime(7).write(Vec::new(), flate2::Compression::fast());
    encoder.write_all(LOG.as_bytes()).unwrap();
    let (texts, err) = read(encoder.finish().unwrap());
    assert_eq!((texts.len(), err.is_none()), (3, true));
}

#[test]
fn zstd_may_start_with_a_frame_that_is_skipped() {
    let packed = zstd::encode_all(LOG.as_bytes(), 1).unwrap();
    for kind in [0x50, 0x57, 0x5f] {
        let skipped = [kind, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, b'a', b'b', b'c'];
        let (texts, err) = read([&skipped[..], &packed, &skipped].concat());
        assert_eq!((texts.as_slice(), err.is_none()), (&ALL.map(String::from)[..], true), "{kind}");
    }
}

#[test]
fn zstd_that_is_cut_or_followed_by_other_bytes_gives_its_records_first() {
    let packed = [zstd::encode_all(LOG.as_bytes(), 1).unwrap(), zstd::encode_all(LOG.as_bytes(), 1).unwrap()].concat();
    let (texts, err) = read(packed[..packed.len() - 3].to_vec());
    assert!(texts.starts_with(&ALL.map(String::from)) && err.is_some(), "{texts:?}");
    let (texts, err) = read([&packed[..], b"junk"].concat());
    assert_eq!((texts.len(), err.is_some()), (6, true));
}

#[test]
fn reader_that_fails_gives_what_it_read_before() {
    struct Failing(Cursor<&'static [u8]>);

    impl Read for Failing {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.0.read(buffer)? {
                0 => Err(io::Error::other("unplugged")),
                count => Ok(count),
            }
        }
    }

    let mut records: Vec<_> = LogReader::new(Failing(Cursor::new(b"[{\"type\":\"A\"},{\"type\":\"B\"}"))).collect();
    assert_eq!(records.pop().unwrap().unwrap_err().to_string(), "cannot read on after byte 26: unplugged");
    // The array is not closed: like an element that is cut, that is a torn record before the error.
    let torn = records.pop().unwrap().unwrap();
    assert!(torn.bad().is_some_and(|bad| bad.is_torn() && bad.text.is_empty()), "{torn:?}");
    assert_eq!(records.iter().map(|record| text(record.as_ref().unwrap())).collect::<Vec<_>>(), ALL[..2]);
}

#[test]
fn zstd_data_that_is_cut_or_damaged_is_named() {
    let packed = zstd::encode_all("{\"type\":\"X\"}\n".repeat(50_000).as_bytes(), 1).unwrap();
    let last = |bytes: Vec<u8>| LogReader::new(Cursor::new(bytes)).last().unwrap().map(|_| ()).unwrap_err().to_string();
    let cut = last(packed[..packed.len() - 5].to_vec());
    assert!(
        cut.starts_with("cannot read on after byte ") && cut.ends_with(" of the unpacked log: the zstd data ends in the middle"),
        "{cut}"
    );
    let mut damaged = packed;
    let middle = damaged.len() - 3;
    damaged[middle] ^= 0x55;
    let damaged = last(damaged);
    assert!(damaged.contains(" of the unpacked log: the zstd data is damaged ("), "{damaged}");
}
