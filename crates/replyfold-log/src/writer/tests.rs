//! The writer on disks that fail: whatever step goes wrong, a log is a prefix of what was appended, with every acknowledged event in it.

use super::faults::{Fault, Faulty};
use super::*;
use crate::segments::{Rest, last};
use crate::{LogOptions, LogReader};
use replyfold_dialect::Dialect;
use replyfold_event::TextBlockDelta;
use std::sync::Mutex;
use std::time::{Duration, UNIX_EPOCH};

const BASE: &str = "logs/run.jsonl";
const EVENTS: usize = 10;

fn event(number: usize) -> AgentEvent {
    let text = "text ".repeat(number * 3 % 7);
    AgentEvent::new(TextBlockDelta::new("r", "b", text)).with_id(format!("e{number}"))
}

/// The numbers of the events in the log; anything else in it fails the test.
fn read(disk: &Faulty) -> Vec<usize> {
    let Some(input) = disk.input(Path::new(BASE)).unwrap() else { return Vec::new() };
    let others = disk.clone();
    let rest = Rest::new(Path::new(BASE), last(Path::new(BASE), &disk.names(Path::new(BASE))), move |path| others.input(path));
    let events = LogReader::over(input, rest, LogOptions::new()).map(|record| record.unwrap());
    events
        .map(|record| record.event().unwrap_or_else(|| panic!("{record:?}")).id.as_ref().unwrap().as_str()[1..].parse().unwrap())
        .collect()
}

fn open(disk: &Faulty, options: &WriterOptions) -> Result<LogWriter, WriteError> {
    LogWriter::open_in(Arc::new(disk.clone()), Path::new(BASE), options.clone())
}

/// What was acknowledged before something went wrong.
#[derive(Debug, Default)]
struct Acknowledged {
    durable: u64,
    written: u64,
}

/// Appends the events from where the log is to the last one, three of them at once.
fn append_rest(writer: &mut LogWriter, told: &mut Acknowledged) -> Result<(), WriteError> {
    while (writer.position() as usize) < EVENTS {
        let next = writer.position() as usize;
        let count = if next == 4 { 3 } else { 1 };
        let events: Vec<AgentEvent> = (next..next + count).map(event).collect();
        let appended = writer.append_all(&events)?;
        assert_eq!(appended.positions, next as u64..(next + count) as u64);
        (told.durable, told.written) = (writer.durable(), writer.position());
    }
    Ok(())
}

/// Every way of writing; the second half of each pair says whether what was written is safe from the end of the process alone.
fn ways() -> Vec<(WriterOptions, bool)> {
    let mut ways = Vec::new();
    for durability in [Durability::EveryEvent, Durability::Every(Duration::from_millis(3)), Durability::OnClose] {
        for packing in [Packing::Plain, Packing::Zstd] {
            for most in [None, Some(260)] {
                // Each look at the clock takes a millisecond.
                let time = Mutex::new(UNIX_EPOCH);
                let clock = move || {
                    let mut time = time.lock().unwrap();
                    *time += Duration::from_millis(1);
                    *time
                };
                let mut options =
                    WriterOptions::new(Dialect::Canonical).with_durability(durability).with_packing(packing).with_clock(clock);
                options.max_bytes = most;
                ways.push((options, durability == Durability::EveryEvent || packing == Packing::Plain));
            }
        }
    }
    ways
}

#[test]
fn whatever_step_fails_the_log_is_a_prefix_with_every_acknowledged_event() {
    let mut cases = 0;
    for (options, is_written) in ways() {
        for fault in Fault::ALL {
            for step in 1.. {
                let mut came = None;
                for (power, chance) in [(false, 0), (true, 1), (true, 2)] {
                    if !power && matches!(fault, Fault::Before | Fault::After) {
                        continue;
                    }
                    let disk = Faulty::default();
                    disk.fail_at(step, fault);
                    let mut told = Acknowledged::default();
                    let mut result = open(&disk, &options);
                    if let Ok(writer) = &mut result {
                        let appended = append_rest(writer, &mut told).and_then(|()| writer.sync());
                        if appended.is_err() {
                            refuses_everything(writer, &disk);
                        } else {
                            (told.durable, told.written) = (EVENTS as u64, EVENTS as u64);
                        }
                    }
                    drop(result);
                    came = disk.came();
                    // A sync that failed has forgotten what it was for: only what was acknowledged as durable is safe from then on.
                    disk.restart(power, chance + step * 8);

                    let safe = if power || !is_written { told.durable } else { told.written } as usize;
                    let case = format!("{options:?} {fault:?} at step {step}, power off {power} {chance}: {told:?}");
                    // Before the log is opened again there may be what is left of a record, but no other damage.
                    let mut writer = open(&disk, &options).unwrap_or_else(|err| panic!("{case}: {err}"));
                    let found = read(&disk);
                    assert!((safe..=EVENTS).contains(&found.len()), "{case}: {found:?}");
                    assert_eq!(found, (0..found.len()).collect::<Vec<_>>(), "{case}");
                    assert_eq!(writer.position() as usize, found.len(), "{case}");

                    append_rest(&mut writer, &mut told).unwrap_or_else(|err| panic!("{case}: {err}"));
                    writer.close().unwrap_or_else(|err| panic!("{case}: {err}"));
                    assert_eq!(read(&disk), (0..EVENTS).collect::<Vec<_>>(), "{case}");
                    cases += 1;
                }
                if came.is_none() {
                    break;
                }
            }
        }
    }
    assert!(cases > 3_000, "{cases}");
    eprintln!("{cases} cases");
}

/// After a failure nothing is acknowledged, and nothing is written.
fn refuses_everything(writer: &mut LogWriter, disk: &Faulty) {
    let (position, durable, contents) = (writer.position(), writer.durable(), disk.contents());
    assert!(writer.append(&event(0)).unwrap_err().is_poisoned());
    assert!(writer.sync().unwrap_err().is_poisoned());
    assert_eq!((writer.position(), writer.durable(), disk.contents()), (position, durable, contents));
}

/// What is durable stays so: the log is opened again after a failure, closed well, and the power goes.
#[test]
fn what_a_sync_forgot_is_not_taken_for_durable_where_every_event_is() {
    for (options, _) in ways().into_iter().filter(|(options, _)| options.durability == Durability::EveryEvent) {
        for fault in [Fault::Fail, Fault::Short] {
            for step in 1.. {
                let disk = Faulty::default();
                disk.fail_at(step, fault);
                if let Ok(mut writer) = open(&disk, &options) {
                    let _ = append_rest(&mut writer, &mut Acknowledged::default());
                }
                let came = disk.came();
                disk.restart(false, 0);
                let mut writer = open(&disk, &options).unwrap();
                append_rest(&mut writer, &mut Acknowledged::default()).unwrap();
                writer.close().unwrap();
                disk.restart(true, step);
                assert_eq!(read(&disk), (0..EVENTS).collect::<Vec<_>>(), "{options:?} {fault:?} at step {step}");
                if came.is_none() {
                    break;
                }
            }
        }
    }
}

/// A repair that fails, or is cut off itself, loses nothing either.
#[test]
fn whatever_step_of_a_repair_fails_no_byte_is_lost() {
    let line = |number| format!("{}\n", event(number).to_json());
    let packed = |text: &str| frames::Packer::new().unwrap().frame(text.as_bytes()).unwrap();
    let cut = &line(2)[..20];
    let frame = packed(&line(2));
    let logs: [(Vec<u8>, &[u8]); 5] = [
        ([line(0), line(1), cut.to_owned()].concat().into_bytes(), cut.as_bytes()),
        ([line(0), line(1).trim_end().to_owned()].concat().into_bytes(), b""),
        ([line(0).as_bytes(), line(1).trim_end().as_bytes(), &[0; 2000]].concat(), &[0; 2000]),
        ([packed(&line(0)), packed(&line(1)), frame[..frame.len() - 3].to_vec()].concat(), &frame[..frame.len() - 3]),
        ([packed(&line(0)), packed(line(1).trim_end())].concat(), b""),
    ];
    let options = WriterOptions::new(Dialect::Canonical);
    for (log, torn) in logs {
        for fault in Fault::ALL {
            for step in 1.. {
                let disk = Faulty::default();
                disk.put(BASE, &log);
                disk.fail_at(step, fault);
                let opened = open(&disk, &options).map(|writer| writer.position());
                let came = disk.came();
                assert!(came.is_some() || opened.is_ok_and(|position| position == 2));
                disk.restart(true, step);
                let writer = open(&disk, &options).unwrap();
                assert_eq!((writer.position(), read(&disk)), (2, vec![0, 1]), "{fault:?} at step {step}");
                drop(writer);
                let contents = disk.contents();
                let kept = |bytes: &Vec<u8>| bytes.windows(torn.len().max(1)).any(|window| window == torn);
                assert!(
                    torn.is_empty()
                        || contents.iter().any(|(path, bytes)| path.extension().is_some_and(|name| name == "torn") && kept(bytes))
                );
                if came.is_none() {
                    break;
                }
            }
        }
    }
}

#[test]
fn a_second_writer_is_refused_until_the_first_is_gone() {
    let (disk, options) = (Faulty::default(), WriterOptions::new(Dialect::Canonical));
    let first = open(&disk, &options).unwrap();
    assert!(open(&disk, &options).unwrap_err().is_locked());
    drop(first);
    open(&disk, &options).unwrap();
}

#[test]
fn frames_end_where_they_end() {
    let disk = Faulty::default();
    let texts = ["a\n".repeat(50_000), "b\nc\n".to_owned(), "the last".to_owned()];
    let packed: Vec<Vec<u8>> = texts.iter().map(|text| frames::Packer::new().unwrap().frame(text.as_bytes()).unwrap()).collect();
    let all = packed.concat();
    let of = |bytes: &[u8]| {
        disk.put("f", bytes);
        frames::Frames::of(disk.open(Path::new("f")).unwrap().as_mut(), bytes.len() as u64).unwrap()
    };
    let ends: Vec<usize> = packed
        .iter()
        .scan(0, |end, frame| {
            Some({
                *end += frame.len();
                *end
            })
        })
        .collect();
    for cut in 0..=all.len() {
        let frames = of(&all[..cut]);
        let whole = ends.iter().rev().find(|end| **end <= cut).copied().unwrap_or(0);
        assert_eq!((frames.end, frames.resume), (whole as u64, false), "{cut}");
    }
    assert_eq!(of(&all).tail, b"the last");
    // Any byte of the middle frame that is another: what follows it is whole, and would not be read.
    for at in ends[0]..ends[1] {
        let mut damaged = all.clone();
        damaged[at] ^= 0x55;
        let frames = of(&damaged);
        assert_eq!((frames.end, frames.resume), (ends[0] as u64, true), "{at}");
    }
}
