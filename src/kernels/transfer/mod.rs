//! `transfer`: copies between host and device memory (source workload B7), and clears by the API's own call (B10).
//!
//! Only `pinned_by_kernel`, `peer_…_by_kernel` and `peer_latency` run kernels. If the host takes part, its clock times
//! the calls until the device is done; copies and clears by the device alone are timed by the device if it writes
//! timestamps around copies. A storage buffer that can be mapped is where both sides reach it, on many devices in host
//! memory: kernels that use it may be slower.
//!
//! CUDA has no staging queue. Its host memory is pageable, as programs allocate it, so the driver first copies it to
//! memory of its own; or pinned, so the device accesses it directly.

mod base;
pub(crate) mod claims;
mod peer;

use self::base::{BASE, LARGEST, PAST_CACHES, VEC4, past_caches};
use record::suite::Route;
use record::suite::prelude::*;

pub(super) const FAMILY: Family = Family {
    name: "transfer",
    summary: "copies between host and device, and clearing of device memory; timed by the host if it takes part",
    tags: &[Tag::Article, Tag::Memory],
    model_text: "The best time is the bytes divided by the rate of the link between host and device (PCI Express or \
        shared DRAM), plus the cost of a call. Methods that copy data twice on the host reach at most half of the \
        host's memcpy rate.",
    is_by_kernel: true,
    chart: Chart::Own,
    benchmarks: &[
        Benchmark {
            name: "write_buffer",
            quick: &[Quick::at(&[Dtype::F32], Extent::Linear(1 << 24), PLAIN)],
            steps: |_, _| sent(Route::Queue),
            ..BASE
        },
        Benchmark { name: "mapped_staging", steps: |_, _| sent(Route::Staging), ..BASE },
        Benchmark {
            name: "read_back",
            quick: &[Quick::at(&[Dtype::F32], Extent::Linear(1 << 24), PLAIN)],
            steps: |_, _| received(Route::Staging),
            ..BASE
        },
        Benchmark {
            name: "read_back_pageable",
            only_cuda: Some("on this API, use transfer/read_back instead"),
            steps: |_, _| received(Route::Queue),
            ..BASE
        },
        Benchmark { name: "staging_to_device", steps: |_, _| sent(Route::StagingOnly), ..BASE },
        Benchmark {
            name: "pinned_to_device",
            quick: &[Quick::at(&[Dtype::F32], Extent::Linear(1 << 24), PLAIN)],
            // An H200 copies the same 4 MiB repeatedly at 303 GB/s, from its cache.
            cases: &past_caches(&[Dtype::F32], PLAIN),
            steps: |_, _| sent(Route::Pinned),
            ..BASE
        },
        Benchmark {
            name: "pinned_by_kernel",
            cases: &past_caches(VEC4, PLAIN),
            buffers: |shape, _| {
                vec![
                    Buffer::new("input", shape.count(), Contents::OnHost(Box::new(Contents::Input(Values::Wide)))),
                    Buffer::output("output", shape.count()),
                    uniform("sizes", &[shape.elements()]),
                ]
            },
            ..BASE
        },
        Benchmark {
            name: "device_to_staging",
            quick: &[Quick::at(&[Dtype::F32], Extent::Linear(1 << 24), PLAIN)],
            steps: |_, _| received(Route::StagingOnly),
            ..BASE
        },
        Benchmark {
            name: "both_ways",
            only_cuda: Some("WebGPU has one queue, in which copies run one after the other"),
            cases: LINKS,
            buffers: |shape, _| {
                let buffer = |name, contents| Buffer::new(name, shape.count(), contents);
                vec![
                    buffer("input", Contents::Input(Values::Wide)),
                    buffer("one", Contents::Poison),
                    buffer("other", Contents::Input(Values::Wide)),
                    buffer("output", Contents::Poison),
                ]
            },
            steps: |_, _| {
                vec![
                    Step::Send { from: "input", to: "one", route: Route::Pinned },
                    Step::Beside,
                    Step::Receive { from: "other", to: "output", route: Route::StagingOnly },
                    Step::Send { from: "input", to: "other", route: Route::Pinned },
                    Step::Beside,
                    Step::Receive { from: "one", to: "output", route: Route::StagingOnly },
                ]
            },
            work: |shape| Work { bytes: 4 * shape.array_bytes(), flops: 0 },
            ..BASE
        },
        Benchmark {
            name: "far_to_device",
            accepts: &[("FAR", Accepted::Whole(0, 1))],
            steps: |_, _| sent(Route::Pinned),
            ..ON_NODE
        },
        Benchmark {
            name: "far_to_host",
            accepts: &[("FAR", Accepted::Whole(0, 1))],
            steps: |_, _| received(Route::StagingOnly),
            ..ON_NODE
        },
        peer::WRITE,
        peer::READ,
        peer::BOTH,
        peer::WRITE_BY_KERNEL,
        peer::READ_BY_KERNEL,
        peer::LATENCY,
        Benchmark { name: "mapped_primary_write", steps: |_, _| sent(Route::Mapped), ..BASE },
        Benchmark { name: "mapped_primary_read", steps: |_, _| received(Route::Mapped), ..BASE },
        Benchmark {
            name: "clear_buffer",
            no_ceiling: "the API call may use hardware paths that kernels cannot use",
            steps: |_, _| vec![Step::Clear("output")],
            check: Check::of("output", all, |_, _| each(|_| 0.0)),
            ..BASE
        },
    ],
    ..Family::BLANK
};

fn sent(route: Route) -> Vec<Step> {
    vec![Step::Send { from: "input", to: "output", route }]
}

fn received(route: Route) -> Vec<Step> {
    vec![Step::Receive { from: "input", to: "output", route }]
}

/// Copies of pinned memory on a NUMA node.
const ON_NODE: Benchmark = Benchmark {
    only_cuda: Some("wgpu allocates host memory in blocks, which may be on any NUMA node"),
    cases: &[Cases::standard(&[Dtype::F32], PAST_CACHES, &[&[("FAR", 0.0)], &[("FAR", 1.0)]])],
    ..BASE
};

/// 256 MiB and more, since the delay between the starts of two copies does not depend on the size.
const LINKS: &[Cases] = &Cases::pair(&[Dtype::F32], &[Extent::Linear(1 << 26)], LARGEST, PLAIN);
