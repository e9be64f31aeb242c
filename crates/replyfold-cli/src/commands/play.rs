//! `replyfold play`

use super::is_coarse;
use crate::args::{Input, Play};
use crate::lifted::Lifted;
use crate::output::{Failure, Outcome};
use crate::play::frame::{self, Areas};
use crate::play::keys::action;
use crate::play::scan::{Progress, Scan};
use crate::play::state::Effect;
use crate::play::{Player, Stage};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use ratatui::layout::Rect;
use replyfold::coarse::Language;
use replyfold::event::AgentEvent;
use replyfold::log::{Cursor, IndexError, LogReader};
use std::io::{self, IsTerminal, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Time between two frames while records come: a terminal behind a slow line keeps up.
const FRAME: Duration = Duration::from_millis(33);
/// Longest time without a look at what the system wants.
const LOOK: Duration = Duration::from_millis(250);
/// Records that are shown by one frame at most.
const BATCH: usize = 4096;

pub(crate) fn run(args: &Play) -> Result<Outcome, Failure> {
    if !io::stdout().is_terminal() {
        let told = "play needs a terminal, and standard output is none; `replyfold replay` prints a log, `replay --follow` as it grows";
        return Err(Failure::Usage(told.to_owned()));
    }
    let mut stage = Stage::new(open(&args.input)?);
    let mut player = Player::new(name(&args.input), stage.records(), args.speed);
    if let Some(at) = args.at {
        player.go(at.min(stage.records()));
    }
    // Told to end, it gives the terminal back first.
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGINT] {
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    #[cfg(unix)]
    signal_hook::flag::register(signal_hook::consts::SIGHUP, Arc::clone(&stop))?;
    let mut screen = Screen::open()?;
    if !args.paused {
        player.clock.play(Duration::ZERO);
    }
    show(&mut screen.0, &mut player, &mut stage, &stop)?;
    Ok(Outcome::Fine)
}

/// The terminal while it is the player's. A panic gives it back too.
struct Screen(DefaultTerminal);

impl Screen {
    fn open() -> Result<Self, Failure> {
        Ok(Self(ratatui::try_init().inspect_err(|_| ratatui::restore())?))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // A panic has given it back already, and its message stands there.
        if !thread::panicking() {
            ratatui::restore();
        }
    }
}

/// Keys and sizes as they come, from a thread of its own: on a terminal that is gone the reading of keys never comes back.
fn events() -> Receiver<io::Result<Event>> {
    let (tell, told) = channel();
    thread::spawn(move || {
        loop {
            let event = event::read();
            let is_over = event.is_err();
            if tell.send(event).is_err() || is_over {
                return;
            }
        }
    });
    told
}

/// Whether the terminal is gone, where no signal says so: a window that was closed, a line that was cut.
fn is_gone() -> bool {
    #[cfg(unix)]
    {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let stdout = io::stdout();
        let mut looked_at = [PollFd::new(&stdout, PollFlags::empty())];
        let told = poll(&mut looked_at, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }));
        told.is_ok_and(|count| count > 0)
    }
    #[cfg(not(unix))]
    false
}

fn show(terminal: &mut DefaultTerminal, player: &mut Player, stage: &mut Stage, stop: &AtomicBool) -> Result<(), Failure> {
    let start = Instant::now();
    let mut scan: Option<Scan> = None;
    let mut is_new = true;
    let events = events();
    while !stop.load(Ordering::Relaxed) && !is_gone() {
        let mut wait = LOOK;
        for number in 0..=BATCH {
            let gap = if player.clock.is_playing() { stage.gap(player.at).map_err(failure)? } else { None };
            let Some(due) = player.clock.due(gap) else { break };
            let now = start.elapsed();
            if due > now {
                wait = LOOK.min((due - now).max(FRAME));
                break;
            }
            (is_new, wait) = (true, FRAME);
            if number == BATCH {
                // Too fast for this machine: what it is behind is let go.
                player.clock.shown(now);
                break;
            }
            player.clock.shown(due);
            player.advance();
        }
        // A key that did something else has stopped the search.
        if let Some(going) = scan.as_mut().filter(|_| player.searching.is_some()) {
            match stage.scan(going).map_err(failure)? {
                Progress::Going(seen) => player.searching = Some(seen),
                Progress::Found(position) => player.found(&going.wanted, going.direction, Some(position)),
                Progress::Nothing => player.found(&going.wanted, going.direction, None),
            }
            (is_new, wait) = (true, Duration::ZERO);
        }
        if std::mem::take(&mut is_new) {
            let area = Rect::from((Default::default(), terminal.size()?));
            let sizes = Areas::of(area).sizes();
            let view = stage.view(player, sizes).map_err(failure)?;
            (player.scroll, player.page) = (view.scroll, sizes.rows);
            terminal.draw(|frame| frame::draw(frame, player, &view))?;
        }
        // All that was pressed meanwhile goes into one frame.
        loop {
            let event = match events.recv_timeout(std::mem::take(&mut wait)) {
                Ok(event) => event?,
                Err(RecvTimeoutError::Timeout) => break,
                // Nobody reads keys any more.
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            };
            is_new = true;
            let Event::Key(key) = event else { continue };
            let Some(action) = action(key, player.mode).filter(|_| key.kind != KeyEventKind::Release) else { continue };
            match player.handle(action, start.elapsed()) {
                Effect::None => {}
                Effect::Quit => return Ok(()),
                Effect::Redraw => terminal.clear()?,
                Effect::Find { wanted, direction } => scan = Some(Scan::new(wanted, direction, player.at)),
            }
        }
    }
    Ok(())
}

/// What the status line has room for of the log's name.
fn name(input: &Input) -> String {
    input.log.file_name().filter(|_| !input.is_stdin()).map_or_else(|| input.name(), |name| name.display().to_string())
}

/// Opens the log at its start.
fn open(input: &Input) -> Result<Cursor, Failure> {
    if input.is_stdin() {
        // Keys come from the terminal itself then.
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map_err(|err| Failure::Log(format!("{}: {err}", input.name())))?;
        let reader = || LogReader::with_options(io::Cursor::new(bytes.clone()), input.options());
        return match is_coarse(reader()) {
            true => lift(input, reader()),
            false => Cursor::from_reader(reader(), input.reduce()).map_err(failure),
        };
    }
    if is_coarse(input.reader()?) {
        return lift(input, input.reader()?);
    }
    let bar = input.progress();
    let cursor = Cursor::open_with(&input.log, input.options(), input.reduce(), |read, _| {
        if let Some(bar) = &bar {
            bar.set_position(read);
        }
        true
    });
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    cursor.map_err(failure)
}

/// The fine events of a coarse log.
fn lift(input: &Input, mut reader: LogReader) -> Result<Cursor, Failure> {
    let mut lifted = Lifted::new(Language::default());
    let mut events: Vec<AgentEvent> = Vec::new();
    while let Some(record) = reader.next_ref() {
        let record = record.map_err(|err| Failure::Log(err.to_string()))?;
        events.extend(lifted.step(record).events().map(|event| event.to_event()));
    }
    events.extend(lifted.finish());
    Ok(Cursor::from_events(events, input.reduce()))
}

fn failure(err: IndexError) -> Failure {
    Failure::Log(err.to_string())
}
