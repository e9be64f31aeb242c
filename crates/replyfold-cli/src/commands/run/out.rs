//! Where the events of a run go.

use super::super::record::packing;
use crate::args::Run;
use crate::output::{Failure, complain, data};
use replyfold::coarse::{CollapseOptions, SessionCollapser};
use replyfold::dialect::Dialect;
use replyfold::event::AgentEvent;
use replyfold::log::{LogWriter, WriteError, WriterOptions};
use std::io::{self, Write};
use std::iter;

/// Where events go.
pub(super) struct Out {
    log: Option<LogWriter>,
    coarse: Option<SessionCollapser>,
    /// `None` once nobody reads it any more: the agent goes on all the same.
    screen: Option<Box<dyn Write>>,
}

impl Out {
    /// `before` are the events of the reply that goes on: its stream began in another process.
    pub(super) fn new(args: &Run, before: &[AgentEvent]) -> Result<Self, Failure> {
        let log = match &args.log {
            Some(path) => Some(LogWriter::open(path, WriterOptions::new(Dialect::Canonical).with_packing(packing(path))).map_err(failed)?),
            None => None,
        };
        log.iter().flat_map(|log| log.repairs()).for_each(|repair| complain(&repair.to_string()));
        let mut coarse = args.coarse.then(|| SessionCollapser::with_options(CollapseOptions::new().with_language(args.lang.into())));
        if let Some(coarse) = &mut coarse {
            // What they show was shown then.
            before.iter().for_each(|event| coarse.push(event).for_each(drop));
        }
        Ok(Self { log, coarse, screen: Some(Box::new(data())) })
    }

    pub(super) fn take(&mut self, event: &AgentEvent) -> Result<(), Failure> {
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

    /// Closes the log, and the coarse stream unless it goes on in another process: whoever reads one waits for its end.
    pub(super) fn finish(mut self, goes_on: bool) -> Result<(), Failure> {
        let lines: Vec<String> = match &mut self.coarse {
            Some(coarse) if !goes_on => coarse.finish().map(|shown| shown.event.to_json()).collect(),
            _ => Vec::new(),
        };
        let shown = self.show(&lines);
        // Closed in any case: what was appended is durable.
        let closed = self.log.map_or(Ok(()), |log| log.close().map_err(failed));
        shown.and(closed)
    }
}

fn failed(err: WriteError) -> Failure {
    Failure::Log(err.to_string())
}
