//! Samples of launches, and the figures of a case.

mod before;
pub(in crate::engine) mod end_to_end;
pub(in crate::engine) mod energy;
pub(in crate::engine) mod epoch;
pub(in crate::engine) mod kernel_clock;
mod sample;
pub mod slope;

pub use super::clock::timer::{Timer, select_timer};
pub use before::Before;
pub(in crate::engine) use before::{Caches, flush_case};
pub use sample::{GROUP, LONG_NS, Pair, Poisoned, Rules, Sampling, Series, measure};
