//! `rates`: rate and latency of each instruction, by type: arithmetic, conversions, exchange between lanes, atomics.
//!
//! All kernels come from one template for WGSL and one for CUDA, `chains`, into which the element type and the step are
//! inserted. With `CHAINS=8`, the chains of an invocation are independent and show the rate; with `CHAINS=1`, each step
//! waits for the previous one and shows the latency. Atomic operations have one word per chain; `atomics` measures
//! words that invocations share. Integers are stored as words, 64-bit ones as the exclusive or of their halves.

pub(crate) mod claims;
mod oracle;
#[macro_use]
mod template;

use half::f16;

pub use self::oracle::steps_of_a_chain;
use self::oracle::{LANES, Lane, Word, chains, converging, dot4_i8, dot4_u8, shuffled, words};
use record::suite::prelude::*;

/// The family.
pub const FAMILY: Family = Family {
    name: "rates",
    summary: "operations per second and latency of each instruction, by type",
    tags: &[Tag::Peak],
    model_text: "An execution unit with 32 lanes starts one instruction of a subgroup per cycle; a unit with 4 lanes \
        starts one every eight cycles. Rates are therefore simple fractions of the f32 FMA rate. Operations without \
        their own unit, such as integer division and most 64-bit arithmetic, are sequences of other instructions.",
    is_by_kernel: true,
    // f32_fma is first, since all others are compared with it: it is measured even if time is short.
    benchmarks: &[
        rate!(f32_fma, F32 f32, 1 start, "fma(x, m, m)", "fmaf(x, m, m)", |x, _, m, _| x * m + m),
        rate!(u32_add, U32 u32, 1 start, "x + y", "x + y", |x, y, _, _| x.wrapping_add(y)),
        rate!(u32_multiply, U32 u32, 1 start, "x * y", "x * y", |x, y, _, _| x.wrapping_mul(y)),
        rate!(u32_divide, U32 u32, 1 start, "p / ((x & 0xffffu) | 0x100u)", "p / ((x & 0xffffu) | 0x100u)", |x, _, _, p| p / ((x & 0xffff) | 0x100)),
        rate!(u32_remainder, U32 u32, 1 start, "p % ((x & 0xffffu) | 0x100u)", "p % ((x & 0xffffu) | 0x100u)", |x, _, _, p| p % ((x & 0xffff) | 0x100)),
        rate!(u32_shift, U32 u32, 2 start, "(x << sizes.left) >> sizes.right", "(x << sizes.left) >> sizes.right", |x, _, _, _| (x << SHIFT) >> SHIFT),
        rate!(u32_popcount, U32 u32, 1 start, "m - countOneBits(x)", "m - __popc(x)", |x, _, m, _| m.wrapping_sub(x.count_ones())),
        rate!(i32_add, U32 i32, 1 start, "x + y", "S(u32(x) + u32(y))", |x, y, _, _| x.wrapping_add(y)),
        rate!(i32_multiply, U32 i32, 1 start, "x * y", "S(u32(x) * u32(y))", |x, y, _, _| x.wrapping_mul(y)),
        rate!(i32_divide, U32 i32, 1 start, "p / ((x & 0xffff) | 0x100)", "p / ((x & 0xffff) | 0x100)", |x, _, _, p| p / ((x & 0xffff) | 0x100)),
        rate!(i32_remainder, U32 i32, 1 start, "(p & 0x7fffffff) % ((x & 0xffff) | 0x100)", "(p & 0x7fffffff) % ((x & 0xffff) | 0x100)", |x, _, _, p| (p & 0x7fff_ffff) % ((x & 0xffff) | 0x100)),
        rate!(i16_add, U32 i16, 1 start, "x + y", "S(x + y)", |x, y, _, _| x.wrapping_add(y)),
        rate!(i16_multiply, U32 i16, 1 start, "x * y", "S(x * y)", |x, y, _, _| x.wrapping_mul(y)),
        rate!(u64_add, U32 u64, 1 start, "x + y", "x + y", |x, y, _, _| x.wrapping_add(y)),
        rate!(u64_multiply, U32 u64, 1 start, "x * y", "x * y", |x, y, _, _| x.wrapping_mul(y)),
        rate!(u64_divide, U32 u64, 1 start, "p / ((x & 0xfffffffffflu) | 0x100lu)", "p / ((x & 0xffffffffffull) | 0x100ull)", |x, _, _, p| p / ((x & 0xff_ffff_ffff) | 0x100)),
        rate!(u64_remainder, U32 u64, 1 start, "p % ((x & 0xfffffffffflu) | 0x100lu)", "p % ((x & 0xffffffffffull) | 0x100ull)", |x, _, _, p| p % ((x & 0xff_ffff_ffff) | 0x100)),
        rate!(i64_add, U32 i64, 1 start, "x + y", "S(u64(x) + u64(y))", |x, y, _, _| x.wrapping_add(y)),
        rate!(i64_multiply, U32 i64, 1 start, "x * y", "S(u64(x) * u64(y))", |x, y, _, _| x.wrapping_mul(y)),
        rate!(i64_divide, U32 i64, 1 start, "p / ((x & 0xffffffffffli) | 0x100li)", "p / ((x & 0xffffffffffll) | 0x100ll)", |x, _, _, p| p / ((x & 0xff_ffff_ffff) | 0x100)),
        rate!(i64_remainder, U32 i64, 1 start,
            "(p & 0x7fffffffffffffffli) % ((x & 0xffffffffffli) | 0x100li)",
            "(p & 0x7fffffffffffffffll) % ((x & 0xffffffffffll) | 0x100ll)",
            |x, _, _, p| (p & i64::MAX) % ((x & 0xff_ffff_ffff) | 0x100)
        ),
        rate!(u32_dot4_bytes, U32 u32, 8 start, "dot4U8Packed(x, m) + p", "__dp4a(x, m, p)", |x, _, m, p| dot4_u8(x, m).wrapping_add(p)),
        rate!(i32_dot4_bytes, U32 i32, 8 start, "dot4I8Packed(bitcast<u32>(x), bitcast<u32>(m)) + p", "__dp4a(x, m, p)", |x, _, m, p| dot4_i8(x, m).wrapping_add(p)),
        rate!(f16_add, F16 f16, 1 start, "x + p", "x + p", |x, _, _, p| x + p),
        rate!(f16_multiply, F16 f16, 1 factor, "x * y", "times(x, y)", |x, y, _, _| x * y),
        rate!(f16_fma, F16 f16, 1 start, "fma(x, m, m)", "fma(x, m, m)", |x, _, m, _| x * m + m),
        // NVIDIA's compiler for Vulkan replaces repeated additions by one multiplication. abs() prevents this and, as a
        // modifier of an operand, costs no instruction there.
        rate!(f32_add, F32 f32, 1 start, "abs(p - x)", "fabsf(p - x)", |x, _, _, p| (p - x).abs()),
        rate!(f32_multiply, F32 f32, 1 factor, "x * y", "x * y", |x, y, _, _| x * y),
        // Vulkan allows quotients an error of 2.5 units in the last place. A quotient alone folds: p / (p / x) is x.
        rate!(f32_divide, F32 f32, 1 start, "p / x + 0.5", "quotient(p, x) + 0.5f", |x, _, _, p| p / x + 0.5, |_| converging(16.0 * ULP_F32)),
        rate!(f32_reciprocal, F32 f32, 1 start, "1.0 / x + p", "reciprocal(x) + p", |x, _, _, p| x.recip() + p, |_| converging(16.0 * ULP_F32)),
        rate!(f32_sqrt, F32 f32, 1 start, "sqrt(x) * 0.5 + p", "square_root(x) * 0.5f + p", |x, _, _, p| x.sqrt() * 0.5 + p, |_| converging(16.0 * ULP_F32)),
        rate!(f32_inverse_sqrt, F32 f32, 1 start, "inverseSqrt(x) * 0.5 + p", "inverse_root(x) * 0.5f + p", |x, _, _, p| x.sqrt().recip() * 0.5 + p, |_| converging(16.0 * ULP_F32)),
        rate!(f32_exp2, F32 f32, 1 start, "exp2(-x) * 0.5 + p", "power_of_two(-x) * 0.5f + p", |x, _, _, p| (-x).exp2() * 0.5 + p, |_| converging(16.0 * ULP_F32)),
        rate!(f32_log2, F32 f32, 1 start, "log2(x) * 0.5 + p", "logarithm(x) * 0.5f + p", |x, _, _, p| x.log2() * 0.5 + p, |_| converging(16.0 * ULP_F32)),
        // Vulkan allows sines and cosines an error of 2^-11.
        rate!(f32_sin, F32 f32, 1 start, "sin(x) * 0.5 + p", "__sinf(x) * 0.5f + p", |x, _, _, p| x.sin() * 0.5 + p, |_| converging(f64::powi(0.5, 11))),
        rate!(f32_cos, F32 f32, 1 start, "cos(x) * 0.5 + p", "__cosf(x) * 0.5f + p", |x, _, _, p| x.cos() * 0.5 + p, |_| converging(f64::powi(0.5, 11))),
        // The error of two exponentials, 3 + 2|x| units in the last place each, and of a quotient.
        rate!(f32_tanh, F32 f32, 1 start, "tanh(x) * 0.5 + p", "tanhf(x) * 0.5f + p", |x, _, _, p| x.tanh() * 0.5 + p, |_| converging(40.0 * ULP_F32)),
        rate!(f64_add, F64 f64, 1 start, "x + p", "x + p", |x, _, _, p| x + p),
        rate!(f64_multiply, F64 f64, 1 factor, "x * y", "x * y", |x, y, _, _| x * y),
        rate!(f64_fma, F64 f64, 1 start, "fma(x, m, m)", "fma(x, m, m)", |x, _, m, _| x * m + m),
        rate!(f64_divide, F64 f64, 1 start, "p / x + 0.5lf", "p / x + 0.5", |x, _, _, p| p / x + 0.5, |_| converging(16.0 * f64::EPSILON)),
        rate!(f64_sqrt, F64 f64, 1 start, "sqrt(x) * 0.5lf + p", "sqrt(x) * 0.5 + p", |x, _, _, p| x.sqrt() * 0.5 + p, |_| converging(16.0 * f64::EPSILON)),
        rate!(f64_inverse_sqrt, F64 f64, 1 start, "inverseSqrt(x) * 0.5lf + p", "rsqrt(x) * 0.5 + p", |x, _, _, p| x.sqrt().recip() * 0.5 + p, |_| converging(16.0 * f64::EPSILON)),
        rate!(u32_to_f32_and_back, U32 u32, 2 start,
            "u32(f32(x & sizes.mask)) ^ m",
            "u32(float(x & sizes.mask)) ^ m",
            // 24 bits, which f32 holds.
            |x, _, m, _| (x & MASK) ^ m
        ),
        // No f32_to_f16_and_back: NVIDIA's compiler for Vulkan removes both conversions of pack2x16float.
        rate!(f64_to_f32_and_back, F64 f64, 2 start, "f64(f32(x * m))", "double(float(x * m))", |x, _, m, _| x * m),
        Benchmark {
            accepts: EXCHANGING,
            check: Check { oracle: |shape, _| shuffled(shape), ..BASE.check },
            ..rate!(u32_shuffle, U32 u32, 1 start,
                "subgroupShuffleXor(x, 1u) + m",
                "__shfl_xor_sync(0xffffffffu, x, 1) + m",
                |x, _, _, _| x
            )
        },
        // All lanes have the same chain, and only the first adds and votes: results do not depend on the subgroup size.
        Benchmark {
            accepts: EXCHANGING,
            buffers: |shape, _| buffers(shape, 0),
            ..rate!(u32_subgroup_add, U32 Lane, 1 start,
                "subgroupAdd(x & m) + p",
                "\n#if __CUDA_ARCH__ >= 800\n        __reduce_add_sync(0xffffffffu, x & m)\n#else\n        sum_by_shuffles(x & m)\n#endif\n        + p",
                |x, _, _, p| Lane(x.0.wrapping_add(p.0))
            )
        },
        Benchmark {
            accepts: EXCHANGING,
            buffers: |shape, _| buffers(shape, 0),
            ..rate!(u32_ballot, U32 Lane, 1 start,
                "subgroupBallot((x & m & 1u) == 1u).x + p",
                "__ballot_sync(0xffffffffu, (x & m & 1u) == 1u) + p",
                |x, _, _, p| Lane((x.0 & 1).wrapping_add(p.0))
            )
        },
        // Some operands are more than the old word, since chains would soon repeat a value: a maximum of words that do
        // not grow, or two words that swap. The compare-exchange finds the word that it expects from the second step.
        // WGSL's weak compare-exchange may fail spuriously; the oracle assumes that it never does.
        atomic!(u32_workgroup_atomic_add, U32 u32 workgroup, start, "atomicAdd(&words[p], x)", "atomicAdd(p, x)", |x, word, _| word.wrapping_add(x)),
        atomic!(u32_workgroup_atomic_max, U32 u32 workgroup, start, "atomicMax(&words[p], x + (m & 0x1fffu))", "atomicMax(p, x + (m & 0x1fffu))", |x, word, m| word.max(x.wrapping_add(m & 0x1fff))),
        atomic!(u32_workgroup_atomic_xor, U32 u32 workgroup, start, "atomicXor(&words[p], x)", "atomicXor(p, x)", |x, word, _| word ^ x),
        atomic!(u32_workgroup_atomic_exchange, U32 u32 workgroup, start, "atomicExchange(&words[p], x + m)", "atomicExch(p, x + m)", |x, _, m| x.wrapping_add(m)),
        atomic!(u32_workgroup_atomic_compare_exchange, U32 u32 workgroup, start, "atomicCompareExchangeWeak(&words[p], x + m, x + m + m).old_value", "atomicCAS(p, x + m, x + m + m)", |x, word, m| {
            if word == x.wrapping_add(m) { word.wrapping_add(m) } else { word }
        }),
        atomic!(i32_workgroup_atomic_add, U32 i32 workgroup, start, "atomicAdd(&words[p], x)", "atomicAdd(p, x)", |x, word, _| word.wrapping_add(x)),
        atomic!(i32_workgroup_atomic_max, U32 i32 workgroup, start, "atomicMax(&words[p], x + (m & 0x1fff))", "atomicMax(p, x + (m & 0x1fff))", |x, word, m| word.max(x.wrapping_add(m & 0x1fff))),
        atomic!(u64_workgroup_atomic_add, U32 u64 workgroup, factor, "atomicAdd(&words[p], x)", "atomicAdd(p, x)", |x, word, _| word.wrapping_add(x)),
        atomic!(u64_workgroup_atomic_max, U32 u64 workgroup, factor, "atomicMax(&words[p], x + m)", "atomicMax(p, x + m)", |x, word, m| word.max(x.wrapping_add(m))),
        atomic!(u64_workgroup_atomic_compare_exchange, U32 u64 workgroup, factor, "atomicCompareExchangeWeak(&words[p], x + m, x + m + m).old_value", "atomicCAS(p, x + m, x + m + m)", |x, word, m| {
            if word == x.wrapping_add(m) { word.wrapping_add(m) } else { word }
        }),
        atomic!(u32_global_atomic_add, U32 u32 global, start, "atomicAdd(&words[p], x)", "atomicAdd(p, x)", |x, word, _| word.wrapping_add(x)),
        atomic!(u32_global_atomic_max, U32 u32 global, start, "atomicMax(&words[p], x + (m & 0x1fffu))", "atomicMax(p, x + (m & 0x1fffu))", |x, word, m| word.max(x.wrapping_add(m & 0x1fff))),
        atomic!(u32_global_atomic_xor, U32 u32 global, start, "atomicXor(&words[p], x)", "atomicXor(p, x)", |x, word, _| word ^ x),
        atomic!(u32_global_atomic_exchange, U32 u32 global, start, "atomicExchange(&words[p], x + m)", "atomicExch(p, x + m)", |x, _, m| x.wrapping_add(m)),
        atomic!(u32_global_atomic_compare_exchange, U32 u32 global, start, "atomicCompareExchangeWeak(&words[p], x + m, x + m + m).old_value", "atomicCAS(p, x + m, x + m + m)", |x, word, m| {
            if word == x.wrapping_add(m) { word.wrapping_add(m) } else { word }
        }),
        atomic!(i32_global_atomic_add, U32 i32 global, start, "atomicAdd(&words[p], x)", "atomicAdd(p, x)", |x, word, _| word.wrapping_add(x)),
        atomic!(i32_global_atomic_max, U32 i32 global, start, "atomicMax(&words[p], x + (m & 0x1fff))", "atomicMax(p, x + (m & 0x1fff))", |x, word, m| word.max(x.wrapping_add(m & 0x1fff))),
        atomic!(u64_global_atomic_add, U32 u64 global, factor, "atomicAdd(&words[p], x)", "atomicAdd(p, x)", |x, word, _| word.wrapping_add(x)),
        atomic!(u64_global_atomic_max, U32 u64 global, factor, "atomicMax(&words[p], x + m)", "atomicMax(p, x + m)", |x, word, m| word.max(x.wrapping_add(m))),
        atomic!(u64_global_atomic_compare_exchange, U32 u64 global, factor, "atomicCompareExchangeWeak(&words[p], x + m, x + m + m).old_value", "atomicCAS(p, x + m, x + m + m)", |x, word, m| {
            if word == x.wrapping_add(m) { word.wrapping_add(m) } else { word }
        }),
        atomic!(f32_global_atomic_add, F32 f32 global, start, "atomicAdd(&words[p], -x)", "atomicAdd(p, -x)", |x, word, _| word - x),
    ],
    ..Family::BLANK
};

/// Operations of one step: two for an FMA, conversion and back or two shifts; eight for a byte dot product; else one.
#[must_use]
pub const fn flops(benchmark: &str) -> u64 {
    let name = benchmark.as_bytes();
    match name {
        [.., b'_', b'f', b'm', b'a']
        | [.., b'_', b'b', b'a', b'c', b'k']
        | [.., b'_', b's', b'h', b'i', b'f', b't'] => 2,
        [.., b'_', b'b', b'y', b't', b'e', b's'] => 8,
        _ => 1,
    }
}

/// Operations of one step as tables count them: two for a conversion or shift there and back, otherwise one.
#[must_use]
pub fn instructions(benchmark: &str) -> u64 {
    if benchmark.ends_with("_fma") || benchmark.ends_with("_bytes") { 1 } else { flops(benchmark) }
}

fn steps(shape: &Shape) -> u64 {
    shape.count() * shape.param("CHAINS", 8.0) as u64 * steps_of_a_chain(&shape.params)
}

const SHIFT: u32 = 3;
const MASK: u32 = 0xff_ffff;
/// Largest relative distance of neighbouring f32 numbers.
const ULP_F32: f64 = f32::EPSILON as f64;

/// Products of ±1 repeat after three steps: no number of steps here is a multiple of three.
const RATE: &[Params] = &[&[("CHAINS", 8.0), ("ROUNDS", 18.0)]];
/// Enough workgroups for every SM of a large GPU, several times.
const MANY: &[Extent] = &[Extent::Linear(1 << 20)];
/// One subgroup of most devices.
const FEW: &[Extent] = &[Extent::Linear(32)];
const LATENCY: &[Params] = &[&[("CHAINS", 1.0), ("ROUNDS", 4098.0), ("WG", 32.0)]];
/// Their words, 4 to 8 MiB with CHAINS=8, fit in the L2 of most GPUs.
const ATOMICS: &[Extent] = &[Extent::Linear(1 << 17)];
const RATE_OF_ATOMICS: &[Params] = &[&[("CHAINS", 8.0), ("ROUNDS", 6.0)]];
const LATENCY_OF_ATOMICS: &[Params] = &[&[("CHAINS", 1.0), ("ROUNDS", 1026.0), ("WG", 32.0)]];

/// A word of `bytes` bytes for each chain of each invocation, including those past the end.
fn global_words(shape: &Shape, interface: &Interface, bytes: usize) -> Buffer {
    let width = interface.invocations();
    let groups = shape.count() / width + 1;
    let scalars = groups * width * interface.parameter("CHAINS") * bytes as u64 / 4;
    Buffer::output("words", scalars)
}

fn buffers(shape: &Shape, lanes: u32) -> Vec<Buffer> {
    vec![
        Buffer::new("input", oracle::TABLE, Contents::Input(Values::Wide).of(Scalar::U32)),
        Buffer::output("output", shape.count()),
        uniform("sizes", &[shape.count(), SHIFT.into(), SHIFT.into(), MASK.into(), lanes.into()]),
    ]
}

const CHAINS: (&str, Accepted) = ("CHAINS", Accepted::OneOf(&[1.0, 8.0]));
/// At most 512 invocations: their words take at most 32 KiB of workgroup memory.
const ATOMIC: &[(&str, Accepted)] = &[("WG", Accepted::PowerOfTwo(32, 512)), CHAINS, ROUNDS];
const ROUNDS: (&str, Accepted) = ("ROUNDS", Accepted::Whole(1, 4098));
/// Whole subgroups, since lanes exchange values.
const EXCHANGING: &[(&str, Accepted)] = &[("WG", Accepted::PowerOfTwo(32, 1024)), CHAINS, ROUNDS];

const BASE: Benchmark = Benchmark {
    accepts: &[CHAINS, ROUNDS],
    buffers: |shape, _| buffers(shape, LANES),
    no_ceiling: "this kernel measures a peak that no other row uses",
    check: Check::of("output", all, |_, _| each(|_| f64::NAN)),
    ..Benchmark::BLANK
};
