//! A model that plays a script.

use crate::script::{ScriptError, ScriptedStep, ScriptedTurn};
use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use replyfold_message::Usage;
use replyfold_runtime::{CallFragment, ChatModel, ModelChunk, ModelError, ModelErrorKind, ModelRequest, ModelStream};
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A model that plays a script: one turn a call, in order. Clones play the same script on. A call behind the last turn fails for good and says so.
///
/// Waits are tokio's, so that a test with a paused clock does not wait.
#[derive(Clone)]
pub struct Scripted {
    name: Arc<str>,
    played: Arc<Mutex<Played>>,
}

#[derive(Default)]
struct Played {
    turns: VecDeque<ScriptedTurn>,
    requests: Vec<ModelRequest>,
}

impl Scripted {
    /// A model that plays these turns.
    #[must_use]
    pub fn new(turns: impl IntoIterator<Item = ScriptedTurn>) -> Self {
        let played = Played { turns: turns.into_iter().collect(), requests: Vec::new() };
        Self { name: "scripted".into(), played: Arc::new(Mutex::new(played)) }
    }

    /// A model that plays the turns of a YAML document: a list of lists of steps.
    ///
    /// # Errors
    ///
    /// It is no YAML, or no list of turns; the error tells the line.
    pub fn from_yaml(text: &str) -> Result<Self, ScriptError> {
        crate::read_yaml::<Vec<ScriptedTurn>>(text).map(Self::new)
    }

    /// With this name instead of `scripted`.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.name = name.into();
        self
    }

    /// What it was asked so far.
    #[must_use]
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.played().requests.clone()
    }

    /// How many turns are left.
    #[must_use]
    pub fn left(&self) -> usize {
        self.played().turns.len()
    }

    fn played(&self) -> MutexGuard<'_, Played> {
        self.played.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ChatModel for Scripted {
    fn name(&self) -> &str {
        &self.name
    }

    fn call(&self, request: ModelRequest) -> BoxFuture<'_, Result<ModelStream, ModelError>> {
        let mut played = self.played();
        played.requests.push(request);
        let number = played.requests.len();
        let turn = played.turns.pop_front();
        drop(played);
        async move {
            let Some(turn) = turn else {
                let told = format!("the script is over: it has no turn for call {number}");
                return Err(ModelError::new(ModelErrorKind::InvalidRequest, told).for_good());
            };
            if let Some(ScriptedStep::Fail(failure)) = turn.first() {
                return Err(ModelError::new(failure.kind, failure.message.clone()));
            }
            let steps = VecDeque::from(turn);
            let state = (steps, false);
            let chunks = stream::unfold(state, |(mut steps, is_over)| async move {
                if is_over {
                    return None;
                }
                loop {
                    match steps.pop_front() {
                        Some(ScriptedStep::Wait(millis)) => tokio::time::sleep(Duration::from_millis(millis)).await,
                        Some(ScriptedStep::Cut(true)) => return None,
                        Some(ScriptedStep::Cut(false)) => {}
                        Some(ScriptedStep::Fail(failure)) => {
                            return Some((Err(ModelError::new(failure.kind, failure.message)), (steps, true)));
                        }
                        Some(step) => {
                            let is_over = matches!(step, ScriptedStep::Finish(_));
                            if let Some(chunk) = chunk(step) {
                                return Some((Ok(chunk), (steps, is_over)));
                            }
                        }
                        None => return Some((Ok(ModelChunk::Finish("stop".to_owned())), (steps, true))),
                    }
                }
            });
            Ok(chunks.boxed())
        }
        .boxed()
    }
}

fn chunk(step: ScriptedStep) -> Option<ModelChunk> {
    Some(match step {
        ScriptedStep::Text(text) => ModelChunk::Text(text),
        ScriptedStep::Thinking(text) => ModelChunk::Thinking(text),
        ScriptedStep::Call(call) => {
            let mut fragment = CallFragment::new(call.arguments).with_name(call.name);
            fragment.id = call.id;
            ModelChunk::Call(fragment)
        }
        ScriptedStep::Piece(piece) => {
            let mut fragment = CallFragment::new(piece.arguments);
            fragment.id = piece.id;
            ModelChunk::Call(fragment)
        }
        ScriptedStep::Usage(usage) => ModelChunk::Usage(Usage::new(usage.input, usage.output)),
        ScriptedStep::Finish(reason) => ModelChunk::Finish(reason),
        ScriptedStep::Wait(_) | ScriptedStep::Fail(_) | ScriptedStep::Cut(_) => return None,
    })
}

impl fmt::Debug for Scripted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scripted").field("name", &self.name).field("left", &self.left()).finish_non_exhaustive()
    }
}
