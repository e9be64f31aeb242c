//! The iterator and the stream.

use super::{append, line, place};
use futures_core::Stream;
use replyfold_log::{Follow, Followed};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

/// Ticks that come one at a time, when they are let.
struct Ticks {
    left: usize,
    ready: bool,
}

impl Stream for Ticks {
    type Item = ();

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<()>> {
        if self.left == 0 {
            return Poll::Ready(None);
        }
        if !std::mem::replace(&mut self.ready, true) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        self.ready = false;
        self.left -= 1;
        Poll::Ready(Some(()))
    }
}

fn is_record(item: &Poll<Option<Result<Followed, replyfold_log::LogError>>>) -> bool {
    matches!(item, Poll::Ready(Some(Ok(Followed::Record(_)))))
}

#[test]
fn a_stream_looks_again_at_each_tick_and_ends_with_them() {
    let (_dir, log) = place();
    append(&log, line(0));
    let mut stream = Follow::open(&log).unwrap().ticking(Ticks { left: 2, ready: false });
    let mut context = Context::from_waker(Waker::noop());
    let mut next = || Pin::new(&mut stream).poll_next(&mut context);
    assert!(is_record(&next()));
    assert!(next().is_pending());
    append(&log, line(1));
    assert!(is_record(&next()));
    append(&log, line(2).trim_end());
    // One tick finds no whole line, and then the ticks end: the rest is given.
    assert!(next().is_pending());
    assert!(is_record(&next()));
    assert!(matches!(next(), Poll::Ready(None)));
}

#[test]
fn an_iterator_waits_as_it_is_told_and_gives_the_rest_in_the_end() {
    let (_dir, log) = place();
    append(&log, line(0));
    let mut waits = 0;
    let writer = log.clone();
    let follow = Follow::open(&log).unwrap().waiting(move || {
        waits += 1;
        append(&writer, line(waits).trim_end());
        if waits < 4 {
            append(&writer, "\n");
        }
        waits < 4
    });
    let ids: Vec<usize> = follow
        .map(|item| match item.unwrap() {
            Followed::Record(record) => super::id(&record),
            Followed::Notice(notice) => panic!("{notice}"),
        })
        .collect();
    assert_eq!(ids, [0, 1, 2, 3, 4]);
}
