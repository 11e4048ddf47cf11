//! Emptying the caches before each launch.

use super::step::Step;
use record::suite::{Buffer, Contents, Scalar};

/// Names of the buffers that are set to zero before each launch: together 256 MiB, as much as Triton's `do_bench` clears,
/// and more than the L2 of any GPU holds. Two, since some devices have no buffer of 256 MiB.
const NAMES: [&str; 2] = ["flush", "flush_too"];

/// Bytes of each.
const BYTES: u64 = 128 << 20;

/// The buffers.
pub(super) fn buffers() -> impl Iterator<Item = Buffer> {
    let contents = || Contents::Of(Scalar::U32, Box::new(Contents::Poison));
    NAMES.into_iter().map(move |name| Buffer { name, scalars: BYTES / 4, contents: contents() })
}

/// Sets the last of so many `buffers` to zero before the first timed step, after what prepares its inputs.
pub(super) fn insert(steps: &mut Vec<Step>, buffers: usize) {
    let first = steps.iter().position(Step::is_timed).unwrap_or(0);
    steps.splice(first..first, (buffers - NAMES.len()..buffers).map(Step::Clear));
}
