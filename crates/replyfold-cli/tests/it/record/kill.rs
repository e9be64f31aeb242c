//! A recording process is killed at random moments, again and again on the same log: what it acknowledged is there, and the log is always the
//! first events that were given to it.

use super::DEADLINE;
use crate::run::command;
use replyfold::dialect::Dialect;
use replyfold::event::{AgentEvent, TextBlockDelta};
use replyfold::log::{LogReader, LogWriter, Packing, WriterOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Kills of each way to write.
const KILLS: u64 = 50;

/// A few numbers of no pattern, the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

/// Now and then an event is long: the system writes that in several steps, between which a kill can come.
fn event(number: u64) -> AgentEvent {
    let length = if number % 97 == 96 { 40_000 } else { number * 7 % 90 };
    let text: String = (0..length).map(|at| char::from(b'a' + ((number + at) % 26) as u8)).collect();
    AgentEvent::new(TextBlockDelta::new("r", "b", text)).with_id(format!("e{number}"))
}

/// Gives events from this one on, until nobody reads them.
fn feed(mut stdin: ChildStdin, from: u64) {
    for number in from.. {
        let mut line = event(number).to_json();
        line.push('\n');
        if stdin.write_all(line.as_bytes()).is_err() {
            break;
        }
    }
}

/// Records from this event on until the kill; gives what was acknowledged.
fn killed(args: &[&str], from: u64, chance: &mut Chance) -> Vec<u64> {
    let mut child = command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    thread::spawn(move || feed(stdin, from));
    let (tell, told): (_, Receiver<u64>) = channel();
    let listener = thread::spawn(move || {
        // A kill may come in the middle of a line: that one was not told.
        let whole = BufReader::new(stdout).lines().map_while(Result::ok).filter_map(|line| line.parse().ok());
        whole.for_each(|position| _ = tell.send(position));
    });
    // After so many acknowledgements and so long: sometimes before the log is open.
    let (count, pause) = (chance.below(45).saturating_sub(8), Duration::from_micros(chance.below(3000)));
    let mut acknowledged = Vec::new();
    for _ in 0..count {
        let position = told.recv_timeout(DEADLINE);
        if position.is_err() {
            child.kill().unwrap();
        }
        assert!(position.is_ok(), "nothing after {acknowledged:?}: {}", io::read_to_string(child.stderr.take().unwrap()).unwrap());
        acknowledged.extend(position);
    }
    let now = Instant::now();
    while now.elapsed() < pause {
        std::hint::spin_loop();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    listener.join().unwrap();
    acknowledged.extend(told.try_iter());
    acknowledged
}

/// How many of the events the log holds, which are checked from one on that is known; and whether there is a torn record behind them.
fn read(path: &Path, known: u64) -> (u64, bool) {
    let (mut count, mut is_torn) = (0, false);
    for record in LogReader::open(path).unwrap() {
        let record = record.unwrap();
        assert!(!is_torn, "something follows a torn record: {record:?}");
        match record.event() {
            Some(read) => {
                assert!(count < known || *read == event(count), "{count}: {read:?}");
                count += 1;
            }
            None => {
                assert!(record.bad().is_some_and(|bad| bad.is_torn()), "{record:?}");
                is_torn = true;
            }
        }
    }
    (count, is_torn)
}

fn kill_often(name: &str, options: &[&str], seed: u64) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    let args = [&["record", path.to_str().unwrap(), "--ack"][..], options].concat();
    let (mut chance, mut known) = (Chance(seed), 0);
    let packing = if name.ends_with(".zst") { Packing::Zstd } else { Packing::Plain };
    for kill in 0..KILLS {
        let acknowledged = killed(&args, known, &mut chance);
        assert_eq!(acknowledged, (known..known + acknowledged.len() as u64).collect::<Vec<_>>(), "{name}, kill {kill}");
        let safe = known + acknowledged.len() as u64;
        if kill % 2 == 0 {
            // Opened again here; every other time the next process does.
            let writer = LogWriter::open(&path, WriterOptions::new(Dialect::Canonical).with_packing(packing));
            assert!(writer.is_ok(), "{name}, kill {kill}: {writer:?}");
            let mut writer = writer.unwrap();
            let (count, is_torn) = read(&path, known);
            assert_eq!((count, is_torn), (writer.position(), false), "{name}, kill {kill}");
            assert!(count >= safe, "{name}, kill {kill}: {count} of {safe}");
            assert_eq!(writer.append(&event(count)).unwrap().positions, count..count + 1);
            writer.close().unwrap();
            known = count + 1;
        } else if packing == Packing::Zstd {
            // A frame that is cut cannot be read on, and ends the reading of what was written before it opens again.
            let options = WriterOptions::new(Dialect::Canonical).with_packing(packing);
            known = LogWriter::open(&path, options).unwrap().position();
            assert!(known >= safe, "{name}, kill {kill}: {known} of {safe}");
        } else if path.exists() {
            let (count, _) = read(&path, known);
            assert!(count >= safe, "{name}, kill {kill}: {count} of {safe}");
            known = count;
        }
    }
    let (count, is_torn) = read(&path, 0);
    assert!(count > KILLS && (packing == Packing::Plain || !is_torn), "{name}: {count}");
}

#[test]
fn fifty_kills_of_a_plain_log() {
    kill_often("run.jsonl", &[], 1);
}

#[test]
fn fifty_kills_of_a_log_in_segments() {
    kill_often("run.jsonl", &["--max-bytes", "1000"], 2);
}

#[test]
fn fifty_kills_of_a_packed_log() {
    kill_often("run.jsonl.zst", &["--max-bytes", "20000"], 3);
}

#[test]
fn fifty_kills_of_a_log_that_is_made_durable_by_the_clock() {
    kill_often("run.jsonl", &["--sync", "2"], 4);
}

#[test]
fn fifty_kills_of_a_packed_log_that_is_made_durable_by_the_clock() {
    kill_often("run.jsonl.zst", &["--sync", "2", "--max-bytes", "20000"], 5);
}
