//! `transfer`: copies between the host's memory and the device's (source workload B7), and setting device memory by the API's own call
//! (B10). No kernel runs: the host's clock times the calls until the device is done. A storage buffer that can be mapped lies where
//! both sides reach it, on many devices in the host's memory: what its rows save, kernels that use the buffer may pay.
//!
//! CUDA has no queue that stages. There the question is whether the host's memory is pageable, as programs allocate it, so that the driver
//! copies it to a place of its own first, or pinned, so that the device reads and writes it where it lies.

use super::input::Values;
use super::{
    Benchmark, Buffer, Cases, Check, Contents, Dtype, Extent, Family, Params, Profile, Route, Step, Work, all,
    binary_size, each, gb_per_s,
};
use crate::record::Record;

/// The family.
pub const FAMILY: Family = Family {
    name: "transfer",
    summary: "copies between host and device, and clearing device memory, by the host's clock",
    is_by_kernel: true,
    benchmarks: &[
        Benchmark {
            name: "write_buffer",
            summary: "host to device by the queue's own staging, new at every call; CUDA: out of pageable memory",
            steps: |_, _| vec![Step::Send { from: "input", to: "output", route: Route::Queue }],
            ..BASE
        },
        Benchmark {
            name: "mapped_staging",
            summary: "host to device through a staging buffer that is mapped again and again; CUDA: out of pinned memory",
            steps: |_, _| vec![Step::Send { from: "input", to: "output", route: Route::Staging }],
            ..BASE
        },
        Benchmark {
            name: "read_back",
            summary: "device to host through a staging buffer that is mapped again and again; CUDA: into pinned memory",
            steps: |_, _| vec![Step::Receive { from: "input", to: "output", route: Route::Staging }],
            ..BASE
        },
        Benchmark {
            name: "read_back_pageable",
            summary: "device to host into pageable memory",
            only_cuda: Some("reading back goes through a staging buffer here, as read_back does"),
            steps: |_, _| vec![Step::Receive { from: "input", to: "output", route: Route::Queue }],
            ..BASE
        },
        Benchmark {
            name: "staging_to_device",
            summary: "the device's copy out of a staging buffer that is filled already: where it beats the bus, that buffer lies on the device; CUDA: out of pinned memory",
            steps: |_, _| vec![Step::Send { from: "input", to: "output", route: Route::Held }],
            ..BASE
        },
        Benchmark {
            name: "device_to_staging",
            summary: "the device's copy into a staging buffer that nobody reads yet; CUDA: into pinned memory",
            steps: |_, _| vec![Step::Receive { from: "input", to: "output", route: Route::Held }],
            ..BASE
        },
        Benchmark {
            name: "mapped_primary_write",
            summary: "host to device straight into a storage buffer that is mapped again and again",
            steps: |_, _| vec![Step::Send { from: "input", to: "output", route: Route::Mapped }],
            ..BASE
        },
        Benchmark {
            name: "mapped_primary_read",
            summary: "device to host straight out of a storage buffer that the device wrote, mapped again and again",
            steps: |_, _| vec![Step::Receive { from: "input", to: "output", route: Route::Mapped }],
            ..BASE
        },
        Benchmark {
            name: "clear_buffer",
            summary: "sets device memory to zero by the API's own call (the fill kernel is ceiling/fill)",
            sources: &["B10"],
            steps: |_, _| vec![Step::Clear("output")],
            check: Check { buffer: "output", scalars: all, oracle: |_, _| each(|_| 0.0) },
            ..BASE
        },
    ],
    finding,
};

/// What the benchmarks here share.
const BASE: Benchmark = Benchmark {
    name: "",
    summary: "",
    sources: &["B7"],
    wgsl: "",
    cuda: "",
    only_cuda: None,
    cases: &[
        Cases { from: Profile::Quick, dtypes: &[Dtype::F32], extents: QUICK, params: PLAIN },
        Cases { from: Profile::Standard, dtypes: &[Dtype::F32], extents: ALL, params: PLAIN },
    ],
    buffers: |shape, _| {
        vec![
            Buffer { name: "input", scalars: shape.count(), contents: Contents::Input(Values::Wide) },
            Buffer { name: "output", scalars: shape.count(), contents: Contents::Poison },
        ]
    },
    steps: |_, _| Vec::new(),
    end_to_end: None,
    work: |shape| Work { bytes: shape.array_bytes(), flops: 0 },
    ceiling: None,
    sets_ceiling: false,
    tolerance: None,
    model: None,
    check: Check {
        buffer: "output",
        scalars: all,
        oracle: |shape, _| {
            let scalar = shape.dtype.scalar();
            each(move |i| Values::Wide.at(scalar, i))
        },
    },
};

const PLAIN: &[Params] = &[&[]];

/// 1 KiB, 1 MiB, 64 MiB.
const QUICK: &[Extent] = &[Extent::Linear(1 << 8), Extent::Linear(1 << 18), Extent::Linear(1 << 24)];

/// 1 KiB to 1 GiB.
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
    Extent::Linear(1 << 28),
];

fn finding(rows: &[&Record]) -> Option<String> {
    let best = |benchmark: &str| {
        let measured = rows.iter().filter(|row| row.benchmark == benchmark);
        let rates = measured.filter_map(|row| Some((row.gb_per_s?, row.bytes?)));
        rates
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(rate, bytes)| format!("{} (at {})", gb_per_s(rate), binary_size(bytes)))
    };
    let is_cuda = rows.iter().any(|row| row.backend == "cuda");
    let parts: Vec<String> = [
        ("write_buffer", "host to device by write_buffer", "host to device out of pageable memory"),
        ("mapped_staging", "through mapped staging", "out of pinned memory"),
        ("mapped_primary_write", "into a mapped storage buffer", ""),
        ("device_to_staging", "device to staging", ""),
        ("read_back", "device to host through mapped staging", "device to host into pinned memory"),
        ("read_back_pageable", "", "into pageable memory"),
        ("mapped_primary_read", "out of a mapped storage buffer", ""),
        ("clear_buffer", "clear_buffer", "setting memory to zero"),
    ]
    .into_iter()
    .filter_map(|(benchmark, words, in_cuda)| {
        let words = if is_cuda { in_cuda } else { words };
        Some(format!("{words} reaches {}", best(benchmark)?))
    })
    .collect();
    (!parts.is_empty()).then(|| format!("Here {}.", parts.join("; ")))
}
