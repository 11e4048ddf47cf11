//! A fake device for the tests of the engine, and runs on it.

mod fake;
mod runs;

pub(crate) use fake::*;
pub(crate) use runs::*;
