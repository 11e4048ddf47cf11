//! Emptying the caches before each launch.

use super::step::Step;
use record::suite::{Buffer, Contents, Scalar};

/// Buffers that are zeroed before each launch: 256 MiB together, as Triton's `do_bench` clears, more than any GPU's L2.
/// Two, since some devices have no 256 MiB buffers.
const NAMES: [&str; 2] = ["flush", "flush_too"];

/// Bytes of each buffer.
const BYTES: u64 = 128 << 20;

pub(super) fn buffers() -> impl Iterator<Item = Buffer> {
    let contents = || Contents::Of(Scalar::U32, Box::new(Contents::Poison));
    NAMES.into_iter().map(move |name| Buffer { name, scalars: BYTES / 4, contents: contents() })
}

/// Clears the last two of `buffers` buffers before the first timed step, after the steps that prepare its inputs.
pub(super) fn insert(steps: &mut Vec<Step>, buffers: usize) {
    let first = steps.iter().position(Step::is_timed).unwrap_or(0);
    steps.splice(first..first, (buffers - NAMES.len()..buffers).map(Step::Clear));
}
