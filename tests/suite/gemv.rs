//! The precision of the matrix-vector product with 4-bit weights by integer dot products. The suite's inputs are short,
//! so that results are exact; here x has all bits of f32.

use std::collections::BTreeMap;

use crate::catalogue::benchmark;
use crate::device::{adapter, open};
use gpu::backend::Backend;
use gpu::job::{Contents, Job};
use record::suite::{Case, Dtype, Extent, Shape};

const ROWS: usize = 33;
const COLUMNS: usize = 2080;
const BLOCKS: usize = COLUMNS / 32;

/// The weights as packed words, one scale for all blocks (1.5), and x of both signs from 2^-20 to 2.
struct Inputs {
    words: Vec<u32>,
    x: Vec<f32>,
}

fn inputs() -> Inputs {
    let mut state = 1_u64;
    let mut next = || {
        // Knuth's MMIX generator.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 32) as u32
    };
    let words = (0..ROWS * BLOCKS * 4).map(|_| next()).collect();
    let mut random_f32 = || {
        let bits = next();
        f32::from_bits(bits & 0x807f_ffff | (107 + bits / 2048 % 21) << 23)
    };
    Inputs { words, x: (0..COLUMNS).map(|_| random_f32()).collect() }
}

const SCALE: f64 = 1.5;
const TWO_SCALES: u32 = 0x3e00_3e00;

impl Inputs {
    /// Weight `column` of a row: byte b of a block holds weight b in its low half and weight b + 16 in its high half.
    fn weight(&self, row: usize, column: usize) -> f64 {
        let (block, k) = (row * BLOCKS + column / 32, column % 32);
        let byte = self.words[4 * block + k % 16 / 4] >> (8 * (k % 4));
        f64::from(byte >> (4 * (k / 16)) & 15) - 8.0
    }

    /// Whether every result is within the kernel's error: half of x's last digit in each block, and 20 f32 roundings.
    fn are_near(&self, results: &[f32]) -> bool {
        (0..ROWS).all(|row| {
            let (mut sum, mut error, mut size) = (0.0, 0.0, 0.0);
            for (block, x) in self.x.chunks(32).enumerate() {
                let largest = x.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
                let half_digit = f64::from(largest).log2().floor().exp2() * 2.0_f64.powi(-22);
                let terms = x.iter().enumerate().map(|(k, x)| (self.weight(row, 32 * block + k), f64::from(*x)));
                let (product, weights) =
                    terms.fold((0.0, 0.0), |(product, weights), (w, x)| (product + w * x, weights + w.abs()));
                sum += SCALE * product;
                error += SCALE * weights * half_digit;
                size += SCALE * product.abs();
            }
            (f64::from(results[row]) - sum).abs() <= error + 20.0 * size * 2.0_f64.powi(-24)
        })
    }
}

/// The output `y`, with a text of the kernel replaced.
fn results(backend: &mut dyn Backend, inputs: &Inputs, before: &str, after: &str) -> Vec<f32> {
    let (family, benchmark) = benchmark("gemv/q4_dot4");
    let extent = Extent::Matrix(ROWS as u64, COLUMNS as u64);
    let mut job =
        Job::new(&Case::new(family, benchmark, Shape::new(Dtype::F32, extent, BTreeMap::new()))).expect("valid");
    assert!(job.kernel.source.contains(before), "the kernel has no '{before}'");
    job.kernel.source = job.kernel.source.replace(before, after);
    for buffer in &mut job.buffers {
        let words = match buffer.name {
            "words" => inputs.words.clone(),
            "scales" => vec![TWO_SCALES; (ROWS * BLOCKS).div_ceil(2)],
            "x" => inputs.x.iter().map(|x| x.to_bits()).collect(),
            _ => continue,
        };
        buffer.contents = Contents::Words(words);
    }
    let y = job.buffers.iter().position(|buffer| buffer.name == "y").expect("declared");
    pollster::block_on(async {
        let mut prepared = backend.prepare(&job).await.expect("prepared");
        prepared.sample(1).await.expect("it runs");
        let mut bytes = Vec::new();
        let length = (4 * ROWS as u64).next_multiple_of(16);
        prepared.read(y, length, &mut |_, part| bytes.extend_from_slice(part)).await.expect("read");
        bytes[..4 * ROWS].chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().expect("four bytes"))).collect()
    })
}

#[test]
fn four_bit_weights_by_integer_products_keep_the_bits_of_x() {
    let Some(adapter) = adapter() else { return };
    let mut backend = open(adapter);
    let inputs = inputs();
    assert!(inputs.are_near(&results(&mut backend, &inputs, "", "")));
    // Faults of the lowest bytes, which are 0 in the suite's own inputs.
    for (before, after) in [
        ("offsets.y, low", "0, low"),
        ("low, near[place]", "low, near[place + 1u]"),
        ("high, near[place + 1u]", "high, near[place]"),
        ("f32(lowest));", "0.0f);"),
        (
            "let rest = carried(wholes);",
            "let rest = Wholes(wholes.a >> vec4<u32>(8u), wholes.b >> vec4<u32>(8u), wholes.c >> vec4<u32>(8u), wholes.d >> vec4<u32>(8u));",
        ),
        ("digits[place + half % 2u] = lowest;", "digits[place + half % 2u] = middle;"),
    ] {
        assert!(!inputs.are_near(&results(&mut backend, &inputs, before, after)), "'{after}' is not found");
    }
}
