//! Finds a wrong result at the smallest size where it occurs, for those who repair compilers and drivers.

use super::mismatch::{Grid, Mismatch};
use super::output::{differs, is_poison, near};
use super::outside::store_outside;
use super::reference::run_reference;
use crate::backend::{Backend, leak_if_lost};
use crate::job::{Job, Kernel, OutputCheck, Scalar};
use record::error::Result;
use record::suite::{Case, Extent};

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
    /// The store outside a buffer, if no element is wrong.
    pub outside: Option<String>,
    /// The buffers before the launch, by name, without outputs.
    pub inputs: Vec<(&'static str, Vec<u8>)>,
    /// The bytes of the output.
    pub output: Vec<u8>,
    /// The expected bytes of the output.
    pub expected: Vec<u8>,
}

impl WrongResult {
    /// The first wrong element, else the store outside a buffer.
    #[must_use]
    pub fn first(&self) -> String {
        self.elements.first().map(ToString::to_string).or_else(|| self.outside.clone()).unwrap_or_default()
    }
}

/// Maximum number of elements that are listed.
pub const MOST_ELEMENTS: usize = 16;

/// Most bytes of all buffers: larger cases help nobody.
const MOST_BYTES: u64 = 256 << 20;

/// Launches at each size: a race may be right by luck.
const TRIES: u32 = 4;

/// Runs the case alone at ever larger sizes up to its own, and returns the first wrong result; `None` if all are right.
///
/// A store outside a buffer counts only if the case's own size has one too: at a size that does not fill a workgroup,
/// it is another fault than the row's.
///
/// # Errors
/// If the device is lost. Sizes that cannot run are skipped.
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

struct Output<'a> {
    check: &'a OutputCheck,
    scalar: Scalar,
    bytes: u64,
    want: Vec<f64>,
    allowed: Vec<f64>,
    of: Option<&'static str>,
    dispatched: Option<Grid>,
}

impl<'a> Output<'a> {
    fn of(job: &Job, check: &'a OutputCheck) -> Self {
        let buffer = &job.buffers[check.buffer];
        let (scalar, mut want) = (buffer.scalar, vec![0.0; check.scalars as usize]);
        (check.oracle)(0, &mut want);
        let mut allowed = vec![0.0; want.len()];
        if let Some(tolerance) = &check.tolerance {
            tolerance(0, &mut allowed);
        }
        let name = (!job.also.is_empty()).then_some(buffer.name);
        Self {
            check,
            scalar,
            bytes: check.scalars * scalar.bytes() as u64,
            want,
            allowed,
            of: name,
            dispatched: Grid::of(job),
        }
    }

    fn mismatches(&self, bytes: &[u8]) -> Vec<Mismatch> {
        let mut got = vec![0.0; self.want.len()];
        self.check.decode(self.scalar, 0, &bytes[..self.bytes as usize], &mut got);
        let mismatch = |index: usize| {
            let (got, want) = (got[index], self.want[index]);
            let is_near = near(got, want, self.allowed[index]);
            let (of, scalar) = (self.of, self.check.scalar_at(self.scalar, index as u64));
            let is_padding = self.check.is_padding(index as u64);
            (differs(got, want) && !is_near && !is_padding).then_some(Mismatch {
                index: index as u64,
                got,
                want,
                scalar,
                of,
                half: None,
                is_unwritten: is_poison(bytes, 0, index * scalar.bytes(), scalar.bytes()),
                dispatched: self.dispatched,
            })
        };
        (0..self.want.len()).filter_map(mismatch).collect()
    }
}

/// Runs the case alone at its own size; `None` if its result is correct.
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
    let outputs: Vec<Output<'_>> = job.checks().map(|check| Output::of(&job, check)).collect();
    // If an expected value is unknown, the declaration is at fault.
    let is_unknown = |output: &Output<'_>| {
        let nan = |(index, want): (usize, &f64)| want.is_nan() && !output.check.is_padding(index as u64);
        output.check.fault.get().is_some() || output.want.iter().enumerate().any(nan)
    };
    if outputs.iter().any(is_unknown) {
        return Ok(None);
    }
    for _ in 0..TRIES {
        let result = async {
            prepared.poison().await?;
            prepared.sample(1).await?;
            let mut read = Vec::new();
            for output in &outputs {
                let mut bytes = Vec::with_capacity(output.bytes as usize);
                if output.bytes > 0 {
                    let mut keep = |_: u64, part: &[u8]| bytes.extend_from_slice(part);
                    prepared.read(output.check.buffer, output.bytes, &mut keep).await?;
                }
                read.push(bytes);
            }
            Ok((read, store_outside(prepared.as_mut(), &job).await?))
        };
        let (read, outside) = match result.await {
            Ok(read) => read,
            Err(error) => return leak_if_lost(prepared, Err(error)),
        };
        let compared = outputs.iter().zip(&read).map(|(output, bytes)| (output, bytes, output.mismatches(bytes)));
        let compared: Vec<_> = compared.collect();
        // The first wrong output, or the first of all if only a store is outside.
        let place = compared.iter().position(|(.., wrong)| !wrong.is_empty());
        let outside = outside.filter(|_| place.is_none());
        if place.is_none() && outside.is_none() {
            continue;
        }
        let Some((output, bytes, wrong)) = compared.into_iter().nth(place.unwrap_or(0)) else { continue };
        let (mut expected, bytes) = (vec![0; bytes.len()], bytes.clone());
        output.scalar.encode(&output.want, &mut expected);
        let count = wrong.len() as u64;
        let elements = wrong.into_iter().take(MOST_ELEMENTS).collect();
        let inputs = job.buffers.iter().filter(|buffer| !buffer.is_output()).map(|buffer| {
            let mut bytes = vec![0; buffer.bytes as usize];
            buffer.fill(0, &mut bytes);
            (buffer.name, bytes)
        });
        let inputs = inputs.collect();
        let kernel = job.kernel.clone();
        let (case, output) = (case.clone(), bytes);
        return Ok(Some(WrongResult { case, elements, count, outside, inputs, output, expected, kernel }));
    }
    Ok(None)
}

/// Sizes of the same form, smallest first, up to `own`, which is known to be wrong.
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
