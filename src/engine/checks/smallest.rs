//! A wrong result at the smallest size where it occurs, for whoever repairs the compiler or the driver.

use super::output::{Mismatch, differs};
use super::outside::store_outside;
use super::reference::run_reference;
use crate::backend::{Backend, leak_if_lost};
use crate::error::Result;
use crate::job::{Job, Kernel};
use crate::suite::{Case, Extent};

/// A wrong result that occurs again when its case runs alone.
pub struct WrongResult {
    /// The case at the smallest size found, with the random stream of its inputs.
    pub case: Case,
    /// Its kernel as it ran.
    pub kernel: Kernel,
    /// The first wrong elements, at most [`MOST_ELEMENTS`].
    pub elements: Vec<Mismatch>,
    /// The number of wrong elements.
    pub count: u64,
    /// The store outside of a buffer, where no element is wrong.
    pub outside: Option<String>,
    /// The buffers before the launch, by name, without outputs.
    pub inputs: Vec<(&'static str, Vec<u8>)>,
    /// The bytes of the output.
    pub output: Vec<u8>,
    /// The bytes of the right output.
    pub expected: Vec<u8>,
}

impl WrongResult {
    /// The first wrong element, else the store outside of a buffer.
    #[must_use]
    pub fn first(&self) -> String {
        self.elements.first().map(ToString::to_string).or_else(|| self.outside.clone()).unwrap_or_default()
    }
}

/// Maximum number of elements that are listed.
pub const MOST_ELEMENTS: usize = 16;

/// Bytes of all buffers up to which a case is tried: larger ones help nobody.
const MOST_BYTES: u64 = 256 << 20;

/// Launches at each size: a race may be right by luck.
const TRIES: u32 = 4;

/// Runs the case alone at ever larger sizes up to its own, and returns the first wrong result; `None` if all are right.
///
/// A store outside of a buffer counts only if the case has one at its own size too: at a size that does not fill a workgroup,
/// it is another fault than that of the row.
///
/// # Errors
/// If the device is lost. A size that cannot run is passed over.
pub async fn wrong_result(backend: &mut dyn Backend, case: &Case) -> Result<Option<WrongResult>> {
    let mut outside = None;
    for extent in sizes(case.shape.extent) {
        let mut small = case.clone();
        small.shape.extent = extent;
        match wrong_at(backend, &small).await {
            Ok(Some(found)) if found.outside.is_none() => return Ok(Some(found)),
            Ok(Some(found)) if extent == case.shape.extent => return Ok(outside.or(Some(found))),
            Ok(Some(found)) => outside = outside.or(Some(found)),
            Err(error) if error.ends_device() => return Err(error),
            Ok(None) | Err(_) => {}
        }
    }
    Ok(None)
}

/// Runs the case alone at its own size; `None` if its result is right.
///
/// # Errors
/// If it cannot run.
pub async fn wrong_at(backend: &mut dyn Backend, case: &Case) -> Result<Option<WrongResult>> {
    let mut job = Job::new(case)?;
    job.guard(backend.device().largest_buffer());
    backend.device().check(&job)?;
    let bytes: u64 = job.buffers.iter().map(|buffer| buffer.bytes).sum();
    let has_guard = job.buffers.iter().any(|buffer| buffer.guard > 0);
    if bytes > MOST_BYTES || (job.check.scalars == 0 && !has_guard) {
        return Ok(None);
    }
    run_reference(backend, &job).await?;
    let mut prepared = backend.prepare(&job).await?;
    let scalar = job.buffers[job.check.buffer].scalar;
    let wanted = job.check.scalars * scalar.bytes() as u64;
    let mut want = vec![0.0; job.check.scalars as usize];
    (job.check.oracle)(0, &mut want);
    let mut allowed = vec![0.0; want.len()];
    if let Some(tolerance) = &job.check.tolerance {
        tolerance(0, &mut allowed);
    }
    for _ in 0..TRIES {
        let mut output = Vec::with_capacity(wanted as usize);
        let result = async {
            prepared.poison().await?;
            prepared.sample(1).await?;
            if wanted > 0 {
                prepared.read(job.check.buffer, wanted, &mut |_, part| output.extend_from_slice(part)).await?;
            }
            store_outside(prepared.as_mut(), &job).await
        };
        let outside = match result.await {
            Ok(outside) => outside,
            Err(error) => return leak_if_lost(prepared, Err(error)),
        };
        let mut got = vec![0.0; want.len()];
        scalar.decode(&output[..wanted as usize], &mut got);
        let wrong = |index: &usize| {
            let (got, want) = (got[*index], want[*index]);
            // NaN is never near.
            let is_near = (got - want).abs() <= allowed[*index];
            differs(got, want) && !is_near
        };
        let wrong: Vec<usize> = (0..want.len()).filter(wrong).collect();
        let outside = outside.filter(|_| wrong.is_empty());
        if wrong.is_empty() && outside.is_none() {
            continue;
        }
        let mismatch = |index: &usize| Mismatch { index: *index as u64, got: got[*index], want: want[*index], scalar };
        let mut expected = vec![0; output.len()];
        scalar.encode(want.iter().copied(), &mut expected);
        let inputs = job.buffers.iter().filter(|buffer| !buffer.is_output()).map(|buffer| {
            let mut bytes = vec![0; buffer.bytes as usize];
            buffer.fill(0, &mut bytes);
            (buffer.name, bytes)
        });
        return Ok(Some(WrongResult {
            case: case.clone(),
            elements: wrong.iter().take(MOST_ELEMENTS).map(mismatch).collect(),
            count: wrong.len() as u64,
            outside,
            inputs: inputs.collect(),
            output,
            expected,
            kernel: job.kernel,
        }));
    }
    Ok(None)
}

/// Sizes of a form, smallest first, up to one that is known to be wrong.
fn sizes(own: Extent) -> Vec<Extent> {
    let sides = [1, 2, 3, 4, 7, 8, 16, 17, 32, 33, 64, 65, 128, 129, 256, 512, 1024, 2048];
    let mut found: Vec<Extent> = match own {
        Extent::Linear(_) => (0..26).flat_map(|power| [1 << power, (1 << power) + 1]).map(Extent::Linear).collect(),
        Extent::Matrix(rows, columns) => {
            sides.iter().map(|side| Extent::Matrix(rows.min(*side), columns.min(*side))).collect()
        }
        Extent::Product(m, n, k) => {
            sides.iter().map(|side| Extent::Product(m.min(*side), n.min(*side), k.min(*side))).collect()
        }
    };
    found.retain(|extent| extent.count() < own.count());
    found.dedup();
    found.push(own);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_rise_to_the_known_one() {
        for own in [Extent::Linear(1000), Extent::Matrix(5, 300), Extent::Product(64, 64, 64), Extent::Linear(1)] {
            let found = sizes(own);
            assert!(found.windows(2).all(|pair| pair[0].count() <= pair[1].count()), "{found:?}");
            assert_eq!(found.last(), Some(&own));
        }
    }
}
