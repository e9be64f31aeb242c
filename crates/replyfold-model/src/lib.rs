//! Chat models for agents.
//!
//! [`Scripted`] plays a script: an agent on it does the same each time, which is what tests and demonstrations need.
#![cfg_attr(feature = "openai", doc = "[`OpenAiCompatible`] calls a server that speaks the chat completions of OpenAI.")]
//!
//! ```
//! use replyfold_model::Scripted;
//! use replyfold_runtime::{Agent, text_of};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
//! let model = Scripted::from_yaml("
//! - - thinking: a greeting
//!   - text: Hello
//! ")?;
//! let agent = Agent::builder(model.clone()).build()?;
//! assert_eq!(text_of(&agent.reply("hi").await?), "Hello");
//! assert_eq!(model.requests().len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "openai")]
mod openai;
mod script;
mod scripted;
mod yaml;

#[cfg(feature = "openai")]
pub use openai::{OpenAiBuildError, OpenAiBuilder, OpenAiCompatible};
#[cfg(feature = "openai")]
pub use replyfold_coarse::ThinkOptions;
pub use script::{ScriptError, ScriptedCall, ScriptedFailure, ScriptedPiece, ScriptedStep, ScriptedTurn, ScriptedUsage};
pub use scripted::Scripted;
pub use yaml::{ScriptedArguments, read_yaml};

#[cfg(all(doctest, feature = "openai"))]
#[doc = include_str!("../../../docs/how-to/call-a-model.md")]
struct CallAModel;
