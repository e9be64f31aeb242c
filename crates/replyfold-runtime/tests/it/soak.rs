//! A thousand agents at once, wave after wave: nothing is left of a wave when it is over.

use crate::script::{self, Model, call, fail, piece, text, thinking, turn};
use futures_util::StreamExt as _;
use replyfold_runtime::{Delay, ModelErrorKind, RetryPolicy};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::task::JoinSet;

const AGENTS: usize = 1_000;

/// Waves; `REPLYFOLD_SOAK` sets more for a long run.
fn waves() -> usize {
    std::env::var("REPLYFOLD_SOAK").ok().and_then(|waves| waves.parse().ok()).unwrap_or(4)
}

/// Memory of the process in bytes, where the system tells.
fn memory() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().trim_end_matches(" kB").parse::<usize>().ok().map(|kilobytes| kilobytes * 1024)
}

/// One agent: two rounds with parallel tools and a failure between, read to the end, cancelled or dropped on the way.
async fn live(number: usize, witness: Arc<()>) {
    let x = "{\"x\":\"1\"}";
    let mut failing = turn([text("Par")]);
    failing.0.insert(1, fail(ModelErrorKind::Server));
    let model = Model::new([
        turn([
            thinking("hm"),
            call("c1", "A", "{\"x\":"),
            piece("\"1\"}"),
            call("c2", "slow", x),
            call("c3", "panics", x),
            call("c4", "Q", x),
        ]),
        failing,
        turn([call("c5", "fails", x)]),
        turn([text("done")]),
    ]);
    let policy = RetryPolicy::new().with_delay(Delay::Fixed(Duration::from_millis(5)));
    // Lives as long as the agent does.
    let agent = script::agent(model).retry(policy).on_event(move |_| assert!(Arc::strong_count(&witness) > 0)).build().unwrap();
    let mut stream = agent.stream("hi").unwrap();
    let token = stream.cancellation_token();
    let mut count = 0;
    while let Some(event) = stream.next().await {
        count += 1;
        match number % 4 {
            1 if count == number % 30 => token.cancel(),
            2 if count == number % 30 => break,
            _ => drop(event),
        }
    }
    drop(stream);
    let state = agent.state();
    assert!(state.parked.is_none() && state.context.last().is_some_and(|msg| msg.finished_reason.is_some()), "{number}: {state:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_left_of_a_thousand_agents() {
    let quiet = std::panic::take_hook();
    // Tools that panic are part of it, and need not be told a thousand times.
    std::panic::set_hook(Box::new(move |panic| {
        if panic.payload().downcast_ref::<&str>().is_none_or(|text| *text != "out of cheese") {
            quiet(panic);
        }
    }));
    let (witness, tasks) = (Arc::new(()), Handle::current().metrics().num_alive_tasks());
    let mut after = Vec::new();
    for _ in 0..waves() {
        let mut agents = JoinSet::new();
        for number in 0..AGENTS {
            agents.spawn(live(number, Arc::clone(&witness)));
        }
        while let Some(ended) = agents.join_next().await {
            ended.unwrap();
        }
        assert_eq!(Arc::strong_count(&witness), 1, "an agent outlives its wave");
        // A task that was joined is still counted for a moment.
        let deadline = Instant::now() + Duration::from_secs(60);
        while Handle::current().metrics().num_alive_tasks() > tasks {
            assert!(Instant::now() < deadline, "a task outlives its wave");
            tokio::task::yield_now().await;
        }
        after.extend(memory());
    }
    // The allocator keeps what the first waves took; a wave that left as little as 16 KiB an agent would show in those after it.
    if let [_, second, .., last] = after[..] {
        assert!(last < second + AGENTS * 16 * 1024, "{after:?}");
    }
}
