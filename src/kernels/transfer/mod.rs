//! `transfer`: copies between host and device memory (source workload B7), and setting device memory by the API's own
//! call (B10).
//!
//! Only `pinned_by_kernel` runs a kernel. Where the host takes part, its clock times the calls until the device is
//! done; copies and clears by the device alone are timed by the device where it writes timestamps around copies. A
//! storage buffer that can be mapped lies where both sides reach it, on many devices in host memory: kernels that use
//! it may be slower.
//!
//! CUDA has no queue that stages. There the host memory is either pageable, as programs allocate it, so that the driver
//! first copies it to memory of its own, or pinned, so that the device accesses it directly.

mod base;
pub(crate) mod claims;
mod peer;

use self::base::{BASE, LARGE, LARGEST, PAST_CACHES, PLAIN, VEC4};
use record::suite::Route;
use record::suite::prelude::*;

/// The family.
pub const FAMILY: Family = Family {
    name: "transfer",
    summary: "copies between host and device, and clearing device memory; timed by the host where it takes part",
    tags: &[Tag::Article, Tag::Memory],
    model_text: "Bytes over the rate of the link between host and device (PCI Express, or memory itself where the two \
        share it), plus the cost of a call. Methods that copy twice on the host reach at most half of its memcpy rate.",
    is_by_kernel: true,
    chart: Chart::Own,
    benchmarks: &[
        Benchmark {
            name: "write_buffer",
            quick: &[Quick::at(&[Dtype::F32], Extent::Linear(1 << 24), PLAIN)],
            summary: "host to device through the queue's own staging, new at every call; CUDA: from pageable memory",
            look_for: "Its gap to mapped_staging: the cost of allocating, touching and freeing staging memory at every \
                call. CUDA: the cost of one more copy for pageable memory.",
            limited_by: "The host: page faults and one core's memcpy into staging, before the link transfers a byte.",
            work_text: "n scalars, counted once.",
            steps: |_, _| vec![Step::Send { from: "input", to: "output", route: Route::Queue }],
            ..BASE
        },
        Benchmark {
            name: "mapped_staging",
            summary: "host to device through a staging buffer that is mapped repeatedly; CUDA: from pinned memory",
            look_for: "The upload for portable code. Compare with the link's nominal rate: one memcpy on the host, \
                then one copy by the device.",
            limited_by: "The host's memcpy in wgpu; the link itself where pinned memory is the source, as in CUDA.",
            work_text: "n scalars, counted once, although both the host and the device copy them.",
            steps: |_, _| vec![Step::Send { from: "input", to: "output", route: Route::Staging }],
            ..BASE
        },
        Benchmark {
            name: "read_back",
            quick: &[Quick::at(&[Dtype::F32], Extent::Linear(1 << 24), PLAIN)],
            summary: "device to host through a staging buffer that is mapped repeatedly; CUDA: into pinned memory",
            look_for: "Slower than mapped_staging where the host does not cache mapped memory: then every read goes \
                over the bus.",
            limited_by: "How the host reads the staging buffer, cached or write-combined; CUDA: the link.",
            work_text: "n scalars, counted once, from device memory to host memory.",
            steps: |_, _| vec![Step::Receive { from: "input", to: "output", route: Route::Staging }],
            ..BASE
        },
        Benchmark {
            name: "read_back_pageable",
            summary: "device to host into pageable memory",
            look_for: "The cost of not pinning: the driver copies through its own pinned pieces. Compare with \
                read_back on CUDA.",
            limited_by: "The driver's staging pieces and a memcpy for each, overlapped at best.",
            work_text: "n scalars, counted once; the driver's intermediate copies are not counted.",
            only_cuda: Some("on this API, use transfer/read_back instead"),
            steps: |_, _| vec![Step::Receive { from: "input", to: "output", route: Route::Queue }],
            ..BASE
        },
        Benchmark {
            name: "staging_to_device",
            since: "2026-11-21",
            summary: "the device's copy from a staging buffer that is already filled",
            look_for: "Whether it is faster than the bus. If so, the mapped buffer lies on the device, and the host's \
                writes into it cross the bus (mapped_primary_write).",
            work_text: "n scalars, read once from the staging buffer.",
            limited_by: "The bus where the buffer lies in host memory, otherwise the device's own memory.",
            steps: |_, _| vec![Step::Send { from: "input", to: "output", route: Route::StagingOnly }],
            ..BASE
        },
        Benchmark {
            name: "pinned_to_device",
            since: "2026-11-22",
            quick: &[Quick::at(&[Dtype::F32], Extent::Linear(1 << 24), PLAIN)],
            summary: "the device's copy from a buffer in host memory, one that the host can map to read; CUDA: from \
                pinned memory",
            look_for: "The bus rate (PCIe 5 x16: about 55 GB/s), the limit of an upload once the bytes lie where the \
                device reads them. The gap to mapped_staging is the host's time to write them there. Below 64 MiB it \
                may exceed the bus: later launches find the bytes in the device's cache.",
            work_text: "n scalars, read once over the bus.",
            limited_by: "The link from host memory, which the device's copy engine reads by itself.",
            // An H200 copies the same 4 MiB repeatedly at 303 GB/s: from its cache.
            cases: &[
                Cases::standard(&[Dtype::F32], PAST_CACHES, PLAIN),
                Cases::standard(&[Dtype::F32], LARGE, PLAIN),
                Cases::thorough(&[Dtype::F32], LARGEST, PLAIN),
            ],
            steps: |_, _| vec![Step::Send { from: "input", to: "output", route: Route::Pinned }],
            ..BASE
        },
        Benchmark {
            name: "pinned_by_kernel",
            since: "2026-11-22",
            cases: &[
                Cases::standard(VEC4, PAST_CACHES, PLAIN),
                Cases::standard(VEC4, LARGE, PLAIN),
                Cases::thorough(VEC4, LARGEST, PLAIN),
            ],
            buffers: |shape, _| {
                vec![
                    Buffer {
                        name: "input",
                        scalars: shape.count(),
                        contents: Contents::OnHost(Box::new(Contents::Input(Values::Wide))),
                    },
                    Buffer::output("output", shape.count()),
                    uniform("sizes", &[shape.count() / shape.dtype.lanes()]),
                ]
            },
            steps: |shape, interface| {
                let elements = shape.count() / shape.dtype.lanes();
                Step::covering(elements, interface)
            },
            ..BASE
        },
        Benchmark {
            name: "device_to_staging",
            since: "2026-11-21",
            quick: &[Quick::at(&[Dtype::F32], Extent::Linear(1 << 24), PLAIN)],
            summary: "the device's copy into a staging buffer that the host does not read; CUDA: into pinned memory",
            look_for: "How near it comes to the bus rate (PCIe 5 x16: about 55 GB/s). The gap to read_back is the \
                host's time to copy from the staging buffer.",
            work_text: "n scalars, written once to the staging buffer.",
            limited_by: "The bus, and the copy engine that uses it.",
            steps: |_, _| vec![Step::Receive { from: "input", to: "output", route: Route::StagingOnly }],
            ..BASE
        },
        Benchmark {
            name: "both_ways",
            since: "2026-11-24",
            summary: "host to device and device to host at once, from and to pinned memory, by two copy engines",
            look_for: "Its ratio to pinned_to_device: 2 on a link that carries both directions at full rate, as PCI \
                Express does. Less shows a limit of the host's memory, or of one engine for both directions.",
            limited_by: "The host's memory, which is read and written at once, or the link.",
            work_text: "4n scalars: two copies of n each way. Two buffers on the device change roles: what the one \
                receives from the host the other sends back. The check reads what came back.",
            only_cuda: Some("WebGPU has one queue, in which copies run one after the other"),
            cases: LINKS,
            buffers: |shape, _| {
                let buffer = |name, contents| Buffer { name, scalars: shape.count(), contents };
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
            since: "2026-11-27",
            accepts: &[("FAR", Accepted::Whole(0, 1))],
            summary: "pinned_to_device with the host's thread and memory on the card's NUMA node (FAR=0) or on the farthest \
                (FAR=1)",
            look_for: "The ratio of FAR=0 to FAR=1: what a program loses that runs on the wrong socket.",
            limited_by: "The link between host and card; with FAR=1 also the one between the sockets.",
            work_text: "n scalars, read once over the bus.",
            steps: |_, _| vec![Step::Send { from: "input", to: "output", route: Route::Pinned }],
            ..ON_NODE
        },
        Benchmark {
            name: "far_to_host",
            since: "2026-11-27",
            accepts: &[("FAR", Accepted::Whole(0, 1))],
            summary: "device_to_staging with the host's thread and memory on the card's NUMA node (FAR=0) or on the \
                farthest (FAR=1)",
            look_for: "The ratio of FAR=0 to FAR=1 beside that of far_to_device: writes to far memory may be slower.",
            limited_by: "The bus; with FAR=1 perhaps the other socket's memory, which is written from afar.",
            work_text: "n scalars, written once over the bus.",
            steps: |_, _| vec![Step::Receive { from: "input", to: "output", route: Route::StagingOnly }],
            ..ON_NODE
        },
        peer::WRITE,
        peer::READ,
        peer::BOTH,
        peer::WRITE_BY_KERNEL,
        peer::READ_BY_KERNEL,
        peer::LATENCY,
        Benchmark {
            name: "mapped_primary_write",
            summary: "host to device directly into a storage buffer that is mapped repeatedly",
            look_for: "On devices that share the host's memory no copy is left, and the rate is the host's own. \
                Elsewhere it shows the cost of writing over the link.",
            limited_by: "One core's stores into the mapping: write-combined, or device memory behind the link.",
            work_text: "n scalars, counted once, as the host writes them.",
            steps: |_, _| vec![Step::Send { from: "input", to: "output", route: Route::Mapped }],
            ..BASE
        },
        Benchmark {
            name: "mapped_primary_read",
            summary: "device to host directly from a storage buffer that the device wrote, mapped repeatedly",
            look_for: "The ratio to read_back: mapping in place saves the device's copy. It is much slower where the \
                host does not cache the mapping.",
            limited_by: "One core's loads from the mapping and, before them, the wait for the device and its caches.",
            work_text: "n scalars, counted once, as the host reads them.",
            steps: |_, _| vec![Step::Receive { from: "input", to: "output", route: Route::Mapped }],
            ..BASE
        },
        Benchmark {
            name: "clear_buffer",
            summary: "sets device memory to zero with the API's call (ceiling/fill is the kernel)",
            look_for: "The ratio to ceiling/fill: at large sizes the API's call should be as fast as the kernel; at \
                small sizes the cost of the call is most of the time.",
            limited_by: "DRAM writes; below a few MiB submission and waiting.",
            work_text: "n scalars written.",
            no_ceiling: "the API's call may use paths that no kernel has",
            steps: |_, _| vec![Step::Clear("output")],
            check: Check::of("output", all, |_, _| each(|_| 0.0)),
            ..BASE
        },
    ],
    ..Family::BLANK
};

/// Copies of pinned memory on a NUMA node.
const ON_NODE: Benchmark = Benchmark {
    only_cuda: Some("wgpu allocates host memory in blocks, which may lie on any NUMA node"),
    cases: &[Cases::standard(&[Dtype::F32], PAST_CACHES, &[&[("FAR", 0.0)], &[("FAR", 1.0)]])],
    ..BASE
};

/// 256 MiB and more: the time between the starts of two copies does not depend on the size.
const LINKS: &[Cases] = &[
    Cases::standard(&[Dtype::F32], &[Extent::Linear(1 << 26)], PLAIN),
    Cases::standard(&[Dtype::F32], LARGEST, PLAIN),
];
