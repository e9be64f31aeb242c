//! One struct with every field, optional and borrowed from the line where no escape forbids it: the fastest reading that serde has.

use crate::corpus::lines;
use replyfold::dialect::Dialect;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::borrow::Cow;
use std::hint::black_box;

/// A string that is borrowed if it can be; serde borrows a `Cow` only where it stands as itself.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
#[expect(dead_code, reason = "it is read to be measured")]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// Makes the struct for one case of keys.
macro_rules! flat {
    ($name:ident, $case:literal) => {
        #[derive(Debug, Deserialize)]
        #[serde(rename_all = $case)]
        #[expect(dead_code, reason = "it is read to be measured")]
        struct $name<'a> {
            #[serde(borrow, rename = "type")]
            event_type: Cow<'a, str>,
            #[serde(borrow)]
            id: Option<Text<'a>>,
            #[serde(borrow)]
            created_at: Option<Text<'a>>,
            #[serde(borrow)]
            reply_id: Option<Text<'a>>,
            #[serde(borrow)]
            block_id: Option<Text<'a>>,
            #[serde(borrow)]
            tool_call_id: Option<Text<'a>>,
            #[serde(borrow)]
            tool_call_name: Option<Text<'a>>,
            #[serde(borrow)]
            delta: Option<Text<'a>>,
            #[serde(borrow)]
            data: Option<Text<'a>>,
            #[serde(borrow)]
            state: Option<Text<'a>>,
            #[serde(borrow)]
            session_id: Option<Text<'a>>,
            #[serde(borrow)]
            name: Option<Text<'a>>,
            #[serde(borrow)]
            role: Option<Text<'a>>,
            #[serde(borrow)]
            model_name: Option<Text<'a>>,
            #[serde(borrow)]
            media_type: Option<Text<'a>>,
            #[serde(borrow)]
            finished_reason: Option<Text<'a>>,
            input_tokens: Option<u64>,
            output_tokens: Option<u64>,
            usage: Option<IgnoredAny>,
            metadata: Option<IgnoredAny>,
        }
    };
}

flat!(Camel, "camelCase");
flat!(Snake, "snake_case");

/// Reads every line with serde_json; gives the number of events.
#[must_use]
pub fn serde(dialect: Dialect, log: &[u8]) -> usize {
    match dialect {
        Dialect::Python => count(log, |line| seen(serde_json::from_slice::<Snake<'_>>(line).expect(VALID))),
        _ => count(log, |line| seen(serde_json::from_slice::<Camel<'_>>(line).expect(VALID))),
    }
}

/// Reads every line with sonic-rs; gives the number of events.
#[must_use]
pub fn sonic(dialect: Dialect, log: &[u8]) -> usize {
    match dialect {
        Dialect::Python => count(log, |line| seen(sonic_rs::from_slice::<Snake<'_>>(line).expect(VALID))),
        _ => count(log, |line| seen(sonic_rs::from_slice::<Camel<'_>>(line).expect(VALID))),
    }
}

/// Uses a result, so that it is made.
fn seen<T>(result: T) {
    black_box(result);
}

const VALID: &str = "generated logs are valid";

fn count(log: &[u8], read: impl FnMut(&[u8])) -> usize {
    lines(log).map(read).count()
}
