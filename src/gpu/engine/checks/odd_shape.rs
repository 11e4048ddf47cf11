//! Verifies every kernel at another shape, too: some faults show only if the size is no multiple of the workgroup,
//! others cancel in squares, and a store outside a buffer changes no result.

use std::collections::HashMap;

use super::output::verify_parts;
use super::outside::store_outside;
use super::parts::PARTS;
use crate::backend::{Backend, Prepared, leak_if_lost};
use crate::job::Job;
use record::error::Result;
use record::suite::{Case, Extent};

/// Kernels verified so far, by benchmark, type and parameters, each with its fault, if any.
#[derive(Debug, Default)]
pub(in crate::engine) struct OtherShapes {
    known: HashMap<String, Option<String>>,
}

impl OtherShapes {
    /// The fault of a case's kernel at [its other shape](other_shape), between guard zones, if any. Runs each once.
    pub(in crate::engine) async fn fault(
        &mut self,
        backend: &mut dyn Backend,
        case: &Case,
        random: u64,
    ) -> Result<Option<String>> {
        // A declared kernel has only the sizes that its declaration names.
        if case.benchmark.declared.is_some() {
            return Ok(None);
        }
        let Some(other) = other_shape(case) else { return Ok(None) };
        let key = format!("{} {} {}", other.name(), other.shape.dtype.name(), other.params_text());
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let fault = fault_at(backend, &other, random).await?;
        self.known.insert(key, fault.clone());
        Ok(fault)
    }
}

async fn fault_at(backend: &mut dyn Backend, case: &Case, random: u64) -> Result<Option<String>> {
    // Some kernels support only certain shapes.
    let Ok(mut job) = Job::new(case) else { return Ok(None) };
    job.guard(backend.device().largest_buffer());
    if backend.device().check(&job).is_err() {
        return Ok(None);
    }
    let mut prepared = backend.prepare(&job).await?;
    let result = checked_launch(prepared.as_mut(), &job, random).await;
    let fault = leak_if_lost(prepared, result)?;
    Ok(fault.map(|fault| format!("{fault} at size {}", case.shape.extent)))
}

/// Runs one launch into outputs that are poisoned by preparation, and verifies them and their guard zones.
pub(in crate::engine) async fn checked_launch(
    prepared: &mut dyn Prepared,
    job: &Job,
    random: u64,
) -> Result<Option<String>> {
    prepared.sample(1).await?;
    if let Some(fault) = store_outside(prepared, job).await? {
        return Ok(Some(fault));
    }
    Ok(verify_parts(prepared, job, PARTS, random).await?.map(|mismatch| mismatch.to_string()))
}

/// Elements of an array's other shape: odd, and over two workgroups of the kernels with the largest, 32,768 elements.
const ELEMENTS: u64 = 70_001;

/// Sides of the other shape of a matrix and of a product: no multiples of a tile, and over twice the widest tiles.
const SIDES: [u64; 2] = [101, 257];
const PRODUCT: [u64; 3] = [133, 267, 70];

/// The case at unequal sides that are no multiples of a workgroup, no larger than its own or than the size for slow
/// devices; `None` if its own shape is such already, or too small to differ.
pub(super) fn other_shape(case: &Case) -> Option<Case> {
    let extent = match case.shape.extent {
        Extent::Linear(n) => {
            let lanes = case.shape.dtype.lanes();
            let small = case.benchmark.small.map_or(u64::MAX, Extent::count);
            let most = n.min(small) / lanes;
            let elements = if most > ELEMENTS { ELEMENTS } else { (most / 2) | 1 };
            (elements > 1).then(|| Extent::Linear(elements * lanes))?
        }
        Extent::Matrix(rows, columns) => {
            let [rows, columns] = unequal([rows.min(SIDES[0]), columns.min(SIDES[1])]);
            Extent::Matrix(rows, columns)
        }
        Extent::Product(m, n, k) => {
            let [m, n, k] = unequal([m.min(PRODUCT[0]), n.min(PRODUCT[1]), k.min(PRODUCT[2])]);
            Extent::Product(m, n, k)
        }
    };
    let mut other = case.clone();
    other.shape.extent = extent;
    (extent != case.shape.extent).then_some(other)
}

/// The sides; each is halved, rounded up, while it equals an earlier one.
fn unequal<const N: usize>(mut sides: [u64; N]) -> [u64; N] {
    for index in 1..N {
        while sides[index] > 1 && sides[..index].contains(&sides[index]) {
            sides[index] = sides[index].div_ceil(2);
        }
    }
    sides
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::engine::plan::{Request, plan};
    use record::suite::Profile;

    fn other(filter: &str, size: Extent) -> Option<Extent> {
        let request = Request { sizes: vec![size], ..Request::new(vec![filter.to_owned()], Profile::Quick) };
        let cases = plan(&request).expect("a plan");
        let case = cases.iter().find(|case| case.name() == filter).expect("planned");
        other_shape(case).map(|case| case.shape.extent)
    }

    #[test]
    fn other_shapes_are_odd_unequal_and_no_larger() {
        let matrix = |rows, columns| Some(Extent::Matrix(rows, columns));
        assert_eq!(other("transpose/tiled", Extent::Matrix(4096, 4096)), matrix(101, 257));
        assert_eq!(other("transpose/tiled", Extent::Matrix(64, 64)), matrix(64, 32));
        assert_eq!(other("transpose/tiled", Extent::Matrix(64, 96)), None);
        assert_eq!(other("transpose/tiled", Extent::Matrix(1, 1)), None);
        assert_eq!(other("matmul/naive", Extent::Product(512, 512, 512)), Some(Extent::Product(133, 267, 70)));
        assert_eq!(other("matmul/naive", Extent::Product(64, 64, 64)), Some(Extent::Product(64, 32, 16)));
        assert_eq!(other("reduction/vec4_grid_stride", Extent::Linear(1 << 20)), Some(Extent::Linear(32_769)));
        assert_eq!(other("histogram/vec4", Extent::Linear(1 << 20)), Some(Extent::Linear(70_001)));
        assert_eq!(other("reduction/vec4_grid_stride", Extent::Linear(4096)), Some(Extent::Linear(2049)));
        assert_eq!(other("stream/copy", Extent::Linear(1 << 20)), Some(Extent::Linear(4 * 70_001)));
        assert_eq!(other("reduction/vec4_grid_stride", Extent::Linear(2)), None);
    }

    /// Whether an extent is no multiple of the workgroup, and its sides differ.
    fn is_odd(case: &Case, extent: Extent) -> bool {
        let Ok(job) = Job::new(case) else { return false };
        let sides = extent.sides();
        let distinct: BTreeSet<u64> = sides.iter().copied().collect();
        let elements = extent.count() / case.shape.dtype.lanes();
        // Copies and library routines have no workgroup.
        let block = job.kernel.interface.invocations();
        let is_beside = block <= 1 || (elements > block && !elements.is_multiple_of(block));
        distinct.len() == sides.len() && is_beside
    }

    #[test]
    fn every_type_of_every_benchmark_is_verified_at_an_odd_shape_by_default() {
        for profile in Profile::ALL {
            let mut verified: BTreeMap<(String, &str), bool> = BTreeMap::new();
            let cases = plan(&Request { has_reserves: true, ..Request::new(Vec::new(), profile) }).expect("a plan");
            // A latency kernel of a single invocation has one size.
            let is_single = |case: &Case| {
                case.benchmark.cases.iter().flat_map(|block| block.extents).all(|extent| extent.count() == 1)
            };
            // A transform has a power of two of points; `tests/suite/gpu.rs` runs odd numbers of transforms.
            let is_transform = |case: &Case| case.family.name == "fft";
            for case in cases.into_iter().filter(|case| !is_single(case) && !is_transform(case)) {
                let is_odd = [Some(case.clone()), other_shape(&case)]
                    .into_iter()
                    .flatten()
                    .any(|shape| is_odd(&shape, shape.shape.extent));
                *verified.entry((case.name(), case.shape.dtype.name())).or_default() |= is_odd;
            }
            let never: Vec<_> = verified.iter().filter(|(_, is_odd)| !**is_odd).collect();
            let least = if profile == Profile::Quick { 60 } else { 120 };
            assert!(verified.len() > least && never.is_empty(), "{}: {} {never:?}", profile.name(), verified.len());
        }
    }
}
