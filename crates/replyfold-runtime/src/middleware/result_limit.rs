//! A limit of the size of results.

use super::{ActingCall, Middleware, Next, ReplyCall};
use crate::input::Input;
use crate::tool::{ToolChunk, ToolError, ToolOutput};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use replyfold_message::{Block, Failure, TextBlock};
use std::sync::{Arc, Mutex, PoisonError};

/// A limit of the text of a tool's result, also of one that was run outside.
///
/// The head is kept, cut between two characters, and what stands for the rest says how much that was. What is cut off is handed over to nobody:
/// the message is the fold of the events. Media pass.
///
/// ```
/// use replyfold_runtime::middleware::ResultLimit;
///
/// let limit = ResultLimit::new(50_000);
/// # let _: Box<dyn replyfold_runtime::middleware::Middleware> = Box::new(limit);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultLimit {
    characters: usize,
}

/// What was written of a result, in characters.
#[derive(Default)]
struct Written {
    kept: usize,
    cut: usize,
}

impl ResultLimit {
    /// So many characters (Unicode scalar values) of text of a result at most, all its pieces together.
    #[must_use]
    pub fn new(characters: usize) -> Self {
        Self { characters }
    }

    /// The part of a piece that is kept.
    fn cut<'t>(&self, written: &mut Written, text: &'t str) -> &'t str {
        let room = self.characters - written.kept;
        match text.char_indices().nth(room) {
            None => {
                written.kept += text.chars().count();
                text
            }
            Some((end, _)) => {
                let (kept, rest) = text.split_at(end);
                written.kept = self.characters;
                written.cut += rest.chars().count();
                kept
            }
        }
    }

    fn mark(written: &Written) -> Option<String> {
        (written.cut > 0).then(|| format!("\n[The result was too long: {} more characters were cut off here.]", written.cut))
    }
}

impl Middleware for ResultLimit {
    fn on_reply<'a>(&'a self, mut call: ReplyCall, next: Next<'a, ReplyCall, Result<(), Failure>>) -> BoxFuture<'a, Result<(), Failure>> {
        if let Input::Results(results) = &mut call.input {
            for result in &mut results.tool_results {
                let mut written = Written::default();
                for block in result.output.iter_mut() {
                    if let Block::Text(text) = block {
                        text.text = self.cut(&mut written, &text.text).to_owned();
                    }
                }
                if let Some(mark) = Self::mark(&written) {
                    result.output.push(TextBlock::new(mark).into());
                }
            }
        }
        next.run(call)
    }

    fn on_acting<'a>(
        &'a self,
        call: ActingCall<'a>,
        next: Next<'a, ActingCall<'a>, Result<(), ToolError>>,
    ) -> BoxFuture<'a, Result<(), ToolError>> {
        async move {
            let written = Arc::new(Mutex::new(Written::default()));
            let mut output = call.output.clone();
            let counted = Arc::clone(&written);
            let limited = call.output.wrap(move |chunk, mut output: ToolOutput<'a>| {
                let chunk = match chunk {
                    ToolChunk::Text(text) => {
                        let mut written = counted.lock().unwrap_or_else(PoisonError::into_inner);
                        ToolChunk::Text(self.cut(&mut written, &text).to_owned())
                    }
                    other => other,
                };
                async move { output.chunk(chunk).await }
            });
            let result = next.run(ActingCall { output: limited, ..call }).await;
            let mark = Self::mark(&written.lock().unwrap_or_else(PoisonError::into_inner));
            if let Some(mark) = mark {
                output.text(mark).await;
            }
            // Why it failed has room of its own: that is what the model needs.
            result.map_err(|err| {
                let (mut written, text) = (Written::default(), err.to_string());
                let kept = self.cut(&mut written, &text);
                ToolError::new(format!("{kept}{}", Self::mark(&written).unwrap_or_default()))
            })
        }
        .boxed()
    }
}
