//! SPIR-V that wgpu passes through unchanged.

use std::collections::BTreeSet;

use crate::common;
use crate::device::{adapter, fault, open};
use gpu::backend::Backend;
use gpu::job::Job;
use record::suite::Api;

/// Bindings of any group, textures, samplers and immediates reach the kernel.
#[test]
fn what_is_passed_through_computes_the_same() {
    let Some(adapter) = adapter().filter(|adapter| adapter.device.api == Api::Vulkan) else {
        return eprintln!("SKIPPED: only Vulkan takes SPIR-V, and the first device has another API");
    };
    let mut backend = open(adapter);
    let mut count = 0;
    let mut seen = BTreeSet::new();
    let mut cases = common::cases(&["texture/*", "scan/*", "memory_spaces/*"], &["5000", "33x70"]);
    cases.retain(|case| case.family.name != "ceiling" && seen.insert((case.name(), case.shape.dtype)));
    for case in cases {
        let mut job = Job::new(&case).expect("valid");
        if job.kernel.is_empty() || !job.kernel.interface.is_plain() || backend.device().check(&job).is_err() {
            continue;
        }
        // In naga's SPIR-V, constants have replaced the overrides.
        job.kernel.module = job.kernel.spirv().expect("expressible");
        job.kernel.interface.overrides.clear();
        match fault(&mut backend, &mut job) {
            // Guard zones may make a buffer too large.
            Err(error) if error.is_skip() => continue,
            found => assert_eq!(found.unwrap_or_else(|error| panic!("{case}: {error}")), None, "{case} is wrong"),
        }
        count += 1;
    }
    assert!(count > 20, "{count} cases");
}
