//! The `replyfold` command.
fn main() {}
