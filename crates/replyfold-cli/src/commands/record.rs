//! `replyfold record`

use super::convert::Losses;
use crate::args::Record;
use crate::output::{Failure, Outcome, complain, data};
use replyfold::dialect::Loss;
use replyfold::event::AgentEvent;
use replyfold::log::{Durability, LogWriter, Packing, Place, WriteError, WriterOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime};

pub(crate) fn run(args: &Record) -> Result<Outcome, Failure> {
    if args.log.as_os_str() == "-" {
        return Err(Failure::Usage("events are read from standard input and recorded to a file: give its name".to_owned()));
    }
    let writer = LogWriter::open(&args.log, options(args)).map_err(|err| failure(&err))?;
    writer.repairs().iter().for_each(|repair| complain(&repair.to_string()));
    let acknowledged = writer.position();
    let recording = Mutex::new(Recording { writer, out: args.ack.then(|| Box::new(data()) as _), acknowledged });
    let recorded = thread::scope(|scope| {
        // Events may stop coming while some are not durable yet. The thread ends when the sender is gone.
        let (_recorded, is_over) = channel();
        if let Durability::Every(most) = args.sync {
            let recording = &recording;
            scope.spawn(move || tick(recording, most, &is_over));
        }
        record(args, &recording)
    });
    let closed = recording.into_inner().unwrap_or_else(PoisonError::into_inner).close();
    match (recorded, closed) {
        // That something is not durable weighs more than a record that was not even taken.
        (Ok(_) | Err(Failure::BadRecord(_)), Err(err)) => Err(err),
        // The first failure says why; a writer that it has ended can only repeat it.
        (recorded, _) => recorded,
    }
}

fn options(args: &Record) -> WriterOptions {
    let mut options = WriterOptions::new(args.dialect.into())
        .with_durability(args.sync)
        .with_packing(if args.zstd { Packing::Zstd } else { packing(&args.log) })
        .with_clock(SystemTime::now);
    if let Some(bytes) = args.max_bytes {
        options = options.with_max_bytes(bytes);
    }
    if let Some(seconds) = args.max_age {
        options = options.with_max_age(Duration::from_secs(seconds));
    }
    options
}

/// How the name of a log says that its files are packed.
pub(super) fn packing(log: &Path) -> Packing {
    if log.extension().is_some_and(|name| name == "zst") { Packing::Zstd } else { Packing::Plain }
}

fn failure(err: &WriteError) -> Failure {
    Failure::Log(err.to_string())
}

/// Appends what standard input holds.
fn record(args: &Record, recording: &Mutex<Recording>) -> Result<Outcome, Failure> {
    let input = args.input();
    let mut losses = Losses::new(&input);
    let mut last = Place::default();
    let reading = input.read(|step| {
        last = step.record.place;
        for event in step.events() {
            losses.add(lock(recording).append(&event.to_cow())?, last);
        }
        Ok(true)
    })?;
    for event in &reading.held {
        losses.add(lock(recording).append(event)?, last);
    }
    if reading.is_coarse {
        complain(&format!("{}: coarse records were lifted to fine events", input.name()));
    }
    losses.tell();
    reading.end.after(Ok(()), Outcome::Fine)
}

/// A log and the events that go to it.
struct Recording {
    writer: LogWriter,
    /// Where acknowledged events are told, as long as somebody listens.
    out: Option<Box<dyn Write + Send>>,
    acknowledged: u64,
}

impl Recording {
    fn append(&mut self, event: &AgentEvent) -> Result<Vec<Loss>, Failure> {
        let appended = self.writer.append(event).map_err(|err| failure(&err))?;
        self.acknowledge()?;
        Ok(appended.losses)
    }

    /// Tells the positions of what has become durable. Nobody who listens is no reason not to record.
    fn acknowledge(&mut self) -> Result<(), Failure> {
        let new = self.acknowledged..self.writer.durable();
        let Some(out) = self.out.as_mut().filter(|_| !new.is_empty()) else { return Ok(()) };
        let mut tell = || {
            new.clone().try_for_each(|position| writeln!(out, "{position}"))?;
            out.flush()
        };
        match tell() {
            Err(err) if err.kind() == io::ErrorKind::BrokenPipe => self.out = None,
            told => told?,
        }
        self.acknowledged = new.end;
        Ok(())
    }

    fn close(mut self) -> Result<(), Failure> {
        self.writer.sync().map_err(|err| failure(&err))?;
        self.acknowledge()
    }
}

fn lock(recording: &Mutex<Recording>) -> MutexGuard<'_, Recording> {
    // A thread that panicked has left a writer that still knows what it wrote.
    recording.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets the writer look at the clock now and then, until the events are over.
fn tick(recording: &Mutex<Recording>, most: Duration, is_over: &Receiver<()>) {
    while is_over.recv_timeout(most) == Err(RecvTimeoutError::Timeout) {
        let mut recording = lock(recording);
        // A failure ends the writer: the next event, or the end, tells it.
        if recording.writer.tick().is_err() || recording.acknowledge().is_err() {
            break;
        }
    }
}
