//! `replyfold run`

mod agent;
mod files;
mod input;
mod out;
mod script;
mod state;

use crate::args::Run;
use crate::output::{Failure, Outcome, complain};
use futures_util::StreamExt as _;
use out::Out;
use replyfold::event::{AgentEvent, Payload};
use replyfold::message::FinishedReason;
use replyfold::runtime::{Agent, AgentState, Clock, SeededClock, SystemClock};
use script::{InputPart, Script};
use state::StateFile;
use std::path::Path;
use std::sync::Arc;
use std::{fs, io};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

pub(crate) fn run(args: &Run) -> Result<Outcome, Failure> {
    files::check(args)?;
    let (name, text) = read(&args.script)?;
    let mut script = Script::parse(&text).map_err(|why| Failure::Usage(format!("{name}: {why}")))?;
    let (file, state) = args.state.as_deref().map(StateFile::open).transpose()?.unzip();
    let state: AgentState = state.flatten().unwrap_or_default();
    let clock: Arc<dyn Clock> = match args.seed {
        // Ids ascend also from one process to the next.
        Some(seed) => Arc::new(SeededClock::new(seed).behind(&state)),
        None => Arc::new(SystemClock::new()),
    };
    let before: Vec<AgentEvent> = state.parked.iter().flat_map(|parked| parked.events.clone()).collect();
    let (agent, models) = agent::build(&mut script, state, clock).map_err(|why| Failure::Usage(format!("{name}: {why}")))?;
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().start_paused(args.seed.is_some()).build().map_err(|err| Failure::Log(err.to_string()))?;
    let mut session =
        Session { name, agent, runtime, is_kept: file.is_some(), file, out: Out::new(args, &before)?, outcome: Outcome::Fine };
    let played = script.input.iter().zip(1..).try_for_each(|(part, number)| session.play(part, number));
    let Session { agent, is_kept, out, outcome, .. } = session;
    let waiting = agent.current();
    let finished = out.finish(waiting.is_some() && is_kept);
    played.and(finished)?;
    if let Some(waiting) = waiting {
        complain(&format!("reply `{}` waits for {}", waiting.id, input::awaited(&waiting)));
    }
    for (name, model) in models {
        if model.left() > 0 {
            complain(&format!("{} of the turns of `{name}` were not played", model.left()));
        }
    }
    Ok(outcome)
}

/// An agent at work on a script.
struct Session {
    /// The script's name in messages.
    name: String,
    agent: Agent,
    runtime: Runtime,
    file: Option<StateFile>,
    /// Whether the file holds what the agent remembers.
    is_kept: bool,
    out: Out,
    outcome: Outcome,
}

impl Session {
    /// Gives the agent an input of the script, and keeps what it remembers then.
    fn play(&mut self, part: &InputPart, number: usize) -> Result<(), Failure> {
        let place = format!("{}: input {number}", self.name);
        if part.interrupt && self.agent.current().is_none() {
            complain(&format!("{place}: no reply waits, so there is nothing to interrupt"));
        }
        let refused = |err| Failure::Usage(format!("{place}: {err}"));
        let token = CancellationToken::new();
        let mut stream = self.agent.stream_until(input::of(&self.agent, part), token.clone()).map_err(refused)?;
        self.is_kept = false;
        let mut count: u64 = 0;
        while let Some(event) = self.runtime.block_on(stream.next()) {
            count += 1;
            if part.interrupt_after == Some(count) {
                token.cancel();
            }
            if matches!(&event.payload, Payload::AgentEnd(end) if end.finished_reason == Some(FinishedReason::Error)) {
                self.outcome = Outcome::Findings;
            }
            self.out.take(&event)?;
        }
        if let Some(after) = part.interrupt_after.filter(|after| *after >= count) {
            complain(&format!("{place}: its run was over behind event {count}, so `interrupt_after: {after}` did nothing"));
        }
        if let Some(file) = &self.file {
            file.save(&self.agent.state())?;
            self.is_kept = true;
        }
        Ok(())
    }
}

/// The script's name in messages, and its text.
fn read(path: &Path) -> Result<(String, String), Failure> {
    let (name, text) = match path.as_os_str() == "-" {
        true => ("standard input".to_owned(), io::read_to_string(io::stdin())),
        false => (path.display().to_string(), fs::read_to_string(path)),
    };
    let text = text.map_err(|err| Failure::Log(format!("{name}: {err}")))?;
    Ok((name, text))
}
