//! What others left at the end of a log, from reports of the field: opened again, nothing is lost, and the next record stands on its own line.

use super::{canonical, event, events};
use replyfold_dialect::Dialect;
use replyfold_log::{LogReader, LogWriter, Repair, WriterOptions};
use std::fs;
use std::path::{Path, PathBuf};

const OK: &str = r#"{"type":"OK"}"#;

/// A log that was opened after something happened to it.
struct Mended {
    dir: tempfile::TempDir,
    repairs: Vec<Repair>,
}

impl Mended {
    fn of(bytes: impl AsRef<[u8]>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.jsonl");
        fs::write(&path, &bytes).unwrap();
        let mut writer = LogWriter::open(&path, canonical()).unwrap();
        let repairs = writer.repairs().to_vec();
        writer.append(&event(7)).unwrap();
        writer.close().unwrap();
        let mended = Self { dir, repairs };
        // It is whole now.
        assert_eq!(LogWriter::open(&path, canonical()).unwrap().repairs(), []);
        // Not a byte is gone.
        let log = mended.log();
        let own = format!("{}\n", event(7).to_json());
        let before = log.strip_suffix(own.as_bytes()).unwrap();
        let before = if mended.is_completed() { before.strip_suffix(b"\n").unwrap() } else { before };
        assert_eq!([before, &mended.aside()].concat(), bytes.as_ref());
        mended
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join("run.jsonl")
    }

    fn log(&self) -> Vec<u8> {
        fs::read(self.path()).unwrap()
    }

    fn is_completed(&self) -> bool {
        self.repairs.iter().any(|repair| matches!(repair, Repair::Completed { .. }))
    }

    /// The bytes that were moved aside.
    fn aside(&self) -> Vec<u8> {
        let moved = self.repairs.iter().find_map(|repair| match repair {
            Repair::Moved { to, bytes, .. } => Some((fs::read(to).unwrap(), *bytes)),
            _ => None,
        });
        moved.map_or_else(Vec::new, |(bytes, count)| {
            assert_eq!(bytes.len() as u64, count);
            bytes
        })
    }

    /// What the log holds before the event that was appended: events as their text, anything else as its reason.
    fn holds(&self) -> Vec<String> {
        let mut all: Vec<String> = LogReader::open(self.path())
            .unwrap()
            .map(|record| record.unwrap())
            .map(|record| record.event().map_or_else(|| format!("bad: {}", record.bad().unwrap().reason), |event| event.to_json()))
            .collect();
        assert_eq!(all.pop(), Some(event(7).to_json()));
        all
    }
}

#[test]
fn b082_a_torn_record_is_moved_aside_and_both_are_told() {
    let mended = Mended::of(format!("{OK}\n{{\"type\":\"TEXT_BL"));
    assert_eq!((mended.holds(), mended.aside()), (vec![OK.to_owned()], b"{\"type\":\"TEXT_BL".to_vec()));
    let side = mended.dir.path().join("run.jsonl.14.torn");
    let told: Vec<String> = mended.repairs.iter().map(ToString::to_string).collect();
    assert_eq!(told, [format!("{}: 16 bytes of a cut write at byte 14 were moved to {}", mended.path().display(), side.display())]);
}

#[test]
fn b082_zeros_at_the_end_are_moved_aside_and_in_the_middle_they_stay() {
    let mended = Mended::of([OK.as_bytes(), b"\n", &[0; 300]].concat());
    assert_eq!((mended.holds(), mended.aside()), (vec![OK.to_owned()], vec![0; 300]));
    // More of them than are looked at at once.
    let mended = Mended::of([OK.as_bytes(), &[0; 200_000]].concat());
    assert_eq!((mended.holds(), mended.aside().len()), (vec![OK.to_owned()], 200_000));
    assert!(mended.is_completed());

    let mended = Mended::of([OK.as_bytes(), b"\n", &[0; 300], b"\n", OK.as_bytes(), b"\n"].concat());
    assert_eq!(mended.repairs, []);
    assert_eq!(mended.holds(), [OK, "bad: 300 zero bytes, as a write leaves them that a crash cut off", OK]);
}

#[test]
fn b082_damage_in_the_middle_stays_and_the_log_goes_on_after_it() {
    let mended = Mended::of(format!("{OK}\n{{\"type\":\"TEXT_BL\n{OK}\nnonsense\n"));
    assert_eq!(mended.repairs, []);
    let holds = mended.holds();
    assert_eq!((holds[0].as_str(), holds[2].as_str(), holds.len()), (OK, OK, 4));
    assert!(holds[1].starts_with("bad: ") && holds[3].starts_with("bad: "), "{holds:?}");
}

#[test]
fn b082_two_records_on_one_line_stay_where_they_are() {
    let two = "bad: two JSON texts on one line, the second at byte 13; each needs a line of its own";
    for (end, is_completed) in [("", true), ("\n", false)] {
        let mended = Mended::of(format!("{OK}{OK}{end}"));
        assert_eq!((mended.holds(), mended.is_completed(), mended.aside()), (vec![two.to_owned()], is_completed, Vec::new()));
    }
    // A second writer was cut off on the line of a record that lacked its newline: that one is whole.
    let mended = Mended::of(format!("{OK}{{\"type\":"));
    assert_eq!((mended.holds(), mended.aside()), (vec![OK.to_owned()], b"{\"type\":".to_vec()));
}

#[test]
fn b083_a_blank_line_after_a_torn_record_hides_nothing() {
    for (log, count, aside) in [
        (format!("{OK}\n{{\"type\":\"TEXT\n\n"), 1, "{\"type\":\"TEXT\n\n"),
        (format!("{OK}\n{{\"type\":\"TEXT\n \r\n\n"), 1, "{\"type\":\"TEXT\n \r\n\n"),
        (format!("{OK}\n{{\"type\":\"TEXT"), 1, "{\"type\":\"TEXT"),
        (format!("{OK}\n\n"), 1, ""),
        (String::new(), 0, ""),
        ("\n\n".to_owned(), 0, ""),
    ] {
        let mended = Mended::of(&log);
        assert_eq!((mended.holds(), String::from_utf8(mended.aside()).unwrap().as_str()), (vec![OK.to_owned(); count], aside), "{log:?}");
    }
}

#[test]
fn b083_a_record_without_newline_is_completed_and_told() {
    let mended = Mended::of(format!("{OK}\n{OK}"));
    assert_eq!((mended.holds(), mended.aside()), (vec![OK.to_owned(); 2], Vec::new()));
    let told: Vec<String> = mended.repairs.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [format!("{}: the last record is whole and lacked its newline, which was written at byte 27", mended.path().display())]
    );
}

#[test]
fn b047_invalid_utf8_is_torn_at_the_end_and_damage_in_the_middle() {
    for torn in [&b"{\"type\":\"\xc3"[..], b"{\"type\":\"t\xff\xfe", b"{\"type\":\"t\xff\"}", b"{\"type\":\"\xf0\x9f\n\n"] {
        let mended = Mended::of([OK.as_bytes(), b"\n", torn].concat());
        assert_eq!((mended.holds(), mended.aside()), (vec![OK.to_owned()], torn.to_vec()));
    }
    let mended = Mended::of([OK.as_bytes(), b"\n{\"type\":\"t\xff\"}\n", OK.as_bytes(), b"\n"].concat());
    assert_eq!(mended.repairs, []);
    assert_eq!(mended.holds(), [OK, "bad: not UTF-8 at byte 10 of the record", OK]);
    // On the last line too, if somebody finished it.
    assert_eq!(Mended::of([OK.as_bytes(), b"\n{\"type\":\"t\xff\"}\n"].concat()).repairs, []);
}

#[test]
fn b085_logs_with_old_names_go_on_and_what_is_written_has_the_new_ones() {
    // Old names, and Java's field.
    let old = concat!(
        r#"{"type":"RUN_STARTED","id":"2","replyId":"r2"}"#,
        "\n",
        r#"{"type":"BINARY_BLOCK_DELTA","id":"1","replyId":"r2","blockId":"b","delta":"AA=="}"#
    );
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.jsonl");
    fs::write(&path, old).unwrap();
    let mut writer = LogWriter::open(&path, WriterOptions::new(Dialect::Java)).unwrap();
    assert!(matches!(writer.repairs(), [Repair::Completed { .. }]));
    writer.append_all(&events(&path)).unwrap();
    writer.close().unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let new = text.strip_prefix(old).unwrap();
    assert!(new.contains("\"AGENT_START\"") && new.contains("\"DATA_BLOCK_DELTA\"") && !new.contains("RUN_STARTED"), "{new}");
    let read = events(&path);
    assert_eq!(
        read[..2].iter().map(|event| event.type_name()).collect::<Vec<_>>(),
        read[2..].iter().map(|event| event.type_name()).collect::<Vec<_>>()
    );
}

#[test]
fn b086_unknown_events_are_whole_records_and_damaged_known_ones_stay_as_they_are() {
    let mood = r#"{"type":"MOOD_CHANGED","replyId":"r1","x":{"deep":[1,2.50]}}"#;
    let known = r#"{"type":"TEXT_BLOCK_DELTA","replyId":"r1"}"#;
    let mended = Mended::of(format!("{mood}\n{known}\n{mood}"));
    assert_eq!(mended.holds(), [mood, "bad: event `TEXT_BLOCK_DELTA`: missing field `blockId`", mood]);
    // It is whole JSON, so nobody cut it.
    assert!(Mended::of(known).is_completed());
}

#[test]
fn torn_bytes_never_replace_those_of_an_earlier_crash() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.jsonl");
    let side = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap();
    for torn in ["{\"first", "{\"second", "{\"third"] {
        fs::write(&path, format!("{OK}\n{torn}")).unwrap();
        assert_eq!(LogWriter::open(&path, canonical()).unwrap().repairs().len(), 1);
        assert_eq!(fs::read_to_string(&path).unwrap(), format!("{OK}\n"));
    }
    assert_eq!(
        [side("run.jsonl.14.torn"), side("run.jsonl.14-2.torn"), side("run.jsonl.14-3.torn")],
        ["{\"first", "{\"second", "{\"third"]
    );
}

#[test]
fn a_frame_that_is_cut_anywhere_is_moved_aside() {
    let frame = |text: &str| zstd::encode_all(text.as_bytes(), 1).unwrap();
    let (first, second) = (frame(&format!("{OK}\n")), frame(&format!("{OK}\n{OK}\n")));
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.jsonl.zst");
    let holds = |path: &Path| LogReader::open(path).unwrap().map(|record| record.unwrap().event().unwrap().to_json()).collect::<Vec<_>>();
    for cut in 1..second.len() {
        fs::write(&path, [&first, &second[..cut]].concat()).unwrap();
        let mut writer = LogWriter::open(&path, canonical()).unwrap();
        let Some(Repair::Moved { to, bytes, offset, .. }) = writer.repairs().first() else { panic!("{cut}") };
        assert_eq!((*offset as usize, *bytes as usize, fs::read(to).unwrap()), (first.len(), cut, second[..cut].to_vec()));
        fs::remove_file(to).unwrap();
        writer.append(&event(7)).unwrap();
        assert_eq!(holds(&path), [OK.to_owned(), event(7).to_json()]);
    }
    // Zeros are no frame.
    fs::write(&path, [&first[..], &[0; 4096]].concat()).unwrap();
    assert!(matches!(LogWriter::open(&path, canonical()).unwrap().repairs(), [Repair::Moved { bytes: 4096, .. }]));
    // A record without newline in a whole frame is completed by another frame, a cut one ends where it is.
    for (text, count) in [(OK.to_owned(), 1), (format!("{OK}\n{{\"type\":\"TE"), 2)] {
        fs::write(&path, frame(&text)).unwrap();
        let mut writer = LogWriter::open(&path, canonical()).unwrap();
        assert!(matches!(writer.repairs(), [Repair::Completed { .. }]));
        assert_eq!(writer.append(&event(7)).unwrap().positions, count..count + 1);
        let records: Vec<_> = LogReader::open(&path).unwrap().map(|record| record.unwrap()).collect();
        assert_eq!((records.len() as u64, records[0].event().is_some()), (count + 1, true));
        assert_eq!(records[count as usize].event(), Some(&event(7)));
    }
}
