//! Measures what replyfold costs, beside what one would otherwise use and beside what cannot be avoided.
//!
//! [`corpus`] makes the logs, [`ours`] holds every call into replyfold that is measured, [`baseline`] the others; [`rows`] lists what is
//! measured and [`targets`] what it should come to. Nothing in here asserts a time: `docs/performance.md` holds what was reached.

pub mod baseline;
pub mod corpus;
pub mod gigabyte;
pub mod inputs;
pub mod machine;
pub mod measure;
pub mod options;
pub mod ours;
pub mod peers;
pub mod report;
pub mod rows;
pub mod table;
pub mod targets;
