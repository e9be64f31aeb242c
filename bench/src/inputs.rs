//! The logs of one dialect, each made when the first row asks for it.

use crate::baseline::{floor::Handles, tagged};
use crate::corpus::{Corpus, Shape};
use crate::ours;
use replyfold::dialect::Dialect;
use replyfold::event::AgentEvent;
use std::cell::OnceCell;
use std::rc::Rc;

/// The logs of one dialect.
#[derive(Debug)]
pub struct Inputs {
    /// The dialect.
    pub dialect: Dialect,
    events: usize,
    logs: [OnceCell<Rc<Corpus>>; Shape::ALL.len()],
    single: [OnceCell<Rc<Corpus>>; Shape::ALL.len()],
    read: OnceCell<Rc<[AgentEvent]>>,
    tagged: OnceCell<Rc<tagged::Events>>,
}

impl Inputs {
    /// Logs of this dialect, as large as one of so many events (see [`Shape::size`]).
    #[must_use]
    pub fn new(dialect: Dialect, events: usize) -> Self {
        Self { dialect, events, logs: Default::default(), single: Default::default(), read: OnceCell::new(), tagged: OnceCell::new() }
    }

    /// The log of a shape.
    pub fn log(&self, shape: Shape) -> Rc<Corpus> {
        let make = || Rc::new(Corpus::new(shape, self.dialect, shape.size(self.events)));
        Rc::clone(self.logs[shape as usize].get_or_init(make))
    }

    /// The same log for parsers that refuse a key that stands twice.
    pub fn log_for_serde(&self, shape: Shape) -> Rc<Corpus> {
        if self.dialect != Dialect::Java {
            return self.log(shape);
        }
        let make = || Rc::new(Corpus::with_single_type(shape, self.dialect, shape.size(self.events)));
        Rc::clone(self.single[shape as usize].get_or_init(make))
    }

    /// The events of the realistic log.
    pub fn events(&self) -> Rc<[AgentEvent]> {
        Rc::clone(self.read.get_or_init(|| ours::events(&self.log(Shape::React).bytes).into()))
    }

    /// The events of the realistic log as serde's enum.
    pub fn tagged_events(&self) -> Rc<tagged::Events> {
        let read = || Rc::new(tagged::Events::read(self.dialect, &self.log_for_serde(Shape::React).bytes));
        Rc::clone(self.tagged.get_or_init(read))
    }

    /// Which text each event of the realistic log adds to.
    #[must_use]
    pub fn handles(&self) -> Handles {
        Handles::new(&self.events())
    }
}
