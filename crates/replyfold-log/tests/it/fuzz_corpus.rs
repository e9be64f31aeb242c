//! The fuzz targets over their corpus, as an ordinary test.

#[path = "../../../../fuzz/src/bodies.rs"]
mod bodies;

use crate::corpus::fixtures;
use std::fs;

fn run(target: &str, body: fn(&[u8])) {
    let folder = fixtures().join("fuzz").join(target);
    let mut seeds: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    seeds.sort();
    assert!(seeds.len() > 2, "{target} has too few seeds");
    for seed in seeds {
        let data = fs::read(&seed).unwrap();
        // Every cut of a seed is a seed too.
        for end in (0..=data.len()).rev().step_by(1 + data.len() / 64) {
            body(&data[..end]);
        }
    }
}

#[test]
fn canonical_events() {
    run("event_canonical", bodies::event_canonical);
}

#[test]
fn java_events() {
    run("event_java", bodies::event_java);
}

#[test]
fn python_events() {
    run("event_python", bodies::event_python);
}

#[test]
fn lines_of_a_log() {
    run("lines", bodies::lines);
}

#[test]
fn framing_of_logs() {
    run("sse_framing", bodies::sse_framing);
}

#[test]
fn arguments_that_stream() {
    run("partial_json", bodies::partial_json);
}

#[test]
fn the_fold() {
    run("reducer", bodies::reducer);
}
