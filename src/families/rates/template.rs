//! The macro that makes a benchmark of an instruction.

/// A benchmark: its name, the element type in memory and that of the chains, the operations of a step, and the step in
/// WGSL, in CUDA C++ and on the host, from the chain's value `x`, the one before `y`, a factor `m` (of floats ±1) and `p`.
/// With a tolerance where results are not exact.
macro_rules! rate {
    ($name:ident, $dtype:ident $scalar:ident, $operations:literal $first:ident, $wgsl:literal, $cuda:literal, $step:expr) => {
        Benchmark {
            name: stringify!($name),
            summary: concat!("chains of x = ", $wgsl),
            look_for: concat!("The rate of ", stringify!($name), " with CHAINS=8 as a fraction of f32_fma; its time for one step with CHAINS=1."),
            limited_by: concat!("The unit for ", stringify!($name), ", or for the instructions that replace it; with CHAINS=1 its latency."),
            wgsl: concat!(
                "// Chains of x = ", $wgsl, " in each invocation, 32 ROUNDS + 1 steps each.\n",
                "// Pattern: no memory; with CHAINS=8 eight chains, whose sum is stored, with CHAINS=1 one chain.\n",
                "// Work: ", stringify!($operations), " · CHAINS · (32 ROUNDS + 1) operations for each of n values (2 for an FMA).\n\n",
                wgsl_type!($scalar),
                include_str!("../../../shaders/rates/chains.wgsl.in"),
                "/// The first value of a chain.\nfn first(word: u32) -> S {\n    return ", stringify!($first), "(word);\n}\n\n",
                "fn step(x: S, y: S, m: S, p: S) -> S {\n    return ", $wgsl, ";\n}\n"
            ),
            cuda: concat!(
                "// Twin of ", stringify!($name), ".wgsl: the same code.\n\n",
                cuda_type!($scalar),
                "__device__ __forceinline__ S first(u32 word) { return ", stringify!($first), "(word); }\nstruct Sizes;\n__device__ __forceinline__ S step(S x, S y, S m, S p, const Sizes& sizes);\n\n",
                include_str!("../../../shaders/rates/chains.cu.in"),
                "\n__device__ __forceinline__ S step(S x, S y, S m, S p, const Sizes& sizes) {\n    return ", $cuda, ";\n}\n"
            ),
            cases: &[
                Cases { from: Profile::Standard, dtypes: &[Dtype::$dtype], extents: MANY, params: RATE },
                Cases { from: Profile::Standard, dtypes: &[Dtype::$dtype], extents: FEW, params: LATENCY },
            ],
            unsupported: |shape| (shape.dtype != Dtype::$dtype).then_some("the element type is part of its name"),
            check: Check { oracle: |shape, _| chains::<$scalar>(shape, <$scalar as Word>::$first, $step), ..BASE.check },
            work: |shape| Work { bytes: 0, flops: flops(stringify!($name)) * steps(shape) },
            ..BASE
        }
    };
    ($name:ident, $dtype:ident $scalar:ident, $operations:literal $first:ident, $wgsl:literal, $cuda:literal, $step:expr, $tolerance:expr) => {
        Benchmark {
            tolerance: Some(|shape, _| {
                let bound: fn(&Shape) -> crate::suite::Oracle = $tolerance;
                bound(shape)
            }),
            ..rate!($name, $dtype $scalar, $operations $first, $wgsl, $cuda, $step)
        }
    };
}

/// The type `S` of the chains in WGSL: a first value and a factor from a random word, and what is stored.
macro_rules! wgsl_type {
    (u32) => {
        "alias S = u32;\nfn start(word: u32) -> S { return word | 1u; }\nfn factor(word: u32) -> S { return word; }\n\
         fn stored(x: S) -> T { return x; }\n\n"
    };
    (Lane) => {
        "alias S = u32;\nfn start(word: u32) -> S { return word | 1u; }\n\
         fn factor(word: u32) -> S { return select(0u, 0xffffffffu, subgroupExclusiveAdd(1u) == 0u); }\n\
         fn stored(x: S) -> T { return x; }\n\n"
    };
    (i32) => {
        "alias S = i32;\nfn start(word: u32) -> S { return bitcast<i32>(word | 1u); }\n\
         fn factor(word: u32) -> S { return bitcast<i32>(word); }\n\
         fn stored(x: S) -> T { return bitcast<u32>(x); }\n\n"
    };
    (i16) => {
        "enable wgpu_int16;\nalias S = i16;\nfn start(word: u32) -> S { return i16(bitcast<i32>(word | 1u)); }\n\
         fn factor(word: u32) -> S { return i16(bitcast<i32>(word)); }\n\
         fn stored(x: S) -> T { return bitcast<u32>(i32(x)); }\n\n"
    };
    (u64) => {
        "alias S = u64;\nfn start(word: u32) -> S { return u64(word | 1u) * 0x9e3779b97f4a7c15lu; }\n\
         fn factor(word: u32) -> S { return u64(word); }\n\
         fn stored(x: S) -> T { return u32(x) ^ u32(x >> 32u); }\n\n"
    };
    (i64) => {
        "alias S = i64;\nfn start(word: u32) -> S { return i64(u64(word | 1u) * 0x9e3779b97f4a7c15lu); }\n\
         fn factor(word: u32) -> S { return i64(word); }\n\
         fn stored(x: S) -> T { return u32(u64(x)) ^ u32(u64(x) >> 32u); }\n\n"
    };
    (f16) => {
        "enable f16;\nalias S = f16;\n\
         fn start(word: u32) -> S { return f16(1.5 + f32(word & 0x1e0u) / 1024.0); }\n\
         fn factor(word: u32) -> S { return f16(select(-1.0, 1.0, (word & 1u) == 1u)); }\n\
         fn stored(x: S) -> T { return x; }\n\n"
    };
    (f32) => {
        "alias S = f32;\nfn start(word: u32) -> S { return bitcast<f32>(0x3fc00000u | (word & 0x3fe000u)); }\n\
         fn factor(word: u32) -> S { return select(-1.0, 1.0, (word & 1u) == 1u); }\n\
         fn stored(x: S) -> T { return x; }\n\n"
    };
    (f64) => {
        "alias S = f64;\nfn start(word: u32) -> S { return 1.5lf + f64(word & 0x7ffffu) / 1048576.0lf; }\n\
         fn factor(word: u32) -> S { return select(-1.0lf, 1.0lf, (word & 1u) == 1u); }\n\
         fn stored(x: S) -> T { return x; }\n\n"
    };
}

/// The same in CUDA C++, with the instructions that have no operator there.
macro_rules! cuda_type {
    (u32) => {
        "typedef u32 S;\n__device__ __forceinline__ S start(u32 word) { return word | 1u; }\n\
         __device__ __forceinline__ S factor(u32 word) { return word; }\n\
         __device__ __forceinline__ T stored(S x) { return x; }\n\n"
    };
    (Lane) => {
        "typedef u32 S;\n__device__ __forceinline__ S start(u32 word) { return word | 1u; }\n\
         __device__ __forceinline__ S factor(u32 word) { return (threadIdx.x & 31u) == 0u ? 0xffffffffu : 0u; }\n\
         __device__ __forceinline__ S sum_by_shuffles(S x) {\n    \
         for (u32 lane = 1u; lane < 32u; lane *= 2u) {\n        \
         x += __shfl_xor_sync(0xffffffffu, x, lane);\n    }\n    return x;\n}\n\n\
         __device__ __forceinline__ T stored(S x) { return x; }\n\n"
    };
    (i32) => {
        "typedef int S;\n__device__ __forceinline__ S start(u32 word) { return S(word | 1u); }\n\
         __device__ __forceinline__ S factor(u32 word) { return S(word); }\n\
         __device__ __forceinline__ T stored(S x) { return u32(x); }\n\n"
    };
    (i16) => {
        "typedef short S;\n__device__ __forceinline__ S start(u32 word) { return S(word | 1u); }\n\
         __device__ __forceinline__ S factor(u32 word) { return S(word); }\n\
         __device__ __forceinline__ T stored(S x) { return u32(int(x)); }\n\n"
    };
    (u64) => {
        "typedef unsigned long long S;\n\
         __device__ __forceinline__ S start(u32 word) { return S(word | 1u) * 0x9e3779b97f4a7c15ull; }\n\
         __device__ __forceinline__ S factor(u32 word) { return word; }\n\
         __device__ __forceinline__ T stored(S x) { return u32(x) ^ u32(x >> 32); }\n\n"
    };
    (i64) => {
        "typedef unsigned long long u64;\ntypedef long long S;\n\
         __device__ __forceinline__ S start(u32 word) { return S(u64(word | 1u) * 0x9e3779b97f4a7c15ull); }\n\
         __device__ __forceinline__ S factor(u32 word) { return word; }\n\
         __device__ __forceinline__ T stored(S x) { return u32(u64(x)) ^ u32(u64(x) >> 32); }\n\n"
    };
    (f16) => {
        "typedef f16 S;\n\
         __device__ __forceinline__ S of_bits(u32 bits) { S x; x.bits = (unsigned short)bits; return x; }\n\
         __device__ __forceinline__ S start(u32 word) { return of_bits(0x3e00u | (word & 0x1e0u)); }\n\
         __device__ __forceinline__ S factor(u32 word) { return of_bits((word & 1u) == 1u ? 0x3c00u : 0xbc00u); }\n\
         __device__ __forceinline__ T stored(S x) { return x; }\n\
         __device__ __forceinline__ S times(S a, S b) {\n    S x;\n    \
         asm(\"mul.rn.f16 %0, %1, %2;\" : \"=h\"(x.bits) : \"h\"(a.bits), \"h\"(b.bits));\n    return x;\n}\n\n"
    };
    (f32) => {
        "typedef float S;\n\
         __device__ __forceinline__ S start(u32 word) { return __uint_as_float(0x3fc00000u | (word & 0x3fe000u)); }\n\
         __device__ __forceinline__ S factor(u32 word) { return (word & 1u) == 1u ? 1.0f : -1.0f; }\n\
         __device__ __forceinline__ T stored(S x) { return x; }\n\
         #define APPROXIMATE(NAME, PTX) __device__ __forceinline__ S NAME(S a) { \\\n    \
         S x; asm(PTX \".approx.ftz.f32 %0, %1;\" : \"=f\"(x) : \"f\"(a)); return x; }\n\
         APPROXIMATE(reciprocal, \"rcp\")\nAPPROXIMATE(square_root, \"sqrt\")\nAPPROXIMATE(power_of_two, \"ex2\")\n\
         APPROXIMATE(inverse_root, \"rsqrt\")\nAPPROXIMATE(logarithm, \"lg2\")\n\
         __device__ __forceinline__ S quotient(S a, S b) {\n    S x;\n    \
         asm(\"div.approx.ftz.f32 %0, %1, %2;\" : \"=f\"(x) : \"f\"(a), \"f\"(b));\n    return x;\n}\n\n"
    };
    (f64) => {
        "typedef double S;\n\
         __device__ __forceinline__ S start(u32 word) { return 1.5 + double(word & 0x7ffffu) / 1048576.0; }\n\
         __device__ __forceinline__ S factor(u32 word) { return (word & 1u) == 1u ? 1.0 : -1.0; }\n\
         __device__ __forceinline__ T stored(S x) { return x; }\n\n"
    };
}
