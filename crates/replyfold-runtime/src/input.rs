//! What an agent is given.

use replyfold_event::{ExternalExecutionResult, UserConfirmResult};
use replyfold_message::{Msg, Role, TextBlock};

/// What an agent is given. Answers go on with the reply that waits for them; everything else begins a new one.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Input {
    /// Nothing: the agent looks at its context and goes on, as after a wake-up.
    #[default]
    Nothing,
    /// Messages, which are appended to the context.
    Messages(Vec<Msg>),
    /// A person's answers to calls that ask; also to some of them only.
    Confirm(UserConfirmResult),
    /// Results of calls that were run outside; also of some of them only.
    Results(ExternalExecutionResult),
    /// A person stops the reply that is parked. If none is, nothing happens.
    Interrupt,
}

impl From<Msg> for Input {
    fn from(msg: Msg) -> Self {
        Self::Messages(vec![msg])
    }
}

impl From<Vec<Msg>> for Input {
    fn from(messages: Vec<Msg>) -> Self {
        Self::Messages(messages)
    }
}

impl From<&str> for Input {
    /// A person says this. The message has no id: the agent gives it one.
    fn from(text: &str) -> Self {
        let mut msg = Msg::new("", Role::User);
        msg.content.push(TextBlock::new(text));
        msg.into()
    }
}

impl From<UserConfirmResult> for Input {
    fn from(answer: UserConfirmResult) -> Self {
        Self::Confirm(answer)
    }
}

impl From<ExternalExecutionResult> for Input {
    fn from(results: ExternalExecutionResult) -> Self {
        Self::Results(results)
    }
}
