//! Seeking with an index: every answer is that of a scan.

use crate::corpus::{fixtures, names, read};
use crate::generate;
use proptest::prelude::*;
use replyfold_dialect::{Dialect, LoneSurrogates};
use replyfold_log::{Index, IndexOptions, LogOptions, LogReader, Record, build_index, index_path};
use replyfold_reduce::{ReduceOptions, SessionReducer};
use std::fs;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The index of a log, as bytes.
pub(crate) fn indexed(log: &str, options: &IndexOptions) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    fs::write(&path, log).unwrap();
    let built = build_index(&path, options, |_, _| true).unwrap();
    let bytes = fs::read(&built.path).unwrap();
    assert_eq!(built.bytes, bytes.len() as u64);
    bytes
}

fn open(log: &str, index: Vec<u8>, options: &IndexOptions) -> Index {
    Index::new(Cursor::new(index), Cursor::new(log.to_owned()), None, options).unwrap()
}

/// Everything that shows of a session.
pub(crate) fn shown(session: &SessionReducer) -> String {
    let replies = session.replies().map(|reply| {
        let reducer = reply.reducer();
        let open: Vec<bool> = (0..reply.message().content.len()).map(|at| reducer.is_open(at)).collect();
        let beside = (reducer.is_ended(), reducer.stop_reason(), reducer.exposed(), open);
        format!("{:?} {} {:?}\n", reply.source(), reply.message().to_json(), beside)
    });
    let notes = session.notes().into_iter().map(|(reply, note)| format!("{reply} {note:?}\n"));
    replies.chain(notes).collect::<String>() + &format!("{:?} {}", session.exposed(), session.lacks_starts())
}

/// What a scan shows of a record.
fn told(record: &Record) -> String {
    let absent = record.event().map(|event| format!("{:?}", event.absent));
    format!("{record:?} {absent:?}")
}

/// A record as a seek gives it: what stood on the wire before the reply step is not kept.
fn without_residue(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("residue: ") {
        out.push_str(&rest[..at]);
        // The residue of the event is its last field: nothing of what is compared stands behind it but the dialect and the notes.
        let end = rest[at..].find(" }, dialect").map_or(rest.len(), |end| at + end);
        rest = &rest[end..];
    }
    out + rest
}

/// Holds every answer of the index to a scan, at each of `points`, which ascend.
fn check(log: &str, index: &mut Index, options: &IndexOptions, points: impl Iterator<Item = u64>) {
    check_scanned(log, LogReader::with_options(Cursor::new(log.to_owned()), options.log.clone()), index, options, points);
}

/// As [`check`], with the scan; `log` is shown where something is wrong.
pub(crate) fn check_scanned(log: &str, scan: LogReader, index: &mut Index, options: &IndexOptions, points: impl Iterator<Item = u64>) {
    let records: Vec<Record> = scan.map(|record| record.unwrap()).collect();
    assert_eq!(index.records(), records.len() as u64);
    let mut ids: Vec<String> = records
        .iter()
        .filter_map(|record| record.event()?.id.as_ref().map(|id| id.as_str().to_owned()))
        .chain(["no such".to_owned()])
        .collect();
    ids.dedup();
    let (mut session, mut scanned) = (SessionReducer::with_options(options.reduce), 0);
    for point in points {
        let before = &records[..(point as usize).min(records.len())];
        // The points come in order.
        for record in &before[scanned..] {
            record.event().map(|event| session.apply_at(record.position, event));
        }
        scanned = before.len();
        let sought = index.session_at(point).unwrap();
        assert_eq!(shown(&sought), shown(&session), "after {point} records of\n{log}");
        assert_eq!(index.lacks_starts(point), session.lacks_starts(), "after {point} records of\n{log}");
        for id in ["r1", "r2", "call1", "anonymous", "none"] {
            let sought = index.reply_at(id, point).unwrap();
            let wanted = |session: &SessionReducer| -> Vec<String> {
                let replies = session.replies().filter(|reply| reply.message().id == id);
                replies.map(|reply| format!("{:?} {} {:?}", reply.source(), reply.message().to_json(), reply.reducer().notes())).collect()
            };
            assert_eq!(wanted(&sought), wanted(&session), "{id} after {point} records of\n{log}");
        }
        let bad: Vec<_> = before.iter().filter_map(|record| Some((record.place, record.bad()?.clone()))).collect();
        let (count, list) = index.bad_records(point, 2).unwrap();
        assert_eq!((count, &list[..]), (bad.len() as u64, &bad[..bad.len().min(2)]), "bad before {point} of\n{log}");
        let record = index.record(point).unwrap().map(|record| without_residue(&told(&record)));
        assert_eq!(record, records.get(point as usize).map(|record| without_residue(&told(record))), "at {point} of\n{log}");
        let id = &ids[point as usize % ids.len()];
        let first =
            records.iter().find(|record| record.event().is_some_and(|event| event.id.as_ref().is_some_and(|own| own.as_str() == id)));
        assert_eq!(index.find_event(id).unwrap(), first.map(|record| record.position), "{id} in\n{log}");
    }
    for span in index.replies().unwrap() {
        let of: Vec<u64> = records
            .iter()
            .filter(|record| record.event().is_some_and(|event| event.reply_id() == Some(&span.reply) && event.source == span.source))
            .map(|record| record.position)
            .collect();
        assert_eq!((Some(&span.first), Some(&span.last)), (of.first(), of.last()), "{span:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn seeking_equals_scanning_at_every_position(log in generate::log(), interval in 1..20_u64, block in 1..8_u64, replaced in any::<bool>(), opened in any::<bool>(), told in proptest::option::of(proptest::sample::select(Dialect::ALL.to_vec()))) {
        let mut options = IndexOptions::new().with_sizes(interval, block).with_reduce(ReduceOptions::new().with_open_missing(opened));
        let mut read = LogOptions::new();
        if replaced {
            read = read.with_lone_surrogates(LoneSurrogates::Replace);
        }
        if let Some(dialect) = told {
            read = read.with_dialect(dialect);
        }
        options = options.with_log(read);
        let mut index = open(&log, indexed(&log, &options), &options);
        let records = index.records();
        check(&log, &mut index, &options, 0..=records + 1);
    }
}

#[test]
fn seeking_equals_scanning_in_recorded_logs() {
    for folder in ["python/runs", "python/service", "python/synthetic", "python/fuzz", "java/logs"] {
        let folder = fixtures().join("conformance").join(folder);
        for (at, name) in names(&folder, ".events.jsonl").into_iter().enumerate() {
            let log = read(&folder.join(format!("{name}.events.jsonl")));
            let records = log.lines().count() as u64;
            let options = IndexOptions::new().with_sizes(7 + records / 10, 5);
            let mut index = open(&log, indexed(&log, &options), &options);
            // Few points of each, others in each.
            let (first, step) = (at as u64 % (1 + records / 4), (1 + records / 4).max(log.len() as u64 / 20_000));
            check(&log, &mut index, &options, (first..records).step_by(step as usize).chain([records]));
        }
    }
    let frames = read(&fixtures().join("conformance/java/remote/frames.jsonl"));
    let options = IndexOptions::new().with_sizes(4, 3).with_log(LogOptions::new().with_dialect(Dialect::Java));
    check(&frames, &mut open(&frames, indexed(&frames, &options), &options), &options, 0..=14);
}

/// Counts the bytes that are read.
struct Counted(Cursor<Vec<u8>>, Arc<AtomicU64>);

impl Read for Counted {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(room)?;
        self.1.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

impl Seek for Counted {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

/// So many replies of about 50 records, three of them side by side.
fn long_log(replies: usize) -> String {
    let mut log = String::new();
    for group in 0..replies / 3 {
        let mut line = |reply: usize, at: usize, kind: &str, rest: &str| {
            let (reply, id) = (group * 3 + reply, (group * 3 + reply) * 100 + at);
            log.push_str(&format!(
                "{{\"type\":\"{kind}\",\"id\":\"{id:032x}\",\"createdAt\":\"2026-01-01T00:00:00Z\",\"replyId\":\"r{reply}\"{rest}}}\n"
            ));
        };
        (0..3).for_each(|reply| line(reply, 0, "AGENT_START", ",\"role\":\"assistant\""));
        (0..3).for_each(|reply| line(reply, 1, "TEXT_BLOCK_START", ",\"blockId\":\"b\""));
        for at in 0..46 {
            (0..3).for_each(|reply| line(reply, at + 2, "TEXT_BLOCK_DELTA", ",\"blockId\":\"b\",\"delta\":\"some words \""));
        }
        (0..3).for_each(|reply| line(reply, 48, "TEXT_BLOCK_END", ",\"blockId\":\"b\""));
        (0..3).for_each(|reply| line(reply, 49, "AGENT_END", ""));
    }
    log
}

#[test]
fn what_a_seek_reads_does_not_grow_with_the_log() {
    let options = IndexOptions::new();
    let mut most = Vec::new();
    for replies in [300, 3_000] {
        let log = long_log(replies);
        let index = indexed(&log, &options);
        assert!(index.len() < log.len() / 3, "{} of {}", index.len(), log.len());
        let bytes = Arc::new(AtomicU64::new(0));
        let counted = |bytes_of: Vec<u8>| Counted(Cursor::new(bytes_of), Arc::clone(&bytes));
        let cost = |seek: &dyn Fn(&mut Index)| {
            let mut index = Index::new(counted(index.clone()), counted(log.clone().into_bytes()), None, &options).unwrap();
            seek(&mut index);
            bytes.swap(0, Ordering::Relaxed)
        };
        let (reply, middle) = (format!("r{}", replies / 2), replies as u64 * 25 + 75);
        let id = format!("{:032x}", replies / 2 * 100 + 20);
        let costs = [
            cost(&|_| {}),
            cost(&|index| assert_eq!(index.reply_at(&reply, u64::MAX).unwrap().messages().count(), 1)),
            cost(&|index| assert_eq!(index.reply_at(&reply, middle).unwrap().messages().count(), 1)),
            cost(&|index| assert!(index.record(middle).unwrap().is_some())),
            cost(&|index| {
                let position = index.find_event(&id).unwrap().unwrap();
                assert_eq!(index.reply_at(&reply, position + 1).unwrap().messages().count(), 1);
            }),
            cost(&|index| assert_eq!(index.bad_records(middle, 20).unwrap().0, 0)),
        ];
        // The state of all replies costs what they say, which is a small part of the log.
        let all = cost(&|index| assert!(index.session_at(middle).unwrap().messages().count() >= replies / 2));
        assert!(all < 400_000 + log.len() as u64 / 4, "{all} of {}", log.len());
        most.push((log.len(), costs));
    }
    let [(small, few), (large, many)] = &most[..] else { panic!() };
    assert!(*large > small * 9 && *large > 10_000_000);
    for (few, many) in few.iter().zip(many) {
        // The first and the last 64 KiB are looked at, an interval is read, and a few pages.
        assert!(*many < 600_000 && *many < few + 100_000, "{few} became {many}");
    }
}

pub(crate) const SMALL: &str = "{\"type\":\"AGENT_START\",\"id\":\"e1\",\"replyId\":\"r1\",\"role\":\"assistant\"}\nnonsense\n{\"type\":\"TEXT_BLOCK_START\",\"id\":\"e2\",\"replyId\":\"r1\",\"blockId\":\"b\"}\n{\"type\":\"TEXT_BLOCK_DELTA\",\"id\":\"e3\",\"replyId\":\"r1\",\"blockId\":\"b\",\"delta\":\"x\"}\n{\"type\":\"TEXT_BLOCK_DELTA\",\"id\":\"e4\",\"replyId\":\"r1\",\"blockId\":\"b\",\"delta\":\"y\"}\n";

/// Everything that an index says, or that it cannot be used.
pub(crate) fn answers(log: &[u8], index: Vec<u8>) -> Option<String> {
    let mut index = Index::new(Cursor::new(index), Cursor::new(log.to_vec()), None, &IndexOptions::new()).ok()?;
    let mut all = String::new();
    for point in 0..=index.records().min(9) {
        all += &shown(&index.session_at(point).ok()?);
        all += &shown(&index.reply_at("r1", point).ok()?);
        all += &format!("{:?}", index.record(point).ok()?);
        all += &format!("{:?}", index.bad_records(point, 9).ok()?);
    }
    Some(all + &format!("{:?} {:?}", index.find_event("e3").ok()?, index.replies().ok()?))
}

#[test]
fn a_damaged_index_is_never_trusted() {
    let index = indexed(SMALL, &IndexOptions::new());
    let whole = answers(SMALL.as_bytes(), index.clone()).unwrap();
    let mut refused = 0;
    for at in 0..index.len() {
        for flip in [1, 0x80] {
            let mut damaged = index.clone();
            damaged[at] ^= flip;
            match answers(SMALL.as_bytes(), damaged) {
                Some(same) => assert_eq!(same, whole, "byte {at}"),
                None => refused += 1,
            }
        }
    }
    // Every byte of every page is under a checksum.
    assert_eq!(refused, index.len() * 2);
    for length in 0..index.len() {
        assert!(answers(SMALL.as_bytes(), index[..length].to_vec()).is_none(), "cut to {length}");
    }
    for more in [1, 4096] {
        assert!(answers(SMALL.as_bytes(), [&index[..], &vec![0; more]].concat()).is_none());
    }
}

#[test]
fn a_log_that_was_changed_is_not_the_one_that_was_indexed() {
    let index = indexed(SMALL, &IndexOptions::new());
    for at in 0..SMALL.len() {
        let mut changed = SMALL.as_bytes().to_vec();
        changed[at] ^= 1;
        assert!(answers(&changed, index.clone()).is_none(), "byte {at}");
        assert!(answers(&SMALL.as_bytes()[..at], index.clone()).is_none(), "cut to {at}");
    }
    // In the middle of a long log only what is read is looked at.
    let long = long_log(900);
    let options = IndexOptions::new();
    let index = indexed(&long, &options);
    let mut changed = long.clone().into_bytes();
    let middle = long.len() / 2;
    let at = middle + long[middle..].find("words").unwrap();
    changed[at] = b'W';
    let mut sought = Index::new(Cursor::new(index), Cursor::new(changed), None, &options).unwrap();
    let position = long[..at].lines().count() as u64 - 1;
    let err = sought.record(position).unwrap_err();
    assert!(err.is_stale() && err.to_string().contains("the log is not as it was"), "{err}");
    assert!(sought.record(position - 2000).unwrap().is_some());
}

pub(crate) fn place(folder: &Path, log: &str) -> std::path::PathBuf {
    let path = folder.join("log.jsonl");
    fs::write(&path, log).unwrap();
    path
}

#[test]
fn an_index_stands_beside_its_log_and_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let (log, options) = (place(folder.path(), SMALL), IndexOptions::new());
    let refused = |options: &IndexOptions| Index::open(&log, options).unwrap_err();
    assert!(refused(&options).is_missing());
    build_index(&log, &options, |_, _| true).unwrap();
    assert_eq!(Index::open(&log, &options).unwrap().records(), 5);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);

    let other = IndexOptions::new().with_log(LogOptions::new().with_dialect(Dialect::Java));
    assert!(refused(&other).to_string().ends_with("the index was built for a log that is read in another way"));
    let other = IndexOptions::new().with_reduce(ReduceOptions::new().with_open_missing(true));
    assert!(!refused(&other).is_stale());

    // The same bytes at another time: nobody knows what was between.
    let file = fs::File::options().append(true).open(&log).unwrap();
    file.set_modified(file.metadata().unwrap().modified().unwrap() + std::time::Duration::from_nanos(1_000_000)).unwrap();
    let err = refused(&options);
    assert!(err.is_stale() && err.to_string().contains("written or copied since"), "{err}");
    build_index(&log, &options, |_, _| true).unwrap();
    assert!(Index::open(&log, &options).is_ok());

    fs::write(&log, &SMALL[1..]).unwrap();
    assert!(refused(&options).to_string().ends_with("it is shorter"));
    fs::write(&log, SMALL.replace("\"x\"", "\"z\"")).unwrap();
    assert!(refused(&options).to_string().ends_with("its bytes are others"));

    // Another version, with a checksum of its own.
    let path = index_path(&log);
    let mut index = fs::read(&path).unwrap();
    index[8] = 1;
    let sum = crc32fast::hash(&[&0_u64.to_le_bytes()[..], &index[..4092]].concat());
    index[4092..4096].copy_from_slice(&sum.to_le_bytes());
    fs::write(&path, &index).unwrap();
    let err = refused(&options);
    assert!(err.is_stale() && err.to_string().ends_with("the index has version 1, and this is version 2"), "{err}");
    fs::write(&path, "{}").unwrap();
    assert!(refused(&options).to_string().contains("the index is damaged"));
}

#[test]
fn a_log_that_only_grew_keeps_what_is_known_of_it() {
    for (before, after, kept) in [
        (SMALL, "{\"type\":\"AGENT_END\",\"id\":\"e5\",\"replyId\":\"r1\"}\n", 5),
        // A record without its line end may go on.
        (SMALL.trim_end(), "\n{\"type\":\"AGENT_END\",\"id\":\"e5\",\"replyId\":\"r1\"}\n", 4),
        (&SMALL[..SMALL.len() - 10], "\n", 4),
    ] {
        let options = IndexOptions::new().with_sizes(2, 1);
        let index = indexed(before, &options);
        let whole = format!("{before}{after}");
        let mut index = open(&whole, index, &options);
        assert!(index.is_grown());
        assert_eq!(index.records(), kept);
        for point in 0..=kept {
            let mut session = SessionReducer::new();
            for record in LogReader::new(Cursor::new(whole.clone())).take(point as usize) {
                let record = record.unwrap();
                record.event().map(|event| session.apply_at(record.position, event));
            }
            assert_eq!(shown(&index.session_at(point).unwrap()), shown(&session));
        }
        assert!(index.record(kept).unwrap().is_none());
    }
}

#[test]
fn what_cannot_be_indexed_says_why_and_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let packed = zstd::encode_all(SMALL.as_bytes(), 1).unwrap();
    for (bytes, reason) in [
        (b"data: {}\n\n".to_vec(), "replyfold convert"),
        (format!("[{}]", SMALL.lines().next().unwrap()).into_bytes(), "a JSON array"),
        (packed, "unpack it first"),
    ] {
        let path = folder.path().join("log");
        fs::write(&path, bytes).unwrap();
        let err = build_index(&path, &IndexOptions::new(), |_, _| true).unwrap_err();
        assert!(err.is_unfit() && err.to_string().contains(reason) && err.to_string().starts_with(path.to_str().unwrap()), "{err}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
    let err = build_index(folder.path().join("none"), &IndexOptions::new(), |_, _| true).unwrap_err();
    assert!(err.log_error().is_some() && err.to_string().contains("cannot open the log"), "{err}");
    let log = place(folder.path(), SMALL);
    assert!(build_index(&log, &IndexOptions::new(), |_, _| false).unwrap_err().to_string().ends_with("stopped"));
    let mut empty = open("", indexed("", &IndexOptions::new()), &IndexOptions::new());
    check("", &mut empty, &IndexOptions::new(), 0..2);
}
