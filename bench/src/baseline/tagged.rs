//! serde's internally tagged enum with owned strings, made into our events and folded with our fold: what differs is the reading alone.

use super::body::into_event;
use super::replies::Replies;
use super::wire::{Wire, camel, snake};
use crate::corpus::lines;
use replyfold::dialect::Dialect;
use replyfold::event::AgentEvent;
use replyfold::reduce::SessionReducer;
use std::hint::black_box;

/// How the enum carries the envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// In each variant.
    Tagged,
    /// Around it, the variant flattened in.
    Flattened,
}

/// Reads every line and drops what was read; gives the number of events.
#[must_use]
pub fn parse(dialect: Dialect, form: Form, log: &[u8]) -> usize {
    match (dialect, form) {
        (Dialect::Python, Form::Tagged) => parse_as::<snake::Tagged>(log),
        (Dialect::Python, Form::Flattened) => parse_as::<snake::Flattened>(log),
        (_, Form::Tagged) => parse_as::<camel::Tagged>(log),
        (_, Form::Flattened) => parse_as::<camel::Flattened>(log),
    }
}

fn parse_as<W: Wire>(log: &[u8]) -> usize {
    read::<W>(log).map(black_box).count()
}

pub(super) fn read<W: Wire>(log: &[u8]) -> impl Iterator<Item = W> {
    lines(log).map(|line| serde_json::from_slice(line).expect("generated logs are valid"))
}

/// Calls `take` with every event of a log, made into ours, with the id of its reply.
pub(super) fn for_each(dialect: Dialect, form: Form, log: &[u8], take: impl FnMut(&AgentEvent)) {
    match (dialect, form) {
        (Dialect::Python, Form::Tagged) => for_each_of::<snake::Tagged>(None, log, take),
        (Dialect::Python, Form::Flattened) => for_each_of::<snake::Flattened>(None, log, take),
        (Dialect::Java, Form::Tagged) => for_each_of::<camel::Tagged>(Some(Replies::default()), log, take),
        (Dialect::Java, Form::Flattened) => for_each_of::<camel::Flattened>(Some(Replies::default()), log, take),
        (_, Form::Tagged) => for_each_of::<camel::Tagged>(None, log, take),
        (_, Form::Flattened) => for_each_of::<camel::Flattened>(None, log, take),
    }
}

fn for_each_of<W: Wire>(mut replies: Option<Replies>, log: &[u8], mut take: impl FnMut(&AgentEvent)) {
    for event in read::<W>(log) {
        let Some(mut event) = into_event(event.into_parts()) else { continue };
        if let Some(replies) = &mut replies {
            replies.step(&mut event);
        }
        take(&event);
    }
}

/// Reads a log and folds it.
#[must_use]
pub fn fold(dialect: Dialect, form: Form, log: &[u8]) -> SessionReducer {
    let mut session = SessionReducer::new();
    for_each(dialect, form, log, |event| {
        session.apply(event);
    });
    session
}

/// The events of a log as serde's enum, to be written.
#[derive(Debug)]
pub enum Events {
    /// Canonical or Java.
    Camel(Vec<camel::Tagged>),
    /// Python.
    Snake(Vec<snake::Tagged>),
}

impl Events {
    /// Reads them.
    #[must_use]
    pub fn read(dialect: Dialect, log: &[u8]) -> Self {
        match dialect {
            Dialect::Python => Self::Snake(read(log).collect()),
            _ => Self::Camel(read(log).collect()),
        }
    }

    /// Appends them to a buffer, a line an event.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Camel(events) => write(events, out),
            Self::Snake(events) => write(events, out),
        }
    }

    /// The same with sonic-rs.
    pub fn write_with_sonic(&self, out: &mut Vec<u8>) {
        match self {
            Self::Camel(events) => write_with_sonic(events, out),
            Self::Snake(events) => write_with_sonic(events, out),
        }
    }
}

fn write(events: &[impl serde::Serialize], out: &mut Vec<u8>) {
    for event in events {
        serde_json::to_writer(&mut *out, event).expect("a vector takes every byte");
        out.push(b'\n');
    }
}

fn write_with_sonic(events: &[impl serde::Serialize], out: &mut Vec<u8>) {
    for event in events {
        sonic_rs::to_writer(&mut *out, event).expect("a vector takes every byte");
        out.push(b'\n');
    }
}
