//! SPIR-V that wgpu's own compiler did not write, passed through wgpu as it is.

use std::collections::BTreeSet;

use crate::common;
use crate::device::adapter;
use gpu::backend::wgpu::{Timeouts, WgpuBackend};
use gpu::backend::{Backend, Translator};
use gpu::engine::checks::output::verify;
use gpu::job::{Job, Kernel};
use record::error::Result;
use record::suite::{Api, Case, Profile};

/// Hands on what wgpu's own compiler writes.
struct Same;

impl Translator for Same {
    fn name(&self) -> &str {
        "same"
    }

    fn version(&self) -> &str {
        "1"
    }

    fn translate(&mut self, kernel: &Kernel) -> Result<Vec<u32>> {
        kernel.spirv()
    }
}

/// Bindings, textures and samplers arrive.
#[test]
fn what_is_passed_through_computes_the_same() {
    let Some(adapter) = adapter().filter(|adapter| adapter.device.api == Api::Vulkan) else {
        return eprintln!("SKIPPED: only Vulkan takes SPIR-V, and the first device has another API");
    };
    let opened = WgpuBackend::open_with(adapter, Timeouts::DEFAULT, Some(Box::new(Same)));
    let mut backend = pollster::block_on(opened).expect("the device opens");
    let mut count = 0;
    let mut seen = BTreeSet::new();
    let mut cases = common::cases(&["texture/*", "scan/*", "memory_spaces/*"], &["5000", "33x70"]);
    cases.retain(|case| case.family.name != "ceiling" && seen.insert((case.name(), case.shape.dtype)));
    for case in cases {
        let job = Job::new(&case).expect("valid");
        if job.kernel.is_empty() || !job.kernel.interface.is_plain() || backend.device().check(&job).is_err() {
            continue;
        }
        let verified = pollster::block_on(async {
            let mut prepared = backend.prepare(&job).await?;
            prepared.sample(1).await?;
            verify(prepared.as_mut(), &job, 7).await
        });
        let fault = verified.unwrap_or_else(|error| panic!("{case}: {error}"));
        assert!(fault.is_none(), "{case} is wrong");
        assert!(backend.compilation(&job.kernel).is_some(), "{case}");
        count += 1;
    }
    assert!(count > 20, "{count} cases");
}

#[test]
fn host_cost_times_only_the_compiler_inside_wgpu() {
    let cases = common::cases_of(Profile::Standard, &["host_cost/pipeline_*", "host_cost/encode"], &[]);
    let refused = |compiler: &str| -> Vec<(&str, String)> {
        let mut device = common::device();
        compiler.clone_into(&mut device.kernel_compiler.name);
        let refusal = |case: &Case| {
            let error = device.check(&Job::new(case).expect("valid")).err()?;
            Some((case.benchmark.name, error.to_string()))
        };
        cases.iter().filter_map(refusal).collect()
    };
    assert_eq!([refused(""), refused("naga")], [const { Vec::new() }; 2]);
    let why = || "times naga, which wgpu compiles with, and not tint".to_owned();
    assert_eq!(refused("tint"), [("pipeline_first", why()), ("pipeline_again", why())]);
}
