//! How long a provider may ask to wait.

use crate::script::{self, Model, Step, Turn, cut, events, short, text, turn};
use replyfold_event::{AgentEvent, Payload};
use replyfold_message::Failure;
use replyfold_runtime::{Delay, RetryPolicy};
use std::time::Duration;
use tokio::time::Instant;

fn limit(seconds: u64) -> Turn {
    cut([Step::Limit(Duration::from_secs(seconds))])
}

/// The failures of the calls of models.
fn failures(events: &[AgentEvent]) -> Vec<&Failure> {
    let calls = events.iter().filter_map(|event| if let Payload::ModelCallEnd(end) = &event.payload { Some(end) } else { None });
    calls.filter_map(|end| end.error.as_deref()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_is_asked_for_is_waited_up_to_the_limit() {
    let (default, long) = (RetryPolicy::new(), RetryPolicy::new().with_max_wait(Duration::from_secs(3600)));
    let slow = RetryPolicy::new().with_delay(Delay::Fixed(Duration::from_secs(90)));
    // What is waited anyway is no longer for it.
    for (policy, asked, waited) in [(&default, 0, 10), (&default, 30, 30), (&default, 60, 60), (&long, 3600, 3600), (&slow, 70, 90)] {
        let model = Model::new([limit(asked), turn([text("done")])]);
        let agent = script::agent(model).retry(policy.clone()).build().unwrap();
        let start = Instant::now();
        let events = events(&agent, "hi").await;
        assert_eq!(start.elapsed().as_secs(), waited, "{asked}");
        assert!(short(&events).contains(&format!("MODEL_CALL_END rate_limit retry 1/3 after {}000", waited)), "{asked}");
        assert_eq!(failures(&events)[0].message, "it failed");
    }
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_is_too_long_is_a_failure_that_tells_it() {
    for (first, asked) in [(61, "61"), (u64::MAX, "18446744073709551615")] {
        for turns in [vec![limit(first)], vec![cut([text("Par"), Step::Limit(Duration::from_secs(first))])]] {
            let model = Model::new(turns);
            let agent = script::agent(model.clone()).build().unwrap();
            let start = Instant::now();
            let events = events(&agent, "hi").await;
            assert_eq!((start.elapsed(), model.calls()), (Duration::ZERO, 1));
            let told = short(&events);
            assert_eq!(&told[told.len() - 2..], ["MODEL_CALL_END rate_limit", "AGENT_END error"]);
            let wanted =
                format!("it failed; the provider asks to wait {asked} s, and `max_wait` of the retry policy allows 60 s: try again later");
            assert_eq!(failures(&events)[0].message, wanted);
            let Some(Payload::AgentEnd(end)) = events.last().map(|event| &event.payload) else { panic!("no end") };
            assert_eq!(end.error.as_ref().unwrap().message, wanted);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_fallback_does_not_wait_for_what_is_too_long() {
    for is_announced in [true, false] {
        let (first, second) = (Model::new([limit(1), limit(3600)]), Model::new([limit(2), turn([text("here")])]).named("m2"));
        let policy = RetryPolicy::new().with_delay(Delay::Fixed(Duration::ZERO)).with_announce(is_announced);
        let agent = script::agent(first.clone()).fallback(second.clone()).retry(policy).build().unwrap();
        let start = Instant::now();
        let events = events(&agent, "hi").await;
        assert_eq!((start.elapsed().as_secs(), first.calls(), second.calls()), (3, 2, 2));
        let told = short(&events);
        assert_eq!(told.last().map(String::as_str), Some("AGENT_END completed"));
        if is_announced {
            assert!(told.contains(&"MODEL_CALL_END rate_limit retry 2/7 after 0".to_owned()), "{told:?}");
            assert!(failures(&events)[1].message.contains("asks to wait 3600 s"));
        }
    }
    // Where nothing may follow, the fallback is not asked either.
    let second = Model::new([]);
    let first = Model::new([cut([text("Par"), Step::Limit(Duration::from_secs(3600))])]);
    let policy = RetryPolicy::new().with_retry_midstream(false);
    let agent = script::agent(first).fallback(second.clone()).retry(policy).build().unwrap();
    assert_eq!(failures(&events(&agent, "hi").await)[0].message, "it failed");
    assert_eq!(second.calls(), 0);
}
