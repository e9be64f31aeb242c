//! `replyfold index`, and replaying with an index: what is printed is the same to the byte.

use crate::run::{LOG, Ran, fixture, replyfold, with_log};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

fn place(folder: &Path, log: &str) -> PathBuf {
    let path = folder.join("log.jsonl");
    fs::write(&path, log).unwrap();
    path
}

fn index(log: &Path) -> Ran {
    replyfold(&["index", log.to_str().unwrap()])
}

/// So many replies, three side by side, with a bad record in each group, repeated events and pieces of blocks that were never started.
fn log(replies: usize) -> String {
    let mut log = String::new();
    for group in 0..replies / 3 {
        for at in 0..60 {
            let (reply, step) = (group * 3 + at % 3, at / 3);
            let body = match step {
                0 => r#""type":"AGENT_START","role":"assistant""#.to_owned(),
                1 => r#""type":"TEXT_BLOCK_START","blockId":"b""#.to_owned(),
                18 => r#""type":"TEXT_BLOCK_END","blockId":"b""#.to_owned(),
                19 => r#""type":"AGENT_END""#.to_owned(),
                _ => format!(r#""type":"TEXT_BLOCK_DELTA","blockId":"b","delta":"word {reply} {step} ""#),
            };
            let id = if step == 7 { step - 1 } else { step };
            log.push_str(&format!("{{{body},\"id\":\"e{reply}-{id}\",\"replyId\":\"r{reply}\"}}\n"));
        }
        log.push_str("nonsense\n");
    }
    log
}

#[test]
fn what_is_printed_is_the_same_with_an_index_and_without() {
    let folder = tempfile::tempdir().unwrap();
    let pieces = "{\"type\":\"TEXT_BLOCK_DELTA\",\"id\":\"e1\",\"replyId\":\"r\",\"blockId\":\"b\",\"delta\":\"x\"}\n"
        .repeat(3)
        .replacen("e1", "e2", 1);
    let java = fs::read_to_string(fixture("java/logs/confirm-allowed.events.jsonl")).unwrap();
    let torn = format!("{}{}", log(3), &LOG[..200]);
    for text in [
        LOG,
        &log(90),
        &pieces,
        &java,
        &torn,
        "",
        "nonsense\n",
        &format!("{{\"type\":\"session_created\"}}\n{LOG}"),
        &LOG.replace('\n', "\r\n\n"),
    ] {
        let path = place(folder.path(), text);
        let path = path.to_str().unwrap();
        let records = text.lines().filter(|line| !line.is_empty()).count();
        let mut runs: Vec<Vec<String>> = Vec::new();
        let mut run = |args: &str| runs.push(args.split(' ').map(str::to_owned).collect());
        for at in [0, 1, 2, 3, records / 2, records.saturating_sub(1), records, records + 1] {
            run(&format!("--at {at}"));
            run(&format!("--at {at} --reply r1 --format json"));
        }
        for id in ["e2", "e1-3", "e44-6", "none"] {
            run(&format!("--until {id} --format json --with-source"));
            run(&format!("--until {id} --reply r1"));
        }
        run("--reply r44 --format json --dialect python");
        run("--reply none");
        run("--reply r1 --strict");
        run("--at 2 --strict");
        run("--at 3 --verbose");
        run("--at 3 --open-missing");
        run("--reply r1 --from java");
        let all = || -> Vec<(String, String, i32)> {
            let one = |args: &Vec<String>| {
                let args: Vec<&str> = ["replay", path].into_iter().chain(args.iter().map(String::as_str)).collect();
                let ran = replyfold(&args);
                (ran.stdout, ran.stderr, ran.code)
            };
            runs.iter().map(one).collect()
        };
        let without = all();
        let ran = index(Path::new(path));
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        let noun = if records == 1 { "record" } else { "records" };
        let size = fs::metadata(format!("{path}.idx")).unwrap().len();
        assert_eq!(ran.stdout, format!("{path}.idx: {records} {noun}, {size} bytes\n"));
        for ((without, with), args) in without.iter().zip(all()).zip(&runs) {
            assert_eq!(*without, with, "{args:?} of\n{text}");
        }
        fs::remove_file(format!("{path}.idx")).unwrap();
    }
}

/// One index stands beside the base and serves all segments; what is told of a place names the segment.
#[test]
fn what_is_printed_of_segments_is_the_same_with_an_index_and_without() {
    let folder = tempfile::tempdir().unwrap();
    let text = log(180);
    let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    let (first, second) = (ends[ends.len() / 6], ends[ends.len() / 2]);
    let path = place(folder.path(), &text[..first]);
    let middle = folder.path().join("log.00001.jsonl");
    fs::write(&middle, &text[first..second]).unwrap();
    fs::write(folder.path().join("log.00002.jsonl"), &text[second..]).unwrap();
    let run = |point: &str| {
        let args: Vec<&str> = ["replay", path.to_str().unwrap()].into_iter().chain(point.split(' ')).collect();
        let ran = replyfold(&args);
        (ran.stdout, ran.stderr, ran.code)
    };
    let points =
        ["--at 1", "--at 700", "--at 1500 --reply r40", "--until e44-6 --format json", "--reply r89", "--reply none", "--at 1200 --strict"];
    let without: Vec<_> = points.iter().map(|point| run(point)).collect();
    assert!(without.iter().any(|(_, stderr, _)| stderr.contains("segment 1, line ")), "{without:?}");
    assert_eq!(index(&path).code, 0);
    for (point, without) in points.iter().zip(&without) {
        assert_eq!(run(point), *without, "{point}");
    }
    // A byte that changed, far from both ends of the log, is seen where it is read, and nowhere else.
    let mut changed = text.as_bytes()[first..second].to_vec();
    changed[(second - first) / 2] ^= 1;
    fs::write(&middle, changed).unwrap();
    let near = ends.partition_point(|end| *end < first.midpoint(second));
    let (_, told, code) = run(&format!("--at {}", near + 5));
    assert!(told.contains("its records are others") && code == 0, "{told}");
    assert_eq!(run(points[0]), without[0]);
}

#[test]
fn an_index_is_used_while_it_fits_and_a_stale_one_is_told_once() {
    let folder = tempfile::tempdir().unwrap();
    let text = log(2_400);
    let path = place(folder.path(), &text);
    let path = path.to_str().unwrap();
    assert_eq!(index(Path::new(path)).code, 0);
    let reply = || replyfold(&["replay", path, "--reply", "r1200", "--format", "json"]);
    let before = reply();
    assert!(before.stderr.ends_with(" more bad records; --verbose tells them all\n"), "{}", before.stderr);
    let changed = |text: &str, time: Option<SystemTime>| {
        fs::write(path, text).unwrap();
        let file = fs::File::options().append(true).open(path).unwrap();
        time.into_iter().for_each(|time| file.set_modified(time).unwrap());
    };
    // Nobody sees a change in the middle of a log that is made to look as if there was none, so what is printed shows what was read.
    let time = fs::metadata(path).unwrap().modified().unwrap();
    changed(&text.replace("word 1200 9 ", "WORD 1200 9 "), Some(time));
    assert_eq!(reply().stdout, before.stdout);
    let changed_too = replyfold(&["replay", path, "--reply", "r1200", "--format", "json", "--verbose"]);
    assert_eq!(changed_too.stdout, before.stdout.replace("word 1200 9 ", "WORD 1200 9 "));

    let notice = |reason: &str, ran: &Ran, wanted: &str| {
        let notice = format!("replyfold: {path}: {reason}; the log is read from its start, and `replyfold index` makes a new index\n");
        assert!(ran.stderr.starts_with(&notice), "{}", ran.stderr);
        assert_eq!(ran.stdout, wanted);
        assert_eq!(ran.stderr.matches("replyfold index").count(), 1);
    };
    changed(&text, Some(time + Duration::from_secs(1)));
    notice("the log is not as it was when it was indexed: it was written or copied since", &reply(), &before.stdout);
    changed(&text[..text.len() - 9], Some(time));
    notice("the log is not as it was when it was indexed: it is shorter", &reply(), &before.stdout);
    changed(&(text.clone() + &LOG.replace("r1", "more")), None);
    notice("the log has grown since it was indexed", &reply(), &before.stdout);
    let at = |text: &str| {
        changed(text, Some(time));
        replyfold(&["replay", path, "--at", "60", "--format", "json"])
    };
    // What it grew by is behind the point that is asked for.
    let (grown, same) = (at(&(text.clone() + LOG)), at(&text));
    assert_eq!((&grown.stdout, &grown.stderr), (&same.stdout, &same.stderr));
    let mut damaged = fs::read(format!("{path}.idx")).unwrap();
    // In every page but the header, which is looked at first.
    damaged.chunks_mut(4096).skip(1).for_each(|page| page[7] ^= 1);
    fs::write(format!("{path}.idx"), &damaged).unwrap();
    notice("the index is damaged: a page has another checksum than it was written with", &reply(), &before.stdout);
    damaged.truncate(5000);
    fs::write(format!("{path}.idx"), damaged).unwrap();
    notice("the index is damaged: it has another length than it was written with", &reply(), &before.stdout);
}

#[test]
fn an_index_serves_the_options_that_it_was_built_with() {
    let folder = tempfile::tempdir().unwrap();
    let wrapped: String =
        LOG.lines().map(|line| format!("{{\"x\":{line},\"y\":{{\"type\":\"AGENT_END\",\"replyId\":\"r1\"}}}}\n")).collect();
    let half = LOG.replace("Hello", "\\ud83d");
    let pieces = LOG.replace("TEXT_BLOCK_START", "CUSTOM_START");
    for (text, options) in [
        (&wrapped, &["--path", "x"][..]),
        (&wrapped, &["--path", "y"]),
        (&format!("{wrapped}{LOG}"), &["--path", "x"]),
        (&half, &["--replace-surrogates"]),
        (&pieces, &["--open-missing"]),
        (&LOG.to_owned(), &["--from", "java"]),
        (&LOG.to_owned(), &["--from", "python"]),
    ] {
        let path = place(folder.path(), text);
        let path = path.to_str().unwrap();
        let all = || -> Vec<(String, String, i32)> {
            let points = ["--at 1", "--at 3", "--at 9", "--until e3", "--until e9", "--reply r1", "--reply r9"];
            let one = |point: &str| {
                let ran = replyfold(&[&["replay", path], options, &point.split(' ').collect::<Vec<_>>()].concat());
                (ran.stdout, ran.stderr, ran.code)
            };
            points.map(one).to_vec()
        };
        let without = all();
        assert_eq!(index(Path::new(path)).code, 0);
        assert_eq!(all(), without, "with an index for other options: {options:?}");
        fs::remove_file(format!("{path}.idx")).unwrap();
        assert_eq!(replyfold(&[&["index", path], options].concat()).code, 0);
        assert_eq!(all(), without, "{options:?}");
        fs::remove_file(format!("{path}.idx")).unwrap();
    }
}

#[test]
fn what_has_no_index_says_why() {
    let folder = tempfile::tempdir().unwrap();
    for (log, reason) in [
        (format!("[{}]", LOG.lines().next().unwrap()).into_bytes(), "the log is a JSON array and not JSONL: write it as JSONL first"),
        (zstd::encode_all(LOG.as_bytes(), 1).unwrap(), "the log is packed, "),
        (b"{\"type\":\"complete\"}\n".to_vec(), "the log is of the coarse protocol, "),
    ] {
        let path = folder.path().join("log");
        fs::write(&path, log).unwrap();
        let ran = index(&path);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
        assert!(
            ran.stderr.starts_with(&format!("replyfold: {}: {reason}", path.display())) && ran.stderr.lines().count() == 1,
            "{}",
            ran.stderr
        );
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
    let ran = with_log(LOG, &["index", "-"]);
    assert!(ran.code == 2 && ran.stderr.contains("standard input has no place for one"), "{}", ran.stderr);
    let ran = index(&folder.path().join("none"));
    assert!(ran.code == 2 && ran.stderr.contains("cannot open the log"), "{}", ran.stderr);
}

#[test]
fn a_timeline_ends_at_an_event_like_a_replay() {
    let timeline = |args: &[&str]| with_log(LOG, &[&["timeline", "-"], args].concat());
    for (id, at) in [("e3", "3"), ("e5", "5")] {
        assert_eq!(timeline(&["--until", id]).stdout, timeline(&["--at", at]).stdout);
    }
    assert_ne!(timeline(&["--until", "e2"]).stdout, timeline(&["--until", "e3"]).stdout);
    let ran = timeline(&["--until", "e9"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert_eq!(ran.stderr, "replyfold: standard input: no event has the id `e9`\n");
    assert_eq!(timeline(&["--until", "e2", "--at", "1"]).code, 2);
}
