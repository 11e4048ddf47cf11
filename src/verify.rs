//! An output against its oracle.

use rayon::prelude::*;

use crate::backend::Prepared;
use crate::error::Result;
use crate::job::{Check, Job};
use crate::suite::Scalar;

/// The first element that is not what it must be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mismatch {
    /// Its index in the output, in scalars.
    pub index: u64,
    /// What the kernel wrote.
    pub got: f64,
    /// What is right.
    pub want: f64,
}

impl std::fmt::Display for Mismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "element {} is {}, must be {}", self.index, self.got, self.want)
    }
}

/// Reads the job's output back and compares all of it, exactly. `None` where it is right.
///
/// # Errors
/// What reading back gives.
pub async fn verify(prepared: &mut dyn Prepared, job: &Job) -> Result<Option<Mismatch>> {
    let scalar = job.buffers[job.check.buffer].scalar;
    let mut first = None;
    let mut compare = |offset: u64, bytes: &[u8]| {
        if first.is_none() {
            first = mismatch(&job.check, scalar, offset / scalar.bytes() as u64, bytes);
        }
    };
    prepared.read(job.check.buffer, job.check.scalars * scalar.bytes() as u64, &mut compare).await?;
    Ok(first)
}

/// The first mismatch in `bytes`, whose first scalar is number `first` of the output. Compares on all cores.
#[must_use]
pub fn mismatch(check: &Check, scalar: Scalar, first: u64, bytes: &[u8]) -> Option<Mismatch> {
    const PIECE: usize = 1 << 15;
    let size = scalar.bytes();
    bytes.par_chunks(PIECE).enumerate().find_map_first(|(piece, chunk)| {
        let first = first + (piece * (PIECE / size)) as u64;
        let (mut got, mut want) = (vec![0.0; chunk.len() / size], vec![0.0; chunk.len() / size]);
        scalar.decode(chunk, &mut got);
        (check.oracle)(first, &mut want);
        // NaN is poison or a fault: never equal.
        let pairs = (first..).zip(got.into_iter().zip(want));
        pairs.into_iter().find(|(_, (got, want))| got != want).map(|(index, (got, want))| Mismatch { index, got, want })
    })
}
