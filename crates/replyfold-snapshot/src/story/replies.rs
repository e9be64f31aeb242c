//! Replies, model calls, sub-agents, and how it all ends.

use super::Story;
use crate::given::fail;
use replyfold_event::{
    AgentEnd, AgentStart, Custom, ExceedMaxIters, GenerateReason, ModelCallEnd, ModelCallStart, RequestStop, Retry, SubagentExposed,
    UserInterrupt,
};
use replyfold_message::json::JsonObject;
use replyfold_message::{AgentPath, Failure, FinishedReason, ReplyId, Role, SessionId, Usage};

impl Story {
    /// Replies that start from here on are of the agent with this name.
    pub fn agent(mut self, name: &str) -> Self {
        self.agent = Some(name.to_owned());
        self
    }

    /// Replies that start from here on belong to this session.
    pub fn session(mut self, id: &str) -> Self {
        self.session = Some(SessionId::new(id));
        self
    }

    /// A reply starts, or goes on after a pause if it has started before. What follows is its own.
    pub fn reply(mut self, id: &str) -> Self {
        self.voice.reply = ReplyId::new(id);
        let mut start = AgentStart::new(&self.voice.reply, Role::Assistant);
        (start.name, start.session_id) = (self.agent.clone(), self.session.clone());
        self.event(start)
    }

    /// What follows is of this reply, without a start: a log that begins in the middle, or replies side by side.
    pub fn in_reply(mut self, id: &str) -> Self {
        self.voice.reply = ReplyId::new(id);
        self
    }

    /// The reply ends, and nothing says why: what Java sends.
    pub fn end(self) -> Self {
        let end = AgentEnd::new(&self.voice.reply);
        self.event(end)
    }

    /// The reply ends for this reason.
    pub fn end_with(self, reason: FinishedReason) -> Self {
        let end = AgentEnd::new(&self.voice.reply).with_finished_reason(reason);
        self.event(end)
    }

    /// The reply fails; the message is for people.
    pub fn fail(self, message: &str) -> Self {
        let end = AgentEnd::new(&self.voice.reply).with_finished_reason(FinishedReason::Error).with_error(Failure::new(message));
        self.event(end)
    }

    /// A person interrupts the reply, and it ends.
    pub fn interrupt(self) -> Self {
        let interrupt = UserInterrupt::new(&self.voice.reply);
        self.event(interrupt).end_with(FinishedReason::Interrupted)
    }

    /// The model is called.
    pub fn model_call(self, name: &str) -> Self {
        let start = ModelCallStart::new(&self.voice.reply).with_model_name(name);
        self.event(start)
    }

    /// The model's answer is complete; it spent these tokens.
    pub fn model_call_end(self, usage: impl Into<Option<Usage>>) -> Self {
        let end = ModelCallEnd::new(&self.voice.reply, usage.into());
        self.event(end)
    }

    /// The model call failed for good; the message is for people.
    pub fn model_call_failed(self, message: &str) -> Self {
        let end = ModelCallEnd::new(&self.voice.reply, None).with_error(Failure::new(message));
        self.event(end)
    }

    /// The model call failed and will be tried again.
    pub fn model_call_retried(self, retry: Retry, message: &str) -> Self {
        let end = ModelCallEnd::new(&self.voice.reply, None).with_error(Failure::new(message)).with_retry(retry);
        self.event(end)
    }

    /// The limit of rounds is reached.
    pub fn exceed_max_iters(self, most: u32) -> Self {
        let exceed = ExceedMaxIters::new(&self.voice.reply).with_max_iters(most).with_current_iter(most);
        self.event(exceed)
    }

    /// The run stops, or is parked.
    pub fn request_stop(self, reason: GenerateReason) -> Self {
        let stop = RequestStop::new(reason).with_reply_id(&self.voice.reply);
        self.event(stop)
    }

    /// An event of the application.
    ///
    /// # Panics
    ///
    /// The value is no JSON object.
    #[track_caller]
    pub fn custom(self, name: &str, value: &serde_json::Value) -> Self {
        match JsonObject::parse(&value.to_string()) {
            Ok(value) => self.event(Custom::new(name, value)),
            Err(err) => fail(format_args!("the value of the custom event {name:?} is wrong: {err}")),
        }
    }

    /// A sub-agent can be seen.
    pub fn expose(self, subagent: &str, agent: &str, session: &str) -> Self {
        let exposed = SubagentExposed::new(subagent, agent, session).with_reply_id(&self.voice.reply);
        self.event(exposed)
    }

    /// What a sub-agent does: the steps inside are spoken by the agent at this path. Afterwards the story goes on where it was.
    ///
    /// ```
    /// use replyfold_snapshot::{given, story};
    ///
    /// let log = story().reply("r1").subagent("main/helper", |helper| helper.reply("r2").text("Hi").end()).text("Done.").end();
    /// let replies: Vec<_> = given(&log).end().session().replies().map(|reply| reply.source().map(ToString::to_string)).collect();
    /// assert_eq!(replies, [None, Some("main/helper".to_owned())]);
    /// ```
    pub fn subagent(mut self, path: &str, steps: impl FnOnce(Self) -> Self) -> Self {
        let before = (self.voice.clone(), self.agent.clone(), self.session.clone());
        self.voice.source = Some(AgentPath::new(path));
        let mut after = steps(self);
        (after.voice, after.agent, after.session) = before;
        after
    }
}
