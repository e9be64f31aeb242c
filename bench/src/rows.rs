//! What is measured: every row of the table, in its order.

use crate::baseline::tagged::Form;
use crate::baseline::{coarse, flat, floor, port, tagged};
use crate::corpus::{Corpus, Shape};
use crate::inputs::Inputs;
use crate::ours;
use std::hint::black_box;
use std::rc::Rc;

/// One pass over a log.
pub type Work = Box<dyn FnMut()>;

/// In what a row is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Nanoseconds an event.
    Event,
    /// Gigabytes of media a second, decoded.
    Media,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its name, for filters and targets.
    pub id: &'static str,
    /// What it does.
    pub what: &'static str,
    /// What prototypes and other programs took when the targets were set, on another log of the same kind and another machine.
    pub known: &'static str,
    /// Which log it works on.
    pub shape: Shape,
    /// In what it is told.
    pub unit: Unit,
    /// Makes its work.
    pub work: fn(&Inputs) -> Work,
}

/// A row on the realistic log, told in nanoseconds an event.
const fn row(id: &'static str, what: &'static str, known: &'static str, work: fn(&Inputs) -> Work) -> Row {
    Row { id, what, known, shape: Shape::React, unit: Unit::Event, work }
}

impl Row {
    const fn on(mut self, shape: Shape) -> Self {
        self.shape = shape;
        self
    }

    const fn in_gigabytes(mut self) -> Self {
        self.unit = Unit::Media;
        self
    }
}

/// Every row.
pub const ROWS: &[Row] = &[
    row("floor/read-bytes", "read every byte once", "8.9", |inputs| bytes(inputs, |log| seen(floor::read_bytes(log)))),
    row("floor/split-lines", "split lines", "8.4", |inputs| bytes(inputs, |log| seen(floor::split_lines(log)))),
    row("floor/utf8", "check UTF-8", "8.1", |inputs| bytes(inputs, |log| seen(floor::check_utf8(log)))),
    row("floor/push-str", "`push_str` by known handle", "33", |inputs| {
        let (events, handles) = (inputs.events(), inputs.handles());
        Box::new(move || seen(handles.push(&events)))
    }),
    row("parse/ours", "parse, replyfold, events lent", "41–94", |inputs| ours_on(inputs, Shape::React, |log| ours::parse(&log.bytes))),
    row("parse/ours-owned", "parse, replyfold, each event owned", "", |inputs| {
        ours_on(inputs, Shape::React, |log| ours::parse_owned(&log.bytes))
    }),
    row("parse/sonic-flat", "parse, sonic-rs flat borrowed", "238", |inputs| {
        serde_on(inputs, Shape::React, |log| seen(flat::sonic(log.dialect, &log.bytes)))
    }),
    row("parse/serde-flat", "parse, serde_json flat borrowed", "294", |inputs| {
        serde_on(inputs, Shape::React, |log| seen(flat::serde(log.dialect, &log.bytes)))
    }),
    row("parse/serde-tagged", "parse, serde internally tagged, owned strings", "566", |inputs| {
        serde_on(inputs, Shape::React, |log| seen(tagged::parse(log.dialect, Form::Tagged, &log.bytes)))
    }),
    row("parse/serde-flatten", "parse, serde tagged + `flatten`", "619", |inputs| {
        serde_on(inputs, Shape::React, |log| seen(tagged::parse(log.dialect, Form::Flattened, &log.bytes)))
    }),
    row("one-event/ours", "`AgentEvent::from_slice` and `read_event`, line by line", "", |inputs| {
        ours_on(inputs, Shape::React, |log| log.lines().for_each(|line| seen(ours::read_one(log.dialect, line))))
    }),
    row("fold/ours", "fold alone, no duplicate check", "40", |inputs| fold(inputs, false)),
    row("fold/ours-duplicates", "fold alone, duplicates checked", "", |inputs| fold(inputs, true)),
    row("parse-fold/ours", "parse + fold, replyfold", "88–112", |inputs| ours_fold(inputs, Shape::React)),
    row("parse-fold/serde-tagged", "parse + fold, serde tagged + our fold", "633", |inputs| serde_fold(inputs, Shape::React)),
    row("parse-fold/serde-flatten", "parse + fold, serde tagged + `flatten` + our fold", "", |inputs| {
        serde_on(inputs, Shape::React, |log| seen(tagged::fold(log.dialect, Form::Flattened, &log.bytes)))
    }),
    row("parse-fold/port", "parse + fold, serde structs and first-match scan", "806", |inputs| {
        serde_on(inputs, Shape::React, |log| seen(port::fold(log.dialect, &log.bytes)))
    }),
    row("interleaved/ours", "1,000 interleaved replies, replyfold", "", |inputs| ours_fold(inputs, Shape::Interleaved))
        .on(Shape::Interleaved),
    row("interleaved/serde-tagged", "1,000 interleaved replies, serde tagged + our fold", "", |inputs| {
        serde_fold(inputs, Shape::Interleaved)
    })
    .on(Shape::Interleaved),
    row("text-only/ours", "one text, replyfold", "", |inputs| ours_fold(inputs, Shape::TextOnly)).on(Shape::TextOnly),
    row("text-only/serde-tagged", "one text, serde tagged + our fold", "", |inputs| serde_fold(inputs, Shape::TextOnly))
        .on(Shape::TextOnly),
    row("many-tools/ours", "calls of 20 pieces in one message, replyfold", "", |inputs| ours_fold(inputs, Shape::ManyTools))
        .on(Shape::ManyTools),
    row("many-tools/serde-tagged", "calls of 20 pieces in one message, serde tagged + our fold", "", |inputs| {
        serde_fold(inputs, Shape::ManyTools)
    })
    .on(Shape::ManyTools),
    row("many-replies/ours", "many short replies, replyfold", "", |inputs| ours_fold(inputs, Shape::ManyReplies)).on(Shape::ManyReplies),
    row("many-replies/serde-tagged", "many short replies, serde tagged + our fold", "", |inputs| serde_fold(inputs, Shape::ManyReplies))
        .on(Shape::ManyReplies),
    row("write/ours", "write, replyfold", "33–50", |inputs| {
        let (dialect, events) = (inputs.dialect, inputs.events());
        written(move |out| ours::write(dialect, &events, out))
    }),
    row("write/sonic", "write, sonic-rs", "109", |inputs| {
        let events = inputs.tagged_events();
        written(move |out| events.write_with_sonic(out))
    }),
    row("write/serde", "write, serde_json", "207", |inputs| {
        let events = inputs.tagged_events();
        written(move |out| events.write(out))
    }),
    row("coarse/ours", "bytes to coarse bytes, replyfold", "74", |inputs| {
        let log = inputs.log(Shape::React);
        written(move |out| ours::collapse(&log.bytes, out))
    }),
    row("coarse/serde-tagged", "bytes to coarse bytes, serde tagged + our collapse + serde_json", "", |inputs| {
        let log = inputs.log_for_serde(Shape::React);
        written(move |out| coarse::collapse(log.dialect, &log.bytes, out))
    }),
    row("media/ours", "a picture in pieces, replyfold", "2.9", |inputs| ours_fold(inputs, Shape::BigMedia))
        .on(Shape::BigMedia)
        .in_gigabytes(),
    row("media/serde-tagged", "a picture in pieces, serde tagged + our fold", "", |inputs| serde_fold(inputs, Shape::BigMedia))
        .on(Shape::BigMedia)
        .in_gigabytes(),
];

fn bytes(inputs: &Inputs, work: fn(&[u8])) -> Work {
    let log = inputs.log(Shape::React);
    Box::new(move || work(black_box(&log.bytes)))
}

fn ours_on(inputs: &Inputs, shape: Shape, work: fn(&Corpus)) -> Work {
    on(inputs.log(shape), work)
}

fn serde_on(inputs: &Inputs, shape: Shape, work: fn(&Corpus)) -> Work {
    on(inputs.log_for_serde(shape), work)
}

fn on(log: Rc<Corpus>, work: fn(&Corpus)) -> Work {
    Box::new(move || work(black_box(&log)))
}

fn ours_fold(inputs: &Inputs, shape: Shape) -> Work {
    ours_on(inputs, shape, |log| seen(ours::parse_and_fold(&log.bytes)))
}

fn serde_fold(inputs: &Inputs, shape: Shape) -> Work {
    serde_on(inputs, shape, |log| seen(tagged::fold(log.dialect, Form::Tagged, &log.bytes)))
}

fn fold(inputs: &Inputs, check_duplicates: bool) -> Work {
    let events = inputs.events();
    Box::new(move || seen(ours::fold(&events, check_duplicates)))
}

/// Uses a result, so that it is made.
fn seen<T>(result: T) {
    black_box(result);
}

/// Work that fills a buffer, which is kept: its pages are paid for once.
fn written(work: impl Fn(&mut Vec<u8>) + 'static) -> Work {
    let mut out = Vec::new();
    Box::new(move || {
        out.clear();
        work(black_box(&mut out));
    })
}
