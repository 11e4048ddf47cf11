//! `transfer`: copies between the host's memory and the device's (source workload B7), and setting device memory by the API's own call
//! (B10). But for one that reads the host's memory no kernel runs: where the host has a part, its clock times the calls until the device is
//! done; what the device copies and clears by itself its own clock times, where it writes timestamps around copies. A storage buffer that can
//! be mapped lies where both sides reach it, on many devices in the host's memory: what its rows save, kernels that use the buffer may pay.
//!
//! CUDA has no queue that stages. There the question is whether the host's memory is pageable, as programs allocate it, so that the driver
//! copies it to a place of its own first, or pinned, so that the device reads and writes it where it lies.

use crate::suite::input::Values;
use crate::suite::{
    Benchmark, Buffer, Cases, Check, Contents, Dtype, Extent, Family, Params, Profile, Route, Step, Work, all, each,
    uniform,
};

/// The family.
pub const FAMILY: Family = Family {
    name: "transfer",
    summary: "copies between host and device, and clearing device memory; by the host's clock where it has a part",
    model_text: "Bytes over the rate of the link between host and device (PCI Express, or memory itself where the \
        two share it), plus what a call costs. Ways that copy twice on the host are at most half as fast as its \
        memory copies.",
    is_by_kernel: true,
    tuned: &[],
    benchmarks: &[
        Benchmark {
            name: "write_buffer",
            summary: "host to device by the queue's own staging, new at every call; CUDA: out of pageable memory",
            look_for: "Its gap to mapped_staging: allocating, touching and freeing fresh staging at every call. \
                CUDA: what it costs that pageable memory is copied once more.",
            limited_by: "The host: page faults and one core's memcpy into staging, before the link sees a byte.",
            work_text: "n scalars, counted once.",
            steps: |_, _| vec![Step::Send { from: "input", to: "output", route: Route::Queue }],
            ..BASE
        },
        Benchmark {
            name: "mapped_staging",
            summary: "host to device through a staging buffer that is mapped again and again; CUDA: out of pinned memory",
            look_for: "The best upload that portable code has. Against the link's nominal rate: one memcpy on the \
                host and one copy by the device, one after the other.",
            limited_by: "The host's memcpy in wgpu; the link itself where pinned memory is the source, as in CUDA.",
            work_text: "n scalars, counted once, although the host's copy and the device's both move them.",
            steps: |_, _| vec![Step::Send { from: "input", to: "output", route: Route::Staging }],
            ..BASE
        },
        Benchmark {
            name: "read_back",
            summary: "device to host through a staging buffer that is mapped again and again; CUDA: into pinned memory",
            look_for: "Slower than mapped_staging where mapped memory is not cached by the host: then every read of \
                it goes over the bus.",
            limited_by: "How the host reads the staging buffer, cached or write-combined; CUDA: the link.",
            work_text: "n scalars, counted once, from device memory to the host's.",
            steps: |_, _| vec![Step::Receive { from: "input", to: "output", route: Route::Staging }],
            ..BASE
        },
        Benchmark {
            name: "read_back_pageable",
            summary: "device to host into pageable memory",
            look_for: "The price of not pinning: the driver copies through its own pinned pieces. Compare with \
                read_back on CUDA.",
            limited_by: "The driver's staging pieces and a memcpy for each, overlapped at best.",
            work_text: "n scalars, counted once; what the driver copies in between is not counted.",
            only_cuda: Some("reading back goes through a staging buffer here, as read_back does"),
            steps: |_, _| vec![Step::Receive { from: "input", to: "output", route: Route::Queue }],
            ..BASE
        },
        Benchmark {
            name: "staging_to_device",
            summary: "the device's copy out of a staging buffer that is filled already: where it beats the bus, that buffer lies on the device",
            look_for: "Whether it beats the bus. If so, the buffer that the host maps lies on the device, and what crosses \
                the bus are the host's writes into it (mapped_primary_write).",
            work_text: "n scalars, read from the staging buffer once.",
            limited_by: "The bus where the buffer lies in the host's memory, else the device's own memory.",
            steps: |_, _| vec![Step::Send { from: "input", to: "output", route: Route::Held }],
            ..BASE
        },
        Benchmark {
            name: "pinned_to_device",
            summary: "the device's copy out of a buffer in the host's memory, one that the host could map to read; CUDA: out of pinned memory",
            look_for: "The bus (PCIe 5 x16: about 55 GB/s), as near as an upload can come once the bytes lie where the device \
                reads them. Against mapped_staging: what the host takes to write them there. Less than 64 MiB may \
                beat the bus: launches after the first find what they read in the device's cache.",
            work_text: "n scalars, read over the bus once.",
            limited_by: "The link out of the host's memory, which the device's copy engine reads by itself.",
            // An H200 copies 4 MiB at 303 GB/s again and again: out of its cache.
            cases: &[
                Cases { from: Profile::Quick, dtypes: &[Dtype::F32], extents: PAST_CACHES, params: PLAIN },
                Cases { from: Profile::Standard, dtypes: &[Dtype::F32], extents: LARGE, params: PLAIN },
                Cases { from: Profile::Thorough, dtypes: &[Dtype::F32], extents: LARGEST, params: PLAIN },
            ],
            steps: |_, _| vec![Step::Send { from: "input", to: "output", route: Route::Pinned }],
            ..BASE
        },
        Benchmark {
            name: "pinned_by_kernel",
            summary: "the same memory copied by a kernel, whose loads cross the bus (CUDA: zero-copy)",
            look_for: "Whether kernels may read the host's memory where it lies as fast as a copy brings it, as NVIDIA's sample \
                simpleZeroCopy does: then what is read once need not be copied first. Against pinned_to_device.",
            limited_by: "Requests under way over the bus: its latency, a microsecond or more, times its rate.",
            wgsl: include_str!("../../shaders/transfer/pinned_by_kernel.wgsl"),
            cuda: include_str!("../../shaders/transfer/pinned_by_kernel.cu"),
            cases: &[
                Cases { from: Profile::Quick, dtypes: VEC4, extents: PAST_CACHES, params: PLAIN },
                Cases { from: Profile::Standard, dtypes: VEC4, extents: LARGE, params: PLAIN },
                Cases { from: Profile::Thorough, dtypes: VEC4, extents: LARGEST, params: PLAIN },
            ],
            buffers: |shape, _| {
                vec![
                    Buffer { name: "input", scalars: shape.count(), contents: Contents::InputOnHost(Values::Wide) },
                    Buffer { name: "output", scalars: shape.count(), contents: Contents::Poison },
                    uniform("sizes", &[shape.count() / shape.dtype.lanes()]),
                ]
            },
            steps: |shape, interface| {
                let elements = shape.count() / shape.dtype.lanes();
                vec![Step::dispatch(elements.div_ceil(u64::from(interface.invocations())))]
            },
            ..BASE
        },
        Benchmark {
            name: "device_to_staging",
            summary: "the device's copy into a staging buffer that nobody reads yet; CUDA: into pinned memory",
            look_for: "How near it comes to the bus (PCIe 5 x16: about 55 GB/s): the distance to read_back is what the host takes \
                to copy out of the staging buffer.",
            work_text: "n scalars, written to the staging buffer once.",
            limited_by: "The bus, and the engine that copies over it.",
            steps: |_, _| vec![Step::Receive { from: "input", to: "output", route: Route::Held }],
            ..BASE
        },
        Benchmark {
            name: "mapped_primary_write",
            summary: "host to device straight into a storage buffer that is mapped again and again",
            look_for: "On devices that share the host's memory no copy is left, and the rate is the host's own. \
                Elsewhere it shows what writing over the link costs.",
            limited_by: "One core's stores into the mapping: write-combined, or device memory behind the link.",
            work_text: "n scalars, counted once, as the host writes them.",
            steps: |_, _| vec![Step::Send { from: "input", to: "output", route: Route::Mapped }],
            ..BASE
        },
        Benchmark {
            name: "mapped_primary_read",
            summary: "device to host straight out of a storage buffer that the device wrote, mapped again and again",
            look_for: "Against read_back: mapping in place spares the device's copy. It loses badly where the \
                mapping is not cached.",
            limited_by: "One core's loads from the mapping and, before them, the wait for the device and its caches.",
            work_text: "n scalars, counted once, as the host reads them.",
            steps: |_, _| vec![Step::Receive { from: "input", to: "output", route: Route::Mapped }],
            ..BASE
        },
        Benchmark {
            name: "clear_buffer",
            summary: "sets device memory to zero by the API's own call (the fill kernel is ceiling/fill)",
            look_for: "Beside ceiling/fill: the API's own clear should reach a fill kernel at large sizes; at small \
                ones the call's cost by the host's clock is what one sees.",
            limited_by: "Memory's writing; below a few MiB submission and waiting.",
            work_text: "n scalars written.",
            sources: &["B10"],
            steps: |_, _| vec![Step::Clear("output")],
            check: Check { buffer: "output", scalars: all, oracle: |_, _| each(|_| 0.0) },
            ..BASE
        },
    ],
};

/// What the benchmarks here share.
const BASE: Benchmark = Benchmark {
    sources: &["B7"],
    cases: &[
        Cases { from: Profile::Quick, dtypes: &[Dtype::F32], extents: QUICK, params: PLAIN },
        Cases { from: Profile::Standard, dtypes: &[Dtype::F32], extents: ALL, params: PLAIN },
        Cases { from: Profile::Thorough, dtypes: &[Dtype::F32], extents: LARGEST, params: PLAIN },
    ],
    buffers: |shape, _| {
        vec![
            Buffer { name: "input", scalars: shape.count(), contents: Contents::Input(Values::Wide) },
            Buffer { name: "output", scalars: shape.count(), contents: Contents::Poison },
        ]
    },
    steps: |_, _| Vec::new(),
    work: |shape| Work { bytes: shape.array_bytes(), flops: 0 },
    check: Check {
        buffer: "output",
        scalars: all,
        oracle: |shape, _| {
            let scalar = shape.dtype.scalar();
            each(move |i| Values::Wide.at(scalar, i))
        },
    },
    ..Benchmark::BLANK
};

const PLAIN: &[Params] = &[&[]];
const VEC4: &[Dtype] = &[Dtype::Vec4F32];

/// 1 KiB, 1 MiB, 64 MiB.
const QUICK: &[Extent] = &[Extent::Linear(1 << 8), Extent::Linear(1 << 18), Extent::Linear(1 << 24)];

/// 64 MiB.
const PAST_CACHES: &[Extent] = &[Extent::Linear(1 << 24)];

/// 64 MiB and 256 MiB.
const LARGE: &[Extent] = &[Extent::Linear(1 << 24), Extent::Linear(1 << 26)];

/// 1 KiB to 256 MiB.
const ALL: &[Extent] = &[
    Extent::Linear(1 << 8),
    Extent::Linear(1 << 10),
    Extent::Linear(1 << 12),
    Extent::Linear(1 << 14),
    Extent::Linear(1 << 16),
    Extent::Linear(1 << 18),
    Extent::Linear(1 << 20),
    Extent::Linear(1 << 22),
    Extent::Linear(1 << 24),
    Extent::Linear(1 << 26),
];

/// 1 GiB, of which some ways need two in the host's memory.
const LARGEST: &[Extent] = &[Extent::Linear(1 << 28)];
