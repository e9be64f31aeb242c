//! The script of `run`, as it is written. `docs/how-to/run-a-script.md` describes it for users.

use replyfold::model::{ScriptedArguments, ScriptedTurn, read_yaml};
use serde::de::{Error, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Script {
    #[serde(default)]
    pub(super) agent: AgentPart,
    #[serde(default)]
    pub(super) retry: RetryPart,
    #[serde(default)]
    pub(super) middleware: Vec<MiddlewarePart>,
    #[serde(default)]
    pub(super) tools: Vec<ToolPart>,
    pub(super) model: Vec<ScriptedTurn>,
    #[serde(default)]
    pub(super) fallback: Option<Vec<ScriptedTurn>>,
    pub(super) input: Vec<InputPart>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct AgentPart {
    pub(super) name: String,
    pub(super) system: String,
    pub(super) session: Option<String>,
    pub(super) max_rounds: Option<u64>,
    pub(super) concurrency: Option<usize>,
    /// Milliseconds.
    pub(super) tool_timeout: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RetryPart {
    pub(super) max_retries: Option<u64>,
    /// Milliseconds.
    pub(super) delay: Option<u64>,
    pub(super) announce: Option<bool>,
    pub(super) midstream: Option<bool>,
    pub(super) only_transient: Option<bool>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum MiddlewarePart {
    Budget(BudgetPart),
    /// Characters.
    ResultLimit(usize),
    /// Minutes east of UTC.
    Time(i32),
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct BudgetPart {
    pub(super) tokens: Option<u64>,
    pub(super) model_calls: Option<u64>,
    /// Milliseconds.
    pub(super) time: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ToolPart {
    pub(super) name: String,
    #[serde(default)]
    pub(super) description: String,
    #[serde(default = "any_object")]
    pub(super) parameters: Value,
    /// May run beside others.
    #[serde(default)]
    pub(super) safe: bool,
    #[serde(default)]
    pub(super) external: bool,
    /// Milliseconds.
    #[serde(default)]
    pub(super) timeout: Option<u64>,
    /// A person decides.
    #[serde(default)]
    pub(super) ask: bool,
    /// The gate refuses, for this reason.
    #[serde(default)]
    pub(super) deny: Option<String>,
    /// What each call does, one after the other; the last one again for all that follow.
    #[serde(default)]
    pub(super) runs: Vec<Vec<ToolStep>>,
}

fn any_object() -> Value {
    serde_json::json!({"type": "object"})
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ToolStep {
    Text(String),
    /// Milliseconds.
    Wait(u64),
    Fail(String),
}

/// One input; exactly one of its keys but `interrupt_after`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct InputPart {
    pub(super) say: Option<String>,
    pub(super) answer: Option<BTreeMap<String, Answer>>,
    pub(super) results: Option<BTreeMap<String, Outside>>,
    pub(super) interrupt: bool,
    pub(super) nothing: bool,
    /// Events of this run, behind which it is interrupted.
    pub(super) interrupt_after: Option<u64>,
}

/// What a person says to a call.
#[derive(Debug)]
pub(super) enum Answer {
    Yes,
    No,
    /// With the rules that were suggested.
    Always,
    /// With other arguments.
    Edit(String),
}

impl<'de> Deserialize<'de> for Answer {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(AnswerWords)
    }
}

struct AnswerWords;

impl<'de> Visitor<'de> for AnswerWords {
    type Value = Answer;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an answer: `yes`, `no`, `always` or `edit: {…}`")
    }

    fn visit_bool<E: Error>(self, is_yes: bool) -> Result<Answer, E> {
        Ok(if is_yes { Answer::Yes } else { Answer::No })
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<Answer, E> {
        match word {
            "yes" => Ok(Answer::Yes),
            "no" => Ok(Answer::No),
            "always" => Ok(Answer::Always),
            _ => Err(E::custom(format!("`{word}` is no answer; there are `yes`, `no`, `always` and `edit: {{…}}`"))),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Answer, A::Error> {
        let alone = || A::Error::custom("an answer with other arguments is `edit: {…}` and nothing else");
        match from.next_key::<String>()? {
            Some(key) if key == "edit" => {}
            _ => return Err(alone()),
        }
        let arguments: ScriptedArguments = from.next_value()?;
        if from.next_key::<IgnoredAny>()?.is_some() {
            return Err(alone());
        }
        Ok(Answer::Edit(arguments.into_text()))
    }
}

/// A result from outside.
#[derive(Debug)]
pub(super) struct Outside {
    pub(super) text: String,
    pub(super) is_error: bool,
}

impl<'de> Deserialize<'de> for Outside {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(from)?;
        let error = value.as_object().filter(|object| object.len() == 1).and_then(|object| object.get("error")).and_then(Value::as_str);
        match (value.as_str(), error) {
            (Some(text), _) => Ok(Self { text: text.to_owned(), is_error: false }),
            (None, Some(text)) => Ok(Self { text: text.to_owned(), is_error: true }),
            (None, None) => Err(D::Error::custom(format!("`{value}` is no result; there are a text and `error: …`"))),
        }
    }
}

impl Script {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let script: Self = read_yaml(text).map_err(|err| err.to_string())?;
        if script.agent.concurrency == Some(0) {
            return Err("`concurrency: 0` lets no call run: say 1 or more".to_owned());
        }
        if script.retry.announce == Some(false) && script.retry.midstream == Some(true) {
            return Err(
                "`announce: false` and `midstream: true` exclude each other: only a retry that is told withdraws an answer".to_owned()
            );
        }
        for (part, number) in script.middleware.iter().zip(1..) {
            part.check().map_err(|why| format!("middleware {number}: {why}"))?;
        }
        for tool in &script.tools {
            tool.check().map_err(|why| format!("tool `{}`: {why}", tool.name))?;
        }
        for (input, number) in script.input.iter().zip(1..) {
            input.check().map_err(|why| format!("input {number} {why}"))?;
        }
        Ok(script)
    }
}

impl MiddlewarePart {
    fn check(&self) -> Result<(), String> {
        match self {
            // A day is 1440 minutes.
            Self::Time(minutes) if minutes.unsigned_abs() >= 1440 => {
                Err(format!("`time: {minutes}` is no zone: say how many minutes it is east of UTC, from -1439 to 1439"))
            }
            Self::Time(_) | Self::Budget(_) | Self::ResultLimit(_) => Ok(()),
        }
    }
}

impl ToolPart {
    /// Refuses what would say nothing beside something else.
    fn check(&self) -> Result<(), &'static str> {
        if self.ask && self.deny.is_some() {
            return Err("`ask` and `deny` exclude each other: nobody is asked about a call that is refused");
        }
        if self.external && !self.runs.is_empty() {
            return Err("`external` and `runs` exclude each other: what runs outside gets its result from the input `results`");
        }
        if self.external && self.timeout.is_some() {
            return Err("`external` and `timeout` exclude each other: nobody waits for what runs outside");
        }
        Ok(())
    }
}

impl InputPart {
    fn check(&self) -> Result<(), &'static str> {
        let given = [self.say.is_some(), self.answer.is_some(), self.results.is_some(), self.interrupt, self.nothing];
        if given.iter().filter(|is_given| **is_given).count() != 1 {
            return Err("has to be one of `say`, `answer`, `results`, `interrupt: true` and `nothing: true`");
        }
        if self.interrupt_after == Some(0) {
            return Err("is interrupted behind its first event at the earliest: say `interrupt_after: 1` or more");
        }
        Ok(())
    }
}
