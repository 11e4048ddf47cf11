//! `transpose`: rows × columns to columns × rows (source article 003), naive and through a tile of workgroup memory.

use super::input::Values;
use super::{
    Benchmark, Buffer, Cases, Check, Contents, Dtype, Extent, Family, Limit, Params, Profile, Routine, Step, Work, all,
    each, gb_per_s, rate, uniform,
};
use crate::record::Record;

/// The family.
pub const FAMILY: Family = Family {
    name: "transpose",
    summary: "the transpose of a matrix",
    is_by_kernel: false,
    benchmarks: &[
        Benchmark {
            name: "naive_coalesced_read",
            summary: "reads rows, writes columns",
            sources: &["D5", "D7"],
            wgsl: include_str!("../../shaders/transpose/naive_coalesced_read.wgsl"),
            cuda: include_str!("../../shaders/transpose/naive_coalesced_read.cu"),
            ..BASE
        },
        Benchmark {
            name: "naive_coalesced_write",
            summary: "reads columns, writes rows",
            sources: &["D5", "D7", "D8"],
            wgsl: include_str!("../../shaders/transpose/naive_coalesced_write.wgsl"),
            cuda: include_str!("../../shaders/transpose/naive_coalesced_write.cu"),
            steps: |shape, _| tiles(shape.extent.matrix().0, 32, shape.extent.matrix().1, 8),
            ..BASE
        },
        Benchmark {
            name: "naive_read_write_input",
            summary: "reads columns of an input that is bound read_write, writes rows",
            sources: &["D8"],
            wgsl: include_str!("../../shaders/transpose/naive_read_write_input.wgsl"),
            cuda: include_str!("../../shaders/transpose/naive_read_write_input.cu"),
            steps: |shape, _| tiles(shape.extent.matrix().0, 32, shape.extent.matrix().1, 8),
            ..BASE
        },
        TILED,
        Benchmark {
            name: "tiled_vec4",
            summary: "through a padded tile, four elements at a time",
            sources: &["D7"],
            wgsl: include_str!("../../shaders/transpose/tiled_vec4.wgsl"),
            cuda: include_str!("../../shaders/transpose/tiled_vec4.cu"),
            steps: |shape, _| tiles(shape.extent.matrix().1, 32, shape.extent.matrix().0, 32),
            ..BASE
        },
        Benchmark {
            name: "registers",
            summary: "4x4 elements an invocation turned in registers, without workgroup memory",
            sources: &["D7"],
            wgsl: include_str!("../../shaders/transpose/registers.wgsl"),
            cuda: include_str!("../../shaders/transpose/registers.cu"),
            steps: |shape, _| tiles(shape.extent.matrix().1, 64, shape.extent.matrix().0, 64),
            ..BASE
        },
        Benchmark {
            name: "cublas",
            summary: "NVIDIA's own library: the sum of a transposed matrix and nothing (geam)",
            only_cuda: Some("cuBLAS is a library of CUDA's"),
            steps: |shape, _| {
                let (rows, columns) = shape.extent.matrix();
                vec![Step::Library { routine: Routine::Transpose { rows, columns }, buffers: &["input", "output"] }]
            },
            ..BASE
        },
    ],
    finding,
};

/// The tile of the article; `safety_tax` measures it with run-time checks, too.
pub(super) const TILED: Benchmark = Benchmark {
    name: "tiled",
    summary: "through a 32x32 tile of workgroup memory, unpadded (bank conflicts) and padded",
    sources: &["D6", "D7"],
    wgsl: include_str!("../../shaders/transpose/tiled.wgsl"),
    cuda: include_str!("../../shaders/transpose/tiled.cu"),
    cases: &cases(&[&[("PAD", 0.0)], &[("PAD", 1.0)]]),
    steps: |shape, _| tiles(shape.extent.matrix().1, 32, shape.extent.matrix().0, 32),
    ..BASE
};

/// What the benchmarks here share: workgroups of 32×8 invocations, one element each.
const BASE: Benchmark = Benchmark {
    name: "",
    summary: "",
    sources: &[],
    wgsl: "",
    cuda: "",
    only_cuda: None,
    cases: &cases(&[&[]]),
    buffers: |shape, _| {
        let (rows, columns) = shape.extent.matrix();
        vec![
            Buffer { name: "input", scalars: shape.count(), contents: Contents::Input(Values::Wide) },
            Buffer { name: "output", scalars: shape.count(), contents: Contents::Poison },
            uniform("sizes", &[rows, columns]),
        ]
    },
    steps: |shape, _| tiles(shape.extent.matrix().1, 32, shape.extent.matrix().0, 8),
    end_to_end: None,
    work: |shape| Work { bytes: 2 * shape.array_bytes(), flops: 0 },
    ceiling: Some(Limit::Copy),
    sets_ceiling: false,
    tolerance: None,
    model: None,
    check: Check {
        buffer: "output",
        scalars: all,
        oracle: |shape, _| {
            let ((rows, columns), scalar) = (shape.extent.matrix(), shape.dtype.scalar());
            each(move |i| Values::Wide.at(scalar, i % rows * columns + i / rows))
        },
    },
};

const fn cases(params: &'static [Params]) -> [Cases; 3] {
    const QUICK_F32: &[Extent] = &[
        Extent::Matrix(1000, 3001),
        Extent::Matrix(1024, 1024),
        Extent::Matrix(4096, 4096),
        Extent::Matrix(8192, 8192),
    ];
    const QUICK_F64: &[Extent] = &[Extent::Matrix(2048, 2048)];
    const ALL: &[Extent] = &[
        Extent::Matrix(1000, 3001),
        Extent::Matrix(4100, 2052),
        Extent::Matrix(1024, 1024),
        Extent::Matrix(4096, 4096),
        Extent::Matrix(8192, 8192),
        Extent::Matrix(16384, 16384),
    ];
    [
        Cases { from: Profile::Quick, dtypes: &[Dtype::F32], extents: QUICK_F32, params },
        Cases { from: Profile::Quick, dtypes: &[Dtype::F64], extents: QUICK_F64, params },
        Cases { from: Profile::Standard, dtypes: &[Dtype::F32, Dtype::F64], extents: ALL, params },
    ]
}

/// One dispatch whose workgroups cover `width` by `height` elements each.
fn tiles(across: u64, width: u64, down: u64, height: u64) -> Vec<Step> {
    let side = |length: u64, step: u64| u32::try_from(length.div_ceil(step)).unwrap_or(u32::MAX);
    vec![Step::Dispatch { groups: [side(across, width), side(down, height), 1], rebind: Vec::new() }]
}

fn finding(rows: &[&Record]) -> Option<String> {
    let area = |row: &Record| Extent::parse(&row.n).map_or(0, |extent| extent.count());
    let measured = rows.iter().filter(|row| row.gb_per_s.is_some() && row.dtype == "f32");
    let fastest = measured.max_by(|a, b| {
        let by_rate = || a.gb_per_s.unwrap_or(0.0).total_cmp(&b.gb_per_s.unwrap_or(0.0));
        area(a).cmp(&area(b)).then_with(by_rate)
    })?;
    let of = |benchmark, params| rate(rows, benchmark, params, fastest).map(|(rate, _)| rate);
    let mut text = format!("Of {} f32, ", fastest.n);
    if let (Some(read), Some(write)) = (of("naive_coalesced_read", ""), of("naive_coalesced_write", "")) {
        let (winner, ratio) = if write >= read { ("writes", write / read) } else { ("reads", read / write) };
        text.push_str(&format!("the naive transpose that coalesces its {winner} wins by {ratio:.2}×; "));
    }
    if let (Some(read), Some(both)) = (of("naive_coalesced_write", ""), of("naive_read_write_input", "")) {
        text.push_str(&format!("an input bound `read` is worth {:.2}× over `read_write`; ", read / both));
    }
    if let (Some(bare), Some(padded)) = (of("tiled", "PAD=0"), of("tiled", "PAD=1")) {
        text.push_str(&format!("padding the tile changes its speed {:.2}×; ", padded / bare));
    }
    let share = fastest.share.map_or_else(String::new, |share| format!(", {:.0} % of copying as much", share * 100.0));
    text.push_str(&format!("{} is fastest: {}{share}.", label(fastest), gb_per_s(fastest.gb_per_s?)));
    Some(text)
}

fn label(row: &Record) -> String {
    if row.params.is_empty() { row.benchmark.clone() } else { format!("{} ({})", row.benchmark, row.params) }
}
