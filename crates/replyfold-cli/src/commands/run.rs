//! `replyfold run`

mod agent;
mod files;
mod script;

use super::record::packing;
use crate::args::Run;
use crate::output::{Failure, Outcome, complain, data};
use futures_util::StreamExt as _;
use replyfold::coarse::{CollapseOptions, SessionCollapser};
use replyfold::dialect::Dialect;
use replyfold::event::{AgentEvent, ConfirmResult, ExternalExecutionResult, Payload, UserConfirmResult};
use replyfold::log::{LogWriter, WriteError, WriterOptions};
use replyfold::message::{Block, FinishedReason, Msg, Role, TextBlock, ToolCallBlock, ToolCallState, ToolResultBlock, ToolResultState};
use replyfold::runtime::{Agent, AgentState, Clock, Input, SeededClock, SystemClock};
use script::{Answer, InputPart, Script};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::{fs, iter};
use tokio_util::sync::CancellationToken;

pub(crate) fn run(args: &Run) -> Result<Outcome, Failure> {
    files::check(args)?;
    let (name, text) = read(&args.script)?;
    let mut script = Script::parse(&text).map_err(|why| Failure::Usage(format!("{name}: {why}")))?;
    let state = args.state.as_deref().map_or(Ok(None), load)?.unwrap_or_default();
    let clock: Arc<dyn Clock> = match args.seed {
        // Ids ascend also from one process to the next.
        Some(seed) => Arc::new(SeededClock::new(seed).behind(&state)),
        None => Arc::new(SystemClock::new()),
    };
    let (agent, models) = agent::build(&mut script, state, clock).map_err(|why| Failure::Usage(format!("{name}: {why}")))?;
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().start_paused(args.seed.is_some()).build().map_err(|err| Failure::Log(err.to_string()))?;
    let mut out = Out::new(args)?;
    let mut outcome = Outcome::Fine;
    for (part, number) in script.input.iter().zip(1..) {
        let input = input(&agent, part);
        let refused = |err| Failure::Usage(format!("{name}: input {number}: {err}"));
        let token = CancellationToken::new();
        let mut stream = agent.stream_until(input, token.clone()).map_err(refused)?;
        let mut count = 0;
        while let Some(event) = runtime.block_on(stream.next()) {
            count += 1;
            if part.interrupt_after == Some(count) {
                token.cancel();
            }
            if matches!(&event.payload, Payload::AgentEnd(end) if end.finished_reason == Some(FinishedReason::Error)) {
                outcome = Outcome::Findings;
            }
            out.take(&event)?;
        }
        if let Some(path) = &args.state {
            save(path, &agent.state())?;
        }
    }
    out.finish(agent.current().is_none())?;
    if let Some(waiting) = agent.current() {
        complain(&format!("reply `{}` waits for answers to {}", waiting.id, awaited(&waiting)));
    }
    for (name, model) in models {
        if model.left() > 0 {
            complain(&format!("{} of the turns of `{name}` were not played", model.left()));
        }
    }
    Ok(outcome)
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

fn load(path: &Path) -> Result<Option<AgentState>, Failure> {
    let text = match fs::read_to_string(path) {
        Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read.map_err(|err| Failure::Log(format!("{}: {err}", path.display())))?,
    };
    serde_json::from_str(&text).map(Some).map_err(|err| Failure::Log(format!("{}: this is no state of an agent: {err}", path.display())))
}

/// Keeps the state: the file is the old one or the new one, whatever happens.
fn save(path: &Path, state: &AgentState) -> Result<(), Failure> {
    let failure = |err: io::Error| Failure::Log(format!("{}: the state cannot be kept: {err}", path.display()));
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failure)?;
    serde_json::to_writer_pretty(&mut file, state).map_err(|err| failure(err.into()))?;
    file.write_all(b"\n").and_then(|()| file.as_file().sync_all()).map_err(failure)?;
    file.persist(path).map_err(|err| failure(err.error))?;
    Ok(())
}

/// The calls that a message's reply waits for.
fn awaited(message: &Msg) -> String {
    let waiting = calls(message).filter(|call| matches!(call.state, ToolCallState::Asking | ToolCallState::Submitted));
    waiting.map(|call| format!("`{}`", call.id)).collect::<Vec<_>>().join(", ")
}

fn calls(message: &Msg) -> impl Iterator<Item = &ToolCallBlock> {
    message.content.iter().filter_map(|block| if let Block::ToolCall(call) = block { Some(call) } else { None })
}

/// What the agent is given. A call that it does not have is named all the same: the agent says what is wrong.
fn input(agent: &Agent, part: &InputPart) -> Input {
    let waiting = agent.current().unwrap_or_else(|| Msg::new("", Role::Assistant));
    let call = |id: &str| calls(&waiting).find(|call| *call.id.as_str() == *id).cloned().unwrap_or_else(|| ToolCallBlock::new(id, ""));
    if let Some(text) = &part.say {
        return text.as_str().into();
    }
    if let Some(answers) = &part.answer {
        let results = answers.iter().map(|(id, answer)| {
            let call = call(id);
            match answer {
                Answer::Yes => ConfirmResult::new(true, call),
                Answer::No => ConfirmResult::new(false, call),
                Answer::Edit(arguments) => ConfirmResult::new(true, call.with_content(arguments.as_str())),
                Answer::Always => {
                    let rules = call.suggested_rules.clone();
                    ConfirmResult::new(true, call).with_rules(rules)
                }
            }
        });
        return UserConfirmResult::new(waiting.id.as_str(), results.collect::<Vec<_>>()).into();
    }
    if let Some(results) = &part.results {
        let results = results.iter().map(|(id, outside)| {
            let state = if outside.is_error { ToolResultState::Error } else { ToolResultState::Success };
            let text = Block::Text(TextBlock::new(outside.text.as_str()));
            ToolResultBlock::new(id.as_str(), call(id).name.as_str()).with_output(vec![text]).with_state(state)
        });
        return ExternalExecutionResult::new(waiting.id.as_str(), results.collect::<Vec<_>>()).into();
    }
    if part.interrupt { Input::Interrupt } else { Input::Nothing }
}

/// Where events go.
struct Out {
    log: Option<LogWriter>,
    coarse: Option<SessionCollapser>,
    /// `None` once nobody reads it any more: the agent goes on all the same.
    screen: Option<Box<dyn Write>>,
}

impl Out {
    fn new(args: &Run) -> Result<Self, Failure> {
        let log = match &args.log {
            Some(path) => Some(LogWriter::open(path, WriterOptions::new(Dialect::Canonical).with_packing(packing(path))).map_err(failed)?),
            None => None,
        };
        log.iter().flat_map(|log| log.repairs()).for_each(|repair| complain(&repair.to_string()));
        let coarse = args.coarse.then(|| SessionCollapser::with_options(CollapseOptions::new().with_language(args.lang.into())));
        Ok(Self { log, coarse, screen: Some(Box::new(data())) })
    }

    fn take(&mut self, event: &AgentEvent) -> Result<(), Failure> {
        if let Some(log) = &mut self.log {
            log.append(event).map_err(failed)?;
        }
        let lines: Vec<String> = match &mut self.coarse {
            Some(coarse) => coarse.push(event).map(|shown| shown.event.to_json()).collect(),
            None => iter::once(event.to_json()).collect(),
        };
        self.show(&lines)
    }

    fn show(&mut self, lines: &[String]) -> Result<(), Failure> {
        let Some(screen) = &mut self.screen else { return Ok(()) };
        // An event is seen when it is emitted.
        match lines.iter().try_for_each(|line| writeln!(screen, "{line}")).and_then(|()| screen.flush()) {
            Err(err) if err.kind() == io::ErrorKind::BrokenPipe => self.screen = None,
            shown => shown?,
        }
        Ok(())
    }

    /// `is_over`: no reply waits, so what a coarse stream owes is its end.
    fn finish(mut self, is_over: bool) -> Result<(), Failure> {
        if let (true, Some(coarse)) = (is_over, &mut self.coarse) {
            let lines: Vec<String> = coarse.finish().map(|shown| shown.event.to_json()).collect();
            self.show(&lines)?;
        }
        self.log.map_or(Ok(()), |log| log.close().map_err(failed))
    }
}

fn failed(err: WriteError) -> Failure {
    Failure::Log(err.to_string())
}
