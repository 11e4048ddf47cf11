//! `stencil`: one explicit step of the heat equation, on a plane (5 points) and in a volume (7 points).

pub(crate) mod claims;

use record::suite::by_rows;
use record::suite::input::Input;
use record::suite::prelude::*;
use record::suite::vectors::vectorised;

pub(super) const FAMILY: Family = Family {
    name: "stencil",
    summary: "one step of the heat equation: the 5-point stencil on a plane, the 7-point stencil in a volume",
    model_text: "Each cell is used by its neighbours too, but need be read from DRAM only once, so the best time is \
        that of a copy. Kernels lose time if L1 and L2 evict cells before they are read again. If caches serve all \
        neighbours, load instructions are the limit.",
    tags: &[Tag::Primitive],
    headlines: &[
        Headline { name: "stencil 2D", benchmarks: &["naive_2d", "tiled_2d", "rolled_2d"], ..Headline::F32 },
        Headline { name: "stencil 3D", benchmarks: &["naive_3d", "tiled_3d", "rolled_3d"], ..Headline::F32 },
    ],
    benchmarks: &[
        Benchmark { name: "naive_2d", steps: |shape, _| plane(shape, 32, 8), ..BASE },
        Benchmark { name: "tiled_2d", steps: |shape, _| plane(shape, 32, 32), ..BASE },
        Benchmark {
            name: "rolled_2d",
            accepts: &[("WG", Accepted::Whole(1, 1024)), ("ROWS", Accepted::Multiple(4, 1 << 16))],
            steps: |shape, interface| plane(shape, 4 * interface.invocations(), interface.parameter("ROWS")),
            ..BASE
        },
        Benchmark { name: "naive_3d", steps: |shape, _| volume(shape, 32, 8, 1), ..VOLUME },
        Benchmark { name: "tiled_3d", steps: |shape, _| volume(shape, 32, 4, 4), ..VOLUME },
        Benchmark {
            name: "rolled_3d",
            accepts: &[("SLICES", Accepted::Multiple(2, 1 << 16))],
            steps: |shape, interface| volume(shape, 128, 8, interface.parameter("SLICES")),
            ..VOLUME
        },
    ],
    ..Family::BLANK
};

const BASE: Benchmark = Benchmark {
    quick: &[Quick::at(&[Dtype::F32], Extent::Matrix(8192, 8192), PLAIN)],
    small: Some(Extent::Matrix(512, 512)),
    cases: &Cases::pair(&[Dtype::F32], QUICK_PLANES, PLANES, PLAIN),
    buffers: |shape, _| Buffer::in_and_out(shape, Values::Summable, &shape.extent.sides()),
    work: |shape| Work { bytes: 2 * shape.array_bytes(), flops: 6 * shape.count() },
    ceiling: Some(Limit::Copy),
    // Six products and sums in a volume, and differences.
    bound: Bound::Roundings(|_, _| 12),
    check: Check::of("output", all, |shape, _| oracle(shape)),
    ..Benchmark::BLANK
};

const VOLUME: Benchmark = Benchmark {
    quick: &[],
    small: Some(Extent::Product(32, 64, 128)),
    cases: &Cases::pair(&[Dtype::F32], QUICK_VOLUMES, VOLUMES, PLAIN),
    work: |shape| Work { bytes: 2 * shape.array_bytes(), flops: 8 * shape.count() },
    ..BASE
};

const QUICK_PLANES: &[Extent] = &[Extent::Matrix(8192, 8192)];
const PLANES: &[Extent] = &matrices([(1000, 3001), (1024, 1024), (4096, 4096), (8192, 8192), (16384, 16384)]);
const QUICK_VOLUMES: &[Extent] = &[Extent::Product(512, 512, 512)];
const VOLUMES: &[Extent] = &products([(101, 130, 257), (128, 128, 128), (256, 256, 256), (512, 512, 512)]);

fn plane(shape: &Shape, width: u64, height: u64) -> Vec<Step> {
    volume(shape, width, height, 1)
}

fn volume(shape: &Shape, width: u64, height: u64, depth: u64) -> Vec<Step> {
    let (slices, rows, columns) = shape.extent.volume();
    Step::dividing([(columns, width), (rows, height), (slices, depth)])
}

/// Row after row: the cell, and an eighth of each difference to a neighbour. Edges are copied. Inputs are multiples of
/// 1/128 below 1, so that all sums and products are multiples of 1/1024 below 8: exact in f32 in any order.
fn oracle(shape: &Shape) -> Oracle {
    let (depth, height, width) = shape.extent.volume();
    let is_volume = matches!(shape.extent, Extent::Product(..));
    let input = shape.input(Values::Summable);
    // Magnitudes are those of the terms, so a cell's own, which is subtracted, changes its sign.
    let sign = if shape.significands.are_magnitudes() { -1.0 } else { 1.0 };
    Box::new(move |first, slots| {
        let cells = Cells::around(input, first, slots.len(), (width, is_volume.then_some(width * height)));
        by_rows(first, slots, width, |row, x, slots| {
            let (z, y, at) = (row / height, row % height, row * width + x);
            slots.copy_from_slice(cells.from(at, slots.len()));
            // Without the first and the last cell of the row.
            let (start, end) = (x.max(1) - x, (width - 1).saturating_sub(x).min(slots.len() as u64));
            let is_inner = y > 0 && y + 1 < height && (!is_volume || z > 0 && z + 1 < depth);
            if is_inner && start < end {
                let (at, slots) = (at + start, &mut slots[start as usize..end as usize]);
                let row = cells.from(at, slots.len());
                for pitch in [Some(1), Some(width), is_volume.then_some(width * height)].into_iter().flatten() {
                    let [before, after] = [at - pitch, at + pitch].map(|at| cells.from(at, slots.len()));
                    add_differences(slots, sign, row, before, after);
                }
            }
        });
    })
}

/// Cells drawn once for all cells that they are neighbours of.
struct Cells {
    /// Consecutive cells, with the index of the first.
    runs: Vec<(u64, Vec<f64>)>,
}

impl Cells {
    /// `count` cells starting at `first`, and their neighbours: in the same row, one `width` apart, one `slice` apart.
    fn around(input: Input, first: u64, count: usize, (width, slice): (u64, Option<u64>)) -> Self {
        let (last, mut runs) = (first + count as u64, Vec::new());
        let mut draw = |from: u64, end: u64| {
            let mut cells = vec![0.0; (end - from) as usize];
            input.elements(Scalar::F32, from, 1, &mut cells);
            runs.push((from, cells));
        };
        // A slice of many rows contains most of its neighbours.
        let is_wide = width > count as u64;
        let reach = if is_wide { 1 } else { width };
        draw(first.saturating_sub(reach), last + reach);
        for pitch in [is_wide.then_some(width), slice].into_iter().flatten() {
            draw(first.saturating_sub(pitch), last.saturating_sub(pitch));
            draw(first + pitch, last + pitch);
        }
        Self { runs }
    }

    fn from(&self, first: u64, count: usize) -> &[f64] {
        let of_run = |(start, cells): &(u64, Vec<f64>)| {
            let from = usize::try_from(first.checked_sub(*start)?).ok()?;
            (from + count <= cells.len()).then_some(from)
        };
        let found = self.runs.iter().find_map(|run| Some(&run.1[of_run(run)?..][..count]));
        found.expect("all neighbours are drawn")
    }
}

vectorised! {
    /// Adds an eighth of each difference to two neighbours.
    fn add_differences(slots: &mut [f64], sign: f64, own: &[f64], before: &[f64], after: &[f64]) {
        for (((slot, own), before), after) in slots.iter_mut().zip(own).zip(before).zip(after) {
            *slot += 0.125 * (before - sign * own) + 0.125 * (after - sign * own);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oracle_adds_an_eighth_of_each_difference_from_any_index_on() {
        for extent in [Extent::Matrix(5, 7), Extent::Matrix(1, 9), Extent::Matrix(4, 1), Extent::Product(4, 5, 6)] {
            let shape = Shape { stream: 3, ..Shape::new(Dtype::F32, extent, Default::default()) };
            let (depth, height, width) = extent.volume();
            let cell =
                |z: u64, y: u64, x: u64| shape.input(Values::Summable).at(Scalar::F32, (z * height + y) * width + x);
            let is_inner = |at: u64, length: u64| at > 0 && at + 1 < length;
            let wanted = |i: u64| {
                let (z, y, x) = (i / (width * height), i / width % height, i % width);
                let centre = cell(z, y, x);
                let is_volume = depth > 1;
                if !is_inner(y, height) || !is_inner(x, width) || is_volume && !is_inner(z, depth) {
                    return centre;
                }
                let mut sum = cell(z, y - 1, x) + cell(z, y + 1, x) + cell(z, y, x - 1) + cell(z, y, x + 1);
                if is_volume {
                    sum += cell(z - 1, y, x) + cell(z + 1, y, x);
                }
                centre * if is_volume { 0.25 } else { 0.5 } + 0.125 * sum
            };
            let n = extent.count();
            for (first, length) in [(0, n), (3, n - 3), (n / 2, 1), (n / 2, n / 3), (n - 1, 1)] {
                let mut got = vec![f64::NAN; length as usize];
                oracle(&shape)(first, &mut got);
                assert_eq!(got, (first..first + length).map(wanted).collect::<Vec<_>>(), "{extent} from {first}");
            }
        }
    }
}
