//! `reduction.md` section 2, row by row.

mod addressing;
mod blocks;
mod calls;
mod people;
mod reply;
mod results;
