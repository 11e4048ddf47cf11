//! The subgroup size that kernels get. An API may report another one:
//! [gpuweb#6278](https://github.com/gpuweb/gpuweb/issues/6278), uVkCompute#43.

use std::collections::{BTreeMap, HashMap};

use crate::backend::{Backend, leak_if_lost};
use crate::job::{Job, Language};
use kernels::FAMILIES;
use record::Record;
use record::error::Result;
use record::suite::{Benchmark, Buffer, Case, Check, Contents, Dtype, Extent, Feature, Shape, Step};

/// Counts the active invocations of each subgroup of one full workgroup.
static PROBE: Benchmark = Benchmark {
    name: "subgroup_size",
    wgsl: "override WG: u32 = 64u;
@group(0) @binding(0) var<storage, read_write> output: array<u32>;
@compute @workgroup_size(WG)
fn main(@builtin(local_invocation_index) i: u32) {
    output[i] = subgroupAdd(1u);
}",
    buffers: |shape, _| vec![Buffer { name: "output", scalars: shape.count(), contents: Contents::Poison }],
    steps: |_, _| vec![Step::dispatch(1)],
    check: Check { buffer: "output", ..Benchmark::BLANK.check },
    ..Benchmark::BLANK
};

/// Sizes found so far, by invocations per workgroup; `None` if the device does not run the probe.
#[derive(Debug, Default)]
pub(in crate::engine) struct Subgroups {
    known: HashMap<u32, Option<u64>>,
}

impl Subgroups {
    /// Notes the subgroup size of a kernel with subgroup operations, counted by the probe once per workgroup size, and
    /// whether the API reports another one. CUDA's warps have one size and are not counted. If the probe fails, the row
    /// has no size; the result is an error only if it ends the device.
    pub(in crate::engine) async fn note(
        &mut self,
        backend: &mut dyn Backend,
        job: &Job,
        record: &mut Record,
    ) -> Result<()> {
        let interface = &job.kernel.interface;
        if backend.device().language != Language::Wgsl || !interface.features.contains(&Feature::Subgroups) {
            return Ok(());
        }
        let invocations = interface.workgroup_size.iter().product();
        let counted = match self.known.get(&invocations) {
            Some(counted) => *counted,
            None => {
                let counted = count(backend, invocations).await;
                // A device that is lost at one size would be lost again.
                self.known.insert(invocations, counted.as_ref().ok().copied());
                match counted {
                    Err(error) if error.ends_device() => return Err(error),
                    counted => counted.ok(),
                }
            }
        };
        record.subgroup_size_run = counted;
        let (Some(counted), Some(reported)) = (counted, record.subgroup_size) else { return Ok(()) };
        // A small workgroup does not fill a subgroup.
        let least = u64::from(reported.least.min(invocations));
        if (counted < least || counted > u64::from(reported.most)) && record.reason.is_empty() {
            record.reason = format!("subgroups have {counted} invocations, but the API reports {reported}");
        }
        Ok(())
    }
}

/// The most active invocations of any subgroup in a workgroup of `invocations`.
async fn count(backend: &mut dyn Backend, invocations: u32) -> Result<u64> {
    let params = BTreeMap::from([("WG".to_owned(), f64::from(invocations))]);
    let shape = Shape::new(Dtype::U32, Extent::Linear(u64::from(invocations)), params);
    // The probe belongs to no family: any will do.
    let job = Job::new(&Case::new(FAMILIES[0], &PROBE, shape))?;
    let mut prepared = backend.prepare(&job).await?;
    let mut most = 0;
    let result = match prepared.sample(1).await {
        Ok(_) => {
            let mut sink = |_, bytes: &[u8]| {
                let words = bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
                most = words.fold(most, u32::max);
            };
            prepared.read(0, 4 * u64::from(invocations), &mut sink).await
        }
        Err(error) => Err(error),
    };
    leak_if_lost(prepared, result)?;
    Ok(u64::from(most))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::wgpu::{Timeouts, WgpuBackend, adapters};
    use record::suite::SubgroupSize;

    #[test]
    fn subgroups_are_counted_and_a_contradiction_is_noted() {
        let Some(adapter) = pollster::block_on(adapters(None)).into_iter().next() else {
            eprintln!("SKIPPED: there is no device");
            return;
        };
        if !adapter.device.features.contains(&Feature::Subgroups) {
            eprintln!("SKIPPED: there are no subgroups");
            return;
        }
        let mut backend = pollster::block_on(WgpuBackend::open(adapter, Timeouts::DEFAULT)).expect("a device");
        let reported = backend.device().subgroup.expect("reported");
        let shape = Shape::new(Dtype::U32, Extent::Linear(64), BTreeMap::new());
        let job = Job::new(&Case::new(FAMILIES[0], &PROBE, shape)).expect("valid");
        let mut note = |reported: SubgroupSize| {
            let mut record = Record { subgroup_size: Some(reported), ..Record::default() };
            let mut subgroups = Subgroups::default();
            pollster::block_on(subgroups.note(&mut backend, &job, &mut record)).expect("it runs");
            (record.subgroup_size_run.expect("counted"), record.reason)
        };
        let (counted, reason) = note(reported);
        assert!((u64::from(reported.least)..=u64::from(reported.most)).contains(&counted), "{counted} of {reported}");
        assert_eq!(reason, "");
        let wrong = SubgroupSize { least: 2 * reported.most, most: 2 * reported.most };
        let expected = format!("subgroups have {counted} invocations, but the API reports {wrong}");
        assert_eq!(note(wrong), (counted, expected));
    }
}
