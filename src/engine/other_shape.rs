//! Square cases verified at a shape that is not square: some faults cancel in squares.

use std::collections::HashMap;

use super::lost::leak_if_lost;
use crate::backend::{Backend, Prepared};
use crate::engine::verify::{Mismatch, verify_parts};
use crate::error::Result;
use crate::job::Job;
use crate::suite::{Case, Extent};

/// The kernels verified so far, by benchmark, type and parameters, each with its fault if it has one.
#[derive(Debug, Default)]
pub(super) struct OtherShapes {
    known: HashMap<String, Option<String>>,
}

impl OtherShapes {
    /// The fault of the kernel of a square case at a small shape that is not square; `None` if there is none, or if the
    /// case is not square. Each kernel runs once.
    pub(super) async fn mismatch(&mut self, backend: &mut dyn Backend, case: &Case) -> Result<Option<String>> {
        let Some(small) = not_square(case) else { return Ok(None) };
        let key = format!("{} {} {}", small.name(), small.shape.dtype.name(), small.params_text());
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let fault = fault_at(backend, &small).await?;
        self.known.insert(key, fault.clone());
        Ok(fault)
    }
}

async fn fault_at(backend: &mut dyn Backend, case: &Case) -> Result<Option<String>> {
    // Some kernels have only certain shapes.
    let Ok(job) = Job::new(case) else { return Ok(None) };
    if backend.device().check(&job).is_err() {
        return Ok(None);
    }
    let mut prepared = backend.prepare(&job).await?;
    let result = checked_launch(prepared.as_mut(), &job).await;
    let mismatch = leak_if_lost(prepared, result)?;
    Ok(mismatch.map(|mismatch| format!("{mismatch} at size {}", case.shape.extent)))
}

/// Runs one launch into the outputs, which are poisoned when a job is prepared, and verifies them.
pub(super) async fn checked_launch(prepared: &mut dyn Prepared, job: &Job) -> Result<Option<Mismatch>> {
    prepared.sample(1).await?;
    verify_parts(prepared, job, 0).await
}

/// The case at a small shape that is not square; `None` if its own is not square.
fn not_square(case: &Case) -> Option<Case> {
    let extent = match case.shape.extent {
        Extent::Matrix(rows, columns) if rows == columns && rows > 1 => {
            let least = rows.min(256);
            Extent::Matrix(least, least.div_ceil(2))
        }
        Extent::Product(m, n, k) if m == n && n == k && m > 1 => {
            let least = m.min(256);
            Extent::Product(least, least.div_ceil(2), least.div_ceil(4))
        }
        _ => return None,
    };
    let mut case = case.clone();
    case.shape.extent = extent;
    Some(case)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::plan::{Request, plan};
    use crate::suite::Profile;

    fn other(filter: &str, size: Extent) -> Option<Extent> {
        let request = Request { sizes: vec![size], ..Request::new(vec![filter.to_owned()], Profile::Quick) };
        let cases = plan(&request).expect("a plan");
        let case = cases.iter().find(|case| case.name() == filter).expect("planned");
        not_square(case).map(|case| case.shape.extent)
    }

    #[test]
    fn squares_and_cubes_have_a_small_shape_of_unequal_sides() {
        assert_eq!(other("transpose/tiled", Extent::Matrix(4096, 4096)), Some(Extent::Matrix(256, 128)));
        assert_eq!(other("transpose/tiled", Extent::Matrix(64, 64)), Some(Extent::Matrix(64, 32)));
        assert_eq!(other("transpose/tiled", Extent::Matrix(64, 96)), None);
        assert_eq!(other("matmul/naive", Extent::Product(512, 512, 512)), Some(Extent::Product(256, 128, 64)));
        assert_eq!(other("reduction/vec4_grid_stride", Extent::Linear(4096)), None);
    }
}
